// app/pages/lessons: a course above the list of lessons: its chapters on one thread, where one is, what was
// predicted, and the sentences that are kept.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/kit/draw/colormap.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/pages/lessons/lesson_page.hpp"
#include "app/pages/lessons/lesson_signs.hpp"
#include "app/scene/page_facts.hpp"

namespace attnscope {
namespace {

enum class Stand : std::uint8_t { Done, Here, Ahead };

/// The course in a frame: how far it was taken, and the sizes of its cards.
struct CourseView {
  Scene& scene;
  const lessons::Course& course;
  std::int64_t reached = 0;  // the furthest stop; their number: the end

  const Ui& ui() const { return scene.ui; }
  bool ended() const { return reached >= std::ssize(course.stops); }
  Stand stand_of(const lessons::CourseChapter& chapter) const {
    const auto at = static_cast<std::size_t>(reached);
    return at > chapter.last ? Stand::Done : at >= chapter.first ? Stand::Here : Stand::Ahead;
  }
  std::int64_t done() const {
    return std::ranges::count_if(course.chapters, [this](const lessons::CourseChapter& chapter) {
      return stand_of(chapter) == Stand::Done;
    });
  }
  std::int64_t minutes_left() const {
    const double left = static_cast<double>(course.minutes()) -
                        course.begins_at(static_cast<std::size_t>(std::max<std::int64_t>(reached, 0)));
    return static_cast<std::int64_t>(std::ceil(left));
  }
};

/// The button that is meant to be pressed, in the accent's colour.
bool main_button(const Ui& ui, const char* label, const Box& box, std::string_view shown, const Tip& tip) {
  const Ui::Touch touch = ui.touch(label, box);
  ui.fill(box, touch.hovered ? fade(ui.theme.query, 0.85f) : ui.theme.query, ui.px(6));
  if (touch.focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(8));
  ui.text(box.centre_x(), box.centre_y(), shown,
          {type::label, ui.theme.panel, Ink::Medium, Align::Centre, box.w - ui.px(12)});
  tooltip(ui, touch.hovered, box, tip);
  return touch.clicked;
}

/// Continue, Present, Restart, with their right end at `right`; the keyboard reaches Continue first. Returns
/// their left end.
float draw_course_buttons(CourseView& view, float right, float y) {
  const Ui& ui = view.ui();
  const auto width = [&](std::string_view words, float least) {
    return std::max(ui.px(least), ui.text_width(words, type::label, Ink::Medium) + ui.px(24));
  };
  const bool begun = view.reached > 0;
  const std::string_view goes = view.ended() ? "Once more" : begun ? "Continue" : "Begin";
  const float gap = ui.px(8), first = width(goes, 104), second = width("Present", 80),
              third = begun ? gap + width("Restart", 80) : 0;
  const float left = right - first - gap - second - third;
  const Box go{left, y, first, ui.px(28)}, present{go.right() + gap, y, second, go.h};
  const std::optional<std::int64_t> from = view.ended() ? std::optional<std::int64_t>(0) : std::nullopt;
  if (main_button(ui, "Continue the course", go, goes,
                  {begun && !view.ended() ? "Where you were" : "The first question", {}, {}, "Enter"}))
    go_to_course(view.scene, view.course, from);
  if (button(ui, "Present the course", present,
             {"Present",
              {},
              "Large for a room. The script and the minutes left stand in the speaker's window.",
              "F5"},
             "Present")) {
    present_lessons(view.scene);
    go_to_course(view.scene, view.course, from);
  }
  if (begun &&
      button(
          ui, "Restart the course", {present.right() + gap, y, third - gap, go.h},
          {"Restart", {}, "From its first question. Answers and progress in the course are forgotten.", {}},
          "Restart"))
    go_to_course(view.scene, view.course, 0, true);
  return left;
}

/// Title, what it is about, buttons, how far it was taken. Returns the y below.
float draw_course_head(CourseView& view, float x, float y, float width) {
  const Ui& ui = view.ui();
  const float left = draw_course_buttons(view, x + width, y);
  ui.text(x, y + ui.px(14), own(view.course.title),
          {type::readout - 4, ui.theme.text1, Ink::Semibold, Align::Left, left - x - ui.px(16)});
  y += ui.px(38);
  std::string words =
      std::to_string(view.done()) + " of " + std::to_string(view.course.chapters.size()) + " done   ·   ";
  words += view.ended() ? counted(view.course.minutes(), "minute", "minutes")
                        : counted(view.minutes_left(), "minute left", "minutes left");
  const float facts =
      ui.text(x + width, y + ui.px(8), words, {type::label, ui.theme.text2, Ink::Regular, Align::Right});
  y += ui.paragraph(x, y, width - facts - ui.px(24), own(view.course.about), {type::label, ui.theme.text2});
  return y + ui.px(14);
}

void draw_course_picture(const Ui& ui, const Box& box, const std::vector<std::vector<float>>& rows) {
  const auto down = static_cast<float>(rows.size()), across = static_cast<float>(rows.front().size());
  const auto& colours = colormap(ui.theme.weights);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const float left = std::round(box.w * static_cast<float>(c) / across),
                  right = std::round(box.w * static_cast<float>(c + 1) / across),
                  top = std::round(box.h * static_cast<float>(r) / down),
                  bottom = std::round(box.h * static_cast<float>(r + 1) / down);
      ui.fill({box.x + left, box.y + top, right - left, bottom - top},
              colours[static_cast<std::size_t>(std::lround(rows[r][c] * 255))]);
    }
  ui.frame(box, ui.theme.border, std::max(1.f, std::floor(ui.scale())));
}

struct CourseCard {
  float width, pad, picture;  // device pixels
  float inner() const { return width - 2 * pad; }

  float words_height(const Ui& ui, const std::string& words) const {
    return ui.px(20) + ui.paragraph_height(inner(), own(words), type::label) + ui.px(8);
  }
  float height(const Ui& ui, const lessons::CourseChapter& chapter) const {
    return ui.px(40) + picture + ui.px(16) + words_height(ui, chapter.predict) +
           words_height(ui, chapter.does) + ui.px(28);
  }
};

/// The chapter's lessons and pages, each once: "lesson 4", "Walk".
std::vector<std::string> parts_of_chapter(const lessons::Course& course,
                                          const lessons::CourseChapter& chapter) {
  std::vector<std::string> parts;
  for (std::size_t i = chapter.first; i <= chapter.last; ++i) {
    const lessons::CourseStop& stop = course.stops[i];
    std::string part = "lesson " + std::to_string(stop.lesson_number);
    if (!stop.page.empty()) {
      const PageFacts* const page = page_facts_of(mode_named(stop.page).value_or(Mode::Explore));
      part = std::string(page != nullptr ? page->name : "");
    }
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(std::move(part));
  }
  return parts;
}

std::string words_of_stand(const CourseView& view, const lessons::CourseChapter& chapter) {
  switch (view.stand_of(chapter)) {
    case Stand::Done: return "done";
    case Stand::Here: break;
    case Stand::Ahead: return {};
  }
  const auto stop = static_cast<std::size_t>(view.reached) - chapter.first + 1;
  return "at stop " + std::to_string(stop) + " of " + std::to_string(chapter.last - chapter.first + 1);
}

void draw_parts(const CourseView& view, const lessons::CourseChapter& chapter, float x, float y, float room,
                float bottom) {
  const Ui& ui = view.ui();
  if (room < ui.px(48)) return;
  const float line = ui.px(18);
  for (const std::string& part : parts_of_chapter(view.course, chapter)) {
    if (y + 2 * line > bottom) break;
    ui.text(x, y + ui.px(8), part, {type::tick, ui.theme.query, Ink::Regular, Align::Left, room});
    y += line;
  }
  if (chapter.trains || chapter.needs_model) {
    float left = x + ui.px(7);
    if (chapter.needs_model) draw_model_sign(ui, {left, y + ui.px(8)}, ui.theme.text2);
    left += chapter.needs_model ? ui.px(20) : 0;
    if (chapter.trains) draw_trains_sign(ui, {left, y + ui.px(8)}, ui.theme.text2);
  }
}

void draw_chapter(CourseView& view, std::size_t at, const Box& box, const CourseCard& form) {
  const Ui& ui = view.ui();
  const lessons::CourseChapter& chapter = view.course.chapters[at];
  const Stand stand = view.stand_of(chapter);
  const Ui::Touch touch = ui.touch(("course chapter " + std::to_string(at + 1)).c_str(), box);
  ui.fill(box, touch.hovered ? ui.theme.control_hover : ui.theme.raised, ui.px(8));
  if (stand == Stand::Here)
    ui.frame(box, ui.theme.query, ui.px(2), ui.px(8));
  else
    ui.frame(box, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(8));
  if (touch.focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(10));
  const float x = box.x + form.pad, inner = form.inner();
  float y = box.y + ui.px(20);
  ui.text(x, y, own(chapter.title),
          {view.scene.compact ? type::label : type::body, ui.theme.text1, Ink::Semibold, Align::Left, inner});
  y = box.y + ui.px(38);
  const float beside = chapter.picture.empty() ? 0 : form.picture + ui.px(8);
  if (!chapter.picture.empty()) draw_course_picture(ui, {x, y, form.picture, form.picture}, chapter.picture);
  draw_parts(view, chapter, x + beside, y, inner - beside, y + form.picture);
  y += form.picture + ui.px(10);
  ui.horizontal(x, y, inner, ui.theme.hairline);
  const auto words = [&](std::string_view label, const std::string& said) {
    ui.text(x, y + ui.px(14), label, {type::tick, ui.theme.text2});
    ui.paragraph(x, y + ui.px(24), inner, own(said), {type::label, ui.theme.text1});
    y += form.words_height(ui, said);
  };
  words("Predict", chapter.predict);
  words("Do", chapter.does);
  const LessonScore score = chapter_score(view.scene, view.course, at);
  const float foot = box.bottom() - ui.px(16);
  const float time = ui.text(x + inner, foot, std::to_string(chapter.minutes) + " min",
                             {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
  std::string said = words_of_stand(view, chapter);
  if (score.asked > 0) said = std::to_string(score.right) + " of " + std::to_string(score.asked) + " right";
  ui.text(x, foot, said,
          {type::tick, stand == Stand::Here ? ui.theme.query : ui.theme.text2, Ink::Regular, Align::Left,
           inner - time - ui.px(6)});
  tooltip(ui, touch.hovered, box,
          {own(chapter.title),
           words_of_stand(view, chapter),
           stand == Stand::Here ? "Goes on where you were." : "From its first step.",
           {}});
  if (touch.clicked)
    go_to_course(view.scene, view.course,
                 stand == Stand::Here ? view.reached : static_cast<std::int64_t>(chapter.first));
}

/// A row of cards with the thread above them. Returns the y below.
float draw_chapter_row(CourseView& view, std::size_t begin, std::size_t end, float x, float y, float gap,
                       const CourseCard& form) {
  const Ui& ui = view.ui();
  const float line = y + ui.px(12), radius = ui.px(11);
  float high = 0;
  for (std::size_t i = begin; i < end; ++i) high = std::max(high, form.height(ui, view.course.chapters[i]));
  for (std::size_t i = begin; i < end; ++i) {
    const Box card{x + (form.width + gap) * static_cast<float>(i - begin), y + ui.px(32), form.width, high};
    const bool reached = view.stand_of(view.course.chapters[i]) != Stand::Ahead;
    if (i + 1 < end) {
      const bool on = view.stand_of(view.course.chapters[i + 1]) != Stand::Ahead;
      ui.fill({card.centre_x() + radius, line - ui.px(1), form.width + gap - 2 * radius, ui.px(2)},
              on ? ui.theme.query : ui.theme.border);
    }
    if (reached)
      ui.disc({card.centre_x(), line}, radius, ui.theme.query);
    else
      ui.ring({card.centre_x(), line}, radius, ui.theme.border, ui.px(2));
    ui.text(card.centre_x(), line, std::to_string(i + 1),
            {type::tick, reached ? ui.theme.panel : ui.theme.text2, Ink::Semibold, Align::Centre});
    draw_chapter(view, i, card, form);
  }
  return y + ui.px(32) + high + ui.px(12);
}

/// The sentences of the chapters that are done. Returns the y below.
float draw_kept(const CourseView& view, float x, float y, float width) {
  const Ui& ui = view.ui();
  if (view.done() == 0) return y;
  const float pad = ui.px(16), label = ui.text_width("Kept so far", type::label, Ink::Semibold) + ui.px(24);
  const float columns = width > ui.px(1000) ? 2 : 1;
  const float column = std::floor((width - 2 * pad - label) / columns), number = ui.px(22);
  struct Kept {
    std::string number, sentence;
    float height;
  };
  std::vector<Kept> kept;
  for (std::size_t i = 0; i < view.course.chapters.size(); ++i)
    if (const lessons::CourseChapter& chapter = view.course.chapters[i];
        view.stand_of(chapter) == Stand::Done) {
      const float high =
          ui.paragraph_height(column - number - ui.px(16), own(chapter.keep), type::label) + ui.px(6);
      kept.push_back({std::to_string(i + 1), own(chapter.keep), high});
    }
  const auto across = static_cast<std::size_t>(columns);
  float high = 2 * ui.px(10);
  for (std::size_t i = 0; i < kept.size(); i += across)
    high += std::max(kept[i].height, i + 1 < kept.size() && across > 1 ? kept[i + 1].height : 0);
  ui.fill({x, y, width, high}, ui.theme.control, ui.px(8));
  ui.text(x + pad, y + ui.px(10) + ui.px(9), "Kept so far", {type::label, ui.theme.text1, Ink::Semibold});
  float top = y + ui.px(10);
  for (std::size_t i = 0; i < kept.size(); i += across) {
    float row = 0;
    for (std::size_t c = 0; c < across && i + c < kept.size(); ++c) {
      const float left = x + pad + label + column * static_cast<float>(c);
      ui.text(left, top + ui.px(9), kept[i + c].number, {type::label, ui.theme.query, Ink::Medium});
      ui.paragraph(left + number, top, column - number - ui.px(16), kept[i + c].sentence,
                   {type::label, ui.theme.text1});
      row = std::max(row, kept[i + c].height);
    }
    top += row;
  }
  return y + high + ui.px(12);
}

}  // namespace

float draw_course(Scene& scene, const lessons::Course& course, float x, float y, float width) {
  const Ui& ui = scene.ui;
  if (!course.problem.empty()) {
    ui.text(x, y + ui.px(12), own(course.title), {type::title, ui.theme.text1, Ink::Semibold});
    y += ui.px(30);
    return y + ui.paragraph(x, y, width, own(course.problem), {type::label, ui.theme.error}) + ui.px(16);
  }
  CourseView view{scene, course, scene.lesson->reached_in(course)};
  y = draw_course_head(view, x, y, width);
  const std::size_t count = course.chapters.size();
  const float gap = ui.px(scene.compact ? 10 : 14);
  const auto most = static_cast<std::size_t>(std::max(1.f, std::floor((width + gap) / (ui.px(158) + gap))));
  const std::size_t rows = (count + std::min(most, count) - 1) / std::min(most, count);
  const std::size_t columns = (count + rows - 1) / rows;
  CourseCard form{};
  form.width = std::floor((width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  form.pad = ui.px(scene.compact ? 12 : 16);
  form.picture = ui.px(scene.compact ? 64 : 88);
  for (std::size_t begin = 0; begin < count; begin += columns)
    y = draw_chapter_row(view, begin, std::min(count, begin + columns), x, y, gap, form);
  return draw_kept(view, x, y, width) + ui.px(8);
}

}  // namespace attnscope
