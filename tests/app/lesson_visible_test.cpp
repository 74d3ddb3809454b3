// Every step of every lesson, before R and after it: what R revealed is in sight beside its question, and no
// texts of the words overlap. Nothing is trained to its end, and only models that come with the program are
// read: numbers of others are "…". At 1280×720 a third of the lessons, another third with each commit.
#include <optional>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/lesson_column_robot.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "support/turns.hpp"

namespace attnscope::lesson_visible_test {
namespace {

using namespace attnscope::test;

/// Whether its pictures take seconds, or need files that not every computer has: the test does not wait for
/// them.
bool is_slow(const lessons::Lesson& lesson) {
  return lesson.of_training() || (lesson.of_model() && lesson.model.find('/') == std::string::npos);
}

void wait_for_words(Player& player, bool slow) {
  slow ? player.frame(frames_to_answer + 2) : player.settle();
}

void look_at_step(Player& player, const std::string& name, std::int64_t step, bool slow) {
  INFO(name << " step " << step + 1);
  player.app().lessons().go_to({name, step});
  wait_for_words(player, slow);
  REQUIRE(player.state().step == step);
  CHECK(overlaps_in(texts_in(player, words_column())) == "");
  const auto question = player.step().question;  // an opened model makes the lesson be read again
  if (!question) return;
  if (ImGui::GetIO().WantTextInput) player.key(ImGuiKey_Escape);  // a step that asks for a text
  player.key(ImGuiKey_R);
  wait_for_words(player, slow);
  REQUIRE(player.state().answer.revealed);
  const Box column = words_column();
  const std::vector<PlacedText> texts = texts_in(player, column);
  CHECK(overlaps_in(texts) == "");
  CHECK(hidden_of(question->answer, texts, column) == "");
  CHECK(hidden_of(question->words, texts, column) == "");
}

/// All lessons or this third of them, the slow ones or the others: they have separate windows, so that the
/// others do not wait for the slow ones' work. Returns how many steps were checked.
std::size_t look_at_lessons(int width, int height, std::optional<std::size_t> third, bool slow) {
  Player player({.width = width, .height = height});
  std::size_t steps = 0, number = 0;
  for (const std::string& name : all_lessons()) {
    const std::size_t its = number++ % 3;
    if (third && *third != its) continue;
    const lessons::Lesson lesson =
        lessons::read_lesson(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons" / (name + ".md"));
    if (is_slow(lesson) != slow) continue;
    for (std::int64_t step = 0; step < std::ssize(lesson.steps); ++step, ++steps)
      look_at_step(player, name, step, slow);
  }
  return steps;
}

}  // namespace

TEST_CASE("what R reveals is in sight in every step, and no words lie over others",
          "[lessons][lesson_visible]") {
  CHECK(look_at_lessons(1600, 1000, {}, false) >= 170);
  const std::optional<std::size_t> third = part_of_commit(3);
  CHECK(look_at_lessons(1280, 720, third, false) >= (third ? 40 : 170));
}

TEST_CASE("the same in lessons that train, and in those whose model has to be fetched",
          "[lessons][lesson_visible]") {
  CHECK(look_at_lessons(1600, 1000, {}, true) >= 70);
  const std::optional<std::size_t> third = part_of_commit(3);
  CHECK(look_at_lessons(1280, 720, third, true) >= (third ? 15 : 70));
}

}  // namespace attnscope::lesson_visible_test
