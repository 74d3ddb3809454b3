// Undo in the window: the view is brought back to the start and forward again, and what changes neither
// Document nor view is no step.
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/state/regions/focus_state.hpp"
#include "app/training/lab_state.hpp"
#include "controls_robot.hpp"
#include "hands_robot.hpp"
#include "model_robot.hpp"

namespace attnscope::undo_test {

using namespace attnscope::test;

namespace {

const RobotOptions wide{.width = 1600, .height = 1000};

}  // namespace

TEST_CASE("undo goes through how things are looked at, to the start and forward again") {
  Robot robot(wide);
  const Document first = robot.document();
  const Viewing start = robot.app().workspace().viewing();
  struct Chord {
    ImGuiKey key;
    int mods = 0;
  };
  const Chord keys[] = {{ImGuiKey_T},
                        {ImGuiKey_L},
                        {ImGuiKey_T, ImGuiMod_Shift},
                        {ImGuiKey_B},
                        {ImGuiKey_B},
                        {ImGuiKey_G},
                        {ImGuiKey_E},
                        {ImGuiKey_3},
                        {ImGuiKey_Comma},
                        {ImGuiKey_S},
                        {ImGuiKey_D},
                        {ImGuiKey_R},
                        {ImGuiKey_K},
                        {ImGuiKey_DownArrow},
                        {ImGuiKey_RightArrow},
                        {ImGuiKey_RightBracket},
                        {ImGuiKey_C},
                        {ImGuiKey_F4},
                        {ImGuiKey_F3},
                        {ImGuiKey_Space},
                        {ImGuiKey_Space},
                        {ImGuiKey_F2}};
  for (const Chord& chord : keys) {
    robot.key(chord.key, chord.mods);
    robot.settle();
  }
  choose(robot, "Look", "Light");
  const Document last = robot.document();
  const Viewing end = robot.app().workspace().viewing();
  REQUIRE(end != start);
  int steps = 0;
  for (; !(robot.app().workspace().viewing() == start && robot.document() == first) && steps < 40; ++steps)
    undo(robot);
  CHECK(robot.document() == first);
  CHECK(robot.app().workspace().viewing() == start);
  CHECK(steps > 10);
  CHECK(steps <= 23);
  undo(robot);  // nothing before the beginning
  CHECK(robot.app().workspace().viewing() == start);
  for (int i = 0; i < steps; ++i) redo(robot);
  CHECK(robot.document() == last);
  CHECK(robot.app().workspace().viewing() == end);
}

TEST_CASE("what is computed while the keys of undo come up is no step") {
  Robot robot(wide);
  robot.key(ImGuiKey_S);
  robot.settle();
  robot.key(ImGuiKey_B);
  robot.settle();
  const std::size_t depth = robot.app().history().depth();
  const Document last = robot.document();
  const auto keys = [](bool down) {
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, down);
    ImGui::GetIO().AddKeyEvent(ImGuiKey_Z, down);
  };
  keys(true);
  robot.frame();
  REQUIRE(robot.app().history().depth() == depth - 1);
  focus_of(robot.app().view()).log = !focus_of(robot.app().view()).log;  // as a new result may change it
  keys(false);
  robot.frame();
  robot.settle();
  CHECK(robot.app().history().depth() == depth - 1);
  redo(robot);
  CHECK(robot.app().history().depth() == depth);
  CHECK(robot.document() == last);
}

TEST_CASE("undo over other heads and stages brings back what was looked at") {
  Robot robot(wide);
  for (int i = 0; i < 4; ++i) robot.key(ImGuiKey_RightBracket);
  choose(robot, "Other stages", "W_Q weights");
  const Viewing before = robot.app().workspace().viewing();
  REQUIRE(robot.app().selection().head > 1);
  robot.type_number("Head count value", "2");
  CHECK(robot.app().selection().head < 2);
  undo(robot);
  CHECK(robot.app().workspace().viewing() == before);
  redo(robot);
  CHECK(robot.app().selection().head < 2);
  undo(robot);
  CHECK(robot.app().workspace().viewing() == before);
}

TEST_CASE("a head that was chosen is found again when the layer has it again") {
  Robot robot(wide);
  for (int i = 0; i < 4; ++i) robot.key(ImGuiKey_RightBracket);
  const std::int64_t chosen = robot.app().selection().head;
  REQUIRE(chosen > 1);
  const std::string heads = std::to_string(robot.document().layer().heads);
  robot.type_number("Head count value", "2");
  robot.settle();
  CHECK(robot.app().selection().head == 1);
  robot.type_number("Head count value", heads);
  robot.settle();
  CHECK(robot.app().selection().head == chosen);
}

TEST_CASE("undo to a text that the model cannot read brings back the head that was chosen") {
  const TemporaryDirectory directory;
  const RobotOptions options = with_letters(directory);
  for (const char* file : {"vocab.json", "merges.txt"})  // without a tokenizer a text is its token ids
    REQUIRE(std::filesystem::remove(directory / "letters" / file));
  Robot robot(options);
  robot.settle();
  Spot there;
  there.head = 3;
  robot.app().looking().look_at(there);
  type_text(robot, "Hello");
  REQUIRE_FALSE(robot.app().view().notices.empty());
  REQUIRE(robot.app().selection().head == 3);
  const Viewing before = robot.app().workspace().viewing();
  robot.app().files().opening.open(std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" /
                                   "2-three-tokens.json");
  robot.settle();
  REQUIRE(robot.app().shown()->layer().dimensions.heads == 1);
  for (int i = 0; i < 4 && !robot.document().within.read(); ++i) undo(robot);
  CHECK(robot.app().workspace().viewing() == before);
}

TEST_CASE("what a run of training counts by itself is no step of undo") {
  Robot robot;
  const Viewing before = robot.app().workspace().viewing();
  lab_of(robot.app().view()).trained += 1500;
  CHECK(robot.app().workspace().viewing() == before);
  lab_of(robot.app().view()).seed += 1;
  CHECK_FALSE(robot.app().workspace().viewing() == before);
}

}  // namespace attnscope::undo_test
