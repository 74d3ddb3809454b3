// The arithmetic of the plots: ticks, zoom, bars, and the counts of the weights' histogram.
#include "app/kit/widgets/plot.hpp"

#include <cmath>
#include <numeric>
#include <random>

#include <catch2/catch_test_macros.hpp>

#include "app/views/signals/histogram.hpp"
#include "core/analysis/weight_spread.hpp"

namespace attnscope::plot_test {

TEST_CASE("steps of an axis are 1, 2 or 5 times a power of ten") {
  CHECK(nice_step(8, 4) == 2);
  CHECK(nice_step(1.9, 4) == 0.5);
  CHECK(nice_step(10, 4) == 5);
  CHECK(std::abs(nice_step(0.02, 3) - 0.01) < 1e-15);
  CHECK(nice_step(0, 4) == 1);
  CHECK(nice_step(INFINITY, 4) == 1);
}

TEST_CASE("axes know the value under a pixel") {
  const Axes axes{{100, 50, 200, 80}, -8, 0, 0, 2};
  for (const double v : {-8.0, -3.0, 0.0}) CHECK(std::abs(axes.x_at(axes.x(v)) - v) < 1e-5);
  for (const double v : {0.0, 0.7, 2.0}) CHECK(std::abs(axes.y_at(axes.y(v)) - v) < 1e-5);
  CHECK(axes.y(2) == 50);
}

TEST_CASE("zooming keeps the place under the mouse and stays inside the whole") {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> unit(0, 1);
  ZoomRange range;
  for (int i = 0; i < 500; ++i) {
    const ZoomRange was = range;
    const float at = unit(random), place = was.from + at * was.span();
    range = zoomed(range, unit(random) < 0.6f ? 0.8f : 1.25f, at, 1 / 64.f);
    CHECK(range.from >= 0);
    CHECK(range.to <= 1);
    CHECK(range.span() >= 1 / 64.f - 1e-6f);
    const bool inside = range.from > 0 && range.to < 1;
    if (inside) CHECK(std::abs(range.from + at * range.span() - place) < 1e-5f);
  }
  CHECK(zoomed({0.2f, 0.6f}, 100, 0.5f, 0.1f).is_whole());
  const ZoomRange moved = panned({0.2f, 0.4f}, 0.5f);
  CHECK(std::abs(moved.from - 0.3f) < 1e-6f);
  CHECK(std::abs(moved.span() - 0.2f) < 1e-6f);
  CHECK(panned({0.2f, 0.4f}, 99).to == 1);
  CHECK(panned({0.2f, 0.4f}, -99).from == 0);
}

TEST_CASE("bars are sums of whole fine bins, however far one zooms") {
  std::mt19937 random(3);
  std::vector<std::int64_t> fine(2560);
  for (std::int64_t& count : fine) count = random() % 7;
  const Bars whole = bars_of(fine, {});
  REQUIRE(whole.counts.size() == Bars::count);
  CHECK(std::accumulate(whole.counts.begin(), whole.counts.end(), std::int64_t{0}) ==
        std::accumulate(fine.begin(), fine.end(), std::int64_t{0}));
  CHECK(whole.from == 0);
  CHECK(whole.to == 1);
  for (const ZoomRange zoom :
       {ZoomRange{0.25f, 0.5f}, {0.9f, 1}, {0, 1 / 64.f}, {0.999f, 1}, {0.3f, 0.31f}}) {
    const Bars bars = bars_of(fine, zoom);
    const auto first = static_cast<std::int64_t>(std::llround(bars.from * 2560));
    const std::int64_t width = std::llround((bars.to - bars.from) * 2560) / Bars::count;
    REQUIRE(width >= 1);
    CHECK(std::abs(bars.from - static_cast<double>(zoom.from)) < 0.02);
    CHECK(bars.to <= 1);
    for (int i = 0; i < Bars::count; ++i) {
      std::int64_t sum = 0;
      for (std::int64_t j = 0; j < width; ++j) sum += fine[static_cast<std::size_t>(first + i * width + j)];
      CHECK(bars.counts[static_cast<std::size_t>(i)] == sum);
    }
  }
  CHECK(least_zoom(2560) == 1 / 64.f);
}

TEST_CASE("weights are counted as a naive count does") {
  constexpr std::int64_t n = 23;
  std::mt19937 random(11);
  std::uniform_real_distribution<float> power(-9, 0);
  Tensor weights(Shape{n, n});
  for (float& w : weights.values()) w = std::pow(10.f, power(random));
  weights.matrix()(0, 0) = 0;
  weights.matrix()(4, 2) = 0;
  weights.matrix()(5, 5) = 1;
  weights.matrix()(6, 1) = 0.5f;  // not above a half
  weights.matrix()(7, 3) = NAN;
  weights.matrix()(0, n - 1) = 0;  // hidden: not counted
  const auto allowed = [](std::int64_t i, std::int64_t j) { return j <= i; };
  const Tensor& read = weights;
  const WeightSpread spread = weight_spread(read.matrix(), [&](std::int64_t i, std::span<std::uint8_t> seen) {
    for (std::int64_t j = 0; j < n; ++j) seen[static_cast<std::size_t>(j)] = allowed(i, j) ? 1 : 0;
  });

  std::int64_t cells = 0, zero = 0, half = 0;
  std::vector<std::int64_t> linear(40), decades(8);  // each a sum of neighbouring fine bins
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const double w = static_cast<double>(read.matrix()(i, j));
      if (!allowed(i, j) || std::isnan(w)) continue;
      ++cells;
      zero += w == 0;
      half += w > 0.5;
      if (w == 0) continue;
      ++linear[std::min<std::size_t>(39, static_cast<std::size_t>(w * 40))];
      const double decade = std::floor(std::log10(w)) + 8;
      ++decades[static_cast<std::size_t>(std::clamp(decade, 0.0, 7.0))];
    }
  }
  CHECK(spread.cells == cells);
  CHECK(spread.zero == zero);
  CHECK(zero == 2);
  CHECK(spread.above_half == half);
  CHECK(spread.not_finite == 1);
  CHECK(spread.share(spread.above_half) == static_cast<double>(half) / static_cast<double>(cells));
  CHECK(bars_of(spread.linear, {}).counts == linear);
  for (std::size_t d = 0; d < 8; ++d) {
    const auto first = spread.logarithmic.begin() + static_cast<std::ptrdiff_t>(d * 320);
    CHECK(std::accumulate(first, first + 320, std::int64_t{0}) == decades[d]);
  }
}

}  // namespace attnscope::plot_test
