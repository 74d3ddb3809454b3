// A page with all heads of a model, written from the window: every head is on it, also those scrolled out of
// sight, and every pixel of a token has the colour of its weight.
#include <array>
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/files_robot.hpp"
#include "app/kit/draw/colormap.hpp"
#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/shell/still.hpp"
#include "core/files/formats/picture_file.hpp"
#include "support/program.hpp"

namespace attnscope::grid_figure_test {
namespace {

using namespace attnscope::test;

Rgba pixel(const RgbPicture& picture, int x, int y) {
  const std::size_t at =
      (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(x)) *
      3;
  const auto byte = [&](std::size_t i) { return static_cast<Rgba>(picture.bytes[at + i]); };
  return byte(0) | byte(1) << 8 | byte(2) << 16 | 0xFF000000u;
}

Tensor weights_of(const ModelAlone& alone, const ModelHead& head) {
  return head_weights(alone.model, alone.changed, head.of, static_cast<std::size_t>(head.block), head.head,
                      alone.work);
}

/// Colours of a head on the page, token by token.
void check_head(const RgbPicture& picture, const HeadsPainting::Cell& cell, int pixels, const Tensor& weights,
                const Theme& theme) {
  const auto numbers = weights.matrix();
  REQUIRE(cell.width == pixels * numbers.cols());
  REQUIRE(cell.height == pixels * numbers.rows());
  const Colormap& map = colormap(theme.weights);
  int wrong = 0;
  for (int y = 0; y < cell.height; ++y)
    for (int x = 0; x < cell.width; ++x) {
      const int i = y / pixels, j = x / pixels;
      const auto step = static_cast<std::size_t>(std::lround(numbers(i, j) * 255));
      const Rgba expected = j > i ? theme.hatch_ground : map[std::min<std::size_t>(step, 255)];
      if (pixel(picture, cell.x + x, cell.y + y) != (expected | 0xFF000000u)) ++wrong;
    }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("a page of all heads shows every weight of every head", "[model][export]") {
  LettersRobot robot({.width = 900, .height = 560, .blocks = 24});  // too small to show all of them
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.frame(3);
  REQUIRE(robot.has("Picture of: All heads"));
  CHECK(dialog_of(robot).name.ends_with("all heads.png"));
  for (int i = 0; i < 3; ++i) click(robot, "Pixels a token less");
  click(robot, "Pixels a token more");
  CHECK(robot.app().view().files->token_pixels == 2);
  robot.retype("##name", (robot.directory / "heads.png").native());
  click(robot, "Save picture");
  robot.settle();
  INFO(robot.app().message());
  REQUIRE(robot.app().message().starts_with("Saved as"));

  const RgbPicture picture = read_picture(robot.directory / "heads.png");
  const auto figure = draw_figure(
      robot.app(), {.region = PictureRegion::Grid, .path = robot.directory / "x.png", .token_pixels = 2});
  const GridPage& page = figure->page;
  CHECK(picture.width == page.width);
  CHECK(picture.height == page.height);
  REQUIRE(page.painting.cells.size() == 96);
  const ModelAlone alone(robot);
  for (const std::size_t head : {std::size_t{0}, std::size_t{41}, std::size_t{95}}) {
    const HeadsPainting::Cell& cell = page.painting.cells[head];
    CHECK(cell.head ==
          ModelHead{AttentionOf::Decoder, static_cast<int>(head / 4), static_cast<std::int64_t>(head % 4)});
    check_head(picture, cell, 2, weights_of(alone, cell.head), theme(ThemeName::Dark));
  }
  robot.app().files().saving.save_picture(
      {.region = PictureRegion::Grid, .path = robot.directory / "heads.svg"});
  robot.settle();
  const std::string svg = bytes_of(robot.directory / "heads.svg");
  for (int layer = 0; layer < 24; ++layer)  // in every bank
    CHECK(svg.find(">" + std::to_string(layer) + "<") != std::string::npos);
  for (const HeadsPainting::Cell& cell : page.painting.cells) {
    CHECK(cell.x + cell.width <= page.width);
    CHECK(cell.y + cell.height <= page.height);
    for (const Box& box : page.chrome) {  // nothing is painted over
      const bool apart =
          static_cast<float>(cell.x) >= box.right() || static_cast<float>(cell.x + cell.width) <= box.x ||
          static_cast<float>(cell.y) >= box.bottom() || static_cast<float>(cell.y + cell.height) <= box.y;
      CHECK(apart);
    }
  }
}

TEST_CASE("the page is drawn in the theme that is asked for, and as shapes", "[model][export]") {
  LettersRobot robot;
  robot.app().files().saving.save_picture(
      {.region = PictureRegion::Grid, .path = robot.directory / "light.png", .theme = ThemeName::Light});
  robot.settle();
  const RgbPicture picture = read_picture(robot.directory / "light.png");
  CHECK(pixel(picture, 1, 1) == (theme(ThemeName::Light).picture | 0xFF000000u));
  const auto figure = draw_figure(
      robot.app(),
      {.region = PictureRegion::Grid, .path = robot.directory / "x.png", .theme = ThemeName::Light});
  const ModelAlone alone(robot);
  const HeadsPainting::Cell& cell = figure->page.painting.cells[7];
  check_head(picture, cell, 4, weights_of(alone, cell.head), theme(ThemeName::Light));

  robot.app().files().saving.save_picture(
      {.region = PictureRegion::Grid, .path = robot.directory / "page.svg"});
  robot.settle();
  const std::string svg = bytes_of(robot.directory / "page.svg");
  REQUIRE(svg.starts_with("<?xml"));
  for (const char* words : {">letters<", "3 layers × 4 heads", "“ab c de a”", ">masked<", ">effect<",
                            "data:image/png;base64,", "4 px a token"})
    CHECK_THAT(svg, Catch::Matchers::ContainsSubstring(words));
}

TEST_CASE("what is changed inside is marked on the page, measures are flat colours, lists have titles",
          "[model][export]") {
  LettersRobot robot;
  robot.click("Head: zero");
  robot.settle();
  const auto page_of = [&] {
    robot.app().files().saving.save_picture(
        {.region = PictureRegion::Grid, .path = robot.directory / "page.svg"}, true);
    robot.settle();
    return draw_figure(robot.app(), {.region = PictureRegion::Grid, .path = robot.directory / "x.png"});
  };
  auto figure = page_of();
  CHECK_THAT(bytes_of(robot.directory / "page.svg"),
             Catch::Matchers::ContainsSubstring("Changed inside:  head 1."));
  int off = 0;
  for (const HeadsPainting::Cell& cell : figure->page.painting.cells) off += cell.is_off ? 1 : 0;
  CHECK(off == 1);
  ModelState& state = model_state_of(robot.app().view());
  state.colour = HeadColour::First;
  state.order = GridOrder::Groups;
  robot.settle();
  figure = page_of();
  CHECK_FALSE(figure->page.painting.patterns);
  CHECK(figure->page.painting.cells.size() == 12);
  const std::string svg = bytes_of(robot.directory / "page.svg");
  CHECK_THAT(svg, Catch::Matchers::ContainsSubstring("other heads"));
  CHECK(svg.find(">masked<") == std::string::npos);
}

TEST_CASE("a page that cannot be drawn is refused in a sentence", "[model][export]") {
  const TemporaryDirectory directory;
  {
    Robot robot({.width = 1280, .height = 800});
    robot.app().files().saving.save_picture({.region = PictureRegion::Grid, .path = directory / "none.png"});
    CHECK_THAT(robot.app().message(), Catch::Matchers::ContainsSubstring("no model is open"));
  }
  Robot robot(with_letters(directory));
  robot.app().files().saving.save_picture({.region = PictureRegion::Grid, .path = directory / "page.bmp"});
  CHECK_THAT(robot.app().message(), Catch::Matchers::ContainsSubstring(".png or .svg"));
  GridPage page;
  page.width = 40'000;
  page.height = 100;
  page.painting.pixels = 8;
  CHECK_THROWS_AS(check_size(page, "page.png"), Error);
  CHECK(directory.entries() == 1);  // the model
}

}  // namespace attnscope::grid_figure_test
