// The sentence can take the keyboard after any click, and letters typed then change the sentence alone.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/pages/model/state/model_state.hpp"
#include "app/state/regions/controls_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/heads_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/regions/token_look.hpp"
#include "app/views/controls/column.hpp"
#include "core/edits/dump.hpp"
#include "core/edits/within.hpp"
#include "core/files/formats/safetensors.hpp"
#include "hands_robot.hpp"
#include "model_robot.hpp"
#include "robot/layout.hpp"

namespace attnscope::typing_after_clicks_test {

using namespace attnscope::test;

namespace {

constexpr std::string_view words = "Ron jdm sows";  // most of them are keys of actions
const std::filesystem::path examples = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples";

/// All that can be clicked in the column at the left, by its label.
std::vector<std::string> controls_of(const Robot& robot) {
  std::vector<std::string> labels;
  std::set<std::string> seen;
  for (const RecordedItem& item : robot.items().items())
    if (item.visible && !item.label.empty() && item.window.find("/controls_") != std::string::npos &&
        seen.insert(item.label).second)
      labels.push_back(item.label);
  return labels;
}

constexpr auto layer_sections = static_cast<std::size_t>(Section::Model);
constexpr auto model_sections = static_cast<std::size_t>(Section::Text) + 1 - layer_sections;

/// Unfolds one section, its "More" included.
void unfold(Robot& robot, std::size_t section) {
  ViewState& view = robot.app().view();
  if (section < layer_sections) {
    controls_of(view).fold[section] = 1;
    controls_of(view).more[section] = true;
  } else {
    model_state_of(view).fold[section - layer_sections] = 1;
  }
  robot.settle();
}

/// The controls that can be clicked only when this section is unfolded.
std::vector<std::string> folded_controls_of(Robot& robot, std::size_t section) {
  const std::vector<std::string> before = controls_of(robot);
  unfold(robot, section);
  std::vector<std::string> labels;
  for (const std::string& label : controls_of(robot))
    if (std::ranges::find(before, label) == before.end()) labels.push_back(label);
  return labels;
}

/// The state that a letter would change if it acted as a key.
struct Look {
  Mode mode;
  Plane stage;
  RangeMode range;
  ThemeName theme;
  Direction direction;
  std::array<bool, 5> hidden;
  bool log;
  explicit Look(const ViewState& view)
      : mode(view.mode),
        stage(stage_look_of(view).stage),
        range(stage_look_of(view).range),
        theme(view.theme),
        direction(token_look_of(view).direction),
        hidden(regions_of(view).hidden),
        log(focus_of(view).log) {}
  bool operator==(const Look&) const = default;
};

/// Clicks a control, focuses the sentence and types: only the sentence has changed afterwards.
void type_after_click(Robot& robot, const std::string& label) {
  INFO(label);
  robot.click(label);
  const Document clicked = robot.document();
  const Look look(robot.app().view());
  robot.key(ImGuiKey_L, ImGuiMod_Ctrl);
  robot.frame();
  type_keys(robot, words, 0.03);
  CHECK(ImGui::GetIO().WantTextInput);
  robot.settle();
  CHECK(typed_text(robot.document(), 0) == words);
  Document expected = edit::typed_text(clicked, 0, std::string(words));
  // A cell that the click has painted is cut off letter by letter, and so are tokens that it has cached.
  if (clicked.layer().masking.additive) expected.layer().masking = robot.document().layer().masking;
  if (clicked.input.cached > 0) expected.input.cached = robot.document().input.cached;
  CHECK(what_is_said(robot.document()) == what_is_said(expected));
  CHECK(Look(robot.app().view()) == look);
}

}  // namespace

TEST_CASE("Ctrl+L goes to the sentence after a click into any control of a layer") {
  RobotOptions options{.width = 1600, .height = 1700};
  options.file = examples / "1-the-cat-sat.json";
  Robot robot(options);
  const std::vector<std::string> labels = controls_of(robot);
  const auto fold = controls_of(robot.app().view()).fold;
  const auto more = controls_of(robot.app().view()).more;
  std::size_t clicked = 0;
  for (const std::string& label : labels) {
    if (!robot.has(label)) continue;
    ++clicked;
    type_after_click(robot, label);
    robot.app().files().opening.open(*options.file);
    controls_of(robot.app().view()).sections = {};
    controls_of(robot.app().view()).fold = fold;
    controls_of(robot.app().view()).more = more;
    robot.settle();
  }
  CHECK(clicked >= 40);
}

TEST_CASE("Ctrl+L goes to the sentence after a click into what is folded away or stands under More") {
  RobotOptions options{.width = 1600, .height = 1700};
  options.file = examples / "1-the-cat-sat.json";
  Robot robot(options);
  const auto fold = controls_of(robot.app().view()).fold;
  const auto more = controls_of(robot.app().view()).more;
  const auto fold_all = [&] {
    robot.app().files().opening.open(*options.file);
    controls_of(robot.app().view()).sections = {};
    controls_of(robot.app().view()).fold = fold;
    controls_of(robot.app().view()).more = more;
    robot.settle();
  };
  std::size_t clicked = 0;
  for (std::size_t section = 0; section < layer_sections; ++section) {
    fold_all();
    for (const std::string& label : folded_controls_of(robot, section)) {
      REQUIRE(robot.has(label));
      ++clicked;
      type_after_click(robot, label);
      fold_all();
      unfold(robot, section);
    }
  }
  CHECK(clicked >= 40);
}

TEST_CASE("Ctrl+L goes to the sentence after a click into what a model's column has folded away") {
  const TemporaryDirectory directory;
  const RobotOptions options = with_letters(directory, {.height = 1700});
  std::size_t clicked = 0;
  for (std::size_t section = 0; section < layer_sections + model_sections; ++section) {
    const std::vector<std::string> labels = [&] {
      Robot robot(options);
      return folded_controls_of(robot, section);
    }();
    for (const std::string& label : labels) {
      Robot robot(options);
      unfold(robot, section);
      REQUIRE(robot.has(label));
      ++clicked;
      type_after_click(robot, label);
    }
  }
  CHECK(clicked >= 1);
}

TEST_CASE("Ctrl+L goes to the sentence after a click into any control of a model") {
  const TemporaryDirectory directory;
  const RobotOptions options = with_letters(directory, {.height = 1700});
  const std::vector<std::string> labels = controls_of(Robot(options));
  REQUIRE(labels.size() >= 20);
  for (const std::string& label : labels) {
    Robot robot(options);
    type_after_click(robot, label);
  }
}

TEST_CASE("Ctrl+L on a page that shows no sentence goes to the screen that does") {
  const TemporaryDirectory directory;
  RobotOptions of_layer{.width = 1600, .height = 1000};
  of_layer.file = examples / "1-the-cat-sat.json";
  for (const bool is_model : {false, true})
    for (const ImGuiKey page : {ImGuiKey_F8, ImGuiKey_F9, ImGuiKey_F10}) {
      INFO(is_model << " " << page);
      Robot robot(is_model ? with_letters(directory) : of_layer);
      robot.key(page);
      robot.settle();
      REQUIRE(is_page(robot.app().view().mode));
      const Document before = robot.document();
      robot.key(ImGuiKey_L, ImGuiMod_Ctrl);
      robot.frame();
      type_keys(robot, words, 0.03);
      robot.settle();
      CHECK(robot.app().view().mode == (is_model ? Mode::Model : Mode::Explore));
      CHECK(typed_text(robot.document(), 0) == words);
      CHECK(what_is_said(robot.document()) == what_is_said(edit::typed_text(before, 0, std::string(words))));
    }
}

TEST_CASE("newlines and tabs reach a model, typed or pasted, and are seen in the field") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  robot.click("##Text");
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  ImGui::SetClipboardText("a b\r\nc\td\n\ne");
  robot.key(ImGuiKey_V, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(typed_text(robot.document(), 0) == "a b\nc\td\n\ne");
  CHECK(shows(robot, "a b↵c⇥d↵↵e"));
  robot.key(ImGuiKey_Enter, ImGuiMod_Shift);
  CHECK(ImGui::GetIO().WantTextInput);  // Enter alone would leave
  robot.type("a");
  robot.settle();
  CHECK(typed_text(robot.document(), 0) == "a b\nc\td\n\ne\na");
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.key(ImGuiKey_C, ImGuiMod_Ctrl);
  CHECK(std::string(ImGui::GetClipboardText()) == "a b\nc\td\n\ne\na");
}

TEST_CASE("a tab parts words of a layer") {
  Robot robot({.width = 1600, .height = 1000});
  robot.click("##Text");
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  ImGui::SetClipboardText("foo\tbar\tbaz");
  robot.key(ImGuiKey_V, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.document().input.sequences[0].tokens.size() == 3);
}

TEST_CASE("Ctrl+L goes to the labels of what came as numbers") {
  const TemporaryDirectory directory;
  Tensor weights(Shape{1, 2, 2});
  for (int i = 0; i < 4; ++i) weights.data()[i] = 0.5f;
  write_safetensors(directory / "w.safetensors", std::array{NamedTensor{"l.0.attn", &weights}});
  Robot robot({.width = 1600, .height = 1000, .file = directory / "w.safetensors"});
  robot.settle();
  REQUIRE(robot.document().input.is_given());
  const Look look(robot.app().view());
  robot.key(ImGuiKey_L, ImGuiMod_Ctrl);
  robot.frame();
  type_keys(robot, "on mats", 0.03);
  robot.settle();
  CHECK(edit::joined_labels(robot.document().input.sequences.at(0)) == "on mats");
  CHECK(robot.app().message().empty());
  CHECK(Look(robot.app().view()) == look);
}

TEST_CASE("behind a Ctrl+L that finds no field no letter acts", "[model]") {
  LettersRobot robot;
  robot.key(ImGuiKey_F2);
  robot.settle();
  robot.click("Zero key");  // the layer is outside of its model now
  robot.leave();
  robot.settle();
  REQUIRE(typed_texts(robot.document()) == 0);
  REQUIRE_FALSE(robot.document().input.is_given());
  const Document before = robot.document();
  const Look look(robot.app().view());
  robot.key(ImGuiKey_L, ImGuiMod_Ctrl);
  robot.frame(40);
  CHECK(robot.app().message().find("was cut out of its model") != std::string::npos);
  type_keys(robot, "t1 t2 t3", 0.3);
  robot.settle();
  CHECK(what_is_said(robot.document()) == what_is_said(before));
  CHECK(Look(robot.app().view()) == look);
  robot.frame(200);
  type_keys(robot, "t");  // letters act as keys again
  robot.settle();
  CHECK(Look(robot.app().view()) != look);
}

}  // namespace attnscope::typing_after_clicks_test
