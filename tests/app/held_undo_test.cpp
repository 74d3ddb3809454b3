// Undo of a step that dropped or replaced the held state restores it, and the view of the difference with it.
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/hands_robot.hpp"
#include "app/lessons/library.hpp"
#include "app/state/history.hpp"
#include "app/state/regions/stage_look.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::held_undo_test {
namespace {

using test::redo;
using test::undo;

constexpr Plane difference(Stage::Softmax, Plane::Kind::Difference);

/// Scaling is off in what is shown and on in what is held; the difference of the weights is shown.
struct Differing : Robot {
  Differing() : Robot({.width = 1600, .height = 1000}) {
    b = document();
    press(ImGuiKey_Backslash);
    press(ImGuiKey_S);
    press(ImGuiKey_Slash);
    a = document();
    REQUIRE(looks_at_difference());
  }
  void press(ImGuiKey pressed, int mods = 0) {
    key(pressed, mods);
    settle();
  }
  bool holds(const Document& held) {
    return app().held().held_result() && app().held().held_result()->result->document == held;
  }
  bool looks_at_difference() { return a != b && holds(b) && stage_look_of(app().view()).stage == difference; }
  void undo_to(const Document& there) {
    for (int steps = 0; document() != there; ++steps) {
      REQUIRE(steps < 8);
      undo(*this);
    }
  }
  void redo_to(const Document& there) {
    for (int steps = 0; document() != there; ++steps) {
      REQUIRE(steps < 8);
      redo(*this);
    }
  }

  Document a, b;
};

}  // namespace

TEST_CASE("a lesson lets go of what is held, and undo brings it back with the difference", "[lessons]") {
  Differing robot;
  robot.app().lessons().go_to({"01-three-tokens", 0});
  robot.settle();
  REQUIRE(robot.app().lessons().open());
  const Document first = robot.app().lessons().open()->documents.front().shown;
  REQUIRE(robot.document() == first);
  CHECK_FALSE(robot.app().held().held_result());
  for (int round = 0; round < 2; ++round) {
    INFO("round " << round);
    robot.undo_to(robot.a);
    CHECK(robot.looks_at_difference());
    CHECK(robot.app().view().mode == Mode::Explore);
    robot.redo_to(first);
    CHECK_FALSE(robot.app().held().held_result());
    CHECK(robot.app().view().mode == Mode::Lessons);
  }
}

TEST_CASE("a step of a lesson that holds something gives back what was held before it", "[lessons]") {
  Differing robot;
  robot.app().lessons().go_to({"04-why-divide", 0});
  robot.settle();
  REQUIRE(robot.app().lessons().open());
  const auto& steps = robot.app().lessons().open()->documents;
  std::size_t step = 0;
  while (step < steps.size() && !steps[step].held) ++step;
  REQUIRE((step > 0 && step < steps.size()));
  const lessons::StepDocuments wanted = steps[step];
  robot.undo_to(robot.a);
  robot.app().lessons().go_to({"04-why-divide", static_cast<std::int64_t>(step)});
  robot.settle();
  CHECK(robot.holds(*wanted.held));
  for (int round = 0; round < 2; ++round) {
    INFO("round " << round);
    robot.undo_to(robot.a);
    CHECK(robot.looks_at_difference());
    robot.redo_to(wanted.shown);
    CHECK(robot.holds(*wanted.held));
  }
}

TEST_CASE("an opened session that holds nothing gives back what was held", "[session]") {
  const test::TemporaryDirectory directory;
  const std::filesystem::path file = directory / "alone.json";
  {
    Robot other;
    other.key(ImGuiKey_C);
    other.settle();
    other.app().files().saving.save(file);
  }
  Differing robot;
  robot.app().files().opening.open(file);
  robot.settle();
  const Document opened = robot.document();
  REQUIRE(opened != robot.a);
  CHECK_FALSE(robot.app().held().held_result());
  robot.undo_to(robot.a);
  CHECK(robot.looks_at_difference());
  robot.redo_to(opened);
  CHECK_FALSE(robot.app().held().held_result());
}

TEST_CASE("to drop what is held, and to swap it, is a step of undo") {
  Differing robot;
  const std::size_t depth = robot.app().history().depth();
  robot.press(ImGuiKey_Backslash, ImGuiMod_Shift);
  CHECK_FALSE(robot.app().held().held_result());
  CHECK(stage_look_of(robot.app().view()).stage == Stage::Softmax);
  CHECK(robot.app().history().depth() == depth + 1);
  undo(robot);
  CHECK(robot.looks_at_difference());
  redo(robot);
  CHECK_FALSE(robot.app().held().held_result());
  undo(robot);
  robot.press(ImGuiKey_X);
  CHECK(robot.document() == robot.b);
  CHECK(robot.holds(robot.a));
  undo(robot);
  CHECK(robot.document() == robot.a);
  CHECK(robot.looks_at_difference());
  // While nothing is held, dropping it is no step.
  robot.press(ImGuiKey_Backslash, ImGuiMod_Shift);
  const std::size_t dropped = robot.app().history().depth();
  robot.press(ImGuiKey_Backslash, ImGuiMod_Shift);
  CHECK(robot.app().history().depth() == dropped);
}

TEST_CASE("to hold is no step: what is held is compared with what undo brings back") {
  Robot robot({.width = 1600, .height = 1000});
  const Document start = robot.document();
  for (const ImGuiKey key : {ImGuiKey_Backslash, ImGuiKey_S, ImGuiKey_Backslash}) {
    robot.key(key);
    robot.settle();
  }
  const Document changed = robot.document();
  REQUIRE(changed != start);
  undo(robot);
  CHECK(robot.document() == start);
  REQUIRE(robot.app().held().held_result());
  CHECK(robot.app().held().held_result()->result->document == changed);
}

TEST_CASE("a look at a difference comes back where what is held since has other tokens") {
  Differing robot;
  robot.retype("##Text", "Other words altogether, and more of them");
  robot.press(ImGuiKey_Escape);
  REQUIRE(stage_look_of(robot.app().view()).stage == Stage::Softmax);
  robot.press(ImGuiKey_Backslash);
  const Document other = robot.document();
  REQUIRE(robot.holds(other));
  robot.undo_to(robot.a);
  CHECK(robot.looks_at_difference());
}

TEST_CASE("a step says what it has released") {
  const auto held = [](float temperature) {
    HeldThen then;
    then.document.layer().temperature = temperature;
    return then;
  };
  const HeldThen two = held(2), three = held(3);
  const Viewing same;
  const Document document, other = held(9).document;
  const Hand acted, rests{.busy = false, .acted = false};
  History history;
  history.holds(&two);
  history.observe(document, same, acted, 0);
  history.leave_held();
  history.holds(nullptr);
  history.observe(document, same, acted, 1);
  CHECK(history.depth() == 1);
  auto there = history.undo(document, same);
  REQUIRE(there);
  CHECK(there->takes_held);
  REQUIRE(there->held);
  CHECK(there->held->document == two.document);
  history.holds(&two);
  history.observe(document, same, acted, 2);
  there = history.redo(document, same);
  REQUIRE(there);
  CHECK(there->takes_held);
  CHECK_FALSE(there->held);

  // Holding is no step; the state that is held instead is restored when redo comes back to it.
  history.holds(&three);
  history.observe(document, same, acted, 3);
  CHECK(history.depth() == 1);
  there = history.undo(document, same);
  CHECK(there->held->document == two.document);
  history.holds(&two);
  history.observe(document, same, acted, 4);
  there = history.redo(document, same);
  REQUIRE((there->takes_held && there->held));
  CHECK(there->held->document == three.document);
  history.holds(&three);
  history.observe(document, same, acted, 5);

  // A step that does not change it restores nothing; what the program itself drops belongs to that step.
  history.observe(other, same, acted, 6);
  CHECK_FALSE(history.undo(other, same)->takes_held);
  history.observe(document, same, acted, 7);
  CHECK_FALSE(history.redo(document, same)->takes_held);
  history.observe(other, same, acted, 8);
  history.leave_held();
  history.holds(nullptr);
  const std::size_t depth = history.depth();
  history.observe(other, same, rests, 9);
  CHECK(history.depth() == depth);
  there = history.undo(other, same);
  REQUIRE((there->takes_held && there->held));
  CHECK(there->held->document == three.document);
}

}  // namespace attnscope::held_undo_test
