// Keyboard and focus: typed text is kept, and words typed outside of a field go to the sentence.
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include "app/scene/actions.hpp"
#include "app/state/regions/focus_state.hpp"
#include "controls_robot.hpp"
#include "hands_robot.hpp"

namespace attnscope::hands_test {

using namespace attnscope::test;

namespace {

const RobotOptions wide{.width = 1600, .height = 1000};

const std::string& sentence(const Robot& robot) { return robot.document().input.sequences[0].text; }
bool is_typing() { return ImGui::GetIO().WantTextInput; }

/// The middle of a cell of the large map.
ImVec2 cell_at(Robot& robot, Cell cell) {
  const RecordedItem* map = robot.items().find("heatmap 0");
  REQUIRE(map != nullptr);
  const Dimensions& d = robot.app().shown()->layer().dimensions;
  const auto middle = [](float from, float to, std::int64_t i, std::int64_t n) {
    return from + (to - from) * (static_cast<float>(i) + 0.5f) / static_cast<float>(n);
  };
  return {middle(map->min.x, map->max.x, cell.key, d.keys),
          middle(map->min.y, map->max.y, cell.query, d.queries)};
}

/// All texts that one frame draws for the first time.
std::set<std::string> texts_of_a_frame(Robot& robot) {
  std::set<std::string> told;
  robot.app().words().watch = [&](std::string_view key, bool) { told.emplace(key); };
  robot.frame();
  robot.app().words().watch = nullptr;
  return told;
}

}  // namespace

TEST_CASE("what is opened while the sentence is typed is not written over by the field") {
  Robot robot(wide);
  robot.click("##Text");
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.type("my dog");
  robot.frame(2);
  REQUIRE(is_typing());
  robot.app().files().opening.open(std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" /
                                   "2-three-tokens.json");
  robot.settle();
  const std::string opened = sentence(robot);
  CHECK(opened != "my dog");
  CHECK(robot.app().shown()->document.input.sequences[0].text == opened);
  robot.frame(4);
  CHECK(sentence(robot) == opened);
}

TEST_CASE("Esc in the sentence keeps what was typed, and undo takes it back") {
  Robot robot(wide);
  const std::string before = sentence(robot);
  robot.click("##Text");
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.type("my dog");
  robot.settle();
  REQUIRE(sentence(robot) == "my dog");
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK_FALSE(is_typing());
  CHECK(sentence(robot) == "my dog");
  CHECK(robot.app().shown()->document.input.sequences[0].text == "my dog");
  undo(robot);
  CHECK(sentence(robot) == before);
  redo(robot);
  CHECK(sentence(robot) == "my dog");
}

TEST_CASE("words typed without a field go to the sentence, and their first letters have done nothing") {
  Robot robot(wide);
  const Document before = robot.document();
  const Viewing viewing = robot.app().workspace().viewing();
  type_keys(robot, "My dog likes big cats");
  robot.settle();
  CHECK(sentence(robot) == "My dog likes big cats");
  CHECK(is_typing());  // the field has the keyboard now
  Document expected = before;
  expected.input.sequences = robot.document().input.sequences;
  CHECK(robot.document() == expected);
  CHECK(robot.app().workspace().viewing() == viewing);
  CHECK_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  robot.key(ImGuiKey_Enter);
  robot.settle();
  undo(robot);
  CHECK(robot.document() == before);
  CHECK(robot.app().workspace().viewing() == viewing);
}

TEST_CASE("words typed where no sentence is in sight change nothing") {
  Robot robot(wide);
  robot.key(ImGuiKey_F3);
  robot.settle();
  robot.key(ImGuiKey_S);
  robot.settle();
  const Document ahead = robot.document();
  undo(robot);
  const Document before = robot.document();
  const Viewing viewing = robot.app().workspace().viewing();
  robot.frame(60);
  type_keys(robot, "Hello there");
  robot.settle();
  CHECK(robot.document() == before);
  CHECK(robot.app().workspace().viewing() == viewing);
  robot.frame(60);
  redo(robot);  // its letters did not clear the redo history
  CHECK(robot.document() == ahead);
  undo(robot);
  CHECK(robot.document() == before);
  robot.frame(60);  // after a pause single keys act again
  type_keys(robot, "s");
  robot.settle();
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::Off);
}

TEST_CASE("quick single keys stay keys: the same again and again, or two of them") {
  Robot robot(wide);
  type_keys(robot, "tttttt", 0.1);
  robot.frame(60);
  CHECK(robot.app().view().theme == ThemeName::Dark);
  type_keys(robot, "sc", 0.1);
  robot.settle();
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::Off);
  CHECK_FALSE(robot.document().layer().masking.causal);  // as it was
  CHECK_FALSE(is_typing());
  robot.frame(60);
  type_keys(robot, "scl", 0.7);  // slowly
  robot.settle();
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::InverseSqrtDk);
  CHECK(focus_of(robot.app().view()).log);
  CHECK_FALSE(is_typing());
}

TEST_CASE("a single key says what it did, with a way back that goes by itself") {
  Robot robot(wide);
  CHECK_FALSE(robot.has("Undo this"));
  robot.key(ImGuiKey_L);
  robot.frame(2);
  REQUIRE(focus_of(robot.app().view()).log);
  REQUIRE(robot.has("Undo this"));
  CHECK(robot.app().changes_in());
  robot.click("Undo this");
  robot.settle();
  CHECK_FALSE(focus_of(robot.app().view()).log);
  CHECK_FALSE(robot.has("Undo this"));
  robot.key(ImGuiKey_S);
  robot.frame(2);
  REQUIRE(robot.has("Undo this"));
  robot.frame(8 * 60);
  CHECK_FALSE(robot.has("Undo this"));
  CHECK_FALSE(robot.app().changes_in());
}

TEST_CASE("plus makes everything larger however it is typed") {
  Robot robot(wide);
  const float usual = robot.app().view().scale;
  robot.key(ImGuiKey_Equal, ImGuiMod_Ctrl | ImGuiMod_Shift);
  CHECK(robot.app().view().scale > usual);
  robot.key(ImGuiKey_KeypadSubtract, ImGuiMod_Ctrl);
  CHECK(std::abs(robot.app().view().scale - usual) < 1e-3f);
  robot.key(ImGuiKey_KeypadAdd, ImGuiMod_Ctrl);
  CHECK(robot.app().view().scale > usual);
}

TEST_CASE("marks that a layout has elsewhere act by their character") {
  Robot robot(wide);
  const std::int64_t head = robot.app().selection().head;
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, true);  // AltGr and 9, as on a German keyboard
  ImGui::GetIO().AddKeyEvent(ImGuiKey_9, true);
  ImGui::GetIO().AddInputCharacter(']');
  robot.frame();
  ImGui::GetIO().AddKeyEvent(ImGuiKey_9, false);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, false);
  robot.frame(2);
  CHECK(robot.app().selection().head == (head + 1) % 8);
  // Its own key acts once, with its character in the same frame or in the next one.
  ImGui::GetIO().AddKeyEvent(ImGuiKey_RightBracket, true);
  ImGui::GetIO().AddInputCharacter(']');
  robot.frame(2);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_RightBracket, false);
  robot.frame(2);
  CHECK(robot.app().selection().head == (head + 2) % 8);
}

TEST_CASE("the keyboard's focus on the map invents no cell, and the arrows move the locked one") {
  Robot robot(wide);
  robot.click_at(cell_at(robot, {2, 1}));
  robot.move(cell_at(robot, {4, 4}));
  robot.frame(2);
  REQUIRE(robot.app().selection().hovered_cell);
  for (int i = 0; i < 12 && !robot.app().view().keyboard.on_map; ++i) {
    robot.key(ImGuiKey_F6);
    robot.frame(2);
  }
  REQUIRE(robot.app().view().keyboard.on_map);
  CHECK_FALSE(robot.app().selection().hovered_cell);
  CHECK(robot.app().selection().cell == Cell{2, 1});
  robot.key(ImGuiKey_RightArrow);
  robot.frame(2);
  INFO(robot.app().selection().cell.query << " " << robot.app().selection().cell.key);
  CHECK(robot.app().selection().cell == Cell{2, 2});
  CHECK(robot.app().view().keyboard.on_map);
  robot.key(ImGuiKey_Enter);
  robot.frame(2);
  CHECK(robot.app().selection().cell == Cell{2, 2});
  CHECK(robot.app().selection().locked);
}

TEST_CASE("the status line calls only the locked cell locked") {
  Robot robot(wide);
  robot.click_at(cell_at(robot, {2, 1}));
  robot.frame(2);
  CHECK(texts_of_a_frame(robot).contains("locked, Esc unlocks"));
  robot.move(cell_at(robot, {4, 3}));
  robot.frame(2);
  const std::set<std::string> hovering = texts_of_a_frame(robot);
  CHECK_FALSE(hovering.contains("locked, Esc unlocks"));
  CHECK(hovering.contains("under the mouse"));
}

TEST_CASE("a number field opens again after the window lost the focus") {
  Robot robot(wide);
  robot.type_number("d_model value", "128");
  REQUIRE(robot.document().layer().d_model == 128);
  const ImVec2 place = robot.centre("d_model value");
  robot.click("d_model value");
  robot.frame();
  ImGui::GetIO().AddFocusEvent(false);  // before the field has the keyboard
  robot.leave();
  robot.frame(3);
  ImGui::GetIO().AddFocusEvent(true);
  robot.frame(2);
  robot.click_at(place);
  robot.frame(3);
  REQUIRE(is_typing());
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.type("256");
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(robot.document().layer().d_model == 256);
}

TEST_CASE(
    "Tab comes to the sentence first, F6 goes round the regions, Ctrl+L to the sentence from anywhere") {
  Robot robot(wide);
  robot.key(ImGuiKey_Tab);
  robot.frame(2);
  REQUIRE(robot.app().view().keyboard.now == Stop::Sentence);
  CHECK(is_typing());
  std::vector<Stop> seen;
  for (int i = 0; i < stop_count; ++i) {
    robot.key(ImGuiKey_F6);
    robot.frame(3);
    REQUIRE(robot.app().view().keyboard.now);
    seen.push_back(*robot.app().view().keyboard.now);
  }
  CHECK(seen == std::vector{Stop::Controls, Stop::Heads, Stop::Focus, Stop::Inspector, Stop::Signals,
                            Stop::TopBar, Stop::Sentence});
  robot.key(ImGuiKey_F6, ImGuiMod_Shift);
  robot.frame(3);
  CHECK(robot.app().view().keyboard.now == Stop::TopBar);
  robot.key(ImGuiKey_F3);
  robot.settle();
  robot.key(ImGuiKey_L, ImGuiMod_Ctrl);
  robot.frame(4);
  CHECK(robot.app().view().mode == Mode::Explore);
  REQUIRE(is_typing());
  robot.type("hello");  // all of it was selected
  robot.settle();
  CHECK(sentence(robot) == "hello");
}

TEST_CASE("Ctrl+L reaches the sentence from every page, and before a room it says why not") {
  Robot robot(wide);
  for (const ImGuiKey page : {ImGuiKey_F8, ImGuiKey_F9, ImGuiKey_F10}) {
    INFO(ImGui::GetKeyName(page));
    robot.key(page);
    robot.settle();
    robot.key(ImGuiKey_L, ImGuiMod_Ctrl);
    robot.frame(4);
    CHECK(robot.app().view().mode == Mode::Explore);
    CHECK(is_typing());
    robot.key(ImGuiKey_Escape);
    robot.settle();
  }
  robot.key(ImGuiKey_F5);
  robot.settle();
  robot.key(ImGuiKey_L, ImGuiMod_Ctrl);
  robot.frame(4);
  CHECK_FALSE(is_typing());
  CHECK(robot.app().message() == "What is presented has no text field: F5 ends it.");
}

TEST_CASE("Tab goes through the controls of a region that scrolls") {
  Robot robot(wide);
  robot.key(ImGuiKey_Tab);
  robot.key(ImGuiKey_Enter);
  std::set<Stop> seen;
  for (int i = 0; i < 200; ++i) {
    robot.key(ImGuiKey_Tab);
    if (robot.app().view().keyboard.now) seen.insert(*robot.app().view().keyboard.now);
  }
  for (const Stop stop : {Stop::Controls, Stop::Heads, Stop::Focus, Stop::Inspector})
    CHECK(seen.contains(stop));
}

TEST_CASE("the sentence's field has room for what is typed into it, and gives it back") {
  Robot robot(wide);
  const auto width = [&] {
    const RecordedItem* field = robot.items().find("##Text");
    REQUIRE(field != nullptr);
    return field->max.x - field->min.x;
  };
  const float usual = width();
  const std::string text =
      "The quick brown fox jumps over the lazy dog while the cat sleeps on the warm mat by the fire.";
  robot.retype("##Text", text);
  robot.frame(2);
  const float typing = width(), letters = static_cast<float>(text.size()) * 6;
  CHECK(typing > letters);
  CHECK(typing <= 0.65f * 1600);
  robot.click_at(robot.centre("token 2"));  // it is hit although the field shrinks
  robot.settle();
  CHECK(robot.app().selection().cell.query == 2);
  CHECK(width() < typing);
  CHECK(width() > usual);  // a long sentence has more room at rest, too
}

TEST_CASE("the chips scroll with the wheel and follow the chosen token") {
  Robot robot(wide);
  std::string text;
  for (int i = 0; i < 40; ++i) text += "word" + std::to_string(i) + " ";
  robot.retype("##Text", text);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  REQUIRE(robot.has("token 0"));
  CHECK_FALSE(robot.has("token 30"));
  for (int i = 0; i < 30; ++i) robot.key(ImGuiKey_DownArrow);
  robot.settle();
  CHECK(robot.has("token " + std::to_string(robot.app().selection().cell.query)));
  CHECK_FALSE(robot.has("token 0"));
  robot.move(robot.centre("token " + std::to_string(robot.app().selection().cell.query)));
  for (int i = 0; i < 40; ++i) robot.scroll(1);
  robot.frame();
  CHECK(robot.has("token 0"));
  for (int i = 0; i < 40; ++i) robot.scroll(-1);
  robot.frame();
  CHECK(robot.has("token 39"));
}

}  // namespace attnscope::hands_test
