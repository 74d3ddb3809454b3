// Around the cover of a lesson on a model: no small picture of a covered head, which heads are zeroed, and
// what the colours mean. And a missing model.
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/lesson_files.hpp"
#include "app/lesson_robot.hpp"
#include "app/lessons/lesson_model.hpp"
#include "app/model_robot.hpp"

namespace attnscope::lesson_lid_test {
namespace {

using test::Player;
using test::TemporaryDirectory;

const std::string of_letters = R"x(---
lesson: Letters
model: ./letters
---
```start
{"model": {"text": "ab ba ab"}}
```
# One
## Asked
Words.
```look
head: 1.2
cell: 4, 2
```
```ask choose
Where does it look?
- back | no
* on
```
## A layer
```set
{"model": {"blocks": [{"of": "decoder", "block": 1, "attention_off": true}]}}
```
Words.
```look
head: 1.2
cell: 4, 2
```
## In colours
```set
{"model": {"blocks": null}}
```
Words.
```look
head: 1.2
cell: 4, 2
colour: first
```
)x";

/// The number of question marks in place of heads' small pictures.
std::size_t covered_in_grid(Player& player) {
  const RecordedItem* const grid = player.items().find("All heads");
  REQUIRE(grid != nullptr);
  std::size_t count = 0;
  for (const PlacedText& text : texts_of(player))
    count += text.text == "?" && text.x0 > grid->min.x && text.x1 < grid->max.x && text.y0 > grid->min.y &&
             text.y1 < grid->max.y;
  return count;
}

}  // namespace

TEST_CASE("the small picture of the head under the lid is covered as well", "[lessons][lesson_lid]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "letters", 3, 16);
  Player player({.width = 1600, .height = 1000});
  player.app().files().opening.open(test::written_lesson(directory, of_letters));
  player.settle();
  REQUIRE(player.says("lifts the lid"));
  CHECK(covered_in_grid(player) == 1);
  player.press(ImGuiKey_R);
  CHECK(covered_in_grid(player) == 0);
}

TEST_CASE("a head of a layer whose attention is off is said to give zero", "[lessons][lesson_lid]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "letters", 3, 16);
  const std::string lesson = test::written_lesson(directory, of_letters).native();
  Player player({.width = 1600, .height = 1000});
  player.app().lessons().go_to({lesson, 1});
  player.settle();
  CHECK(player.says("zeroed: what it gives is"));
  player.press(ImGuiKey_Space);
  CHECK_FALSE(player.says("zeroed: what it gives is"));
}

TEST_CASE("what the colours of a lesson's grid mean stands there as a whole or not",
          "[lessons][lesson_lid]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "letters", 3, 16);
  const std::string lesson = test::written_lesson(directory, of_letters).native();
  for (const int width : {1440, 1600, 1920, 2560}) {
    INFO(width);
    Player player({.width = width, .height = 1000});
    player.app().lessons().go_to({lesson, 2});
    player.settle();
    const bool begins = player.says("weight on th");
    CHECK(begins == player.says("weight on the first token"));
  }
}

TEST_CASE("a model that is looked for again and not found is said not to be there", "[lessons][lesson_lid]") {
  const auto assets = std::filesystem::path(ATTNSCOPE_ASSETS);
  if (lessons::find_model("smollm2", assets, assets)) SKIP("the model is on this computer");
  Player player({.width = 1280, .height = 720});
  player.app().lessons().go_to({"18-reading-a-real-head", 0});
  player.settle();
  const std::string said = "It was looked for again and is still not there.";
  CHECK_FALSE(player.says(said));
  player.click("Look again");
  player.settle();
  CHECK(player.says(said));
  CHECK(player.collides() == "");
}

}  // namespace attnscope::lesson_lid_test
