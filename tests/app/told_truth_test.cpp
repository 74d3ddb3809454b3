// The window's texts are truthful: small numbers are not shown as 0, what has no value shows none, and a new
// picture has no number of the old one.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include "app/controls_robot.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/model_robot.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/signals_state.hpp"
#include "core/attention/run_stage.hpp"
#include "robot/layout.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::told_truth_test {

using namespace attnscope::test;

namespace {

const RobotOptions wide{.width = 1600, .height = 1000};
const std::filesystem::path examples = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples";

/// The middle of a cell of the large map.
ImVec2 cell_at(Robot& robot, Cell cell) {
  const RecordedItem* map = robot.items().find("heatmap 0");
  REQUIRE(map != nullptr);
  const Dimensions& d = shown(robot).dimensions;
  const auto middle = [](float from, float to, std::int64_t i, std::int64_t n) {
    return from + (to - from) * (static_cast<float>(i) + 0.5f) / static_cast<float>(n);
  };
  return {middle(map->min.x, map->max.x, cell.key, d.keys),
          middle(map->min.y, map->max.y, cell.query, d.queries)};
}

/// The text directly below a widget.
std::string below(Robot& robot, const std::string& label) {
  const RecordedItem* item = robot.items().find(label);
  REQUIRE(item != nullptr);
  const ImVec2 min = item->min, max = item->max;
  for (const PlacedText& text : texts_of(robot))
    if (text.x0 >= min.x - 4 && text.x1 <= max.x + 4 && text.y0 >= max.y && text.y1 <= max.y + 24)
      return text.text;
  return {};
}

}  // namespace

TEST_CASE("a cell that an arrow chooses is the one shown until the mouse moves") {
  Robot robot(wide);
  const ImVec2 place = cell_at(robot, {3, 1});
  robot.click_at(place);
  robot.key(ImGuiKey_RightArrow);
  robot.key(ImGuiKey_DownArrow);
  robot.frame(2);
  CHECK(robot.app().selection().cell == Cell{4, 2});
  CHECK(robot.app().selection().shown_cell() == Cell{4, 2});
  robot.move({place.x + 2, place.y});
  robot.frame();
  CHECK(robot.app().selection().shown_cell() == Cell{3, 1});
}

TEST_CASE("another text is seen as a whole, one that goes on keeps its part in sight") {
  Robot robot(wide);
  focus_of(robot.app().view()).zoom = 3;
  robot.settle();
  robot.click("##Text");
  robot.key(ImGuiKey_End);
  robot.type(" today");
  robot.settle();
  CHECK(focus_of(robot.app().view()).zoom == 3);
  robot.retype("##Text", "three other words");
  CHECK(focus_of(robot.app().view()).zoom == 1);
}

TEST_CASE("the strip has the weights that the map of a muted head has") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.click("Head: zero");
  robot.settle();
  robot.leave();
  const LayerResult& layer = shown(robot);
  const Cell cell = robot.app().selection().cell;
  const auto own = layer.trace[own_weights_stage(layer.document)]->matrix(0, robot.app().selection().head);
  REQUIRE(own(cell.query, 0) > 0.01f);
  CHECK(below(robot, "token 0") == in_cell(static_cast<double>(own(cell.query, 0))));
}

TEST_CASE("a row that one key has for itself has no entropy") {
  Robot robot(wide);
  REQUIRE(shown(robot).measures.row(0, 0, 0).allowed == 1);
  robot.app().looking().look_at({.head = 0, .cell = Cell{0, 0}, .cells = {}});
  robot.settle();
  CHECK(shows(robot, "H = n/a"));
  CHECK(std::isnan(scope_of(robot.app().view()).moments().back().entropy));
  robot.app().looking().look_at({.head = 0, .cell = Cell{3, 0}, .cells = {}});
  robot.settle();
  CHECK_FALSE(shows(robot, "H = n/a"));
  CHECK(std::isfinite(scope_of(robot.app().view()).moments().back().entropy));
}

TEST_CASE("undo says when it goes back to what was open before") {
  const TemporaryDirectory directory;
  Robot robot(wide);
  robot.key(ImGuiKey_S);
  robot.settle();
  robot.app().files().opening.open(examples / "2-three-tokens.json");
  robot.settle();
  robot.key(ImGuiKey_S);
  robot.settle();
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.app().message().find("Undo went back to") == std::string::npos);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.app().message().find("Undo went back to \"The cat sat on the mat\"") == 0);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.settle();
  CHECK(robot.app().message().find("Redo went on to") == 0);
}

TEST_CASE("undo ends at the model that the window was started with") {
  LettersFolder folder;
  Robot robot(with_letters(folder.directory));  // the model is opened after the first frames
  REQUIRE(robot.document().within.read());
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.document().within.read());
  CHECK_FALSE(robot.app().workspace().is_edited());
  robot.app().files().opening.open(examples / "2-three-tokens.json");
  robot.settle();
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.document().within.read());
}

TEST_CASE("a tooltip leaves what a click has opened in sight until the mouse moves") {
  Robot robot(wide);
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  constexpr const char* words = "Chips show the row of the chosen query.";
  const ImVec2 place = robot.centre("Direction: query → keys");
  robot.move(place);
  CHECK(keys_drawn(robot).contains(words));
  robot.press();
  robot.release();
  CHECK_FALSE(keys_drawn(robot, 4).contains(words));
  robot.move({place.x + 3, place.y});
  CHECK(keys_drawn(robot).contains(words));
}

TEST_CASE("no tooltip lies over what a key has opened until the mouse moves") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  robot.settle();
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  constexpr const char* words = "Which heads bring the answer of this text back into another one.";
  const ImVec2 place = robot.centre("Grid: Patching");
  robot.move(place);
  REQUIRE(keys_drawn(robot).contains(words));
  robot.key(ImGuiKey_A);
  robot.settle();
  REQUIRE(model_state(robot).screen == ModelScreen::Atlas);
  REQUIRE(robot.centre("Grid: Patching").y == place.y);  // still under the mouse
  CHECK_FALSE(keys_drawn(robot, 4).contains(words));
  robot.move({place.x + 3, place.y});
  CHECK(keys_drawn(robot).contains(words));
}

TEST_CASE("no tooltip lies over the page of keys") {
  Robot robot(wide);
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  const std::string words = "Below {} the weights sharpen, above {} they even out.";
  robot.move(robot.centre("Temperature"));
  REQUIRE(keys_drawn(robot).contains(words));
  robot.key(ImGuiKey_F1);
  robot.frame(2);
  REQUIRE(robot.has("Close help"));  // beside the column: the mouse stays on the control
  CHECK_FALSE(keys_drawn(robot, 4).contains(words));
  robot.key(ImGuiKey_F1);
  robot.frame(2);
  REQUIRE_FALSE(robot.has("Close help"));
  CHECK(keys_drawn(robot).contains(words));
}

TEST_CASE("an answer leaves when a person had time to read it") {
  Robot robot(wide);
  const auto later = [&](double seconds) {
    ImGui::GetCurrentContext()->Time += seconds;
    robot.frame(2);
  };
  Notices& notices = robot.app().view().notices;
  notices.say("Something was answered.");
  robot.frame(2);
  later(100);
  CHECK(notices.text() == "Something was answered.");  // there was no input
  robot.move({800, 500});
  later(5);
  CHECK(notices.text() == "Something was answered.");
  later(20);
  CHECK(notices.empty());
  notices.say(Notice::Source::Engine, "Something cannot be computed.");
  robot.move({810, 500});
  later(100);
  CHECK_FALSE(notices.empty());  // it is still true
}

TEST_CASE("what a key does is what it is called, and nothing has no range") {
  Robot robot(wide);
  robot.key(ImGuiKey_W);
  CHECK(keys_drawn(robot).contains("Edit the weights, block by block"));
  robot.settle();
  robot.retype("##Text", "cat");
  CHECK_FALSE(shows(robot, "n/a to n/a"));
}

TEST_CASE("looking at another head of a model edits nothing") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  REQUIRE_FALSE(robot.app().workspace().is_edited());
  const int block = robot.document().within.read().block;
  const RecordedItem* const grid = robot.items().find("All heads");
  REQUIRE(grid != nullptr);
  const ImVec2 from = grid->min, to = grid->max;
  for (float y = from.y + 12; y < to.y && robot.document().within.read().block == block; y += 24) {
    robot.click_at({(from.x + to.x) / 2, y});
    robot.settle();
  }
  REQUIRE(robot.document().within.read().block != block);
  CHECK_FALSE(robot.app().workspace().is_edited());
  robot.click("Divide by √dₖ");
  robot.settle();
  CHECK(robot.app().workspace().is_edited());
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK_FALSE(robot.app().workspace().is_edited());
}

TEST_CASE("the status line counts the heads of the model, and says so") {
  Robot robot(wide);
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "letters", 3, 16);
  robot.app().files().opening.open(directory / "letters");
  robot.settle();
  CHECK(shows(robot, "heads in the model"));
}

TEST_CASE("a model that fills no masks says so where a word would be masked") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  REQUIRE(robot.app().message().empty());
  robot.right_click(robot.centre("token 2"));
  CHECK(robot.app().message().starts_with("This model fills no masks"));
  robot.app().view().notices.clear();
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, true);
  robot.click("token 2");
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, false);
  robot.frame();
  CHECK(robot.app().message().starts_with("This model fills no masks"));
  robot.app().view().language = "de";
  robot.settle();
  std::string room;
  CHECK(robot.app().words().translated(robot.app().message(), room).starts_with("Dieses Modell füllt keine"));
}

TEST_CASE("a new example shows its pictures, not the weights of the one before") {
  Robot robot(wide);
  robot.key(ImGuiKey_W);
  robot.settle();
  REQUIRE(editing_of(robot.app().view()).weights);
  robot.app().files().opening.open(examples / "2-three-tokens.json");
  robot.settle();
  CHECK_FALSE(editing_of(robot.app().view()).weights);
}

TEST_CASE("the presenter's keys for votes are as many as there are choices") {
  const TemporaryDirectory directory;
  const std::filesystem::path lesson =
      directory.write("four.md",
                      "---\nlesson: Four\n---\n```start\n{\"text\": [\"a b\"]}\n```\n## One\nWords.\n"
                      "```ask choose\nWhich?\n- 1\n- 2\n- 3\n* 4\n```\n");
  Robot robot({.width = 1600, .height = 1000});
  robot.app().lessons().go_to({lesson.native(), 0});
  robot.settle();
  robot.key(ImGuiKey_F5);
  robot.settle();
  CHECK(shows(robot, "1 2 3 4"));
}

TEST_CASE("a field that became wider is filled by its text") {
  Robot robot(wide);
  std::string text;
  for (int i = 0; i < 60; ++i) text += "the old cat ";
  robot.click("##Text");
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.type(text);
  robot.settle();
  const ImGuiInputTextState* const field = ImGui::GetInputTextState(ImGui::GetCurrentContext()->ActiveId);
  REQUIRE(field != nullptr);
  const RecordedItem* const item = robot.items().find("##Text");
  REQUIRE(item != nullptr);
  const float width = ImGui::GetIO().Fonts->Fonts[0]->CalcTextSizeA(type::label, FLT_MAX, 0, text.c_str()).x;
  REQUIRE(item->max.x - item->min.x > 500);
  CHECK(width - field->Scroll.x > 0.9f * (item->max.x - item->min.x));
}

TEST_CASE("the axis of time says that it runs while something moves") {
  Robot robot(wide);
  robot.move(robot.centre("against time"));
  CHECK(keys_drawn(robot).contains("Time runs only while something moves."));
}

TEST_CASE("a long text has places on the axis of the entropy per row") {
  Robot robot(wide);
  std::string text;
  for (int i = 0; i < 200; ++i) text += i % 3 == 0 ? "a " : i % 3 == 1 ? "the " : ", ";
  robot.retype("##Text", text);
  robot.key(ImGuiKey_Escape);
  robot.settle();
  const RecordedItem* plot = robot.items().find("entropy per row");
  REQUIRE(plot != nullptr);
  const ImVec2 min = plot->min, max = plot->max;
  int places = 0, names = 0;
  for (const PlacedText& label : texts_of(robot)) {
    if (label.x0 < min.x - 20 || label.x1 > max.x + 20 || label.y0 < max.y || label.y1 > max.y + 20) continue;
    const bool is_place = label.text.find_first_not_of("0123456789") == std::string::npos;
    (is_place ? places : names) += 1;
  }
  CHECK(places >= 3);
  CHECK(names <= 1);  // of the chosen query
}

}  // namespace attnscope::told_truth_test
