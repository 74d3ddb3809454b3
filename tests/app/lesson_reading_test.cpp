// The texts beside a lesson's pictures are complete and distinguish what they label.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/lesson_robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::lesson_reading_test {
namespace {

using test::Player;

const std::string small = R"("d_model": 16, "heads": 1, "weights": "random", "seed": 3, "positions": "none")";

/// A lesson of one step.
struct ReadLesson {
  test::TemporaryDirectory directory;
  Player player;
  ReadLesson(const std::string& start, const std::string& step,
             const RobotOptions& options = {.width = 1600, .height = 1000})
      : player(options) {
    std::ofstream(directory / "read.md")
        << "---\nlesson: Read\n---\n```start\n{" << start << ", " << small << "}\n```\n## One\n"
        << step;
    player.app().files().opening.open(directory / "read.md");
    player.settle();
    REQUIRE(player.app().lessons().open());
  }
  std::ptrdiff_t count(std::string_view words) {
    return std::ranges::count(texts_of(player), words, &PlacedText::text);
  }
};

}  // namespace

TEST_CASE("a token that stands more than once has its place on axes and in the table", "[lessons]") {
  ReadLesson lesson(R"("text": ["dog bites dog"])", "```look\nstage: weights\ncell: 0, 1\n```\n");
  CHECK(lesson.count("dog") == 0);
  CHECK(lesson.count("dog₀") >= 3);  // both axes, the table, and the row's name
  CHECK(lesson.count("dog₂") >= 3);
  CHECK(lesson.count("bites") >= 3);
  CHECK(lesson.player.collides() == "");
}

TEST_CASE("a key that the mask of what is held hides is masked there, not 0.000", "[lessons]") {
  ReadLesson lesson(R"("text": ["The cat sat"])",
                    "```held\n{\"mask\": {\"causal\": true}}\n```\n"
                    "```look\nstage: weights\ncell: 0, 0\n```\n");
  CHECK(lesson.count("masked") == 2);
  CHECK(lesson.count("0.000") == 0);
}

TEST_CASE("the name of a long stage beside its colours is not cut", "[lessons]") {
  ReadLesson lesson(R"("text": ["The cat sat"])", "```look\nstage: scaled\ncell: 0, 0\n```\n");
  CHECK(lesson.count("scaled") == 2);  // the table's heading, and beside the colours
  for (const PlacedText& text : texts_of(lesson.player)) {
    INFO(text.text);
    CHECK_FALSE(text.text.starts_with("Scaled"));
  }
}

TEST_CASE("a note below a line of code has the room of all its lines", "[lessons]") {
  ReadLesson lesson(R"("text": ["The cat sat"])",
                    "```look\nstage: weights\ncell: 0, 0\n```\n```numpy\nx = table[ids]  -> one row for each "
                    "token, whatever the sentence that it stands in\nk = x @ W_K\n```\n",
                    {.width = 1280, .height = 720});
  CHECK(lesson.player.collides() == "");
}

TEST_CASE("in a narrow table of stages the symbol stands alone, not the beginning of a name", "[lessons]") {
  ReadLesson lesson(R"("text": ["The cat sat"], "block": {"kind": "pre-norm", "norm": "layer"})",
                    "```held\n{\"embedding_gain\": 2.0}\n```\n"
                    "```look\nstage: block-output\ncell: 1, 0\n```\n",
                    {.width = 1280, .height = 720});
  CHECK(lesson.player.says("Through the block"));
  for (const PlacedText& text : texts_of(lesson.player)) {
    INFO(text.text);
    CHECK_FALSE((text.text.ends_with("…") && text.text.size() < 7));
  }
}

TEST_CASE("in a small window the title of the last step is whole below its mark", "[lessons]") {
  Player player({.width = 1280, .height = 720});
  player.open("03-softmax-and-temperature");
  const auto last = std::ssize(player.lesson().lesson.steps) - 1;
  player.app().lessons().go_to({"03-softmax-and-temperature", last});
  player.settle();
  const std::string title = player.step().title;
  CHECK(std::ranges::count(texts_of(player), title, &PlacedText::text) == 1);
  CHECK(player.collides() == "");
}

TEST_CASE("in a small window every row of a matrix below a plot has its label", "[lessons]") {
  Player player({.width = 1280, .height = 720});
  for (const std::int64_t step : {7, 8}) {
    INFO("step " << step + 1);
    player.app().lessons().go_to({"12-who-still-learns", step});
    player.settle();
    const std::vector<PlacedText> texts = texts_of(player);
    const auto axis = std::ranges::find(texts, "query ↓", &PlacedText::text);
    REQUIRE(axis != texts.end());
    std::ptrdiff_t rows = 0;
    for (const std::string word : {"The", "cat", "sat", "on", "the", "mat", "because", "it", "was", "warm"})
      rows += std::ranges::count_if(texts, [&](const PlacedText& text) {
        return text.text == word && std::abs(text.x1 - axis->x1) < 1.5f && text.y0 > axis->y0;
      });
    CHECK(rows == 10);  // all of them, not every second one
    CHECK(player.collides() == "");
  }
}

TEST_CASE("in German what a line of code gives has a decimal comma", "[lessons]") {
  Player player({.width = 1600, .height = 1000});
  player.app().view().language = "de";
  player.app().lessons().go_to({"04-why-divide", 2});
  player.settle();
  const std::vector<PlacedText> texts = texts_of(player);
  CHECK(std::ranges::count(texts, "9,34", &PlacedText::text) >= 1);
  CHECK(std::ranges::count(texts, "9.34", &PlacedText::text) == 0);
}

TEST_CASE("titles of chapters are whole above their steps", "[lessons]") {
  Player player({.width = 1600, .height = 1000});
  for (const std::string& name : test::all_lessons()) {
    player.app().lessons().go_to({name, 0});
    player.frame(3);
    for (const std::string& chapter : player.lesson().lesson.chapters) {
      INFO(name << ": " << chapter);
      CHECK(player.says(chapter));
    }
  }
}

TEST_CASE("no line of a lesson's code is cut in a small window", "[lessons]") {
  constexpr std::size_t most = 33;  // characters in the column of code at 1280 × 720
  for (const std::string& name : test::all_lessons()) {
    const lessons::Lesson lesson =
        lessons::read_lesson(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons" / (name + ".md"));
    for (const lessons::Step& step : lesson.steps)
      for (const auto* code : {&step.numpy, &step.pytorch})
        for (const lessons::CodeLine& line : *code) {
          INFO(name << ": " << line.code);
          CHECK(line.code.size() <= most);
        }
  }
}

}  // namespace attnscope::lesson_reading_test
