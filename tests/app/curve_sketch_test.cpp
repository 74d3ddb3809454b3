// A curve that is drawn with the mouse, and its distance from the measured one.
#include "app/pages/lessons/parts/curve_sketch.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch_test_macros.hpp>

namespace attnscope::curve_sketch_test {
namespace {

MeasuredCurve curve_of(std::vector<MeasuredCurve::Point> points, double high = 1) {
  MeasuredCurve curve;
  curve.points = std::move(points);
  curve.high = high;
  return curve;
}

}  // namespace

TEST_CASE("a sketch follows the mouse, and what is drawn again is drawn anew", "[lessons][curve_sketch]") {
  std::vector<float> sketch;
  draw_into(sketch, {0.25f, 0.5f}, {0.25f, 0.5f});
  REQUIRE(sketch.size() == sketch_columns);
  CHECK(std::ranges::count_if(sketch, [](float y) { return y >= 0; }) == 1);
  draw_into(sketch, {0.25f, 0.5f}, {0.75f, 1.0f});
  CHECK(sketch[0] < 0);
  CHECK(sketch.back() < 0);
  const auto first = std::ranges::find_if(sketch, [](float y) { return y >= 0; });
  const auto last = std::find_if(first, sketch.end(), [](float y) { return y < 0; });
  CHECK(std::is_sorted(first, last));
  CHECK(std::abs(sketch_at(sketch, 0.5f) - 0.75f) < 0.01f);
  CHECK(sketch_at(sketch, 0) == 0.5f);  // the value of the nearer end
  CHECK(sketch_at(sketch, 1) == 1);
  draw_into(sketch, {0.6f, 0.1f}, {0.4f, 0.1f});  // to the left, lower
  CHECK(std::abs(sketch_at(sketch, 0.5f) - 0.1f) < 1e-6f);
  draw_into(sketch, {-3, -3}, {7, 9});  // outside of the axes
  CHECK(std::ranges::all_of(sketch, [](float y) { return y >= 0 && y <= 1; }));
}

TEST_CASE("the distance of a sketch is a share of the axis", "[lessons][curve_sketch]") {
  std::vector<float> sketch;
  draw_into(sketch, {0, 0}, {1, 1});
  const MeasuredCurve line = curve_of({{0, 0}, {50, 2}, {100, 4}}, 4);
  CHECK(sketch_distance(sketch, line, 0, 100) < 0.01);
  const MeasuredCurve flat = curve_of({{0, 0}, {50, 0}, {100, 0}}, 4);
  CHECK(std::abs(sketch_distance(sketch, flat, 0, 100) - 0.5) < 0.01);
  CHECK(std::abs(sketch_distance(sketch, flat, 50, 100) - 0.75) < 0.01);  // the part before is known
  CHECK(std::abs(sketch_distance(sketch, curve_of({{100, 40}}, 4), 0, 100)) < 1e-6);  // beyond the axis
  CHECK(std::isnan(sketch_distance(sketch, curve_of({}), 0, 100)));
}

}  // namespace attnscope::curve_sketch_test
