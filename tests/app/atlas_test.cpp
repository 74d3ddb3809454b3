// The atlas, the pruning curve, activation patching and the strongest path in the window, used by the robot;
// the numbers on screen are the engine's.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/controls_robot.hpp"
#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/opened/text_pairs.hpp"
#include "robot/layout.hpp"

namespace attnscope::atlas_test {
namespace {

using namespace attnscope::test;

const ModelState& state(Robot& robot) { return model_state_of(robot.app().view()); }
const ModelContext& within(const Robot& robot) { return robot.document().within.read(); }

}  // namespace

TEST_CASE("the atlas shows the effect of every head, and leads to it", "[model][atlas]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.click("Grid: Atlas");
  robot.settle();
  REQUIRE(state(robot).screen == ModelScreen::Atlas);
  CHECK_FALSE(robot.has("All heads"));
  CHECK(robot.has("Atlas of heads"));
  CHECK(robot.has("effect of 2.3"));  // twelve heads are in the list
  robot.click("effect of 2.3");
  robot.settle();
  CHECK(within(robot).block == 2);
  CHECK(robot.app().selection().head == 3);
  CHECK(state(robot).locked);
  CHECK(state(robot).screen == ModelScreen::Atlas);

  SECTION("measures and orders are chosen") {
    robot.click("Effect: KL");
    robot.click("sort by KL");
    robot.settle();
    CHECK(state(robot).atlas.measure == EffectMeasure::Divergence);
    CHECK(state(robot).atlas.order.sorted_by == 2);
    robot.click("Effect: Δ p");
    robot.click("sort by head");
    robot.frame(2);
    CHECK(state(robot).atlas.order.sorted_by == 0);
    // In order of layers the first head is above the last one.
    CHECK(robot.centre("effect of 0.0").y < robot.centre("effect of 2.3").y);
  }
  SECTION("a right click on a head of the list copies it in its order") {
    robot.click("sort by KL");
    robot.right_click(robot.centre("sort by KL"));
    robot.frame(2);
    robot.click("Copy the table");
    robot.frame();
    const std::string copied = ImGui::GetClipboardText();
    CHECK_THAT(copied, Catch::Matchers::StartsWith("head\tΔ logit\tKL\tΔ p %\n"));
    CHECK(std::ranges::count(copied, '\n') == 13);
    // The first row of the list is the first one in the copy.
    const std::size_t begin = copied.find('\n') + 1;
    const std::string first = copied.substr(begin, copied.find('\t', begin) - begin);
    for (const char* const head : {"0.1", "1.2", "0.0"})
      CHECK(robot.centre("effect of " + first).y <= robot.centre(std::string("effect of ") + head).y);
  }
  SECTION("a click on the map chooses a head, Enter opens its layer") {
    robot.click("Atlas of heads");
    robot.settle();
    CHECK(within(robot).block == 1);
    robot.leave();
    robot.key(ImGuiKey_Enter);
    robot.settle();
    CHECK(robot.app().view().mode == Mode::Explore);
    CHECK(within(robot).block == 1);
  }
  SECTION("the key, the tab and Esc leave it") {
    robot.leave();
    robot.key(ImGuiKey_A);
    robot.settle();
    CHECK(state(robot).screen == ModelScreen::Heads);
    robot.key(ImGuiKey_A);
    robot.settle();
    CHECK(state(robot).screen == ModelScreen::Atlas);
    robot.key(ImGuiKey_Escape);
    robot.settle();
    CHECK(state(robot).screen == ModelScreen::Heads);
    robot.click("Grid: Groups");
    robot.settle();
    CHECK(state(robot).order == GridOrder::Groups);
  }
}

TEST_CASE("the pruning curve is computed when it is asked for, of this text alone", "[model][atlas]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_A);
  robot.settle();
  CHECK_FALSE(robot.has("Pruning curve"));
  robot.click("Compute");
  robot.settle();
  REQUIRE(state(robot).pruned);
  REQUIRE(robot.has("Pruning curve"));
  CHECK_FALSE(robot.has("pruning: Cancel"));
  robot.click("Pruning curve");  // the head that is removed next
  robot.settle();
  CHECK(state(robot).locked);
  type_text(robot, "ab c de ab");
  CHECK_FALSE(robot.has("Pruning curve"));
  CHECK(robot.has("Compute"));
}

TEST_CASE("two texts are patched into each other", "[model][atlas]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.leave();
  robot.key(ImGuiKey_A, ImGuiMod_Shift);
  robot.settle();
  REQUIRE(state(robot).screen == ModelScreen::Patching);
  CHECK_FALSE(state(robot).patching.corrupted.empty());  // one is suggested
  REQUIRE(robot.has("Patched heads"));
  CHECK(robot.has("Patched positions"));
  CHECK(robot.has("patching of 0.0"));

  SECTION("texts of other lengths are refused with both counts") {
    robot.retype("##Corrupted", "ab c");
    robot.settle();
    CHECK_FALSE(robot.has("Patched heads"));
    robot.retype("##Corrupted", "ab c dc a");
    robot.settle();
    CHECK(robot.has("Patched heads"));
  }
  SECTION("answers are single tokens") {
    robot.retype("##Answer", "c");
    robot.retype("##Other answer", "d");
    robot.settle();
    CHECK(state(robot).patching.answers[0].id == 2);
    CHECK(state(robot).patching.answers[1].id == 3);
    CHECK(robot.has("Clean answer"));
    robot.retype("##Answer", "cd");
    robot.settle();
    CHECK_FALSE(state(robot).patching.answers[0].id);
    CHECK_THAT(state(robot).patching.answers[0].problem, Catch::Matchers::ContainsSubstring("2 tokens"));
  }
  SECTION("a pair to begin with takes the place of both") {
    robot.click("First pair");
    robot.settle();
    CHECK(within(robot).input.text != "ab c de a");
    CHECK(state(robot).patching.corrupted != within(robot).input.text);
    CHECK(robot.has("Patched heads"));
  }
  SECTION("heads are chosen by position and in the list") {
    robot.click("sort by estimate");
    robot.frame(2);
    CHECK(state(robot).patching.order.sorted_by == 2);
    robot.click("patching of 1.2");
    robot.settle();
    CHECK(within(robot).block == 1);
    CHECK(robot.app().selection().head == 2);
    robot.click("Patched positions");
    robot.settle();
    CHECK(state(robot).screen == ModelScreen::Patching);
  }
  SECTION("the same text twice says so") {
    robot.retype("##Corrupted", "ab c de a");
    robot.settle();
    CHECK_FALSE(robot.has("Patched heads"));
    robot.click("Suggest");
    robot.settle();
    CHECK(state(robot).patching.corrupted != "ab c de a");
    CHECK(robot.has("Patched heads"));
  }
}

TEST_CASE("a suggested text goes with the sentence, one that was typed stays and says so", "[model][atlas]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.leave();
  robot.key(ImGuiKey_A, ImGuiMod_Shift);
  robot.settle();
  const auto is_suggested = [&] {
    const std::string one = corrupted_like(*within(robot).model, within(robot).input);
    return !one.empty() && state(robot).patching.corrupted == one;
  };
  const std::string first = state(robot).patching.corrupted;
  const char* const stale = "It was typed beside another text; Suggest makes one for this.";
  REQUIRE(is_suggested());

  SECTION("a suggested one") {
    model_state_of(robot.app().view()).patching.is_running = false;  // stopped: that was the text before
    type_text(robot, "de c ab c d");
    CHECK(is_suggested());
    CHECK(state(robot).patching.corrupted != first);
    CHECK(state(robot).patching.is_running);
    CHECK_FALSE(keys_drawn(robot).contains(stale));
    robot.leave();
    robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    robot.settle();
    REQUIRE(within(robot).input.text != "de c ab c d");
    CHECK(is_suggested());
  }
  SECTION("one that was typed") {
    robot.retype("##Corrupted", "ab c dc a");
    CHECK_FALSE(keys_drawn(robot).contains(stale));
    type_text(robot, "ab c ed a");
    CHECK(state(robot).patching.corrupted == "ab c dc a");
    CHECK(keys_drawn(robot).contains(stale));
    robot.click("Suggest");
    robot.settle();
    CHECK(is_suggested());
    CHECK_FALSE(keys_drawn(robot).contains(stale));
  }
  SECTION("one that was taken away stays away for this sentence") {
    robot.click("##Corrupted");
    robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
    robot.key(ImGuiKey_Delete);
    robot.settle();
    CHECK(state(robot).patching.corrupted.empty());
    type_text(robot, "de c ab c d");
    CHECK(is_suggested());
  }
  SECTION("answers") {
    const char* const others = "The answers are those of another text.";
    robot.retype("##Answer", "c");
    CHECK_FALSE(keys_drawn(robot).contains(others));
    type_text(robot, "de c ab c d");
    CHECK(state(robot).patching.answer == "c");
    CHECK(keys_drawn(robot).contains(others));
    robot.retype("##Answer", "a");
    CHECK_FALSE(keys_drawn(robot).contains(others));
  }
  SECTION("those of a pair to begin with go with it") {
    robot.click("First pair");
    robot.settle();
    PatchingState& patching = model_state_of(robot.app().view()).patching;
    patching.answer = patching.suggested.answer = "c";  // as a pair of a larger model has them
    patching.other = "d";                               // typed
    type_text(robot, "de c ab c d");
    CHECK(is_suggested());
    CHECK(patching.answer.empty());
    CHECK(patching.other == "d");
  }
}

TEST_CASE("the strongest path is drawn below a split, and its heads are links", "[model][why]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "abc de ab");
  model_state_of(robot.app().view()).split.smallest_link = 0;
  robot.click("Why?");
  robot.settle();
  const auto& shown = state(robot).split.shown;
  REQUIRE(shown);
  REQUIRE(shown->path);
  REQUIRE(shown->path->size() > 1);
  const PathHead to = (*shown->path)[1];
  const std::string label = "path head " + std::to_string(to.block) + "." + std::to_string(to.head) + " 1";
  REQUIRE(robot.has(label));
  CHECK_FALSE(robot.has("Residual stream map"));

  SECTION("a card leads to its cell") {
    robot.click(label);
    robot.settle();
    CHECK(within(robot).block == to.block);
    CHECK(robot.app().selection().head == to.head);
    CHECK(robot.app().selection().cell == Cell{to.query, to.key});
  }
  SECTION("links below the smallest are not drawn, and the stream can stand there") {
    model_state_of(robot.app().view()).split.smallest_link = 100;
    robot.frame(2);
    CHECK_FALSE(robot.has(label));
    model_state_of(robot.app().view()).split.path = false;
    robot.settle();
    CHECK(robot.has("Residual stream map"));
  }
  SECTION("arrows step through the parts") {
    robot.leave();
    robot.key(ImGuiKey_DownArrow);
    REQUIRE(state(robot).split.mark);
    robot.key(ImGuiKey_DownArrow);
    robot.key(ImGuiKey_RightArrow);
    robot.frame(2);
    CHECK(state(robot).split.mark->query == 1);
    CHECK(state(robot).split.mark->key == 1);
    for (int i = 0; i < 12 && !state(robot).split.marked_head; ++i) {
      robot.key(ImGuiKey_DownArrow);
      robot.frame(2);
    }
    REQUIRE(state(robot).split.marked_head);
    const ModelHead head = *state(robot).split.marked_head;
    robot.key(ImGuiKey_Space);
    robot.settle();
    CHECK(within(robot).block == head.block);
    CHECK(robot.app().selection().head == head.head);
  }
}

TEST_CASE("the screens of heads fit small windows", "[model][atlas]") {
  const TemporaryDirectory directory;
  for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{900, 560}}) {
    Robot robot(with_letters(directory, {.width = width, .height = height}));
    for (const char* screen : {"Grid: Atlas", "Grid: Patching", "Grid: Heads"}) {
      robot.click(screen);
      robot.settle();
    }
    CHECK(state(robot).screen == ModelScreen::Heads);
  }
}

TEST_CASE("atlas: the numbers of a column have their 0 before the point, all of them", "[model]") {
  Robot robot({.width = 1600, .height = 1000, .file = std::string(ATTNSCOPE_ASSETS) + "/models/induction"});
  robot.settle();
  robot.click("Grid: Atlas");
  robot.settle();
  const ImVec2 first = robot.centre("effect of 1.3"), last = robot.centre("effect of 0.2");
  REQUIRE(last.y > first.y);
  for (const PlacedText& text : texts_of(robot))
    if (std::abs(text.x0 - first.x) < 160 && text.y0 > first.y - 12 && text.y1 < last.y + 12)
      CHECK_FALSE(text.text.starts_with("."));
}

}  // namespace attnscope::atlas_test
