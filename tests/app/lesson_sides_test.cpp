// The two sides of a lesson's picture have the same colours for the same numbers; the table below the words
// is complete if the words leave room for it.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include "app/lesson_robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::lesson_sides_test {
namespace {

using test::Player;
using test::TemporaryDirectory;

/// The colour near the corner of a cell of a map of n by n, beside its number.
Rgba ground_of(Player& player, const Image& image, std::string_view map, Cell cell, std::int64_t n) {
  const RecordedItem* const box = player.items().find(map);
  REQUIRE(box != nullptr);
  const auto place = [&](float low, float high, std::int64_t i) {
    return static_cast<int>(low + (high - low) * (static_cast<float>(i) + 0.15f) / static_cast<float>(n));
  };
  return image.at(place(box->min.x, box->max.x, cell.key), place(box->min.y, box->max.y, cell.query));
}

int distance(Rgba a, Rgba b) {
  int most = 0;
  for (const int shift : {0, 8, 16})
    most = std::max(most, std::abs(static_cast<int>(a >> shift & 255) - static_cast<int>(b >> shift & 255)));
  return most;
}

bool has(Player& player, const std::string& words) {
  return std::ranges::count(texts_of(player), words, &PlacedText::text) > 0;
}

/// How far the part of the window with this name can be scrolled.
float hidden_height(std::string_view name) {
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
    if (window->WasActive && std::string_view(window->Name).find(name) != std::string_view::npos)
      return window->ScrollMax.y;
  FAIL("no such part of the window");
  return 0;
}

}  // namespace

TEST_CASE("equal scores look alike on both sides, and the colour bar is that of both",
          "[lessons][lesson_sides]") {
  Player player({.width = 1600, .height = 1000});
  player.app().lessons().go_to({"09-where-am-i", 7});  // dog bites man | now dog bites man
  player.settle();
  // A covered map does not widen the colour range: 3.28 is on the right alone.
  CHECK(has(player, "2.9"));
  CHECK_FALSE(has(player, "3.3"));
  player.press(ImGuiKey_R);
  CHECK(has(player, "3.3"));
  CHECK_FALSE(has(player, "2.9"));
  const Image image = player.pixels();
  for (const auto& [left, right] : {std::pair{Cell{1, 0}, Cell{2, 1}}, {Cell{1, 2}, Cell{2, 3}}}) {
    INFO("query " << left.query << ", key " << left.key);
    CHECK(distance(ground_of(player, image, "lesson A 0", left, 3),
                   ground_of(player, image, "lesson B 0", right, 4)) <= 2);
  }
}

TEST_CASE("the table below short words has all of its rows in sight", "[lessons][lesson_sides]") {
  TemporaryDirectory directory;
  std::ofstream(directory / "mine.md") << R"(---
lesson: Mine
---
```start
{"text": ["the cat sat on the mat and the dog lay on it"], "d_model": 16, "heads": 1, "weights": "random",
 "seed": 3, "positions": "none"}
```
## One
Two matrices of twelve tokens.
```held
{"temperature": 2.0}
```
```look
stage: weights
cell: 0, 1
title: first
held title: second
```
```numpy
> A = softmax(S)
```
)";
  Player player({.width = 1600, .height = 1000});
  player.app().files().opening.open(directory / "mine.md");
  player.settle();
  REQUIRE(player.app().lessons().open());
  REQUIRE(hidden_height("lesson words") == 0);
  CHECK(hidden_height("lesson code") == 0);
}

}  // namespace attnscope::lesson_sides_test
