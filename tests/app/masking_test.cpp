// Words of an encoder's text are masked and put back by Alt-click, menu, button and key; the prediction shows
// the rank of the masked word.
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/pages/model/state/model_state.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/opened/opened_model.hpp"
#include "robot/layout.hpp"
#include "robot/robot.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::masking_test {
namespace {

using test::TemporaryDirectory;

RobotOptions with_bert(const TemporaryDirectory& directory, const char* name = "bert_masked") {
  write_small_bert(directory / name, name);
  RobotOptions options;
  options.width = 1600;
  options.height = 1000;
  options.file = directory / name;
  return options;
}

const ModelContext& within(const Robot& robot) { return robot.document().within.read(); }

void alt_click(Robot& robot, const std::string& label) {
  robot.move(robot.centre(label));
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, true);
  robot.press();
  robot.release();
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, false);
  robot.settle();
}

bool says(Robot& robot, const std::string& words) {
  for (const PlacedText& text : texts_of(robot))
    if (text.text.find(words) != std::string::npos) return true;
  return false;
}

/// Rank and probability of a token in a row, from a run of its own, in double.
struct Place {
  std::int64_t rank = 1;
  double probability = 0;
};
Place place_of(const Robot& robot, std::int64_t row, std::int64_t id) {
  const OpenedModel& opened = *within(robot).model;
  ThreadPool pool(1);
  const ModelRun run =
      run_model(*opened.model, tokens_of(opened, within(robot).input).input, {}, Work{pool, {}});
  const float* const logits = run.logits.row(row);
  double sum = 0;
  Place place;
  for (std::int64_t i = 0; i < run.logits.width; ++i) {
    sum += std::exp(static_cast<double>(logits[i]));
    if (logits[i] > logits[id]) ++place.rank;
  }
  place.probability = std::exp(static_cast<double>(logits[id])) / sum;
  return place;
}

}  // namespace

TEST_CASE("Alt-click masks a word, and puts it back", "[model][masking]") {
  const TemporaryDirectory directory;
  Robot robot(with_bert(directory));
  robot.settle();
  CHECK(within(robot).input.text == "Paris is the [MASK] of France.");
  CHECK(robot.has("Put back"));
  robot.retype("##Text", "the cat sat on the mat");
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK_FALSE(robot.has("Put back"));
  alt_click(robot, "token 2");
  CHECK(within(robot).input.text == "the [MASK] sat on the mat");
  CHECK(model_state_of(robot.app().view()).predicted_row == 2);

  const Place place = place_of(robot, 2, 12);
  CHECK(says(robot, "rank " + std::to_string(place.rank)));
  REQUIRE(robot.has("predicted cat 12"));  // however unlikely it is
  robot.move(robot.centre("predicted cat 12"));
  bool told = false;
  robot.app().words().watch = [&](std::string_view key, bool) {
    told = told || key == "The word that was masked.";
  };
  robot.frame(60);
  robot.app().words().watch = {};
  CHECK(told);
  char percent[16];
  std::snprintf(percent, sizeof percent, "%.1f", 100 * place.probability);
  CHECK(says(robot, percent));

  SECTION("by Alt-click") {
    robot.move(robot.centre("token 2"));
    robot.frame();
    CHECK(robot.app().view().hint.find("cat") != std::string::npos);  // names the word that comes back
    CHECK(robot.app().view().hint.find("puts it back") != std::string::npos);
    alt_click(robot, "token 2");
    CHECK(within(robot).input.text == "the cat sat on the mat");
  }
  SECTION("by the button") {
    robot.click("Put back");
    robot.settle();
    CHECK(within(robot).input.text == "the cat sat on the mat");
    CHECK_FALSE(model_state_of(robot.app().view()).predicted_row);
  }
  SECTION("by undo") {
    robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    robot.settle();
    CHECK(within(robot).input.text == "the cat sat on the mat");
    robot.key(ImGuiKey_Y, ImGuiMod_Ctrl);
    robot.settle();
    CHECK(within(robot).input.text == "the [MASK] sat on the mat");
    CHECK(within(robot).input.masked.size() == 1);
  }
  SECTION("a click on a prediction takes the mask's place") {
    std::string label;
    for (const RecordedItem& item : robot.items().items())
      if (label.empty() && item.label.starts_with("predicted ") && item.label != "predicted cat 12")
        label = item.label;
    REQUIRE_FALSE(label.empty());
    robot.click(label);
    robot.settle();
    CHECK(within(robot).input.text.find("[MASK]") == std::string::npos);
    CHECK(within(robot).input.masked.empty());
  }
}

TEST_CASE("the menu of a token, the button and the key mask too", "[model][masking]") {
  const TemporaryDirectory directory;
  Robot robot(with_bert(directory));
  robot.retype("##Text", "the unhappy cat sat");
  robot.key(ImGuiKey_Escape);
  robot.settle();
  SECTION("menu") {
    robot.right_click(robot.centre("token 2"));
    robot.frame(2);
    robot.click("Mask the word");
    robot.settle();
    CHECK(within(robot).input.text == "the [MASK][MASK] cat sat");
    robot.right_click(robot.centre("token 3"));
    robot.frame(2);
    robot.click("Predict this token");
    robot.settle();
    CHECK(model_state_of(robot.app().view()).predicted_row == 3);
    CHECK(robot.has("predicted ##happy 24"));
    robot.right_click(robot.centre("token 3"));
    robot.frame(2);
    robot.click("Put the word back");
    robot.settle();
    CHECK(within(robot).input.text == "the unhappy cat sat");
  }
  SECTION("button of the empty prediction") {
    robot.click("token 4");
    robot.settle();
    robot.click("Mask the chosen word");
    robot.settle();
    CHECK(within(robot).input.text == "the unhappy [MASK] sat");
    robot.key(ImGuiKey_W, ImGuiMod_Shift);
    robot.settle();
    CHECK(within(robot).input.text == "the unhappy cat sat");
  }
  SECTION("a special token has no word") {
    robot.click("token 0");
    robot.settle();
    CHECK_FALSE(robot.has("Mask the chosen word"));
    alt_click(robot, "token 0");
    CHECK(robot.app().message().find("[CLS]") != std::string::npos);
  }
}

TEST_CASE("classes are named as the model names them", "[model][masking]") {
  const TemporaryDirectory directory;
  for (const char* name : {"bert_classify", "bert_tokens"}) {
    CAPTURE(name);
    Robot robot(with_bert(directory, name));
    robot.settle();
    CHECK(says(robot, std::string(name) == "bert_tokens" ? "Class of the token" : "Class"));
    for (const char* label : {"sad", "so-so", "glad"}) CHECK(says(robot, label));
    alt_click(robot, "token 5");  // it has no mask to fill: a click like any other
    CHECK(robot.app().message().empty());
    CHECK(robot.app().selection().cell.query == 5);
    // The classes shown are those of the chosen token.
    const bool of_token = std::string(name) == "bert_tokens";
    CHECK(model_state_of(robot.app().view()).predicted_row ==
          (of_token ? std::optional<std::int64_t>(5) : std::nullopt));
  }
}

}  // namespace attnscope::masking_test
