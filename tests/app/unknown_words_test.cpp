// Words that a model's vocabulary does not have: legible on every chip, and explained there.
#include <algorithm>
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/kit/draw/colormap.hpp"
#include "app/scene/picture.hpp"
#include "app/views/tokens/chips.hpp"

namespace attnscope::unknown_words_test {
namespace {

using namespace attnscope::test;

double contrast(Rgba a, Rgba b) {
  const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
  return std::max(x, y) / std::min(x, y);
}

}  // namespace

TEST_CASE("tokens: an unknown word is legible on every chip") {
  for (const ThemeName name : {ThemeName::Dark, ThemeName::Light, ThemeName::Contrast}) {
    const Theme& colours = theme(name);
    const auto check = [&](Rgba ground) {
      const Rgba ink = chip_ink(colours, ground, true);
      CHECK(ink >> 24 == 0xFFu);  // half transparent ink would fade on a bright chip
      CHECK(contrast(ink, ground) >= 4);
    };
    check(colours.control);
    for (const Rgba ground : colormap(Map::Weights)) check(ground);
  }
}

TEST_CASE("tokens: the chip of an unknown word explains it, that of a known one does not") {
  const std::filesystem::path example =
      std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "15-read-by-a-trained-model.json";
  Robot robot({.width = 1600, .height = 1000, .file = example});
  robot.settle();
  robot.retype("##Text", "The zyxwv sat on the mat");
  robot.key(ImGuiKey_Escape);
  robot.settle();
  const LayerResult& layer = shown(robot);
  int unknown = 0;
  for (std::int64_t i = 0; i < layer.dimensions.keys; ++i) {
    const std::string chip = "token " + std::to_string(i);
    const bool is_unknown = is_unknown_key(layer, 0, i);
    unknown += is_unknown ? 1 : 0;
    CHECK(told_at(robot, chip).contains("A word that the model does not know") == is_unknown);
  }
  CHECK(unknown == 1);
}

}  // namespace attnscope::unknown_words_test
