// "Why did it look there?" in the window: the parts add up to the score and the logit of the run, and are
// links to their heads.
#include "app/pages/model/why/why.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_words.hpp"
#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "core/engine/model/model_reading.hpp"
#include "robot/layout.hpp"
#include "robot/robot.hpp"
#include "support/letters_gpt.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope {
namespace {

const WhyReading& why_shown(Robot& robot) {
  const std::shared_ptr<const WhyReading>& why = model_state_of(robot.app().view()).split.shown;
  REQUIRE(why);
  return *why;
}

double sum_of(const LogitSplit& split) {
  double sum = 0;
  for (const double value : split.values) sum += value;
  return sum;
}

/// A window with the letters' model and a text of nine letters.
struct LettersRobot : Robot {
  explicit LettersRobot(const test::TemporaryDirectory& directory) : Robot(options(directory)) {
    retype("##Text", "abc de ab");
    key(ImGuiKey_Escape);
    settle();
  }

 private:
  static RobotOptions options(const test::TemporaryDirectory& directory) {
    write_letters_gpt(directory / "letters");
    RobotOptions chosen;
    chosen.width = 1400;
    chosen.height = 900;
    chosen.file = directory / "letters";
    return chosen;
  }
};

}  // namespace

TEST_CASE("a score and a logit are shown as the sum of their parts", "[model][why]") {
  const test::TemporaryDirectory directory;
  LettersRobot robot(directory);
  const ModelState& state = model_state_of(robot.app().view());
  robot.click("Why?");
  robot.settle();
  REQUIRE(state.screen == ModelScreen::Why);
  CHECK_FALSE(robot.has("All heads"));

  const WhyQuestion asked = why_shown(robot).asked;
  CHECK(asked.score.query == robot.app().selection().cell.query);
  CHECK(asked.score.key == robot.app().selection().cell.key);
  CHECK(asked.score.over_mean);
  REQUIRE(why_shown(robot).score_problem.empty());
  const ScoreSplit over_mean = why_shown(robot).score;
  CHECK(std::abs(over_mean.cells.matrix().sum() - over_mean.score) < 1e-5);
  REQUIRE(why_shown(robot).logit_problem.empty());
  CHECK(std::abs(sum_of(why_shown(robot).logit) - why_shown(robot).logit.logit) < 1e-4);
  CHECK(robot.has("cell score"));

  SECTION("raw: with what all keys share") {
    robot.click("Score: raw");
    robot.settle();
    const ScoreSplit& raw = why_shown(robot).score;
    CHECK_FALSE(why_shown(robot).asked.score.over_mean);
    CHECK(std::abs(raw.score - over_mean.raw) < 1e-9);
    CHECK(std::abs(raw.cells.matrix().sum() - raw.score) < 1e-5);
    const Stage scaled = Stage::Scale;
    const LayerResult& layer = robot.app().shown()->layer();
    const float on_screen =
        (*layer.trace[scaled]).matrix(0, robot.app().selection().head)(asked.score.query, asked.score.key);
    CHECK(std::abs(raw.score - static_cast<double>(on_screen)) < 1e-5);
  }
  SECTION("a head that adds to the logit is a link") {
    std::optional<StreamPart> found;
    for (const StreamPart& part : why_shown(robot).logit.parts)
      if (part.kind == StreamPart::Kind::Head && part.block > 0 &&
          robot.has("logit part head " + std::to_string(part.block) + "." + std::to_string(part.head)))
        found = part;
    REQUIRE(found);
    robot.click("logit part head " + std::to_string(found->block) + "." + std::to_string(found->head));
    robot.settle();
    CHECK(state.screen == ModelScreen::Why);
    CHECK(robot.document().within.read().block == found->block);
    CHECK(robot.app().selection().head == found->head);
    CHECK(robot.app().selection().cell.query == why_shown(robot).row);
    CHECK(why_shown(robot).asked.score.block == static_cast<std::size_t>(found->block));
    CHECK(std::abs(why_shown(robot).score.cells.matrix().sum() - why_shown(robot).score.score) < 1e-5);
  }
  SECTION("fewer parts, and what is hidden says so") {
    robot.click("query parts less");
    robot.settle();
    CHECK(state.split.query_parts == 7);
    Spot spot;
    spot.cell = Cell{1, 4};
    robot.app().looking().look_at(spot);
    robot.settle();
    CHECK(why_shown(robot).score_problem == "Query 1 may not see key 4: the mask hides it.");
    CHECK_FALSE(robot.has("cell score"));
  }
  SECTION("Esc and the button go back to all heads") {
    robot.key(ImGuiKey_Escape);
    robot.settle();
    CHECK(state.screen == ModelScreen::Heads);
    CHECK(robot.has("All heads"));
    robot.click("Why?");
    robot.settle();
    robot.click("Back");
    robot.settle();
    CHECK(state.screen == ModelScreen::Heads);
  }
}

TEST_CASE("a split is grouped once, and again for another split or other numbers of parts", "[model][why]") {
  const test::TemporaryDirectory directory;
  LettersRobot robot(directory);
  robot.click("Why?");
  robot.settle();
  WhyState& state = model_state_of(robot.app().view()).split;
  const std::shared_ptr<const WhyGroups> first = state.groups;
  REQUIRE(first);
  CHECK(first->by_key == key_sums(why_shown(robot).score));
  CHECK(std::abs(first->cells.matrix().sum() - why_shown(robot).score.score) < 1e-5);
  robot.settle();
  CHECK(state.groups == first);  // no frame groups them again
  state.query_parts = 4;
  robot.settle();
  REQUIRE(state.groups != first);
  CHECK(state.groups->queries.size() <= 4);
  CHECK(state.groups->keys.size() == first->keys.size());
  const std::shared_ptr<const WhyGroups> fewer = state.groups;
  state.over_mean = false;
  robot.settle();
  REQUIRE(state.groups);
  CHECK(state.groups != fewer);
  CHECK(state.groups->by_key == key_sums(why_shown(robot).score));
}

TEST_CASE("the weight of a zeroed head is the one of its map, not 0", "[model][why]") {
  test::LettersRobot robot({.height = 1060});
  robot.click("Head: zero");
  robot.settle();
  robot.click("Why?");
  robot.settle();
  const LayerResult& layer = robot.app().shown()->layer();
  const Cell cell = robot.app().selection().cell;
  const std::int64_t head = robot.app().selection().head;
  const auto own = static_cast<double>((*layer.trace[Stage::Softmax]).matrix(0, head)(cell.query, cell.key));
  REQUIRE(own > 0.001);
  REQUIRE((*layer.trace[Stage::Intervention]).matrix(0, head)(cell.query, cell.key) == 0);
  const std::vector<PlacedText> texts = texts_of(robot);
  CHECK(std::ranges::count(texts, in_full(own), &PlacedText::text) == 2);  // large, and in its last line
  CHECK(std::ranges::count(texts, "0.0000", &PlacedText::text) == 0);
}

TEST_CASE("a shifted score that the temperature divides says so", "[model][why]") {
  const test::TemporaryDirectory directory;
  RobotOptions options = test::with_letters(directory, {.height = 1060});
  options.system_fonts = true;  // in which the line is whole
  Robot robot(options);
  test::type_text(robot, "ab c de a");
  robot.type_number("temperature τ value", "0.5");
  robot.settle();
  robot.click("Why?");
  robot.settle();
  REQUIRE(robot.app().shown()->layer().document.layer().temperature == 0.5f);
  const auto divided = [](const PlacedText& text) {
    return text.text.starts_with("(− max ") && text.text.ends_with(") / 0.50");
  };
  CHECK(std::ranges::count_if(texts_of(robot), divided) == 1);
}

TEST_CASE("the last line under Why is the layer's own: linear attention has no shifted score",
          "[model][why]") {
  test::LettersRobot robot({.height = 1700});
  robot.key(ImGuiKey_F2);
  robot.settle();
  robot.click("More: Softmax");
  robot.settle();
  const auto shifted = [&] {
    return std::ranges::count_if(texts_of(robot), [](const PlacedText& text) {
      return text.text == "shifted" || text.text.starts_with("− max ");
    });
  };
  const auto ask_why = [&] {
    robot.key(ImGuiKey_F7);
    robot.settle();
    if (test::model_state(robot).screen != ModelScreen::Why) robot.click("Why?");
    robot.settle();
  };
  SECTION("linear attention") {
    robot.click("Linear attention");
    robot.settle();
    ask_why();
    CHECK(why_shown(robot).score_problem.find("computed stage by stage, such as linear attention") !=
          std::string::npos);
    const LayerResult& layer = robot.app().shown()->layer();
    REQUIRE(layer.document.layer().linear);
    const Cell cell = robot.app().selection().cell;
    const std::int64_t head = robot.app().selection().head;
    const auto weight = [&](Stage stage) {
      return in_full(static_cast<double>((*layer.trace[stage]).matrix(0, head)(cell.query, cell.key)));
    };
    REQUIRE(weight(Stage::Linear) != weight(Stage::Softmax));
    const std::vector<PlacedText> texts = texts_of(robot);
    CHECK(std::ranges::count(texts, weight(Stage::Linear), &PlacedText::text) ==
          2);  // large, and in its line
    CHECK(std::ranges::count(texts, weight(Stage::Softmax), &PlacedText::text) == 0);
    CHECK(shifted() == 0);
  }
  SECTION("a naive softmax subtracts nothing") {
    robot.click("Softmax: Naive");
    robot.settle();
    ask_why();
    REQUIRE(robot.app().shown()->layer().document.layer().softmax == SoftmaxKind::Naive);
    CHECK(shifted() == 0);
    const LayerResult& layer = robot.app().shown()->layer();
    const Cell cell = robot.app().selection().cell;
    const auto weight = static_cast<double>(
        (*layer.trace[Stage::Softmax]).matrix(0, robot.app().selection().head)(cell.query, cell.key));
    CHECK(std::ranges::count(texts_of(robot), in_full(weight), &PlacedText::text) == 2);
  }
}

TEST_CASE("a token whose logit is split is none of another model", "[model][why]") {
  test::LettersRobot robot;
  write_letters_gpt(robot.directory / "other", 2);
  const auto ask_why_in = [&](const char* model) {
    robot.app().files().opening.open(robot.directory / model);
    robot.settle();
    test::type_text(robot, "ab c de a");
    if (test::model_state(robot).screen != ModelScreen::Why) robot.click("Why?");
    robot.settle();
  };
  ask_why_in("letters");
  ModelState& state = model_state_of(robot.app().view());
  state.choose_tokens_of(test::model_within(robot).fingerprint);
  state.split_token = 3;
  robot.settle();
  REQUIRE(why_shown(robot).token == 3);
  ask_why_in("other");
  CHECK_FALSE(why_shown(robot).asked.token);
  ask_why_in("letters");
  CHECK(why_shown(robot).asked.token == 3);
}

}  // namespace attnscope
