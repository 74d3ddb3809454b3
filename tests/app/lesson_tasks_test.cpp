// Every task of every lesson can be done with mouse and keyboard, in the controls that the lesson shows.
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "app/lesson_robot.hpp"
#include "core/edits/block.hpp"

namespace attnscope::lesson_tasks_test {
namespace {

using nlohmann::json;
using test::Player;

/// A stepper is pressed until the Document has the number.
template <class Now>
void press_until(Player& player, const std::string& control, std::int64_t wanted, const Now& now) {
  for (int presses = 0; now() != wanted && presses < 12; ++presses) {
    player.click(control + (now() < wanted ? " more" : " less"));
    player.settle();
  }
  CHECK(now() == wanted);
}

/// Does with the controls what the patch does; adds the names of the controls to `used`.
void do_by_hand(Player& player, const json& patch, std::set<std::string>& used) {
  const auto layer = [&]() -> const LayerSpec& { return player.document().layer(); };
  const auto press = [&](const char* control) {
    player.click(control);
    player.settle();
    used.insert(control);
  };
  for (const auto& [key, value] : patch.items()) {
    if (key == "temperature" || key == "soft_cap") {
      const char* const control = key == "temperature" ? "Temperature" : "Cap";
      used.insert(control);
      player.type_number(std::string(control) + " value", value.dump());
    } else if (key == "text") {
      used.insert("##Text");
      player.retype("##Text", value[0].get<std::string>());
      player.key(ImGuiKey_Escape);
      player.settle();
    } else if (key == "mask") {
      for (const auto& [kind, on] : value.items()) press(kind == "causal" ? "Causal" : "Padding");
    } else if (key == "softmax") {
      press(value == "naive" ? "Softmax: Naive" : "Softmax: Stable");
    } else if (key == "heads") {
      used.insert("Number of heads");
      press_until(player, "Number of heads", value.get<int>(), [&] { return layer().heads; });
    } else if (key == "kv_heads") {
      used.insert("Key heads");
      press_until(player, "Key heads", value.get<int>(),
                  [&] { return player.app().shown()->layer().dimensions.kv_heads; });
    } else if (key == "d_k") {
      used.insert("d_k");
      press_until(player, "d_k", value.get<int>(),
                  [&] { return player.app().shown()->layer().dimensions.d_k; });
    } else if (key == "surgery") {
      press("Mute head");
    } else if (key == "zero_key") {
      press("Zero key");
    } else if (key == "positions") {
      press("Positions");
      press("Sinusoidal");
    } else if (key == "block" && value.contains("norm")) {
      press("Block norm");
      press("Off");
    } else if (key == "block" && value.contains("attention_residual")) {
      press("Residual");
    } else if (key == "block" && value.contains("mlp")) {
      press("MLP");
    } else {
      FAIL("no control for " << key);
    }
  }
}

}  // namespace

TEST_CASE("every task of every lesson is done with the mouse", "[lessons][lesson_tasks]") {
  Player player({.width = 1600, .height = 1000});
  std::set<std::string> used;
  std::size_t tasks = 0;
  for (const std::string& name : test::all_lessons()) {
    player.app().lessons().go_to({name, 0});
    player.settle();
    REQUIRE(player.app().lessons().open());
    if (player.lesson().lesson.of_model()) continue;     // with its model: see lesson_model_test.cpp
    if (player.lesson().lesson.of_training()) continue;  // see lesson_training_player_test.cpp
    for (std::int64_t step = 0; step < std::ssize(player.lesson().documents); ++step) {
      const lessons::Step& what = player.lesson().lesson.steps[static_cast<std::size_t>(step)];
      if (!what.done) continue;
      INFO(name << " step " << step + 1);
      player.app().lessons().go_to({name, step});
      player.settle();
      if (what.question) player.press(ImGuiKey_R);
      CHECK_FALSE(player.state().reached.contains(step));
      REQUIRE_FALSE(what.done_by.empty());
      do_by_hand(player, json::parse(what.done_by), used);
      CHECK(player.app().view().mode == Mode::Lessons);
      CHECK(player.state().reached.contains(step));
      CHECK(player.says("Reached"));
      CHECK(player.collides() == "");
      ++tasks;
    }
  }
  CHECK(tasks >= 26);
  // At least one of each kind: slider, tick box, text, segments, stepper, list, mute.
  for (const char* control : {"Temperature", "Cap", "Padding", "Causal", "##Text", "Softmax: Naive",
                              "Number of heads", "Positions", "Mute head", "Block norm", "Residual"}) {
    INFO(control);
    CHECK(used.contains(control));
  }
}

}  // namespace attnscope::lesson_tasks_test
