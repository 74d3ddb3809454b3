// A prompt of several lines: while it is edited the field shows all lines, over the regions below it.
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <imgui.h>

#include "app/model_robot.hpp"
#include "app/state/presenter_state.hpp"
#include "core/edits/within.hpp"
#include "robot/layout.hpp"

namespace attnscope::prompt_lines_test {

using namespace attnscope::test;

namespace {

const RobotOptions usual{.width = 1280, .height = 720};

std::string text_of(const Robot& robot) { return typed_text(robot.document(), 0); }

Box field_of(const Robot& robot, const char* label = "##Text") {
  const RecordedItem* const field = robot.items().find(label);
  REQUIRE(field != nullptr);
  return {field->min.x, field->min.y, field->max.x - field->min.x, field->max.y - field->min.y};
}

void new_line(Robot& robot, int lines = 1) {
  for (int i = 0; i < lines; ++i) robot.key(ImGuiKey_Enter, ImGuiMod_Shift);
}

void paste(Robot& robot, const char* text) {
  robot.click("##Text");
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  ImGui::SetClipboardText(text);
  robot.key(ImGuiKey_V, ImGuiMod_Ctrl);
  robot.settle();
}

void type_two_lines(Robot& robot) {
  robot.retype("##Text", "the cat");
  new_line(robot);
  robot.type("sat");
  robot.settle();
}

/// Whether anything is drawn at the letter that follows `before` in a line of the field.
bool is_drawn_behind(Robot& robot, const char* before, int line) {
  const ImGuiIO& io = ImGui::GetIO();
  const Box field = field_of(robot);
  const float width = io.Fonts->Fonts[0]->CalcTextSizeA(type::label, FLT_MAX, 0, before).x;
  const int left = static_cast<int>(std::ceil(field.x + 10 + width)) + 1;
  const int top = static_cast<int>(field.y + 7 + type::label * static_cast<float>(line));
  const Image image = robot.pixels();
  for (int y = top; y < top + 13; ++y)
    for (int x = left; x < left + 5; ++x)
      if (image.at(x, y) != image.at(left + 40, top)) return true;
  return false;
}

}  // namespace

TEST_CASE("Shift+Enter makes the prompt's field higher, and Enter makes it one line again") {
  Robot robot(usual);
  const Box rest = field_of(robot);
  robot.retype("##Text", "the cat");
  CHECK(field_of(robot).h == rest.h);
  new_line(robot);
  robot.settle();
  CHECK(text_of(robot) == "the cat\n");
  const Box two = field_of(robot);
  CHECK(two.y == rest.y);
  CHECK(two.h > rest.h);
  robot.type("sat");
  new_line(robot);
  robot.type("down");
  robot.settle();
  CHECK(text_of(robot) == "the cat\nsat\ndown");
  const Box three = field_of(robot);
  CHECK(three.h > two.h);
  CHECK(three.bottom() < 720);
  CHECK(ImGui::GetIO().WantTextInput);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK_FALSE(ImGui::GetIO().WantTextInput);
  CHECK(field_of(robot).h == rest.h);
  CHECK(text_of(robot) == "the cat\nsat\ndown");
  CHECK(shows(robot, "the cat↵sat↵down"));
}

TEST_CASE("a prompt of many lines shows six of them and stays in the window") {
  Robot robot(usual);
  const Box rest = field_of(robot);
  robot.retype("##Text", "a");
  new_line(robot, 5);
  robot.settle();
  const Box six = field_of(robot);
  CHECK(six.h == rest.h + 5 * type::label);
  new_line(robot, 5);
  robot.type("b");
  robot.settle();
  CHECK(field_of(robot).h == six.h);
  CHECK(text_of(robot) == "a\n\n\n\n\n\n\n\n\n\nb");
  CHECK(six.bottom() < 720);
}

TEST_CASE("Up and Down move between the lines of a prompt") {
  Robot robot(usual);
  type_two_lines(robot);
  robot.key(ImGuiKey_UpArrow);
  robot.type("X");
  robot.settle();
  CHECK(text_of(robot) == "theX cat\nsat");
  robot.key(ImGuiKey_DownArrow);
  robot.type("Y");
  robot.settle();
  CHECK(text_of(robot) == "theX cat\nsatY");
  robot.key(ImGuiKey_Home);
  robot.type("Z");
  robot.settle();
  CHECK(text_of(robot) == "theX cat\nZsatY");
}

TEST_CASE("Escape and a click beside it make a prompt of several lines one line that keeps them") {
  Robot robot(usual);
  const Box rest = field_of(robot);
  type_two_lines(robot);
  REQUIRE(field_of(robot).h > rest.h);
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK_FALSE(ImGui::GetIO().WantTextInput);
  CHECK(field_of(robot).h == rest.h);
  CHECK(text_of(robot) == "the cat\nsat");
  robot.click("##Text");
  robot.frame(2);
  const Box grown = field_of(robot);
  REQUIRE(grown.h > rest.h);
  robot.click_at({grown.x + 4, rest.y - 6});
  robot.settle();
  CHECK_FALSE(ImGui::GetIO().WantTextInput);
  CHECK(field_of(robot).h == rest.h);
  CHECK(text_of(robot) == "the cat\nsat");
}

TEST_CASE("the lines of a prompt lie over what is below them, and take the mouse") {
  Robot robot(usual);
  robot.retype("##Text", "the cat");
  new_line(robot, 5);
  robot.type("sat");
  robot.settle();
  const Document before = robot.document();
  const Box field = field_of(robot);
  robot.click_at({field.x + 12, field.bottom() - 14});  // before the last line
  robot.frame(2);
  CHECK(ImGui::GetIO().WantTextInput);
  CHECK(robot.document() == before);
  robot.type("X");
  robot.settle();
  CHECK(text_of(robot) == "the cat\n\n\n\n\nXsat");
}

TEST_CASE("a click into the one line goes on where it was, among the lines") {
  Robot robot(usual);
  type_two_lines(robot);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  const Box field = field_of(robot);
  const ImGuiIO& io = ImGui::GetIO();
  const float width = io.Fonts->Fonts[0]->CalcTextSizeA(type::label, FLT_MAX, 0, "the cat↵sa").x;
  robot.click_at({field.x + 10 + width, field.centre_y()});
  robot.frame(2);
  robot.type("X");
  robot.settle();
  CHECK(text_of(robot) == "the cat\nsaXt");
}

TEST_CASE("a newline and a tab are seen in the lines of a prompt and are not letters of it") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory, {.width = 1280, .height = 720}));
  paste(robot, "a\nc\td\nb");
  robot.key(ImGuiKey_Home, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(is_drawn_behind(robot, "a", 0));
  CHECK(is_drawn_behind(robot, "c", 1));
  CHECK(is_drawn_behind(robot, "c\td", 1));
  CHECK_FALSE(is_drawn_behind(robot, "b", 2));
  CHECK(text_of(robot) == "a\nc\td\nb");
  CHECK(model_within(robot).input.text == "a\nc\td\nb");
}

TEST_CASE("what is pasted into a prompt keeps its lines, and one step back takes it away") {
  Robot robot(usual);
  robot.retype("##Text", "old");
  robot.key(ImGuiKey_End);
  ImGui::SetClipboardText("\nnew\tand more");
  robot.key(ImGuiKey_V, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(text_of(robot) == "old\nnew\tand more");
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(text_of(robot) == "old");
  paste(robot, "one\r\ntwo\tthree\n");
  CHECK(text_of(robot) == "one\ntwo\tthree\n");
  robot.key(ImGuiKey_Enter);
  paste(robot, "one\rtwo");  // line ends of old systems
  CHECK(text_of(robot) == "one\ntwo");
}

TEST_CASE("a sign that is typed is a letter like others") {
  Robot robot(usual);
  const Box rest = field_of(robot);
  robot.retype("##Text", "a↵b⇥c");
  CHECK(text_of(robot) == "a↵b⇥c");
  CHECK(field_of(robot).h == rest.h);
}

TEST_CASE("the keyboard alone chooses all of a prompt of several lines") {
  Robot robot(usual);
  type_two_lines(robot);
  robot.key(ImGuiKey_Enter);
  robot.key(ImGuiKey_L, ImGuiMod_Ctrl);
  robot.frame(4);
  REQUIRE(ImGui::GetIO().WantTextInput);
  robot.type("hello");
  robot.settle();
  CHECK(text_of(robot) == "hello");
}

TEST_CASE("what is pasted while no field has the keyboard is the sentence, and one undo takes it back") {
  Robot robot(usual);
  const std::string before = text_of(robot);
  const auto paste_anywhere = [&](const char* text) {
    ImGui::SetClipboardText(text);
    robot.key(ImGuiKey_V, ImGuiMod_Ctrl);
    robot.settle();
  };
  paste_anywhere("one\r\ntwo\tthree");
  CHECK(text_of(robot) == "one\ntwo\tthree");
  CHECK(robot.app().message() == "The clipboard's text is the sentence now. Ctrl+Z goes back.");
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(text_of(robot) == before);
  paste_anywhere("a\xFF b");
  CHECK(text_of(robot) == "a\uFFFD b");
  paste_anywhere("");
  CHECK(text_of(robot) == "a\uFFFD b");
  CHECK(robot.app().message() == "The clipboard holds no text.");
}

TEST_CASE("what is pasted where no sentence stands is shown where it does, as a file that is dropped") {
  Robot robot(usual);
  const std::string before = text_of(robot);
  const auto paste_on = [&](ImGuiKey page) {
    robot.key(page);
    robot.settle();
    ImGui::SetClipboardText("one two three");
    robot.key(ImGuiKey_V, ImGuiMod_Ctrl);
    robot.settle();
    INFO(ImGui::GetKeyName(page));
    CHECK(text_of(robot) == "one two three");
    CHECK(robot.app().message() == "The clipboard's text is the sentence now. Ctrl+Z goes back.");
  };
  for (const ImGuiKey page : {ImGuiKey_F8, ImGuiKey_F9, ImGuiKey_F10}) {
    paste_on(page);
    CHECK(robot.app().view().mode == Mode::Explore);
    robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    robot.settle();
    CHECK(text_of(robot) == before);
    CHECK(is_page(robot.app().view().mode));
  }
  paste_on(ImGuiKey_F3);
  CHECK(robot.app().view().mode == Mode::Walk);  // this mode shows the text
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  robot.key(ImGuiKey_F5);
  paste_on(ImGuiKey_F2);
  CHECK(robot.app().view().presenter->on);
}

TEST_CASE("what is pasted is the text of the model, from another page as well") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory, {.width = 1280, .height = 720}));
  for (const ImGuiKey page : {ImGuiKey_F7, ImGuiKey_F9}) {
    robot.key(page);
    robot.settle();
    const std::string text = page == ImGuiKey_F7 ? "ab c" : "de a";
    ImGui::SetClipboardText(text.c_str());
    robot.key(ImGuiKey_V, ImGuiMod_Ctrl);
    robot.settle();
    CHECK(model_within(robot).input.text == text);
    CHECK(robot.app().view().mode == Mode::Model);
  }
}

}  // namespace attnscope::prompt_lines_test
