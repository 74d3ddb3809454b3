// The picture of a matrix, pixel by pixel: edges, marks, pooling, speed.
#include <cstdio>
#include <set>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/raster_jobs.hpp"
#include "support/wait.hpp"

namespace attnscope::raster_test {

using namespace attnscope::test;

namespace {

/// Lengths of the runs of equal colour along the first line of pixels.
std::vector<int> runs(const Image& image) {
  std::vector<int> lengths;
  for (int x = 0; x < image.width; ++x) {
    if (x == 0 || image.at(x, 0) != image.at(x - 1, 0)) lengths.push_back(0);
    ++lengths.back();
  }
  return lengths;
}

std::vector<float> checks(int rows, int columns) {
  std::vector<float> values;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) values.push_back((i + j) % 2 == 0 ? 0.0f : 1.0f);
  return values;
}

}  // namespace

TEST_CASE("two by two cells, every pixel") {
  const std::vector<float> values{0, 1, 0.2f, 5};
  const Image image = raster(whole(values, 2, 4, 4));
  const Rgba a = grey(0), b = grey(255), c = grey(51), d = grey(255);  // 5 is clipped to the high end
  CHECK((image.pixels == std::vector<Rgba>{a, a, b, b, a, a, b, b, c, c, d, d, c, c, d, d}));
}

TEST_CASE("cells have whole-pixel edges that partition the picture exactly") {
  for (const int n : {1, 2, 3, 6, 7, 13, 64, 100}) {
    for (const int width : {100, 117, 233, 700}) {
      const std::vector<float> values = checks(1, n);
      const std::vector<int> lengths = runs(raster(whole(values, n, width, 3)));
      INFO(n << " cells in " << width << " pixels");
      REQUIRE(static_cast<int>(lengths.size()) == n);
      int sum = 0;
      for (const int length : lengths) {
        sum += length;
        CHECK(length >= width / n);
        CHECK(length <= width / n + 1);
      }
      CHECK(sum == width);
    }
  }
}

TEST_CASE("a fractional part of the matrix fills the picture; outside it is ground") {
  const std::vector<float> values = checks(4, 4);
  RasterJob job = whole(values, 4, 40, 40);
  job.column0 = 1.5;
  job.columns = 2;  // half of column 1, column 2, half of column 3, at 20 pixels a cell
  CHECK((runs(raster(job)) == std::vector<int>{10, 20, 10}));
  job.column0 = -1;
  job.columns = 4;
  job.row0 = 3;
  const Image image = raster(job);
  CHECK(image.at(9, 0) == colours.ground);
  CHECK(image.at(10, 0) == grey(255));
  CHECK(image.at(10, 10) == colours.ground);  // below the last row
}

TEST_CASE("the gap is ground at the right and bottom of cells over 6 pixels, and only there") {
  const std::vector<float> values(9, 0.5f);
  RasterJob job = whole(values, 3, 24, 24);
  job.gap = 1;
  const Image wide = raster(job);
  CHECK(wide.at(6, 6) != colours.ground);
  CHECK(wide.at(7, 3) == colours.ground);
  CHECK(wide.at(3, 7) == colours.ground);
  job.width = job.height = 18;
  const Image narrow = raster(job);
  CHECK(std::set(narrow.pixels.begin(), narrow.pixels.end()).size() == 1);
}

TEST_CASE("masked cells are hatched one pixel in six, fixed to the screen") {
  const std::vector<float> values(4, 1.0f);
  RasterJob job = whole(values, 2, 24, 24);
  job.kind = [](std::int64_t row, std::int64_t column) {
    return column > row ? CellKind::Masked : CellKind::Number;
  };
  const Image image = raster(job);
  for (int y = 0; y < 12; ++y)
    for (int x = 12; x < 24; ++x)
      CHECK(image.at(x, y) == ((x + y) % 6 == 0 ? colours.hatch_line : colours.hatch_ground));
  CHECK(image.at(0, 0) == grey(255));
  job.column0 = 0.25;  // the matrix moves below the lines
  const Image moved = raster(job);
  CHECK(moved.at(12, 0) == colours.hatch_line);
  job.mark = 2;
  CHECK(raster(job).at(13, 0) == colours.hatch_line);
}

TEST_CASE("a row without a key is hatched, with a line through all of it") {
  const std::vector<float> values(4, 0.0f);
  RasterJob job = whole(values, 2, 40, 40);
  job.gap = 1;
  job.kind = [](std::int64_t row, std::int64_t) { return row == 1 ? CellKind::NoKey : CellKind::Number; };
  const Image image = raster(job);
  for (int x = 0; x < 40; ++x) {
    CHECK(image.at(x, 28) == colours.no_key_line);  // 19 pixels from 20, the line in their middle
    CHECK(image.at(x, 29) == colours.no_key_line);
    CHECK(image.at(x, 27) != colours.no_key_line);
    CHECK(image.at(x, 30) != colours.no_key_line);
  }
}

TEST_CASE("underflow has a dot of three pixels on the colour of zero") {
  const std::vector<float> values{0};
  RasterJob job = whole(values, 1, 9, 9);
  job.kind = [](std::int64_t, std::int64_t) { return CellKind::Underflow; };
  const Image image = raster(job);
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 9; ++x)
      CHECK(image.at(x, y) == (x / 3 == 1 && y / 3 == 1 ? colours.underflow_dot : grey(0)));
}

TEST_CASE("NaN is filled, infinity outlined at the end it lies beyond") {
  const std::vector<float> values{not_a_number, endless, -endless};
  const Image image = raster(whole(values, 3, 30, 10));
  CHECK(image.at(5, 5) == colours.nan);
  CHECK(image.at(10, 0) == colours.nan);
  CHECK(image.at(15, 5) == grey(255));
  CHECK(image.at(29, 9) == colours.nan);
  CHECK(image.at(25, 5) == grey(0));
}

TEST_CASE("zoomed out, thin lines survive and the mean is there when asked for") {
  std::vector<float> values(64 * 64, 0.0f);
  for (std::size_t i = 0; i < 64; ++i) values[i * 64 + 37] = 1;  // one bright key
  RasterJob job = whole(values, 64, 16, 16);
  const Image strongest = raster(job);
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x) CHECK(strongest.at(x, y) == grey(x == 9 ? 255 : 0));
  job.pool_maximum = false;
  CHECK(raster(job).at(9, 3) == grey(64));  // a quarter of the block
}

TEST_CASE("no cell is lost or counted twice when pooling by a ratio that is not whole") {
  for (const int width : {7, 31, 99}) {
    int lit = 0;
    for (std::size_t cell = 0; cell < 100; ++cell) {
      std::vector<float> values(100, 0.0f);
      values[cell] = 1;
      const Image image = raster(whole(values, 100, width, 1));
      for (const Rgba pixel : image.pixels) lit += pixel == grey(255);
    }
    CHECK(lit == 100);
  }
}

TEST_CASE("a pooled block keeps the sign, shows what is not finite, and is masked only as a whole") {
  const std::vector<float> values{0.5f, -1, 0.25f, endless, 0, 0, 0, 0};
  RasterJob job = whole(values, 8, 4, 1);
  job.low = -1;
  job.kind = [](std::int64_t, std::int64_t column) {
    if (column == 4 || column >= 6) return CellKind::Masked;
    return CellKind::Number;
  };
  const Image image = raster(job);
  CHECK(image.at(0, 0) == grey(0));  // -1 is larger than 0.5
  CHECK(image.at(1, 0) == colours.nan);
  CHECK(image.at(2, 0) == grey(128));  // 0, the one that is not masked
  CHECK((image.at(3, 0) == colours.hatch_ground || image.at(3, 0) == colours.hatch_line));
}

TEST_CASE("kind is asked once per cell, not once per pixel") {
  const std::vector<float> values(36, 0.5f);
  for (const int size : {6, 60, 3}) {
    int asked = 0;
    RasterJob job = whole(values, 6, size, size);
    job.kind = [&asked](std::int64_t, std::int64_t) {
      ++asked;
      return CellKind::Number;
    };
    raster(job);
    CHECK(asked == 36);
  }
}

TEST_CASE("nothing to draw gives an empty picture, a range without width the middle of the map") {
  const std::vector<float> values{3};
  CHECK(raster(whole(values, 1, 0, 5)).pixels.empty());
  RasterJob job = whole(values, 1, 1, 1);
  job.low = job.high = 3;
  CHECK(raster(job).at(0, 0) == grey(128));
  job.rows = 0;
  CHECK(raster(job).at(0, 0) == colours.ground);
  CHECK(map_index(-endless, 0, 1) == 0);
  CHECK(map_index(endless, -endless, endless) >= 0);
}

TEST_CASE("sixteen heads are painted nearly as fast as without marks and edges") {
  for (const int n : {6, 64, 256}) {
    const std::vector<float> values = checks(n, n);
    RasterJob job = whole(values, n, 240, 240);
    job.kind = [](std::int64_t row, std::int64_t column) {
      return column > row ? CellKind::Masked : CellKind::Number;
    };
    const auto milliseconds = [](auto paint) {
      return 1000 * least_seconds(5, [&] {
               for (int head = 0; head < 16; ++head) paint();
             });
    };
    const double best = milliseconds([&] { raster(job); }), plain = milliseconds([&] { plain_picture(job); });
    std::printf("raster: 16 heads of %d x %d at 240 px: %.2f ms, the plain way %.2f\n", n, n, best, plain);
    CHECK(best < 10 * plain);
  }
}

}  // namespace attnscope::raster_test
