// app/pages/lessons: the card at the end of a lesson: what was expected at each question, what was so, and
// which lessons build on this one.
#include <algorithm>
#include <string>
#include <vector>

#include "app/kit/widgets/widgets.hpp"
#include "app/pages/lessons/step/parts.hpp"

namespace attnscope {
namespace {

/// A question of the lesson that was answered and revealed.
struct Recalled {
  std::int64_t step = 0;
  bool right = false;
  std::string said, was;  // the chosen words and the right ones; empty if they have computed numbers
};

/// The words of a choice; empty if one of them is a number of its own step, which is not on screen.
std::string plain_words(const lessons::Prose& prose) {
  std::string words;
  for (const lessons::Piece& piece : prose) {
    if (piece.number) return {};
    words += piece.text;
  }
  return words;
}

std::optional<Recalled> expected_at(const LessonPage& page, std::int64_t at) {
  const lessons::Step& step = page.lesson().steps[static_cast<std::size_t>(at)];
  const auto given = page.state().answers.find(at);
  if (!step.question || given == page.state().answers.end() || !given->second.revealed) return std::nullopt;
  const StepAnswer& answer = given->second;
  Recalled expected;
  expected.step = at;
  const auto* const choose = std::get_if<lessons::ChooseQuestion>(&step.question->kind);
  if (choose == nullptr) {
    if (!answer.near) return std::nullopt;
    expected.right = *answer.near;
    return expected;
  }
  if (answer.chosen < 0 || answer.chosen >= std::ssize(choose->choices)) return std::nullopt;
  const lessons::Choice& chosen = choose->choices[static_cast<std::size_t>(answer.chosen)];
  expected.right = chosen.right;
  expected.said = plain_words(chosen.prose);
  const auto right = std::ranges::find(choose->choices, true, &lessons::Choice::right);
  if (!chosen.right && right != choose->choices.end()) expected.was = plain_words(right->prose);
  return expected;
}

/// Its title with a tick or a cross, below it the chosen words and, if they were wrong, the right ones. A
/// click goes to the step. Returns the y below.
float draw_expected(LessonPage& page, const Recalled& expected, float x, float y, float width) {
  const Ui& ui = page.ui();
  const float indent = ui.px(22), room = width - indent;
  const std::string title = own(page.lesson().steps[static_cast<std::size_t>(expected.step)].title);
  const std::string said = expected.said.empty() ? std::string() : "expected: " + own(expected.said);
  const std::string was = expected.was.empty() ? std::string() : "it was: " + own(expected.was);
  float high = ui.px(24);
  for (const std::string* const words : {&said, &was})
    if (!words->empty()) high += ui.paragraph_height(room, *words, type::tick) + ui.px(2);
  const Box row{x - ui.px(6), y, width + ui.px(12), high + ui.px(4)};
  const Ui::Touch touch = ui.touch(("lesson expected " + std::to_string(expected.step + 1)).c_str(), row);
  if (touch.hovered) ui.fill(row, ui.theme.control_hover, ui.px(4));
  if (touch.focused) ui.frame(row, ui.theme.query, ui.px(2), ui.px(4));
  ui.text(x, y + ui.px(12), expected.right ? "✓" : "×",
          {type::label, expected.right ? ui.theme.value : ui.theme.text2, Ink::Medium});
  ui.text(x + indent, y + ui.px(12), title, {type::label, ui.theme.text1, Ink::Medium, Align::Left, room});
  float line = y + ui.px(24);
  for (const std::string* const words : {&said, &was})
    if (!words->empty())
      line += ui.paragraph(x + indent, line, room, *words, {type::tick, ui.theme.text2}) + ui.px(2);
  if (touch.clicked) go_to_lesson_step(page.scene, expected.step);
  return row.bottom();
}

/// "Builds on this: 5, 10"; empty if no lesson does.
std::string words_of_following(const LessonPage& page) {
  std::string numbers;
  const std::int64_t number = page.lesson().number;
  if (number == 0 || page.scene.lesson->entries == nullptr) return {};
  for (const lessons::LessonEntry& entry : *page.scene.lesson->entries)
    if (std::ranges::find(entry.after, number) != entry.after.end())
      numbers += (numbers.empty() ? "" : ", ") + std::to_string(entry.number);
  return numbers.empty() ? std::string() : "lessons that build on this one: " + own(numbers);
}

}  // namespace

float draw_lesson_end(LessonPage& page, float x, float y, float width) {
  const Ui& ui = page.ui();
  const std::int64_t count = std::ssize(page.lesson().steps);
  if (page.presented || ui.is_figure() || page.state().step + 1 < count) return y;
  std::vector<Recalled> all;
  for (std::int64_t i = 0; i + 1 < count; ++i)
    if (const auto expected = expected_at(page, i)) all.push_back(*expected);
  if (all.empty()) return y;
  y += ui.px(8);
  ui.horizontal(x, y, width, ui.theme.hairline);
  ui.text(x, y + ui.px(20), "What was expected, and what was so",
          {type::label, ui.theme.text1, Ink::Semibold, Align::Left, width});
  y += ui.px(34);
  for (const Recalled& expected : all) y = draw_expected(page, expected, x, y, width);
  if (const std::string words = words_of_following(page); !words.empty())
    y += ui.px(8) + ui.paragraph(x, y + ui.px(8), width, words, {type::label, ui.theme.text2});
  return y + ui.px(8);
}

}  // namespace attnscope
