// Undo and redo, and the command palette.
#include "app/state/history.hpp"

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/scene/actions.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/token_look.hpp"

namespace attnscope::history_test {

using namespace attnscope::test;

namespace {

void undo(Robot& robot) {
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
}
void redo(Robot& robot) {
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.settle();
}

Document with_temperature(float temperature) {
  Document document;
  document.layer().temperature = temperature;
  return document;
}

}  // namespace

TEST_CASE("undo goes back through every kind of change, redo forward again") {
  Robot robot;
  robot.settle();
  const Document start = robot.document();
  const ImVec2 knob = robot.centre("Temperature");
  robot.drag(knob, {knob.x + 40, knob.y}, 20);  // a drag of twenty frames is one step
  robot.leave();
  robot.settle();
  const Document warm = robot.document();
  robot.key(ImGuiKey_S);
  robot.settle();
  robot.retype("##Text", "a cat");
  robot.key(ImGuiKey_Enter);  // leaves the field
  robot.settle();
  const Document last = robot.document();
  REQUIRE(last.input.sequences[0].text == "a cat");

  for (int steps = 0; robot.document() != warm; ++steps) {
    REQUIRE(steps < 8);
    undo(robot);
  }
  CHECK(robot.app().shown()->document == warm);
  undo(robot);
  CHECK(robot.document() == start);
  undo(robot);  // there is no step before the first
  CHECK(robot.document() == start);
  redo(robot);
  CHECK(robot.document() == warm);
  for (int steps = 0; robot.document() != last; ++steps) {
    REQUIRE(steps < 8);
    redo(robot);
  }
  undo(robot);
  robot.key(ImGuiKey_C);  // a change clears the redo history
  robot.settle();
  const Document changed = robot.document();
  redo(robot);
  CHECK(robot.document() == changed);
}

TEST_CASE("an opened file can be undone") {
  Robot robot;
  robot.settle();
  const Document start = robot.document();
  robot.app().files().opening.open(std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "3-two-banks.json");
  robot.settle();
  undo(robot);
  CHECK(robot.document() == start);
}

TEST_CASE("steps are recorded when no hand is busy, or after a second's rest") {
  History history;
  const Viewing same;
  const Hand busy{.busy = true}, idle;
  history.observe(with_temperature(1), same, idle, 0);
  history.observe(with_temperature(2), same, busy, 0.1);
  history.observe(with_temperature(3), same, busy, 0.2);
  history.observe(with_temperature(3), same, busy, 1.5);  // rested
  history.observe(with_temperature(4), same, busy, 1.6);
  history.observe(with_temperature(5), same, idle, 1.7);
  const auto undo = [&](float now) { return history.undo(with_temperature(now), same); };
  const auto redo = [&](float now) { return history.redo(with_temperature(now), same); };
  CHECK(undo(5)->document.layer().temperature == 3);
  CHECK(undo(3)->document.layer().temperature == 1);
  CHECK_FALSE(undo(1));
  CHECK(redo(1)->document.layer().temperature == 3);
  CHECK(undo(7)->document.layer().temperature == 3);  // what was changed in between becomes a step
  CHECK(redo(3)->document.layer().temperature == 7);
}

TEST_CASE("looks are steps when a person changed them, and where one is makes one step at a time") {
  const Document document = with_temperature(1);
  const auto seen = [](std::uint64_t setting, std::uint64_t place) {
    Viewing viewing;
    viewing.settings = {setting};
    viewing.place = {place};
    return viewing;
  };
  const Hand acted, rests{.busy = false, .acted = false}, drags{.busy = true};
  History history;
  history.observe(document, seen(0, 0), acted, 0);
  history.observe(document, seen(0, 1), acted, 1);
  history.observe(document, seen(0, 2), acted, 2);  // the same step
  history.observe(document, seen(1, 2), acted, 3);
  history.observe(document, seen(2, 2), rests, 4);  // a change by the program
  history.observe(document, seen(3, 2), drags, 5);
  history.observe(document, seen(4, 2), rests,
                  6);  // nothing moves after the drag: it is a step all the same
  history.follow(document, seen(4, 2), seen(5, 2));
  CHECK(history.recorded() == 4);
  CHECK(history.undo(document, seen(5, 2))->look == seen(2, 2));
  history.observe(document, seen(9, 2), acted, 7);  // changes that undo itself causes are no step
  CHECK(history.undo(document, seen(9, 2))->look == seen(0, 2));
  CHECK(history.undo(document, seen(0, 2))->look == seen(0, 0));
  CHECK_FALSE(history.undo(document, seen(0, 0)));
  CHECK(history.redo(document, seen(0, 0))->look == seen(0, 2));
  CHECK(history.redo(document, seen(0, 2))->look == seen(9, 2));

  // The key that undid a step must not record a result that is computed later, which would clear the redo
  // history.
  const std::uint64_t steps = history.recorded();
  CHECK(history.undo(document, seen(9, 2))->look == seen(0, 2));
  history.observe(document, seen(0, 1), acted, 8);  // limited to the result that is still on screen
  history.observe(document, seen(0, 2), rests, 9);  // the result of the step is there
  CHECK(history.recorded() == steps);
  CHECK(history.redo(document, seen(0, 2))->look == seen(9, 2));
}

TEST_CASE("while the keys of a step back come up, what is computed is no step") {
  const auto seen = [](std::uint64_t setting) { return Viewing{{setting}, {}, {}}; };
  const Document document;
  History history;
  const Hand pressed, comes_up{.busy = false, .acted = true, .pressed = false},
      rests{.busy = false, .acted = false, .pressed = false};
  history.observe(document, seen(0), pressed, 0);
  history.observe(document, seen(1), pressed, 1);
  history.observe(document, seen(2), pressed, 2);
  CHECK(history.undo(document, seen(2))->look == seen(1));
  history.observe(document, seen(1), pressed, 3);   // in this frame the keys went down
  history.observe(document, seen(7), comes_up, 4);  // the new result changes the view
  history.observe(document, seen(8), rests, 5);
  CHECK(history.depth() == 1);
  CHECK(history.redo(document, seen(8))->look == seen(2));
  history.observe(document, seen(2), pressed, 6);
  CHECK(history.undo(document, seen(2))->look == seen(8));
  history.observe(document, seen(8), pressed, 7);
  history.observe(document, seen(9), pressed, 8);  // the next key counts as input again, until it is released
  CHECK(history.depth() == 2);
  history.observe(document, seen(10), comes_up, 9);
  CHECK(history.depth() == 3);
}

TEST_CASE("a copy of the history brings back what was there, what lay ahead too") {
  History history;
  const Viewing same;
  history.observe(with_temperature(1), same, {}, 0);
  history.observe(with_temperature(2), same, {}, 1);
  history.observe(with_temperature(3), same, {}, 2);
  REQUIRE(history.undo(with_temperature(3), same));
  const History then = history;
  history.observe(with_temperature(4), same, {}, 3);  // drops the 3
  REQUIRE(history.undo(with_temperature(4), same));
  REQUIRE(history.undo(with_temperature(2), same));
  history.observe(with_temperature(5), same, {}, 4);  // and here drops the 2
  history = then;
  CHECK(history.recorded() == 3);
  CHECK(history.depth() == 1);
  CHECK(history.redo(with_temperature(2), same)->document == with_temperature(3));
  CHECK(history.undo(with_temperature(3), same)->document == with_temperature(2));
  CHECK(history.undo(with_temperature(2), same)->document == with_temperature(1));
}

TEST_CASE("history keeps as many steps as it says, and no more bytes") {
  History history;
  for (int i = 1; i <= 300; ++i) history.observe(with_temperature(static_cast<float>(i)), {}, {}, i);
  Document document = with_temperature(300);
  std::size_t steps = 0;
  for (std::optional<History::Step> there; (there = history.undo(document, {})); ++steps)
    document = there->document;
  CHECK(steps == History::max_steps);

  History heavy;
  const std::int64_t numbers = 10 << 20;  // 40 MiB each
  for (int i = 0; i < 12; ++i) {
    document.layer().weights[Parameter::WQuery] = std::make_shared<const Tensor>(Shape{numbers});
    heavy.observe(document, {}, {}, i);
  }
  steps = 0;
  for (std::optional<History::Step> there; (there = heavy.undo(document, {})); ++steps)
    document = there->document;
  CHECK(steps >= 4);
  CHECK(steps <= 6);
}

TEST_CASE("texts count as bytes, once where steps share them") {
  History history;
  Document document;
  const std::size_t size = History::max_bytes / 10;
  for (int i = 0; i < 40; ++i) {
    document.input.sequences = {{std::string(size, static_cast<char>('a' + i % 26)), {std::to_string(i)}}};
    history.observe(document, {}, {}, i);
  }
  CHECK(history.depth() < 10);
  CHECK(history.depth() > 7);
  for (int i = 0; i < 40; ++i) {
    document.layer().temperature = static_cast<float>(i + 2);
    history.observe(document, {}, {}, 40 + i);
  }
  CHECK(history.depth() > 40);
}

TEST_CASE("the palette finds actions by their words and runs them") {
  Robot robot;
  robot.settle();
  const bool causal = robot.document().layer().masking.causal;
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  REQUIRE(robot.has("##palette"));
  CHECK(robot.has("Undo"));
  robot.type("mask caus");
  robot.frame(2);
  CHECK_FALSE(robot.has("Undo"));
  CHECK(robot.has("Causal mask on or off"));
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(robot.document().layer().masking.causal != causal);
  CHECK_FALSE(robot.has("##palette"));
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type("token strip");
  robot.frame(2);
  REQUIRE(robot.has("Direction of the token strip"));
  robot.key(ImGuiKey_DownArrow);  // an exact name comes first: "Token strip", which hides it
  robot.key(ImGuiKey_UpArrow);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(regions_of(robot.app().view()).is_hidden(Region::Strip));
  CHECK(token_look_of(robot.app().view()).direction == Direction::QueryToKeys);
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type("no such thing");
  robot.key(ImGuiKey_Enter);
  robot.key(ImGuiKey_Escape);
  robot.frame(3);
  CHECK_FALSE(robot.has("##palette"));
}

}  // namespace attnscope::history_test
