// app/pages/lessons/step: the choices of a question in the order of display, and the words about each once
// the answer is revealed.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/pages/lessons/parts/choice_order.hpp"
#include "app/pages/lessons/step/question.hpp"

namespace attnscope {
namespace {

constexpr float why_size = type::label, why_line = 18;  // logical pixels
float bar_width(const LessonPage& page) { return page.narrow ? 40 : 96; }

struct ShownChoice {
  const lessons::Choice& choice;
  std::size_t in_file, place;  // place: on screen, from 0
  bool chosen = false, revealed = false, folded = false;
  bool right() const { return revealed && choice.right; }
  bool marked() const { return chosen && !revealed; }
  bool says_why() const { return revealed && chosen && !choice.right && !choice.why.empty(); }
};

/// Numbers and formulas have the style of words: a choice with a bright number would seem to be the answer.
ProseStyle choice_style(const LessonPage& page, bool chosen) {
  const Ui& ui = page.ui();
  const Rgba ink = chosen ? ui.theme.text1 : ui.theme.text2;
  const ProseStyle told = told_style(page);
  return {told.size, told.line, ink, ink, Align::Left, Ink::Regular};
}
ProseStyle why_style(const LessonPage& page) {
  const Ui& ui = page.ui();
  if (page.narrow) return narrow_style(page);
  return {why_size, why_line, ui.theme.text2, ui.theme.text1};
}

/// Whether a choice has a bar at its right end: the value that it guesses, or once it is revealed its votes.
/// A narrow column leaves out bars of guesses.
bool has_bar(const LessonPage& page, const QuestionCard& card, const lessons::Choice& choice) {
  const StepAnswer& answer = page.state().answer;
  if (answer.revealed && (all_votes(answer) > 0 || answer.votes_before)) return true;
  return choice.guess && !page.narrow && card.inner() >= page.ui().px(280);
}

/// A bar of a share, with the number of votes at its left; `votes` below 0: none is written.
void draw_share(const Ui& ui, const Box& track, double share, std::int64_t votes, Rgba colour) {
  ui.fill(track, ui.theme.control_hover, track.h / 2);
  ui.fill({track.x, track.y, std::round(track.w * static_cast<float>(share)), track.h}, colour, track.h / 2);
  if (votes >= 0)
    ui.text(track.x - ui.px(8), track.centre_y(), std::to_string(votes),
            {type::label, ui.theme.text1, Ink::Medium, Align::Right});
}

/// The guess, or once it is revealed the votes; of a class that was asked twice the first count above the
/// second.
void draw_guess_bar(const LessonPage& page, const Box& choice, const ShownChoice& one) {
  const Ui& ui = page.ui();
  const StepAnswer& answer = page.state().answer;
  const std::int64_t all = answer.revealed ? all_votes(answer) : 0, votes = answer.votes[one.in_file];
  const auto share_of = [](std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
  };
  const Rgba colour = one.chosen || one.right() ? ui.theme.query : ui.theme.bar;
  const float wide = bar_width(page);
  const Box track{choice.right() - ui.px(12 + wide), choice.centre_y() - ui.px(3), ui.px(wide), ui.px(6)};
  if (answer.revealed && answer.votes_before) {
    const std::int64_t before = all_votes(*answer.votes_before);
    const float away = std::min(ui.px(9), choice.h / 4);
    Box first = track, second = track;
    first.y -= away;
    second.y += away;
    const std::int64_t first_votes = (*answer.votes_before)[one.in_file];
    draw_share(ui, first, share_of(first_votes, before), first_votes, fade(colour, 0.5f));
    draw_share(ui, second, share_of(votes, all), votes, colour);
    return;
  }
  draw_share(ui, track, all > 0 ? share_of(votes, all) : one.choice.guess.value_or(0), all > 0 ? votes : -1,
             colour);
}

/// As much of the words as fits in one line.
SetProse folded_words(const LessonPage& page, const ShownChoice& one, float room) {
  const Ui& ui = page.ui();
  SetProse set = set_prose(ui, one.choice.prose, 1e6f, choice_style(page, one.chosen), page.prose_look_up());
  const float dots = ui.text_width("…", choice_style(page, one.chosen).size);
  const auto last =
      std::ranges::find_if(set.runs, [&](const ProseRun& run) { return run.x + run.width > room - dots; });
  if (last == set.runs.end()) return set;
  last->text = own("…");
  last->anchor = nullptr;
  set.runs.erase(std::next(last), set.runs.end());
  return set;
}

void draw_choice_ground(const Ui& ui, const Box& box, const ShownChoice& one, const Ui::Touch& touch) {
  ui.fill(box, touch.hovered && !one.revealed ? ui.theme.control_hover : ui.theme.control, ui.px(6));
  const bool right = one.right(), marked = one.marked();
  if (marked || right) ui.fill(box, fade(right ? ui.theme.value : ui.theme.query, 0.16f), ui.px(6));
  if (marked || right || (one.revealed && one.chosen))
    ui.frame(box, right ? ui.theme.value : marked ? ui.theme.query : ui.theme.border, ui.px(2), ui.px(6));
  if (touch.focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(8));
}

/// The choice's digit; once it is revealed a tick or a cross.
void draw_choice_cap(const Ui& ui, const Box& cap, const ShownChoice& one) {
  const bool marked = one.marked();
  if (marked)
    ui.fill(cap, ui.theme.query, ui.px(4));
  else
    ui.frame(cap, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(4));
  const std::string mark = one.right()                  ? "✓"
                           : one.revealed && one.chosen ? "×"
                                                        : std::to_string(one.place + 1);
  ui.text(cap.centre_x(), cap.centre_y(), mark,
          {type::label, marked ? ui.theme.panel : ui.theme.text1, Ink::Medium, Align::Centre});
}

/// Returns the y below; sets `clicked` if it is clicked.
float draw_choice(LessonPage& page, const QuestionCard& card, float y, const ShownChoice& one,
                  bool& clicked) {
  const Ui& ui = page.ui();
  const bool compact = page.scene.compact, bar = has_bar(page, card, one.choice);
  const float left = ui.px(page.narrow ? 42 : 46), none = ui.px(page.narrow ? 12 : 40);
  const float room = card.inner() - left - (bar ? ui.px(bar_width(page) + 32) : none);
  const ProseStyle style = choice_style(page, one.chosen);
  const float words =
      one.folded ? ui.px(style.line) : question_height_of(page, one.choice.prose, room, style);
  const float why_room = card.inner() - left - ui.px(12);
  const float why =
      one.says_why() ? question_height_of(page, one.choice.why, why_room, why_style(page)) + ui.px(4) : 0;
  const float least = page.narrow ? 26 : compact ? 32 : 40, around = page.narrow ? 8 : 12;
  const float line = one.folded ? words + ui.px(4) : std::max(ui.px(least), words + ui.px(around));
  const Box box{card.x + card.pad, y, card.inner(), line + why};
  const Box first{box.x, box.y, box.w, line};  // without the words about it
  const std::string label = "answer " + std::to_string(one.place + 1);
  const Ui::Touch touch = ui.touch(label.c_str(), box);
  clicked = touch.clicked;
  draw_choice_ground(ui, box, one, touch);
  draw_choice_cap(ui, {box.x + ui.px(10), first.centre_y() - ui.px(11), ui.px(22), ui.px(22)}, one);
  float top = first.y + std::round((line - words) / 2);
  if (one.folded)
    draw_prose(ui, folded_words(page, one, room), box.x + left, top, page.prose_look_up());
  else
    draw_question_words(page, one.choice.prose, box.x + left, top, room, style);
  if (bar) draw_guess_bar(page, first, one);
  if (why > 0) {
    float below = first.bottom() - ui.px(2);
    draw_question_words(page, one.choice.why, box.x + left, below, why_room, why_style(page));
  }
  return box.bottom() + ui.px(compact || one.folded ? 4 : 6);
}

}  // namespace

std::int64_t all_votes(const std::array<std::int64_t, most_answers>& votes) {
  return std::accumulate(votes.begin(), votes.end(), std::int64_t{0});
}
std::int64_t all_votes(const StepAnswer& answer) { return all_votes(answer.votes); }

float draw_choices(LessonPage& page, const QuestionCard& card, float y,
                   const lessons::ChooseQuestion& question) {
  StepAnswer& answer = page.state().answer;
  const bool revealed = answer.revealed;
  const std::vector<std::size_t> order =
      choice_order({page.open.name, page.state().step, page.state().order}, question.choices.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const lessons::Choice& choice = question.choices[order[place]];
    const bool chosen = answer.chosen == static_cast<std::int64_t>(order[place]);
    const bool is_other = revealed && !chosen && !choice.right;
    if (is_other && page.narrow && all_votes(answer) == 0) continue;  // the answer needs the room
    const ShownChoice one{.choice = choice,
                          .in_file = order[place],
                          .place = place,
                          .chosen = chosen,
                          .revealed = revealed,
                          .folded = is_other && page.folds};
    bool clicked = false;
    y = draw_choice(page, card, y, one, clicked);
    if (clicked && !revealed) answer.chosen = static_cast<std::int64_t>(order[place]);
  }
  return y;
}

}  // namespace attnscope
