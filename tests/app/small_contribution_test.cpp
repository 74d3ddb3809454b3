// The contribution of a cell with a small weight looks small and is printed with its exponent.
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/inspector_robot.hpp"
#include "robot/layout.hpp"

namespace attnscope::small_contribution_test {

namespace {

struct Strip {
  int zeros = 0;  // numbers that are printed as 0
  int numbers = 0;
  double brightness = 0;  // of its pixels, 0 … 765
  bool has_factor = false;
};

Strip strip_of(Robot& robot) {
  Strip strip;
  const RecordedItem* box = robot.items().find("contribution");
  REQUIRE(box);
  const RecordedItem place = *box;
  const Image picture = robot.pixels();
  double count = 0;
  for (int y = static_cast<int>(place.min.y) + 1; y < static_cast<int>(place.max.y) - 1; ++y)
    for (int x = static_cast<int>(place.min.x); x < static_cast<int>(place.max.x); x += 8, ++count) {
      const Rgba c = picture.at(x, y);
      strip.brightness += (c & 0xFFu) + ((c >> 8) & 0xFFu) + ((c >> 16) & 0xFFu);
    }
  strip.brightness /= count;
  for (const PlacedText& text : texts_of(robot)) {
    strip.has_factor = strip.has_factor || text.text.find("× 1e−") != std::string::npos;
    if (text.x0 < place.min.x || text.x1 > place.max.x || text.y0 < place.min.y || text.y1 > place.max.y)
      continue;
    ++strip.numbers;
    strip.zeros += text.text == "0.00" || text.text == "0.0" || text.text == ".00" || text.text == "0";
  }
  return strip;
}

}  // namespace

TEST_CASE("small contributions have an exponent and dark colours, large ones neither") {
  Robot robot(test::usual);
  robot.settle();
  const Strip large = strip_of(robot);
  CHECK(large.numbers == 8);
  CHECK_FALSE(large.has_factor);
  robot.type_number("Temperature value", "0.2");
  const LayerResult& r = robot.app().shown()->layer();
  Cell smallest{5, 0};
  const auto weights = r.trace[Stage::Softmax]->matrix(0, 3);
  for (std::int64_t key = 0; key < 6; ++key)
    if (weights(5, key) < weights(5, smallest.key)) smallest.key = key;
  REQUIRE(weights(5, smallest.key) > 0);
  REQUIRE(weights(5, smallest.key) < 2e-3f);
  robot.app().looking().look_at({.head = 3, .cell = smallest, .cells = {}});
  robot.settle();
  const Strip small = strip_of(robot);
  CHECK(small.numbers == 8);
  CHECK(small.zeros == 0);
  CHECK(small.has_factor);
  CHECK(small.brightness < large.brightness / 2);
}

}  // namespace attnscope::small_contribution_test
