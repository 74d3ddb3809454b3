// app/views/lessons: what a step asks: choices, a value to drag, a row to sketch, or cover and think.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "app/ui/number_format.hpp"
#include "app/views/lessons/page.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope {
namespace {

/// The card's ground, known before what stands on it: as high as the last time.
struct QuestionCard {
  float x, y, width, pad;
  float inner() const { return width - 2 * pad; }
};

const lessons::Anchor* draw_question_words(LessonPage& page, const lessons::Prose& prose, float x, float& y,
                                           float width, const ProseStyle& style) {
  const ProseSight sight = page.sight();
  const SetProse set = set_prose(page.ui(), prose, width, style, sight);
  const lessons::Anchor* under = draw_prose(page.ui(), set, x, y, sight);
  y += set.height;
  if (under != nullptr) page.pointed = *under;
  return under;
}

float question_height_of(LessonPage& page, const lessons::Prose& prose, float width,
                         const ProseStyle& style) {
  return set_prose(page.ui(), prose, width, style, page.sight()).height;
}

ProseStyle question_style(const LessonPage& page) {
  const Ui& ui = page.ui();
  return {type::body, 20, ui.theme.text1, ui.theme.text1};
}
ProseStyle choice_style(const LessonPage& page, bool chosen) {
  const Ui& ui = page.ui();
  return {type::body, 20, chosen ? ui.theme.text1 : ui.theme.text2, ui.theme.text1};
}
ProseStyle told_style(const LessonPage& page) {
  const Ui& ui = page.ui();
  return {type::body, 20, ui.theme.text2, ui.theme.text1};
}

std::int64_t all_votes(const StepAnswer& answer) {
  return std::accumulate(answer.votes.begin(), answer.votes.end(), std::int64_t{0});
}

/// The bar at the right end of a choice: what it guesses, or how many of the class hold it.
void draw_guess_bar(const LessonPage& page, const Box& choice, std::size_t at, const lessons::Choice& what,
                    bool marked) {
  const Ui& ui = page.ui();
  const StepAnswer& answer = page.state().answer;
  const std::int64_t votes = all_votes(answer);
  if (votes == 0 && !what.guess) return;
  const double share =
      votes > 0 ? static_cast<double>(answer.votes[at]) / static_cast<double>(votes) : *what.guess;
  const Box track{choice.right() - ui.px(12 + 96), choice.centre_y() - ui.px(3), ui.px(96), ui.px(6)};
  ui.fill(track, ui.theme.control_hover, ui.px(3));
  ui.fill({track.x, track.y, std::round(track.w * static_cast<float>(share)), track.h},
          marked ? ui.theme.query : ui.theme.bar, ui.px(3));
  if (votes > 0)
    ui.text(track.x - ui.px(8), choice.centre_y(), std::to_string(answer.votes[at]),
            {type::label, ui.theme.text1, Ink::Medium, Align::Right});
}

/// In a narrow column words come before bars.
bool has_room_for_bars(const LessonPage& page, const QuestionCard& card) {
  return card.inner() >= page.ui().px(280) || all_votes(page.state().answer) > 0;
}

float draw_choices(LessonPage& page, const QuestionCard& card, float y,
                   const lessons::ChooseQuestion& question) {
  const Ui& ui = page.ui();
  StepAnswer& answer = page.state().answer;
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const lessons::Choice& choice = question.choices[i];
    const bool chosen = answer.chosen == static_cast<std::int64_t>(i);
    const bool right = answer.revealed && choice.right;
    const bool has_bar = has_room_for_bars(page, card) && (choice.guess || all_votes(answer) > 0);
    const float left = ui.px(46), room = card.inner() - left - ui.px(has_bar ? 128 : 40);
    const float high =
        std::max(ui.px(page.scene.compact ? 32 : 40),
                 question_height_of(page, choice.prose, room, choice_style(page, chosen)) + ui.px(12));
    const Box box{card.x + card.pad, y, card.inner(), high};
    const std::string label = "answer " + std::to_string(i + 1);
    const Ui::Touch touch = ui.touch(label.c_str(), box);
    const bool marked = chosen && !answer.revealed;
    ui.fill(box, touch.hovered && !answer.revealed ? ui.theme.control_hover : ui.theme.control, ui.px(6));
    if (marked || right) ui.fill(box, fade(right ? ui.theme.value : ui.theme.query, 0.16f), ui.px(6));
    if (marked || right || (answer.revealed && chosen))
      ui.frame(box, right ? ui.theme.value : marked ? ui.theme.query : ui.theme.border, ui.px(2), ui.px(6));
    if (touch.focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(8));
    const Box cap{box.x + ui.px(10), box.centre_y() - ui.px(11), ui.px(22), ui.px(22)};
    if (marked)
      ui.fill(cap, ui.theme.query, ui.px(4));
    else
      ui.frame(cap, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(4));
    const std::string mark = right ? "✓" : answer.revealed && chosen ? "×" : std::to_string(i + 1);
    ui.text(cap.centre_x(), cap.centre_y(), mark,
            {type::label, marked ? ui.theme.panel : ui.theme.text1, Ink::Medium, Align::Centre});
    float words =
        box.y +
        std::round((high - question_height_of(page, choice.prose, room, choice_style(page, chosen))) / 2);
    draw_question_words(page, choice.prose, box.x + left, words, room, choice_style(page, chosen));
    if (has_bar) draw_guess_bar(page, box, i, choice, chosen || right);
    if (touch.clicked && !answer.revealed) answer.chosen = static_cast<std::int64_t>(i);
    y = box.bottom() + ui.px(page.scene.compact ? 4 : 6);
  }
  return y;
}

float draw_drag(LessonPage& page, const QuestionCard& card, float y, const lessons::DragQuestion& question) {
  const Ui& ui = page.ui();
  StepAnswer& answer = page.state().answer;
  const double middle = (question.low + question.high) / 2;
  const double value = answer.value.value_or(middle);
  const Box row{card.x + card.pad, y, card.inner(), ui.px(44)};
  const std::string read_out = answer.value ? fixed(value, 2) : "drag";
  const auto moved = slider(
      ui, "Your guess", "your guess", read_out, row, static_cast<float>(value),
      {static_cast<float>(question.low), static_cast<float>(question.high), static_cast<float>(middle)},
      answer.value.has_value(), {"Your guess", {}, "Drag it, or click the number and type.", {}});
  if (moved && !answer.revealed) answer.value = static_cast<double>(*moved);
  y = row.bottom() + ui.px(4);
  if (!answer.revealed) return y;
  const std::string truth =
      lesson_number(page.numbers, question.answer, {lessons::NumberStyle::Kind::Fixed, 2});
  double is = 0;
  try {
    is = question.answer.evaluate(page.numbers);
  } catch (const std::exception&) {
    return y;
  }
  const bool near = answer.value && std::abs(*answer.value - is) <= question.tolerance;
  const std::string words = "measured " + own_number(truth) + (near ? ", and your guess is near it" : "");
  ui.text(row.x, y + ui.px(10), words, {type::label, near ? ui.theme.value : ui.theme.text1, Ink::Medium});
  return y + ui.px(24);
}

/// The weights of a row as bars that are drawn with the mouse; they always sum to 1.
float draw_sketch(LessonPage& page, const QuestionCard& card, float y,
                  const lessons::SketchQuestion& question) {
  const Ui& ui = page.ui();
  StepAnswer& answer = page.state().answer;
  const LayerResult& result = page.scene.result;
  const auto keys = static_cast<std::size_t>(result.dimensions.keys);
  if (answer.sketch.size() != keys && !answer.sketch.empty()) answer.sketch.clear();
  const Box area{card.x + card.pad, y, card.inner(), ui.px(96)};
  const Ui::Touch touch = ui.touch("sketch", area);
  ui.fill(area, ui.theme.control, ui.px(6));
  if (touch.focused) ui.frame(area.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(8));
  const float column = area.w / static_cast<float>(keys);
  if (touch.held && !answer.revealed) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (answer.sketch.empty()) answer.sketch.assign(keys, 1.f / static_cast<float>(keys));
    const auto at = std::clamp(static_cast<std::int64_t>((mouse.x - area.x) / column), std::int64_t{0},
                               static_cast<std::int64_t>(keys) - 1);
    const float wanted = std::clamp((area.bottom() - mouse.y) / area.h, 0.f, 1.f);
    float& bar = answer.sketch[static_cast<std::size_t>(at)];
    const float others = 1 - bar;
    bar = wanted;
    // The others share what is left as they did.
    for (std::size_t j = 0; j < keys; ++j) {
      if (static_cast<std::int64_t>(j) == at) continue;
      answer.sketch[j] = others > 1e-6f ? answer.sketch[j] * (1 - wanted) / others
                                        : (1 - wanted) / static_cast<float>(keys - 1);
    }
  }
  const std::int64_t row = std::min(question.query, result.dimensions.queries - 1);
  const auto weights = result.trace[weights_stage(result.document)]->matrix(
      0, std::min(question.head, result.dimensions.heads - 1));
  double distance = 0;
  for (std::size_t j = 0; j < keys; ++j) {
    const float left = std::round(area.x + column * static_cast<float>(j)) + ui.px(3);
    const float wide = std::round(column) - ui.px(6);
    const auto bar = [&](float weight, Rgba colour, float inset) {
      const float high = std::round((area.h - ui.px(4)) * weight);
      ui.fill({left + inset, area.bottom() - high, wide - 2 * inset, high}, colour, ui.px(2));
    };
    const float sketched = answer.sketch.empty() ? 1.f / static_cast<float>(keys) : answer.sketch[j];
    bar(sketched, answer.sketch.empty() ? ui.theme.bar_ground : ui.theme.bar, 0);
    if (answer.revealed) {
      const float is = weights(row, static_cast<std::int64_t>(j));
      bar(is, ui.theme.query, std::round(wide * 0.3f));
      distance += std::abs(static_cast<double>(is - sketched)) / 2;
    }
    ui.text(left + wide / 2, area.bottom() + ui.px(12), key_label(result, 0, static_cast<std::int64_t>(j)),
            {type::tick, ui.theme.text2, Ink::Regular, Align::Centre, column});
  }
  y = area.bottom() + ui.px(26);
  if (!answer.revealed) return y;
  const bool near = !answer.sketch.empty() && distance <= question.tolerance;
  ui.text(area.x, y + ui.px(8),
          "½ Σ |guess − weight| = " + fixed(distance, 2) + (near ? ", which is near" : ""),
          {type::label, near ? ui.theme.value : ui.theme.text1, Ink::Medium});
  return y + ui.px(24);
}

float draw_question_kind(LessonPage& page, const QuestionCard& card, float y,
                         const lessons::Question& question) {
  if (const auto* choose = std::get_if<lessons::ChooseQuestion>(&question.kind))
    return draw_choices(page, card, y, *choose);
  if (const auto* drag = std::get_if<lessons::DragQuestion>(&question.kind))
    return draw_drag(page, card, y, *drag);
  if (const auto* sketch = std::get_if<lessons::SketchQuestion>(&question.kind))
    return draw_sketch(page, card, y, *sketch);
  return y;
}

bool has_answered(const StepAnswer& answer) {
  return answer.chosen >= 0 || answer.value || !answer.sketch.empty();
}

/// "R reveals", and how digits are taken.
float draw_question_foot(LessonPage& page, const QuestionCard& card, float y,
                         const lessons::Question& question) {
  const Ui& ui = page.ui();
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
  const std::string_view words = counts ? "digits count votes" : "count votes";
  const float room = ui.text_width(words, type::label) + ui.px(40);
  if (toggle(ui, "Count votes", words,
             {card.x + card.width - card.pad - room, line - ui.px(13), room, ui.px(26)}, counts,
             {"Count votes", {}, "Digits add up the answers of a class instead of choosing one.", "V"}))
    counts = !counts;
  return y + ui.px(28);
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
  const QuestionCard card{x, y, width, ui.px(page.scene.compact ? 12 : 16)};
  // The ground lies under what is drawn on it, and is as high as that.
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
