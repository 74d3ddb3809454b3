// Steps of lessons that show vectors: covered and locked like weights, editable where allowed, and with
// formulas of their computation.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_format.hpp"
#include "app/lesson_robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::lesson_vectors_test {
namespace {

using test::Player;
using test::TemporaryDirectory;

const std::string numbers_lesson = R"x(---
lesson: Numbers
---
```start
{"text": ["a b c"], "d_model": 16, "heads": 2, "weights": "random", "seed": 3}
```
## One
```held
{"seed": 4}
```
```look
stage: embedding
cell: 1, 0
```
## Two
```look
stage: embedding
cell: 1, 0
cover: no
```
```ask think
What would another number change?
```
)x";

/// Types a number into the middle of the map.
void type_into(Player& player, const std::string& map) {
  player.click(map);
  player.frame(2);
  player.key(ImGuiKey_A, ImGuiMod_Ctrl);
  player.type("5");
  player.settle();
  if (ImGui::GetIO().WantTextInput) player.key(ImGuiKey_Escape);  // out of the field; what was typed stays
  player.settle();
  CHECK(player.app().view().mode == Mode::Lessons);
}

}  // namespace

TEST_CASE("vectors of a stage are covered like weights, and a formula says what is done",
          "[lessons][lesson_vectors]") {
  Player player({.width = 1600, .height = 1000});
  const std::string lesson = "16-a-bert-style-block";
  player.app().lessons().go_to({lesson, 1});
  player.settle();
  CHECK(player.says("lifts the lid"));
  CHECK_FALSE(player.has("vector map"));
  CHECK_FALSE(player.says("through the block"));
  player.press(ImGuiKey_R);
  REQUIRE(player.has("vector map"));
  CHECK(player.says("R = X + Y"));
  CHECK(player.says("through the block"));
  // The chosen token's numbers are in the right column, equal to the numbers of the prose.
  const LayerResult& result = player.app().shown()->layer();
  CHECK(player.says(fixed(static_cast<double>(result.trace[Stage::Residual]->matrix(0).row(1).norm()), 2)));
  // Without the addition the sum has one part.
  player.app().lessons().go_to({lesson, 2});
  player.settle();
  CHECK_FALSE(player.has("held vector map"));
  player.press(ImGuiKey_R);
  CHECK(player.has("held vector map"));
  CHECK(player.says("R = Y"));
}

TEST_CASE("what a formula says in words stands whole beside it, or not at all", "[lessons][lesson_vectors]") {
  for (const int width : {1280, 1600, 2400}) {
    INFO(width << " pixels wide");
    Player player({.width = width, .height = width * 9 / 16});
    player.app().lessons().go_to({"16-a-bert-style-block", 2});
    player.settle();
    player.press(ImGuiKey_R);
    CHECK(player.says("R = X + Y"));
    for (const PlacedText& text : texts_of(player))
      CHECK_FALSE((text.text.starts_with("Output of attention") && text.text.ends_with("…")));
    if (width == 2400) CHECK(player.says("Output of attention added to the token vectors."));
  }
}

TEST_CASE("no length of a normed vector stands in the steps before the one that asks for it",
          "[lessons][lesson_vectors]") {
  Player player({.width = 1600, .height = 1000});
  std::size_t said = 0;
  for (const std::int64_t step : {0, 1, 2, 3}) {
    INFO("step " << step + 1);
    player.app().lessons().go_to({"16-a-bert-style-block", step});
    player.settle();
    if (player.step().question) player.press(ImGuiKey_R);
    const auto& normed = player.app().shown()->layer().trace[Stage::StreamNorm];
    const std::string length = fixed(static_cast<double>(normed->matrix(0).row(1).norm()), 2);
    REQUIRE(length == "4.00");
    const auto count = std::ranges::count(texts_of(player), length, &PlacedText::text);
    if (step < 3) CHECK(count == 0);
    if (step == 3) said = static_cast<std::size_t>(count);
  }
  CHECK(said > 0);  // where it is asked, R reveals it
}

TEST_CASE("beside the output of a block stands the length of what is held's output, not of its last sum",
          "[lessons][lesson_vectors]") {
  Player player({.width = 1600, .height = 1000});
  player.app().lessons().go_to({"17-a-gpt-style-block", 3});  // pre-norm, and post-norm is held
  player.settle();
  player.press(ImGuiKey_R);
  const LayerResult& held = player.app().held().held_result()->result->layer();
  const auto length = [&](Stage stage) {
    return fixed(static_cast<double>(held.trace[stage]->matrix(0).row(1).norm()), 2);
  };
  REQUIRE(length(Stage::BlockOutput) != length(Stage::MlpResidual));
  const std::vector<PlacedText> texts = texts_of(player);
  const auto name = std::ranges::find(texts, "Block output", &PlacedText::text);
  REQUIRE(name != texts.end());
  const PlacedText* last = nullptr;  // of its line
  for (const PlacedText& text : texts)
    if (std::abs((text.y0 + text.y1) - (name->y0 + name->y1)) < 8 && text.x0 > name->x1 &&
        (last == nullptr || text.x0 > last->x0))
      last = &text;
  REQUIRE(last != nullptr);
  CHECK(last->text == length(Stage::BlockOutput));
}

TEST_CASE("numbers of token vectors are edited in a step, but not under a question and not in what is held",
          "[lessons][lesson_vectors]") {
  const TemporaryDirectory directory;
  std::ofstream(directory / "own.md") << numbers_lesson;
  Player player({.width = 1600, .height = 1000});
  player.app().files().opening.open(directory / "own.md");
  player.settle();
  const Document begun = player.document();
  type_into(player, "held vector map");
  CHECK(player.document() == begun);
  CHECK(player.app().held().held_result()->result->document == *player.lesson().documents[0].held);
  type_into(player, "vector map");
  CHECK(player.document() != begun);
  player.press(ImGuiKey_Space);
  REQUIRE(player.state().step == 1);
  const Document asked = player.document();
  type_into(player, "vector map");
  CHECK(player.document() == asked);
  player.press(ImGuiKey_R);
  type_into(player, "vector map");
  CHECK(player.document() != asked);
}

TEST_CASE("the formula above vectors has no positions and no bias where none are added",
          "[lessons][lesson_vectors]") {
  Player player({.width = 1600, .height = 1000});
  const auto look_at = [&](const std::string& name, std::int64_t step) {
    player.app().lessons().go_to({name, step});
    player.settle();
  };
  look_at("15-bank-and-bank", 0);
  CHECK(player.says("X = E"));
  CHECK_FALSE(player.says("X = E + P"));
  look_at("16-a-bert-style-block", 0);
  CHECK(player.says("Y = C·W_O"));
  CHECK_FALSE(player.says("C·W_O + b"));
  look_at("16-a-bert-style-block", 5);
  CHECK(player.says("J = f(U)"));
  CHECK_FALSE(player.says("f(T)"));  // there is no gate
}

}  // namespace attnscope::lesson_vectors_test
