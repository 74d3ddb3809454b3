// app/pages/lessons: the left column: a step's words, question and task.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/marks.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/pages/lessons/step/acts.hpp"
#include "app/pages/lessons/step/parts.hpp"

namespace attnscope {
namespace {

constexpr float wide_words_pad = 24, narrow_words_pad = 16;  // logical pixels

/// What stands above the step: its lesson and place in it, or in a course its chapter and place in that.
struct HeadLine {
  std::string title;
  std::int64_t number = 0, at = 0, count = 1;
};
HeadLine head_line(const LessonPage& page) {
  const lessons::Course* const course = lesson_course(page.scene);
  if (course == nullptr)
    return {page.lesson().title, page.lesson().number, page.state().step, std::ssize(page.lesson().steps)};
  const std::size_t at = course_stop(page.scene, *course).chapter;
  const lessons::CourseChapter& chapter = course->chapters[at];
  return {chapter.title, static_cast<std::int64_t>(at) + 1,
          page.state().stop - static_cast<std::int64_t>(chapter.first),
          static_cast<std::int64_t>(chapter.last - chapter.first) + 1};
}

/// "‹ Lessons", which leads to the list. Returns its width.
float draw_way_back(const LessonPage& page, float x, float line) {
  const Ui& ui = page.ui();
  constexpr std::string_view back = "‹ Lessons";
  const Box link{x, line - ui.px(12), ui.text_width(back, type::label, Ink::Medium) + ui.px(16), ui.px(24)};
  if (button(ui, "All lessons", link, {"All lessons", {}, "How far this one was read is kept.", {}}, back))
    leave_lesson(page.scene);
  return link.w;
}

/// One bar for each step. Returns the y below.
float draw_step_bars(const LessonPage& page, const HeadLine& facts, float x, float y, float width) {
  const Ui& ui = page.ui();
  const std::int64_t at = facts.at, count = facts.count;
  const float gap = ui.px(page.narrow ? 3 : 8);
  const float bar = (width - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
  for (std::int64_t i = 0; i < count; ++i) {
    const float from = std::round(x + (bar + gap) * static_cast<float>(i));
    const Rgba colour = i < at    ? fade(ui.theme.query, 0.45f)
                        : i == at ? ui.theme.query
                                  : ui.theme.control_hover;
    ui.fill({from, y, std::round(bar), ui.px(4)}, colour, ui.px(2));
  }
  return y + ui.px(4);
}

/// "‹ Lessons   4  Why divide by √dₖ          step 4 of 9" above one bar for each step. Returns the y below.
float draw_lesson_head(const LessonPage& page, float x, float y, float width) {
  const Ui& ui = page.ui();
  const HeadLine facts = head_line(page);
  const std::int64_t at = facts.at, count = facts.count;
  const float line = y + ui.px(9);
  float left = x + draw_way_back(page, x, line) + ui.px(12);
  if (facts.number > 0)
    left += ui.text(left, line, std::to_string(facts.number), {type::label, ui.theme.text2}) + ui.px(8);
  const std::string whole = "step " + std::to_string(at + 1) + " of " + std::to_string(count);
  const std::string brief = std::to_string(at + 1) + " of " + std::to_string(count);
  const float title = ui.text_width(own(facts.title), type::label, Ink::Medium), end = x + width - ui.px(16);
  const bool fits = left + title + ui.text_width(whole, type::label) <= end;  // else the title needs the room
  const float right = ui.text(x + width, line, fits ? whole : brief,
                              {type::label, ui.theme.text2, Ink::Regular, Align::Right});
  // Without room for two letters and the dots the title is left out; the top bar has it.
  if (const float room = end - right - left; room >= ui.px(32))
    ui.text(left, line, own(facts.title), {type::label, ui.theme.text1, Ink::Medium, Align::Left, room});
  return draw_step_bars(page, facts, x, y + ui.px(26), width);
}

/// The words of the step's task in its card.
struct TaskWords {
  float size, pad, indent, width, high;
};
TaskWords place_task(const LessonPage& page, float width) {
  const Ui& ui = page.ui();
  TaskWords at{page.narrow ? type::tick : type::body, ui.px(page.narrow ? 8 : 12), ui.px(30), 0, 0};
  at.width = width - 2 * at.pad - at.indent;
  at.high = ui.paragraph_height(at.width, own(page.step.done_words), at.size, Ink::Medium);
  return at;
}
float task_height(const LessonPage& page, const TaskWords& at) {
  return at.high + page.ui().px(18) + 2 * at.pad + page.ui().px(4);
}

/// The step's task, with a tick once it was done.
float draw_lesson_task(const LessonPage& page, float x, float y, float width) {
  const Ui& ui = page.ui();
  const bool reached = page.state().reached.contains(page.state().step);
  const TaskWords at = place_task(page, width);
  const std::string below = reached ? "Reached" : "Try it: the step sees when it is done";
  const Box card{x, y, width, task_height(page, at)};
  ui.fill(card, ui.theme.raised, ui.px(8));
  ui.frame(card, reached ? ui.theme.query : ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(8));
  draw_done_mark(ui, {card.x + at.pad + ui.px(9), card.y + at.pad + ui.px(10)}, reached);
  ui.paragraph(card.x + at.pad + at.indent, card.y + at.pad, at.width, own(page.step.done_words),
               {at.size, ui.theme.text1, Ink::Medium});
  ui.text(card.x + at.pad + at.indent, card.y + at.pad + at.high + ui.px(13), below,
          {type::tick, ui.theme.text2, Ink::Regular, Align::Left, at.width});
  return card.bottom();
}

struct LessonKey {
  std::string_view key, does;
};

/// The keys that do something now: a text field that is typed into takes the others, and Space goes from the
/// last step to the next lesson, if there is one.
std::vector<LessonKey> lesson_keys(const LessonPage& page) {
  if (ImGui::GetIO().WantTextInput) return {{"Enter", "ends typing"}, {"F5", "present"}};
  std::vector<LessonKey> keys;
  if (const lessons::Course* const course = lesson_course(page.scene))
    keys.push_back(
        {"Space", page.state().stop + 1 < std::ssize(course->stops) ? "next step" : "end of the course"});
  else if (page.state().step + 1 < std::ssize(page.lesson().steps))
    keys.push_back({"Space", "next step"});
  else if (next_lesson(page.scene) != nullptr)
    keys.push_back({"Space", "next lesson"});
  for (const LessonKey& key : {LessonKey{"←", "exactly back"},
                               {"Esc", "free play, and back"},
                               {"Home", "from the start"},
                               {"N", "speaker notes"},
                               {"F5", "present"}})
    keys.push_back(key);
  return keys;
}

/// The keys and their actions, in two columns at the foot.
void draw_lesson_keys(const LessonPage& page, float x, float y, float width) {
  const Ui& ui = page.ui();
  const std::vector<LessonKey> keys = lesson_keys(page);
  const std::size_t columns = 2;
  const float column = width / static_cast<float>(columns);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const float left = std::round(x + column * static_cast<float>(i % columns));
    const float line = y + ui.px(32) * static_cast<float>(i / columns) + ui.px(10);
    const float cap = page.keycap(left, line, keys[i].key);
    ui.text(left + cap + ui.px(12), line, keys[i].does,
            {type::label, ui.theme.text2, Ink::Regular, Align::Left, column - cap - ui.px(16)});
  }
}

struct ColumnStretch {
  float top, bottom;
};

/// In a column that is too low for the revealed answer, choices that are neither right nor chosen are folded.
ColumnStretch draw_question_in_column(LessonPage& page, float x, float y, float width, float column) {
  LessonState& state = page.state();
  const float scale = page.ui().scale();
  const bool revealed = state.answer.revealed;
  page.folds = revealed && page.moments().folds_in > 0 && column <= page.moments().folds_in * scale + 1;
  const ColumnStretch card{y, draw_lesson_question(page, x, y, width)};
  const bool is_low = card.bottom - card.top > column - page.ui().px(16);
  if (!page.folds) page.moments().folds_in = revealed && is_low ? column / scale : 0;
  return card;
}

/// Scrolls so that all of the card is in sight, or, if the column is too low, its end with the answer.
void make_answer_visible(LessonPage& page, const ColumnStretch& card, float column) {
  LessonState& state = page.state();
  if (state.answer_due == 0 || !state.answer.revealed) return;
  const float scale = page.ui().scale(), pad = page.ui().px(8);
  const float now = page.moments().scroll * scale;
  const float lowest = std::max(0.f, card.bottom + pad - column);  // with the answer's end in sight
  const float highest = std::max(lowest, card.top - pad);          // with the question's begin
  page.moments().scroll = std::clamp(now, lowest, highest) / scale;
}

/// The way back, a bar for each step, and the step's title, which stay in sight. Returns the y below.
float draw_narrow_head(const LessonPage& page, float x, float y, float width) {
  const Ui& ui = page.ui();
  const float line = y + ui.px(12), left = x + draw_way_back(page, x, line) + ui.px(8);
  const HeadLine facts = head_line(page);
  const std::string place = std::to_string(facts.at + 1) + " of " + std::to_string(facts.count);
  const float wide =
      ui.text(x + width, line, place, {type::label, ui.theme.text2, Ink::Regular, Align::Right});
  if (const float room = x + width - wide - ui.px(8) - left; room > ui.px(24))
    draw_step_bars(page, facts, left, line - ui.px(2), room);
  lessons::Prose heading(1);
  heading[0].kind = lessons::Piece::Kind::Strong;
  heading[0].text = page.step.title;
  const ProseLookUp look_up = page.prose_look_up();
  const ProseStyle style{type::body, 22, ui.theme.text1, ui.theme.text1};
  const SetProse set = set_prose(ui, heading, width, style, look_up);
  draw_prose(ui, set, x, y + ui.px(26), look_up);
  return y + ui.px(26) + set.height + ui.px(4);
}

/// Draws the lines of a paragraph that are wholly in sight: a line that is cut could be misread.
const lessons::Anchor* draw_whole_lines(const LessonPage& page, SetProse set, float x, float y,
                                        const Box& column) {
  const float line = page.ui().px(narrow_style(page).line);
  std::erase_if(set.runs, [&](const ProseRun& run) {
    const float top = y + std::floor(run.y / line) * line;
    return top < column.y - 1 || top + line > column.bottom() + 1;
  });
  return draw_prose(page.ui(), set, x, y, page.prose_look_up());
}

/// Draws paragraphs and task from y on, what is wholly in the column; returns the y below.
float draw_narrow_prose(LessonPage& page, float x, float y, float width, const Box& column) {
  const Ui& ui = page.ui();
  for (const lessons::Paragraph& paragraph : page.step.paragraphs) {
    const float indent = paragraph.item ? ui.px(16) : 0;
    const SetProse set =
        set_prose(ui, paragraph.prose, width - indent, narrow_style(page), page.prose_look_up());
    const float middle = y + ui.px(9);
    if (paragraph.item && middle > column.y && middle < column.bottom())
      ui.disc({x + ui.px(6), middle}, ui.px(2.5f), ui.theme.text2);
    if (const lessons::Anchor* under = draw_whole_lines(page, set, x + indent, y, column))
      page.pointed = *under;
    y += set.height + ui.px(paragraph.item ? 4 : 8);
  }
  if (!page.step.done) return y;
  const float top = y + ui.px(4), bottom = top + task_height(page, place_task(page, width));
  if ((top >= column.y - 1 && bottom <= column.bottom() + 1) || bottom - top > column.h)
    draw_lesson_task(page, x, top, width);
  return bottom + ui.px(8);
}

/// A part of the column that scrolls. Returns the y at which it begins.
float begin_words(const Ui& ui, const char* name, const Box& box) {
  ImGui::SetCursorScreenPos(box.min());
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::BeginChild(name, {box.w, box.h}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground);
  return ImGui::GetCursorScreenPos().y;
}
void end_words(const Ui& ui, float x, float y) {
  ImGui::SetCursorScreenPos({x, y});
  ImGui::Dummy({1, ui.px(4)});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

/// The words of a narrow room: title and question are always in sight, and what stands between them has the
/// room that they leave; Page Down turns it.
void draw_narrow_words(LessonPage& page, const Box& box) {
  const Ui& ui = page.ui();
  LessonMoments& moments = page.moments();
  const bool asks = page.step.question.has_value();
  const float pad = ui.px(14), x = box.x + pad, width = box.w - 2 * pad;
  ui.vertical(box.right() - 1, box.y, box.h, ui.theme.hairline);
  const float top = draw_narrow_head(page, x, box.y + ui.px(6), width);
  const Box column{box.x, top, box.w - ui.px(4), std::max(0.f, box.bottom() - top)};
  page.state().question_due = false;
  page.folds = page.state().answer.revealed;
  const float measured = moments.words_height + moments.card_height;
  const float line = ui.px(narrow_style(page).line + 2);
  const float known = moments.words_height > 0 ? ui.px(moments.words_height) : column.h;
  const float card = !asks ? 0 : moments.card_height > 0 ? ui.px(moments.card_height) : column.h / 2;
  Box words{column.x, column.y, column.w, std::min(known, std::max(0.f, column.h - card))};
  if (words.h < std::min(known, line)) words.h = 0;
  moments.words_left = moments.words_above = 0;
  if (words.h >= 1) {
    const float begin = begin_words(ui, "lesson words", words);
    keep_scroll(ui, moments.scroll);
    const float end = draw_narrow_prose(page, x, begin + ui.px(2), width, words);
    moments.words_height = (end - begin + ui.px(6)) / ui.scale();
    moments.words_left = (ImGui::GetScrollMaxY() - ImGui::GetScrollY()) / ui.scale();
    moments.words_room = words.h / ui.scale();
    moments.words_above = ImGui::GetScrollY() / ui.scale();
    end_words(ui, box.x, end);
  }
  const Box place{column.x, words.bottom(), column.w, column.bottom() - words.bottom()};
  if (asks && place.h >= 1) {
    const float begin = begin_words(ui, "lesson question", place);
    const float end = draw_lesson_question(page, x, begin + ui.px(4), width);
    moments.card_height = (end - begin + ui.px(8)) / ui.scale();
    end_words(ui, box.x, end);
  }
  // What was measured has its place two frames later.
  if (std::abs(moments.words_height + moments.card_height - measured) > 0.5f)
    page.state().answer_due = std::max(page.state().answer_due, 2);
}

}  // namespace

void draw_lesson_words(LessonPage& page, const Box& box) {
  if (page.narrow) return draw_narrow_words(page, box);
  page.moments().words_left = page.moments().words_above = 0;
  const Ui& ui = page.ui();
  const bool compact = page.scene.compact;
  const float pad = ui.px(compact ? narrow_words_pad : wide_words_pad);
  const float x = box.x + pad, width = box.w - 2 * pad;
  ui.vertical(box.right() - 1, box.y, box.h, ui.theme.hairline);
  const float top = draw_lesson_head(page, x, box.y + ui.px(compact ? 10 : 18), width) + ui.px(8);

  const Box column{box.x, top, box.w - ui.px(4), std::max(0.f, box.bottom() - top)};
  const float begin = begin_words(ui, "lesson words", column);
  keep_scroll(ui, page.moments().scroll);
  float y = begin + ui.px(compact ? 8 : 16);

  const bool small = compact && !(page.presented && box.h > ui.px(440));
  const ProseStyle title{small ? type::title : type::readout - 4, small ? 24.f : 36.f, ui.theme.text1,
                         ui.theme.text1};
  const ProseLookUp look_up = page.prose_look_up();
  lessons::Prose heading(1);
  heading[0].kind = lessons::Piece::Kind::Strong;
  heading[0].text = page.step.title;
  const SetProse set_title = set_prose(ui, heading, width, title, look_up);
  draw_prose(ui, set_title, x, y, look_up);
  y += set_title.height + ui.px(compact ? 6 : 10);

  const ProseStyle body{compact ? type::body : type::title, compact ? 20.f : 24.f, ui.theme.text2,
                        ui.theme.text1};
  for (const lessons::Paragraph& paragraph : page.step.paragraphs) {
    const float indent = paragraph.item ? ui.px(18) : 0;
    const SetProse set = set_prose(ui, paragraph.prose, width - indent, body, look_up);
    if (paragraph.item)
      ui.disc({x + ui.px(6), y + std::round(ui.px(body.line) / 2)}, ui.px(2.5f), ui.theme.text2);
    if (const lessons::Anchor* under = draw_prose(ui, set, x + indent, y, look_up)) page.pointed = *under;
    y += set.height + ui.px(paragraph.item ? 6 : 12);
  }
  if (page.step.question) {
    const ColumnStretch card = draw_question_in_column(page, x, y + ui.px(8), width, column.h);
    y = card.bottom + ui.px(12);
    make_answer_visible(page, {card.top - begin, card.bottom - begin}, column.h);
  }
  if (page.step.done) y = draw_lesson_task(page, x, y + ui.px(8), width) + ui.px(12);
  y = draw_lesson_end(page, x, y, width);

  if (!page.folds) page.moments().words_height = (y - begin + top - box.y + ui.px(8)) / ui.scale();
  const float keys = ui.px(32) * 3 + ui.px(20);
  const float foot = column.bottom() - keys;
  if (!page.presented && y + ui.px(12) <= foot) {
    ui.horizontal(x, foot, width, ui.theme.hairline);
    draw_lesson_keys(page, x, foot + ui.px(14), width);
  }
  // Presenter mode scrolls to the question; the speaker has said the words above it.
  if (page.presented && std::exchange(page.state().question_due, false) && page.step.question)
    page.moments().scroll = std::max(0.f, (y - begin - column.h) / ui.scale());
  end_words(ui, box.x, y);
}

}  // namespace attnscope
