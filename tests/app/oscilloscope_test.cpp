// The trace of the chosen cell: its ring, freezing, and the trigger.
#include "app/state/oscilloscope.hpp"

#include <cmath>

#include <catch2/catch_test_macros.hpp>

namespace attnscope::oscilloscope_test {

namespace {

constexpr TracedCell cell{0, 3, 2, 1};
constexpr Trigger rising{0.5f, Edge::Rising}, falling{0.5f, Edge::Falling};

/// A scope that has recorded these entropies, one a second from second 0 on.
Oscilloscope seen(std::initializer_list<float> entropies, const Trigger& trigger, bool armed) {
  Oscilloscope scope;
  if (armed) scope.arm();
  double now = 0;
  for (const float entropy : entropies) scope.observe(cell, {now++, entropy, 0.25f, 1}, trigger, 8);
  return scope;
}

using State = Oscilloscope::State;

}  // namespace

TEST_CASE("the ring keeps the newest moments in their order") {
  MomentRing ring(4);
  CHECK(ring.empty());
  for (int i = 0; i < 3; ++i) ring.push({static_cast<double>(i)});
  CHECK(ring.size() == 3);
  CHECK(ring[0].seconds == 0);
  for (int i = 3; i < 11; ++i) ring.push({static_cast<double>(i)});
  REQUIRE(ring.size() == 4);
  REQUIRE(ring.capacity() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(ring[i].seconds == static_cast<double>(7 + i));
  CHECK(ring.back().seconds == 10);
  ring.clear();
  CHECK(ring.empty());
  ring.push({42});
  CHECK(ring[0].seconds == 42);
}

TEST_CASE("a trace of any length takes the memory of its capacity") {
  Oscilloscope scope;
  for (int i = 0; i < 10000; ++i) {
    const auto value = static_cast<float>(i);
    scope.observe(cell, {static_cast<double>(i), value, 0, 1}, rising, 8);
  }
  CHECK(scope.moments().size() == Oscilloscope::capacity);
  CHECK(scope.moments()[0].entropy == 10000 - static_cast<float>(Oscilloscope::capacity));
  CHECK(scope.moments().back().entropy == 9999);
}

TEST_CASE("only changes are noted, and each holds until the next") {
  const Oscilloscope scope = seen({1, 1, 1, 2, 2, 0.25f}, rising, false);
  CHECK(scope.moments().size() == 3);
  CHECK_FALSE(scope.at(-0.1));
  CHECK(scope.at(0)->entropy == 1);
  CHECK(scope.at(2.9)->entropy == 1);
  CHECK(scope.at(3)->entropy == 2);
  CHECK(scope.at(100)->entropy == 0.25f);
  const Oscilloscope broken = seen({NAN, NAN, NAN}, rising, false);
  CHECK(broken.moments().size() == 1);  // the same NaN adds no moment
}

TEST_CASE("a frozen trace ignores what comes, and goes on after a gap") {
  Oscilloscope scope = seen({1, 2}, rising, false);
  scope.turn(5);
  REQUIRE(scope.frozen());
  CHECK(scope.trace_end(99) == 5);
  CHECK(scope.axis_end(99, 8) == 5);
  scope.observe(cell, {6, 7, 0, 1}, rising, 8);
  scope.observe({0, 0, 0, 0}, {7, 8, 0, 1}, rising, 8);  // another cell was chosen meanwhile
  CHECK(scope.moments().size() == 2);
  CHECK(scope.cell() == cell);
  CHECK(scope.at(6)->entropy == 2);
  scope.turn(9);
  CHECK_FALSE(scope.frozen());
  scope.observe(cell, {10, 2, 0.25f, 1}, rising, 8);
  CHECK(scope.at(4.9)->entropy == 2);
  CHECK_FALSE(scope.at(7));  // no frame was drawn
  CHECK(scope.at(10)->entropy == 2);
}

TEST_CASE("another cell starts another trace") {
  Oscilloscope scope = seen({1, 2}, rising, true);
  scope.observe({0, 3, 2, 0}, {2, 0, 0, 1}, rising, 8);
  CHECK(scope.moments().size() == 1);
  CHECK(scope.cell() == TracedCell{0, 3, 2, 0});
  CHECK(scope.state() == State::Armed);  // the jump from one cell to another is no crossing
}

TEST_CASE("the trigger sees its edge and no other") {
  struct Case {
    std::initializer_list<float> entropies;
    Trigger trigger;
    bool crosses;
  };
  const Case cases[] = {
      {{0, 1}, rising, true},      {{0, 1}, falling, false},      {{1, 0}, falling, true},
      {{1, 0}, rising, false},     {{0, 0.5f}, rising, true},     {{1, 0.5f}, falling, true},
      {{0.5f, 1}, rising, false},  {{0.5f, 0}, falling, false},   {{0, 0.4f}, rising, false},
      {{1, 0.6f}, falling, false}, {{0, NAN, 1}, rising, false},  {{2, 1, 0, 1}, rising, true},
      {{0.7f}, rising, false},     {{1, 0, 0.2f}, rising, false},
  };
  for (const Case& c : cases) {
    const Oscilloscope armed = seen(c.entropies, c.trigger, true), off = seen(c.entropies, c.trigger, false);
    CHECK((armed.state() == State::Triggered) == c.crosses);
    CHECK(armed.crossing().has_value() == c.crosses);
    CHECK(off.state() == State::Off);
  }
}

TEST_CASE(
    "a triggered trace goes on for half the time base and then stands with the crossing in its middle") {
  Oscilloscope scope = seen({0, 0.2f, 1}, rising, true);
  REQUIRE(scope.crossing() == 2.0);
  CHECK_FALSE(scope.frozen());
  CHECK(scope.axis_end(2.5, 8) == 6);  // 2 + 8 / 2, from the crossing on
  scope.observe(cell, {5.9, 3, 0, 1}, rising, 8);
  CHECK_FALSE(scope.frozen());
  scope.observe(cell, {6.1, 4, 0, 1}, rising, 8);
  REQUIRE(scope.frozen());
  CHECK(scope.trace_end(99) == 6);
  CHECK(scope.moments().back().entropy == 3);
  scope.observe(cell, {7, 5, 0, 1}, rising, 8);
  CHECK(scope.moments().back().entropy == 3);

  scope.arm();  // again
  CHECK_FALSE(scope.frozen());
  CHECK_FALSE(scope.crossing());
  scope.observe(cell, {8, 1, 0, 1}, rising, 8);
  CHECK(scope.state() == State::Armed);  // a value from before the gap makes no crossing
  scope.observe(cell, {9, 0, 0, 1}, rising, 8);
  scope.observe(cell, {10, 1, 0, 1}, rising, 8);
  CHECK(scope.crossing() == 10.0);
}

TEST_CASE("choosing another cell ends what has triggered, and clearing starts afresh") {
  Oscilloscope scope = seen({0, 1}, rising, true);
  scope.observe({0, 0, 0, 0}, {1.5, 9, 0, 1}, rising, 8);
  CHECK(scope.frozen());
  CHECK(scope.trace_end(99) == 1.5);
  CHECK(scope.moments().back().entropy == 1);
  scope.clear();
  CHECK_FALSE(scope.frozen());
  CHECK(scope.moments().empty());
  CHECK(scope.state() == State::Off);
  scope.arm();
  scope.clear();
  CHECK(scope.state() == State::Armed);
}

}  // namespace attnscope::oscilloscope_test
