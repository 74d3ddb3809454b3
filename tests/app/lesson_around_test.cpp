// The lessons around attention: why there is attention, and Millbrook's forward pass, residual stream and
// perplexity. They give nothing away, their tasks can be done by hand, and what their sentences tell of the
// model is so.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/lesson_files.hpp"
#include "app/lesson_robot.hpp"

namespace attnscope::lesson_around_test {
namespace {

using test::Player;

const std::string forward_lesson = "31-from-text-to-the-next-token",
                  stream_lesson = "32-what-a-residual-stream-keeps";

/// The lesson at a step of this title.
void go(Player& player, const std::string& name, const std::string& title) {
  player.app().lessons().go_to({name, 0});
  player.settle();
  const std::vector<lessons::Step>& steps = player.lesson().lesson.steps;
  const auto found = std::ranges::find(steps, title, &lessons::Step::title);
  REQUIRE(found != steps.end());
  player.app().lessons().go_to({name, found - steps.begin()});
  player.settle();
}

bool is_reached(Player& player) { return player.state().reached.contains(player.state().step); }

}  // namespace

TEST_CASE("the lessons around attention give nothing away", "[lessons][lesson_around]") {
  for (const std::string& name : {std::string("30-why-attention"), forward_lesson, stream_lesson,
                                  std::string("33-perplexity-and-context")})
    test::check_shipped_lesson(name);
}

TEST_CASE("a sentence with a plural subject is typed until the model expects its verb",
          "[lessons][lesson_around]") {
  Player player({.width = 1600, .height = 1000});
  go(player, forward_lesson, "Your sentence");
  REQUIRE(player.step().done);
  CHECK_FALSE(is_reached(player));
  player.retype("##Text", "the old dog near the cats");  // its subject is singular
  player.settle();
  CHECK_FALSE(is_reached(player));
  player.retype("##Text", "the old dogs near the cat");
  player.settle();
  CHECK(is_reached(player));
  CHECK(player.says("Reached"));
  CHECK(player.collides() == "");
}

TEST_CASE("a second head is muted beside the one that the step before zeroed", "[lessons][lesson_around]") {
  Player player({.width = 1600, .height = 1000});
  go(player, stream_lesson, "What is left of it");
  REQUIRE(player.step().done);
  CHECK(player.document().within.read().changes.heads.size() == 1);
  CHECK_FALSE(is_reached(player));
  player.click("Mute head");
  player.settle();
  CHECK(player.document().within.read().changes.heads.size() == 2);
  CHECK(is_reached(player));
  CHECK(player.collides() == "");
}

}  // namespace attnscope::lesson_around_test
