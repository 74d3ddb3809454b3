// Every step of every lesson that needs neither a model nor training, before R and after it: what R revealed
// is in sight beside its question, and no text of the words lies over another.
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/lesson_column_robot.hpp"

namespace attnscope::lesson_sight_test {
namespace {

using namespace attnscope::test;

void look_at_step(Player& player, const std::string& name, std::int64_t step) {
  INFO(name << " step " << step + 1);
  player.app().show_step({name, step});
  player.settle();
  CHECK(overlaps_in(texts_in(player, words_column())) == "");
  const auto& question = player.step().question;
  if (!question) return;
  player.press(ImGuiKey_R);
  REQUIRE(player.state().answer.revealed);
  const Box column = words_column();
  const std::vector<PlacedText> texts = texts_in(player, column);
  CHECK(overlaps_in(texts) == "");
  CHECK(hidden_of(question->answer, texts, column) == "");
  CHECK(hidden_of(question->words, texts, column) == "");
}

/// One lesson of `every`. Returns how many steps were looked at.
std::size_t look_at_lessons(int width, int height, std::size_t every) {
  Player player({.width = width, .height = height});
  std::size_t steps = 0, number = 0;
  for (const std::string& name : all_lessons()) {
    if (number++ % every != 0) continue;
    const lessons::Lesson lesson =
        lessons::read_lesson(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons" / (name + ".md"));
    if (lesson.of_model() || lesson.of_training()) continue;
    for (std::int64_t step = 0; step < std::ssize(lesson.steps); ++step, ++steps)
      look_at_step(player, name, step);
  }
  return steps;
}

}  // namespace

TEST_CASE("what R reveals is in sight in every step, and no words lie over others",
          "[lessons][lesson_sight]") {
  CHECK(look_at_lessons(1600, 1000, 1) >= 120);
  CHECK(look_at_lessons(1280, 720, 3) >= 40);
}

}  // namespace attnscope::lesson_sight_test
