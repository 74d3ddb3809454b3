// The type of a question's choices does not give the right one away.
#include <algorithm>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/lesson_robot.hpp"

namespace attnscope::lesson_emphasis_test {
namespace {

using test::Player;

/// The brightest green value among the pixels of a choice's words, without its digit.
int brightest(Player& player, const Image& image, const std::string& label) {
  const RecordedItem* const box = player.items().find(label);
  REQUIRE(box != nullptr);
  int most = 0;
  for (int y = static_cast<int>(box->min.y) + 4; y < static_cast<int>(box->max.y) - 4; ++y)
    for (int x = static_cast<int>(box->min.x) + 42; x < static_cast<int>(box->max.x) - 8; ++x)
      most = std::max(most, static_cast<int>(image.at(x, y) >> 8 & 255));
  return most;
}

}  // namespace

TEST_CASE("a choice with a computed number is not brighter than one of words alone",
          "[lessons][lesson_emphasis]") {
  Player player({.width = 1600, .height = 1000});
  player.app().lessons().go_to({"05-causal-bidirectional-padding", 2});  // the right one is "1, as before"
  player.settle();
  REQUIRE_FALSE(player.state().answer.revealed);
  const Image image = player.pixels();
  std::set<int> seen;
  for (const std::string digit : {"1", "2", "3", "4"})
    seen.insert(brightest(player, image, "answer " + digit));
  CHECK(*seen.rbegin() - *seen.begin() <= 24);  // thin strokes are not as bright as broad ones
}

}  // namespace attnscope::lesson_emphasis_test
