// Statistics over the cells of a head: ranges, histograms, differences and total variation are those of naive
// loops in double over the seen cells.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/analysis/cell_difference.hpp"
#include "core/analysis/histogram.hpp"
#include "core/analysis/total_variation.hpp"
#include "core/analysis/value_range.hpp"
#include "core/base/error.hpp"

namespace attnscope::head_counts_test {

namespace {

constexpr float endless = std::numeric_limits<float>::infinity();

/// Numbers of one head, some of them odd, and which of them the mask leaves.
struct Cells {
  explicit Cells(unsigned seed) : random(seed), rows(1 + random() % 9), columns(1 + random() % 70) {
    constexpr float odd[]{0, -0.f, endless, -endless, std::numeric_limits<float>::quiet_NaN(), 1e-42f};
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const auto which = random() % 20;
      values.push_back(which < 6 ? odd[which] : static_cast<float>(random() % 2001) / 300 - 3);
      marks.push_back(random() % 4 != 0);
    }
  }
  ConstMatrixMap<float> map() const { return {values.data(), rows, columns}; }
  SeeRow see() const {
    return [this](std::int64_t row, std::span<std::uint8_t> seen) {
      for (std::int64_t j = 0; j < columns; ++j)
        seen[static_cast<std::size_t>(j)] = marks[static_cast<std::size_t>(row * columns + j)];
    };
  }
  /// The seen ones in double.
  std::vector<double> seen(std::int64_t step = 1) const {
    std::vector<double> all;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (marks[i] != 0 && static_cast<std::int64_t>(i) / columns % step == 0)
        all.push_back(static_cast<double>(values[i]));
    return all;
  }

  std::mt19937 random;
  std::int64_t rows, columns;
  std::vector<float> values;
  std::vector<std::uint8_t> marks;
};

}  // namespace

TEST_CASE("a range is the least and greatest finite value that is seen, and the least above 0") {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const Cells cells(seed);
    for (const std::int64_t step : {1, 3}) {
      double low = INFINITY, high = -INFINITY, least = INFINITY;
      for (const double v : cells.seen(step)) {
        if (!std::isfinite(v)) continue;
        low = std::min(low, v);
        high = std::max(high, v);
        if (v > 0) least = std::min(least, v);
      }
      std::int64_t not_finite = 0;
      for (std::size_t i = 0; i < cells.values.size(); ++i)
        if (static_cast<std::int64_t>(i) / cells.columns % step == 0)
          not_finite += !std::isfinite(cells.values[i]);
      const ValueRange range = value_range(cells.map(), cells.see(), step);
      CAPTURE(seed, step);
      CHECK(static_cast<double>(range.low) == (low <= high ? low : 0));
      CHECK(static_cast<double>(range.high) == (low <= high ? high : 0));
      CHECK(static_cast<double>(range.smallest_positive) == (std::isfinite(least) ? least : 1));
      CHECK(range.not_finite == not_finite);
    }
  }
}

TEST_CASE("a histogram counts every finite value that is seen once") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const Cells cells(seed);
    const bool log = seed % 2 == 0;
    const HistogramRequest request{log ? 0.125f : -1.5f, 2, 7, log};
    const Histogram found = histogram(cells.map(), cells.see(), request);
    std::vector<std::int64_t> bins(7);
    std::int64_t below = 0, above = 0, all = 0, close = 0;
    double sum = 0, squares = 0;
    for (const double v : cells.seen()) {
      if (!std::isfinite(v)) continue;
      ++all;
      sum += v;
      squares += v * v;
      below += v < static_cast<double>(request.low);
      above += v > static_cast<double>(request.high);
      if (v < static_cast<double>(request.low) || v > 2) continue;
      const double at = log ? std::log(v / 0.125) / std::log(16) * 7 : (v + 1.5) / 3.5 * 7;
      // Where the edge of a bin may be rounded to either side.
      if (std::abs(at - std::round(at)) < 1e-4) ++close;
      ++bins[static_cast<std::size_t>(std::min(6.0, at))];
    }
    CAPTURE(seed);
    CHECK(found.cells == all);
    CHECK(found.below == below);
    CHECK(found.above == above);
    std::int64_t misplaced = 0;
    for (std::size_t i = 0; i < 7; ++i) misplaced += std::abs(found.bins[i] - bins[i]);
    CHECK(misplaced <= 2 * close);
    if (all == 0) continue;
    const double n = static_cast<double>(all), mean = sum / n;
    CHECK(std::abs(found.mean - mean) < 1e-12);
    CHECK(std::abs(found.deviation - std::sqrt(std::max(0.0, squares / n - mean * mean))) < 1e-9);
  }
}

TEST_CASE("what is thrown while rows are seen ends a count") {
  const Cells cells(1);
  const SeeRow stopped = [](std::int64_t, std::span<std::uint8_t>) { throw Cancelled(); };
  CHECK_THROWS_AS(value_range(cells.map(), stopped), Cancelled);
  CHECK_THROWS_AS(histogram(cells.map(), stopped, {0, 1, 4}), Cancelled);
}

TEST_CASE("cells that are equal in both differ by 0, infinities too") {
  std::mt19937 random(3);
  Tensor a(Shape{2, 300, 301}), b(a.shape());
  constexpr float odd[]{0, endless, -endless, 1, -2};
  for (const auto& tensor : {&a, &b})
    for (float& v : tensor->values()) {
      const auto which = random() % 8;
      v = which < 5 ? odd[which] : static_cast<float>(random() % 1000) / 100 - 5;
    }
  const Tensor minus = cell_difference(a, b, CellDifference::Signed),
               size = cell_difference(a, b, CellDifference::Magnitude),
               doublings = cell_difference(a, b, CellDifference::Doublings);
  std::int64_t wrong = 0;
  const auto same = [](float found, double expected) {
    const auto f = static_cast<double>(found);
    return std::isfinite(expected) ? std::abs(f - expected) <= 1e-5 : f == expected || std::isnan(expected);
  };
  for (std::size_t i = 0; i < a.values().size(); ++i) {
    const auto x = static_cast<double>(a.values()[i]), y = static_cast<double>(b.values()[i]);
    wrong += !same(minus.values()[i], x == y ? 0 : x - y);
    wrong += !same(size.values()[i], x == y ? 0 : std::abs(x - y));
    wrong += !same(doublings.values()[i], x == y ? 0 : std::log2(std::abs(x)) - std::log2(std::abs(y)));
  }
  CHECK(wrong == 0);
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(cell_difference(a, b, CellDifference::Signed, stop.get_token()), Cancelled);
}

TEST_CASE("the total variation of two heads is that of their rows, its mean that of the rows that count") {
  std::mt19937 random(4);
  Tensor a(Shape{6, 9}), b(a.shape());
  for (const auto& tensor : {&a, &b})
    for (float& v : tensor->values()) v = static_cast<float>(random() % 1000) / 1000;
  const Tensor &left = a, &right = b;
  const TotalVariation found =
      total_variation(left.matrix(), right.matrix(), [](std::int64_t row) { return row != 2; });
  double mean = 0;
  REQUIRE(found.rows.size() == 6);
  for (std::int64_t i = 0; i < 6; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < 9; ++j)
      sum += std::abs(static_cast<double>(left.matrix()(i, j)) - static_cast<double>(right.matrix()(i, j)));
    CHECK(std::abs(found.rows[static_cast<std::size_t>(i)] - sum / 2) < 1e-12);
    if (i != 2) mean += sum / 2 / 5;
  }
  CHECK(std::abs(found.mean - mean) < 1e-12);
  CHECK(total_variation(left.matrix(), right.matrix(), [](std::int64_t) { return false; }).mean == 0);
}

}  // namespace attnscope::head_counts_test
