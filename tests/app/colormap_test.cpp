// Colour maps: their ends, the centre of the diverging ones, and that luminance alone gives the order of
// values.
#include "app/kit/draw/colormap.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

namespace attnscope::colormap_test {

namespace {

constexpr Rgba hex(unsigned rgb) { return 0xFF000000u | (rgb & 255u) << 16 | (rgb & 0xFF00u) | rgb >> 16; }

}  // namespace

TEST_CASE("colour maps begin and end at their anchors") {
  CHECK(colormap(Map::Weights).front() == hex(0x000004));
  CHECK(colormap(Map::Weights).back() == hex(0xFCFDBF));
  CHECK(colormap(Map::WeightsPaper).front() == hex(0xFFFEFA));
  CHECK(colormap(Map::WeightsPaper).back() == hex(0x0C0926));
  CHECK(colormap(Map::Scores).front() == hex(0xB3DBFF));
  CHECK(colormap(Map::Scores).back() == hex(0xFFDAB0));
  CHECK(colormap(Map::ScoresPaper).front() == hex(0x053061));
  CHECK(colormap(Map::ScoresPaper).back() == hex(0x6B2F04));
  CHECK(colormap(Map::Viridis).front() == hex(0x440154));
  CHECK(colormap(Map::Viridis).back() == hex(0xFDE725));
  CHECK(colormap(Map::Blues)[255] == hex(0x08306B));
  for (int i = 0; i < 256; ++i)
    CHECK(colormap(Map::Grey)[static_cast<std::size_t>(i)] == hex(static_cast<unsigned>(i) * 0x010101u));
}

TEST_CASE("a map passes through its inner anchors and changes smoothly between them") {
  CHECK(colormap(Map::Weights)[255 * 8 / 16] == colormap(Map::Weights)[127]);
  CHECK(colormap(Map::Viridis)[85] == hex(0x31688E));  // the fourth of ten anchors
  for (int m = 0; m < map_count; ++m) {
    const Colormap& colours = colormap(static_cast<Map>(m));
    for (std::size_t i = 1; i < colours.size(); ++i)
      for (const int shift : {0, 8, 16}) {
        const int step =
            static_cast<int>(colours[i] >> shift & 255) - static_cast<int>(colours[i - 1] >> shift & 255);
        INFO(name_of(static_cast<Map>(m)) << " " << i);
        CHECK(std::abs(step) <= 5);
      }
  }
}

TEST_CASE("a score of zero is exactly the ground, and both sides grow away from it alike") {
  for (const auto& [map, centre] :
       {std::pair{Map::Scores, hex(0x0B0D10)}, {Map::ScoresPaper, hex(0xFFFFFF)}}) {
    const Colormap& colours = colormap(map);
    CHECK(colours[127] == centre);
    CHECK(colours[128] == centre);
    const double sign = map == Map::Scores ? 1 : -1;
    for (std::size_t i = 129; i < 256; ++i) {
      CHECK(sign * luminance(colours[i]) >= sign * luminance(colours[i - 1]));
      CHECK(sign * luminance(colours[255 - i]) >= sign * luminance(colours[256 - i]));
    }
  }
}

TEST_CASE("sequential maps are monotone in luminance, so they survive print and colour blindness") {
  for (const Map map : {Map::Weights, Map::WeightsPaper, Map::Viridis, Map::Cividis, Map::Blues, Map::Grey,
                        Map::BluesDark, Map::GreyPaper}) {
    const Colormap& colours = colormap(map);
    const double sign = luminance(colours.back()) > luminance(colours.front()) ? 1 : -1;
    for (std::size_t i = 1; i < colours.size(); ++i) {
      INFO(name_of(map) << " " << i);
      // Rounding to 8 bits can step back by one level of one channel, never more.
      CHECK(sign * (luminance(colours[i]) - luminance(colours[i - 1])) > -0.0025);
    }
  }
}

TEST_CASE("luminance is that of WCAG 2") {
  CHECK(luminance(hex(0x000000)) == 0);
  CHECK(std::abs(luminance(hex(0xFFFFFF)) - 1) < 1e-12);
  CHECK(std::abs(luminance(hex(0xFF0000)) - 0.2126) < 1e-12);
  CHECK(std::abs(luminance(hex(0x777777)) - 0.1845) < 1e-4);  // the grey with 4.48 : 1 on white
}

}  // namespace attnscope::colormap_test
