// The first picture: what a model that was trained here does with a sentence, before anybody has opened
// anything.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/files/paths.hpp"
#include "app/state/start_state.hpp"
#include "app/ui/own_words.hpp"
#include "controls_robot.hpp"
#include "core/models/opened/opened_model.hpp"
#include "robot/layout.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::opening_test {

namespace {

namespace fs = std::filesystem;

struct FirstPicture : Robot {
  explicit FirstPicture(RobotOptions options = {.width = 1600, .height = 1000})
      : Robot(with_opening(options)) {}
  static RobotOptions with_opening(RobotOptions options) {
    options.opening = opening_picture(assets_directory());
    return options;
  }
  const LayerResult& layer() { return app().shown()->layer(); }
  float weight(std::int64_t head, std::int64_t query, std::int64_t key) {
    return layer().trace[Stage::Softmax]->matrix(0, head)(query, key);
  }
  double mean_entropy() {
    double sum = 0;
    for (std::int64_t h = 0; h < layer().dimensions.heads; ++h) sum += layer().measures.head(0, h).entropy;
    return sum / static_cast<double>(layer().dimensions.heads);
  }
  std::string seen(FirstStep step) { return plain(app().view().start->step(step).seen); }
  bool says(const std::string& words) {
    return std::ranges::any_of(texts_of(*this),
                               [&](const PlacedText& text) { return plain(text.text) == words; });
  }
  bool is_done(FirstStep step) { return app().view().start->step(step).done; }
};

}  // namespace

TEST_CASE("opening: the first picture is of heads that learned where a verb's subject is", "[opening]") {
  FirstPicture robot;
  const Within& within = robot.document().within.read();
  REQUIRE(within);
  CHECK(within.model->model->spec.family == "AttnScope Reader");
  CHECK(within.input.text == "The cat sat on the mat");
  CHECK(robot.app().view().mode == Mode::Explore);
  CHECK(robot.app().message().empty());
  CHECK_FALSE(robot.app().is_edited());
  // sat looks at cat: in three of the four heads nearly all of its weight, where uniform attention has 1/7.
  CHECK(robot.app().selection().cell == Cell{3, 2});
  CHECK(plain(query_label(robot.layer(), 0, 3)) == "sat");
  CHECK(plain(key_label(robot.layer(), 0, 2)) == "cat");
  CHECK(robot.weight(robot.app().selection().head, 3, 2) > 0.9f);
}

TEST_CASE("opening: the three things to try act inside the model", "[opening][start]") {
  FirstPicture robot;
  robot.app().offer_start();
  robot.settle();
  const double before = robot.mean_entropy();
  robot.key(ImGuiKey_S);
  robot.settle();
  CHECK(robot.is_done(FirstStep::Scaling));
  CHECK(robot.mean_entropy() < before);
  CHECK(robot.seen(FirstStep::Scaling).starts_with("The mean entropy fell from "));
  CHECK(robot.document().within.read().changes.blocks ==
        std::vector<BlockChange>{{.of = AttentionOf::Encoder, .block = 2, .scale = 1}});
  robot.key(ImGuiKey_C);
  robot.settle();
  CHECK(robot.is_done(FirstStep::Future));
  CHECK(robot.seen(FirstStep::Future).ends_with("Now they have 0 %."));
  CHECK(robot.weight(0, 2, 3) == 0);
  CHECK(robot.document().within.read().changes.blocks ==
        std::vector<BlockChange>{{.of = AttentionOf::Encoder, .block = 2, .causal = true, .scale = 1}});
  robot.retype("##Text", "The dogs that the old cat chases are happy");
  robot.settle();
  CHECK(robot.is_done(FirstStep::Sentence));
  REQUIRE(robot.document().within.read());
  CHECK(robot.layer().dimensions.queries == 10);
  CHECK(robot.app().message().empty());
}

TEST_CASE("opening: a word that the model does not know stands as it was written, and is said to be none",
          "[opening]") {
  FirstPicture robot;
  robot.retype("##Text", "The zebra sat on the sofa");
  robot.settle();
  const LayerResult& layer = robot.layer();
  CHECK(plain(query_label(layer, 0, 2)) == "zebra");
  CHECK(plain(key_label(layer, 0, 6)) == "sofa");
  for (std::int64_t i = 0; i < 7; ++i) {
    CHECK(is_unknown_query(layer, 0, i) == (i == 2 || i == 6));
    CHECK(is_unknown_key(layer, 0, i) == (i == 2 || i == 6));
  }
  CHECK_FALSE(is_unknown_key(layer, 0, 7));
}

TEST_CASE("opening: where the first picture cannot be had, the next example is there and it is said why",
          "[opening]") {
  const test::TemporaryDirectory directory;
  const fs::path broken = directory.write(
      "opening.json", R"({"attnscope": 1, "session": 1, "model": {"path": "nowhere"}, "view": {}})");
  Robot robot({.opening = broken});
  CHECK(robot.document().title == "The cat sat on the mat");
  CHECK(robot.app().shown());
  CHECK(plain(robot.app().message()).find("nowhere") != std::string::npos);
}

TEST_CASE("opening: a session finds its model from its own folder", "[opening][session]") {
  const test::TemporaryDirectory directory;
  fs::create_directories(directory / "sessions");
  fs::create_directories(directory / "models");
  fs::copy(assets_directory() / "models/reader", directory / "models/reader", fs::copy_options::recursive);
  const fs::path session = directory.write(
      "sessions/mine.json",
      R"({"attnscope": 1, "session": 1, "model": {"path": "../models/reader", "text": "tom sat", "of": "encoder"},
          "view": {"mode": "model"}})");
  Robot robot({.file = session});
  REQUIRE(robot.document().within.read());
  CHECK(robot.document().within.read().path == directory / "models/reader");
  CHECK(robot.app().view().mode == Mode::Model);
}

TEST_CASE("opening: a cell that undo brings back waits until the model has read its text",
          "[opening][history]") {
  std::atomic<bool> stands = false;  // the model's worker
  FirstPicture robot({.width = 1600, .height = 1000, .wake = [&stands] {
                        while (stands) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                      }});
  struct GoesOn {
    std::atomic<bool>& stands;
    ~GoesOn() { stands = false; }
  } const at_the_end{stands};
  robot.retype("##Text", "The dogs that the old cat chases are happy");
  robot.key(ImGuiKey_Escape);
  robot.app().look_at({.head = 0, .cell = Cell{9, 8}, .cells = {}});
  robot.settle();
  robot.retype("##Text", "tom sat");
  robot.key(ImGuiKey_Escape);
  robot.settle();
  REQUIRE(robot.layer().dimensions.queries == 3);
  stands = true;
  robot.key(ImGuiKey_S);  // its reading is told of, and the worker stands there
  robot.frame(20);
  const auto text = [&] { return robot.document().within.read().input.text; };
  for (int i = 0; i < 4 && text() == "tom sat"; ++i) {
    robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    robot.frame(20);
  }
  REQUIRE(text() == "The dogs that the old cat chases are happy");
  stands = false;
  robot.settle();
  REQUIRE(robot.layer().dimensions.queries == 10);
  CHECK(robot.app().selection().cell == Cell{9, 8});
}

TEST_CASE("opening: a lesson that is opened at once is what is looked at", "[opening][lessons]") {
  FirstPicture robot(
      {.width = 1600, .height = 1000, .file = assets_directory() / "lessons/22-a-previous-token-head.md"});
  CHECK(robot.app().view().mode == Mode::Lessons);
  REQUIRE(robot.app().lesson());
  CHECK(robot.app().lesson()->lesson.title == "Watch a previous-token head form");
}

TEST_CASE("opening: a window that has no room for the heads of a model draws none", "[opening][models]") {
  FirstPicture robot;
  robot.app().view().mode = Mode::Model;
  for (const ImVec2 size : {ImVec2{300, 40}, {1, 1}, {1600, 90}, {90, 1000}, {1600, 1000}}) {
    robot.resize(static_cast<int>(size.x), static_cast<int>(size.y));
    robot.settle();
  }
  CHECK(robot.says("Refers to"));
}

TEST_CASE("opening: what a token refers to follows the cell that is looked at", "[opening][models]") {
  FirstPicture robot;
  robot.app().view().mode = Mode::Model;
  robot.settle();
  CHECK(robot.says("Refers to"));
  CHECK(robot.says("of sat"));
}

}  // namespace attnscope::opening_test
