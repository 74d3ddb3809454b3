// Pictures of random matrices against the definition, and the row loops they are made with.
#include <cmath>
#include <cstdio>
#include <random>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/raster_jobs.hpp"
#include "core/analysis/value_range.hpp"
#include "support/wait.hpp"

namespace attnscope::raster_property_test {

using namespace attnscope::test;

namespace {

/// Random small whole numbers.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  int up_to(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }

 private:
  std::mt19937 engine_;
};

/// A matrix with every kind of value and mark.
struct AnyMatrix {
  int rows, columns;
  std::vector<float> values;
  std::vector<CellKind> kinds;

  explicit AnyMatrix(Dice& dice) : rows(1 + dice.up_to(40)), columns(1 + dice.up_to(40)) {
    for (int i = 0; i < rows * columns; ++i) {
      constexpr float odd[]{not_a_number, endless, -endless, 0.0f, -0.0f, 0.5f, -0.5f};
      const int which = dice.up_to(60);
      values.push_back(which < 7 ? odd[which] : static_cast<float>(dice.up_to(2001) - 1000) / 1000);
      kinds.push_back(static_cast<CellKind>(dice.up_to(3) == 0 ? dice.up_to(4) : 0));
      if (kinds.back() == CellKind::Underflow) values.back() = 0;
    }
  }
};

/// A part of it in a picture of any size.
struct AnyJob : AnyMatrix {
  RasterJob job;

  explicit AnyJob(unsigned seed) : AnyJob(Dice(seed)) {}
  explicit AnyJob(Dice dice)
      : AnyMatrix(dice), job(whole(values, columns, 1 + dice.up_to(60), 1 + dice.up_to(60))) {
    job.low = -1;
    if (dice.up_to(2) == 0) {
      job.rows = rows * (1 + dice.up_to(7)) / 8.0;  // eighths: the definition below rounds as raster() does
      job.columns = columns * (1 + dice.up_to(7)) / 8.0;
      job.row0 = rows * dice.up_to(6) / 8.0;
      job.column0 = columns * dice.up_to(6) / 8.0 - 0.25;
    }
    job.kind = [this](std::int64_t row, std::int64_t column) { return kind(row, column); };
  }
  AnyJob(const AnyJob&) = delete;  // the job refers to the matrix
  AnyJob& operator=(const AnyJob&) = delete;
  CellKind kind(std::int64_t row, std::int64_t column) const {
    return kinds[static_cast<std::size_t>(row * columns + column)];
  }
};

/// The cells of a pixel along one axis, by the definition: the one whose pixels include it, or those it
/// pools.
std::pair<std::int64_t, std::int64_t> behind(int pixel, double first, double count, int pixels,
                                             std::int64_t size) {
  std::int64_t from = 0, to = 0;
  if (pixels >= count) {
    const auto edge = [&](std::int64_t cell) {
      return std::floor((static_cast<double>(cell) - first) * pixels / count);
    };
    for (from = -1; from <= size && !(edge(from) <= pixel && pixel < edge(from + 1));) ++from;
    to = from + 1;
  } else {
    from = static_cast<std::int64_t>(std::floor(first + pixel * count / pixels));
    to = std::max(static_cast<std::int64_t>(std::floor(first + (pixel + 1) * count / pixels)), from + 1);
  }
  return {std::max<std::int64_t>(from, 0), std::min(to, size)};
}

/// Whether the pixel has the colour that its cells give it.
bool is_right(const AnyJob& any, Rgba pixel, std::pair<std::int64_t, std::int64_t> rows,
              std::pair<std::int64_t, std::int64_t> columns) {
  if (rows.first >= rows.second || columns.first >= columns.second) return pixel == colours.ground;
  int shown = 0, underflows = 0, masked = 0;
  float largest = 0;
  bool nan = false, positive = false, negative = false;
  for (auto row = rows.first; row < rows.second; ++row) {
    for (auto column = columns.first; column < columns.second; ++column) {
      const CellKind kind = any.kind(row, column);
      masked += kind == CellKind::Masked;
      if (!shows_number(kind)) continue;
      ++shown;
      underflows += kind == CellKind::Underflow;
      const float v = any.job.values(row, column);
      nan |= std::isnan(v);
      positive |= std::isinf(v) && v > 0;
      negative |= std::isinf(v) && v < 0;
      if (std::abs(v) > std::abs(largest) || (std::abs(v) == std::abs(largest) && v > largest)) largest = v;
    }
  }
  const bool hatch = pixel == colours.hatch_ground || pixel == colours.hatch_line;
  if (shown == 0) return hatch || (masked == 0 && pixel == colours.no_key_line);
  if (nan) return pixel == colours.nan;
  if (positive || negative) return pixel == colours.nan || pixel == grey(positive ? 255 : 0);
  if (underflows == shown) return pixel == colours.underflow_dot || pixel == grey(map_index(0, -1, 1));
  return pixel == grey(map_index(largest, -1, 1));
}

}  // namespace

TEST_CASE("every pixel of any picture is what the cells behind it ask for") {
  for (unsigned seed = 0; seed < 400; ++seed) {
    const AnyJob any(seed);
    const RasterJob& job = any.job;
    const Image image = raster(job);
    int wrong = 0;
    for (int y = 0; y < job.height; ++y)
      for (int x = 0; x < job.width; ++x)
        wrong += !is_right(any, image.at(x, y), behind(y, job.row0, job.rows, job.height, any.rows),
                           behind(x, job.column0, job.columns, job.width, any.columns));
    INFO("seed " << seed);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a part whose end is not exact still fills the picture") {
  const std::vector<float> values(19 * 37, 0.5f);
  RasterJob job = whole(values, 37, 54, 55);
  job.row0 = 7.6;
  job.column0 = 10.8;
  job.rows = 11.4;
  job.columns = 22.2;
  const Image image = raster(job);
  CHECK(std::set(image.pixels.begin(), image.pixels.end()).size() == 1);
}

TEST_CASE("kinds by the row and cell by cell give the same picture, a turned one its mirror image") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    const AnyJob any(seed);
    RasterJob job = any.job;
    job.gap = static_cast<int>(seed % 3);
    const Image by_cell = raster(job);
    job.kind = {};
    job.row_kinds = [&](std::int64_t row, std::span<CellKind> kinds) {
      REQUIRE(std::ssize(kinds) == any.columns);
      for (std::int64_t j = 0; j < any.columns; ++j) kinds[static_cast<std::size_t>(j)] = any.kind(row, j);
    };
    CHECK((raster(job) == by_cell));
    job.turned = true;
    std::swap(job.width, job.height);
    const Image turned = raster(job);
    CHECK(turned.width == by_cell.height);
    CHECK((turned == mirrored_at_diagonal(by_cell)));
    CHECK((mirrored_at_diagonal(turned) == by_cell));
  }
}

TEST_CASE("loops over rows do what their definition says") {
  Dice dice(5);
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<std::size_t>(1 + dice.up_to(70));
    std::vector<float> values(n);
    std::vector<std::uint8_t> seen(n);
    for (std::size_t i = 0; i < n; ++i) {
      constexpr float odd[]{not_a_number, endless, -endless, 0.0f, -0.0f};
      const int which = dice.up_to(9);
      values[i] = which < 5 ? odd[which] : static_cast<float>(dice.up_to(2001) - 1000) / 7;
      seen[i] = dice.up_to(3) != 0;
    }
    float low = endless, high = -endless, least = endless, greatest = -endless;
    for (std::size_t i = 0; i < n; ++i) {
      if (seen[i] == 0 || !std::isfinite(values[i])) continue;
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
    widen_range(values, seen, least, greatest);
    CHECK(least == low);
    CHECK(greatest == high);
    for (const bool underflow : {false, true}) {
      for (const bool leaks : {false, true}) {
        std::vector<CellKind> kinds(n);
        kinds_of_row(values, seen, {underflow, leaks, CellKind::NoKey}, kinds);
        bool same = true;
        for (std::size_t i = 0; i < n; ++i) {
          const bool zero = values[i] == 0;
          const CellKind wanted =
              seen[i] == 0 ? (leaks && !zero && !std::isnan(values[i]) ? CellKind::Number : CellKind::NoKey)
                           : (underflow && zero ? CellKind::Underflow : CellKind::Number);
          same &= kinds[i] == wanted;
        }
        CHECK(same);
      }
    }
  }
}

TEST_CASE("a cell that the mask hides looks masked though it is NaN, an allowed one shows the NaN") {
  const std::vector<float> values{not_a_number, not_a_number, 0.5f, 0};
  const std::vector<std::uint8_t> seen{1, 0, 0, 0};
  std::vector<CellKind> kinds(values.size());
  kinds_of_row(values, seen, {true, true, CellKind::Masked}, kinds);
  CHECK((kinds ==
         std::vector<CellKind>{CellKind::Number, CellKind::Masked, CellKind::Number, CellKind::Masked}));
}

TEST_CASE("on a logarithmic map zero stays apart and equal ratios are equal steps") {
  CHECK(map_index(0, 1e-4f, 1, true) == 0);
  CHECK(map_index(-1, 1e-4f, 1, true) == 0);
  CHECK(map_index(1e-30f, 1e-4f, 1, true) == log_floor);  // below the range, but not zero
  CHECK(map_index(1e-4f, 1e-4f, 1, true) == log_floor);
  CHECK(map_index(1, 1e-4f, 1, true) == 255);
  CHECK(map_index(endless, 1e-4f, 1, true) == 255);
  for (const float v : {1e-3f, 1e-2f, 1e-1f}) {
    const double unit = (std::log10(static_cast<double>(v)) + 4) / 4;
    CHECK(std::abs(map_index(v, 1e-4f, 1, true) - (log_floor + unit * (255 - log_floor))) <= 0.51);
  }
  const std::vector<float> values{0, 1e-9f, 1};
  RasterJob job = whole(values, 3, 3, 1);
  job.low = 1e-4f;
  job.log = true;
  const Image image = raster(job);
  CHECK((image.pixels == std::vector<Rgba>{grey(0), grey(log_floor), grey(255)}));
}

TEST_CASE("heads of long texts are painted nearly as fast as without marks and edges") {
  for (const auto& [heads, n, size] : {std::tuple{32, 512, 120}, {1, 512, 600}, {1, 2000, 600}}) {
    std::vector<float> values(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i * 2654435761u % 1009) / 1009;
    RasterJob job = whole(values, n, size, size);
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(n));
    job.row_kinds = [&](std::int64_t row, std::span<CellKind> kinds) {  // causal weights
      std::fill(seen.begin(), seen.end(), std::uint8_t{0});
      std::fill_n(seen.begin(), row + 1, std::uint8_t{1});
      kinds_of_row({&values[static_cast<std::size_t>(row * n)], seen.size()}, seen,
                   {true, false, CellKind::Masked}, kinds);
    };
    const auto milliseconds = [heads = heads](auto paint) {
      return 1000 * least_seconds(5, [&] {
               for (int head = 0; head < heads; ++head) paint();
             });
    };
    const double best = milliseconds([&] { raster(job); }), plain = milliseconds([&] { plain_picture(job); });
    std::printf("raster: %d heads of %d x %d at %d px: %.2f ms, the plain way %.2f\n", heads, n, n, size,
                best, plain);
    CHECK(best < 10 * plain);
  }
}

}  // namespace attnscope::raster_property_test
