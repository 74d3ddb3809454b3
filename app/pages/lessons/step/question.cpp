// app/pages/lessons/step: a step's question: choices, a value to drag, a row or a curve to sketch, or none to
// enter (think, then reveal).
#include "app/pages/lessons/step/question.hpp"

#include <string>

#include "app/kit/widgets/marks.hpp"

namespace attnscope {

void draw_question_words(LessonPage& page, const lessons::Prose& prose, float x, float& y, float width,
                         const ProseStyle& style) {
  const ProseLookUp look_up = page.prose_look_up();
  const SetProse set = set_prose(page.ui(), prose, width, style, look_up);
  const lessons::Anchor* under = draw_prose(page.ui(), set, x, y, look_up);
  y += set.height;
  if (under != nullptr) page.pointed = *under;
}

float question_height_of(LessonPage& page, const lessons::Prose& prose, float width,
                         const ProseStyle& style) {
  return set_prose(page.ui(), prose, width, style, page.prose_look_up()).height;
}

ProseStyle told_style(const LessonPage& page) {
  const Ui& ui = page.ui();
  if (page.narrow) return narrow_style(page);
  return {type::body, 20, ui.theme.text2, ui.theme.text1};
}

namespace {

ProseStyle question_style(const LessonPage& page) {
  const ProseStyle told = told_style(page);
  return {told.size, told.line, told.strong, told.strong};
}
float draw_question_kind(LessonPage& page, const QuestionCard& card, float y,
                         const lessons::Question& question) {
  if (const auto* choose = std::get_if<lessons::ChooseQuestion>(&question.kind))
    return draw_choices(page, card, y, *choose);
  if (std::holds_alternative<lessons::DragQuestion>(question.kind)) return draw_drag(page, card, y, question);
  if (const auto* sketch = std::get_if<lessons::SketchQuestion>(&question.kind))
    return draw_row_sketch(page, card, y, *sketch);
  if (const auto* curve = std::get_if<lessons::CurveQuestion>(&question.kind))
    return draw_curve_told(page, card, y, *curve);
  return y;
}

bool has_answered(const StepAnswer& answer) {
  return answer.chosen >= 0 || answer.value || !answer.sketch.empty() || !answer.curve.empty();
}

/// Only the number of votes, not for which choice: it would influence later votes.
std::string votes_told(const LessonPage& page) {
  const StepAnswer& answer = page.state().answer;
  const std::int64_t votes = all_votes(answer);
  std::string words = votes == 0 ? "digits count votes" : "votes counted: " + std::to_string(votes);
  if (answer.votes_before) words += "   ·   before: " + std::to_string(all_votes(*answer.votes_before));
  return words;
}

/// In a narrow room the line of keys says what R and V do; here are the votes, once digits count them.
float draw_narrow_foot(const LessonPage& page, const QuestionCard& card, float y) {
  const Ui& ui = page.ui();
  if (!page.state().counts_votes) return y;
  ui.text(card.x + card.pad, y + ui.px(10), votes_told(page),
          {type::label, ui.theme.text1, Ink::Medium, Align::Left, card.inner()});
  return y + ui.px(20);
}

/// "Shift V asks again": a second count after the class has talked. Returns the y below.
float draw_ask_again(LessonPage& page, float left, float y) {
  const Ui& ui = page.ui();
  const std::string_view does = "asks again", key = "Shift V";
  const float cap = keycap_width(ui, key), line = y + ui.px(14);
  const float wide = cap + ui.px(20) + ui.text_width(does, type::label, Ink::Medium);
  const Box link{left - ui.px(4), line - ui.px(13), wide, ui.px(26)};
  const Ui::Touch touch = ui.touch("Ask the class again", link);
  if (touch.hovered) ui.fill(link, ui.theme.control_hover, ui.px(4));
  if (touch.focused) ui.frame(link, ui.theme.query, ui.px(2), ui.px(4));
  draw_keycap(ui, left, line, key);
  ui.text(left + cap + ui.px(10), line, does, {type::label, ui.theme.text1, Ink::Medium});
  tooltip(ui, touch.hovered, link,
          {"Ask the class again",
           {},
           "After a talk in pairs: a second count, which R shows beside the first.",
           "Shift+V"});
  if (touch.clicked) lesson_votes_again(page.scene);
  return link.bottom() + ui.px(1);
}

/// "R reveals", and whether digits answer or count votes.
float draw_question_foot(LessonPage& page, const QuestionCard& card, float y,
                         const lessons::Question& question) {
  const Ui& ui = page.ui();
  if (page.narrow) return draw_narrow_foot(page, card, y);
  const float line = y + ui.px(14), left = card.x + card.pad;
  const std::string_view does = "reveals";
  const float wide = ui.px(22) + ui.px(10) + ui.text_width(does, type::label, Ink::Medium);
  const Box link{left - ui.px(4), line - ui.px(13), wide + ui.px(10), ui.px(26)};
  const Ui::Touch touch = ui.touch("Reveal", link);
  if (touch.hovered) ui.fill(link, ui.theme.control_hover, ui.px(4));
  if (touch.focused) ui.frame(link, ui.theme.query, ui.px(2), ui.px(4));
  const float cap = page.keycap(left, line, "R");
  ui.text(left + cap + ui.px(10), line, does, {type::label, ui.theme.text1, Ink::Medium});
  tooltip(ui, touch.hovered, link, {"Reveal", {}, "Predict first: what is covered then appears.", "R"});
  if (touch.clicked) lesson_reveal(page.scene);
  const auto* const choose = std::get_if<lessons::ChooseQuestion>(&question.kind);
  if (choose == nullptr) return y + ui.px(28);
  bool& counts = page.state().counts_votes;
  const std::string words = counts ? votes_told(page) : "count votes";
  const float room = ui.text_width(words, type::label) + ui.px(40);
  Box votes_box{card.x + card.width - card.pad - room, line - ui.px(13), room, ui.px(26)};
  if (votes_box.x < link.right() + ui.px(8)) votes_box = {left, votes_box.y + ui.px(28), room, votes_box.h};
  if (toggle(ui, "Count votes", words, votes_box, counts,
             {"Count votes", {}, "Digits add up the answers of a class instead of choosing one.", "V"}))
    counts = !counts;
  float bottom = votes_box.bottom() + ui.px(1);
  const StepAnswer& answer = page.state().answer;
  if (counts && all_votes(answer) > 0 && !answer.votes_before) bottom = draw_ask_again(page, left, bottom);
  return bottom;
}

float draw_in_question(LessonPage& page, const QuestionCard& card, const lessons::Question& question) {
  const Ui& ui = page.ui();
  const StepAnswer& answer = page.state().answer;
  float y = card.y + card.pad;
  if (!page.scene.compact) {
    ui.text(card.x + card.pad, y + ui.px(8), "Predict", {type::label, ui.theme.text2});
    const std::string_view state = answer.revealed        ? "revealed"
                                   : has_answered(answer) ? "chosen, not yet revealed"
                                                          : "what do you expect?";
    ui.text(card.x + card.width - card.pad, y + ui.px(8), state,
            {type::label, ui.theme.text2, Ink::Regular, Align::Right});
    y += ui.px(24);
  }
  ProseStyle style = question_style(page);
  draw_question_words(page, question.words, card.x + card.pad, y, card.inner(), style);
  y += ui.px(8);
  y = draw_question_kind(page, card, y, question);
  y += ui.px(4);
  if (!answer.revealed) {
    y = draw_question_foot(page, card, y, question);
  } else if (!question.answer.empty()) {
    y += ui.px(4);
    draw_question_words(page, question.answer, card.x + card.pad, y, card.inner(), told_style(page));
  }
  return y + card.pad - ui.px(4);
}

}  // namespace

float draw_lesson_question(LessonPage& page, float x, float y, float width) {
  const Ui& ui = page.ui();
  const QuestionCard card{x, y, width, ui.px(page.narrow ? 8 : page.scene.compact ? 12 : 16)};
  // The card's background is drawn last, when its height is known, on a channel below its contents.
  ImDrawList* const list = ImGui::GetWindowDrawList();
  list->ChannelsSplit(2);
  list->ChannelsSetCurrent(1);
  const float bottom = draw_in_question(page, card, *page.step.question);
  list->ChannelsSetCurrent(0);
  ui.fill({x, y, width, bottom - y}, ui.theme.raised, ui.px(8));
  list->ChannelsMerge();
  return bottom;
}

}  // namespace attnscope
