// The lesson on a model of pictures: what it asks is not answered beside it, and its maps are large enough to
// be read from the back of a room.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/lesson_robot.hpp"
#include "app/ui/number_format.hpp"
#include "app/window/render.hpp"
#include "core/files/formats/picture_file.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::lesson_picture_test {
namespace {

using test::Player;

const std::string picture_lesson = "28-a-vit-looks-at-patches";

}  // namespace

TEST_CASE("a head's map is large enough to be read where a low room is presented to",
          "[lessons][lesson_picture]") {
  Player player({.width = 1280, .height = 720});
  player.app().show_step({picture_lesson, 0});
  player.settle();
  player.press(ImGuiKey_F5);
  REQUIRE(player.lesson().lesson.steps.size() == 9);
  for (std::int64_t step = 0; step < 9; ++step) {
    INFO("step " << step + 1);
    player.app().show_step({picture_lesson, step});
    player.settle();
    if (player.step().question) player.press(ImGuiKey_R);
    const RecordedItem* const map = player.items().find("model map 0");
    REQUIRE(map != nullptr);
    CHECK(map->max.y - map->min.y >= 90);  // it was 50, or nothing
    CHECK(map->max.x - map->min.x >= 90);
  }
}

TEST_CASE("what the picture's first question asks does not stand beside it", "[lessons][lesson_picture]") {
  Player player({.width = 1600, .height = 1000});
  player.app().show_step({picture_lesson, 0});
  player.settle();
  // How many keys a row has here is seen; the tokens of another model are to be thought of.
  const std::string keys = std::to_string(player.app().shown()->layer().dimensions.keys);
  for (const lessons::Choice& choice :
       std::get<lessons::ChooseQuestion>(player.step().question->kind).choices)
    for (const lessons::Piece& piece : choice.prose)
      CHECK_FALSE((piece.number ? fixed(piece.number->evaluate({}), 0) : piece.text).starts_with(keys));
}

TEST_CASE("the pictures of all heads on a page are of that page's step", "[lessons][lesson_picture]") {
  // Step 7 has causal layers and other sizes than step 6: a slow machine drew the heads of step 6 on it.
  const test::TemporaryDirectory directory;
  LessonPages pages{.lesson = std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons" / (picture_lesson + ".md"),
                    .out = directory / "all",
                    .revealed = true};
  render_lesson(pages);
  pages.out = directory / "one";
  pages.step = 7;
  render_lesson(pages);
  const auto heads = [&](const char* folder, const char* page) {
    const RgbPicture picture = read_picture(directory / folder / page);
    std::vector<std::uint8_t> part;  // of the grid of heads, where nothing is a time that was measured
    for (std::int64_t y = 130; y < 250; ++y)
      part.insert(part.end(), picture.bytes.begin() + 3 * (y * picture.width + 490),
                  picture.bytes.begin() + 3 * (y * picture.width + 780));
    return part;
  };
  CHECK(heads("all", "07.png") == heads("one", "07.png"));
  CHECK(heads("all", "06.png") != heads("all", "07.png"));
}

}  // namespace attnscope::lesson_picture_test
