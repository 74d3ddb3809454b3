// app/pages/lessons: the line below a lesson: back, next, free play, and all steps by chapters.
#include <algorithm>
#include <cmath>

#include "app/kit/widgets/transport.hpp"
#include "app/pages/lessons/step/parts.hpp"

namespace attnscope {
namespace {

float draw_lesson_buttons(LessonPage& page, const Box& box) {
  const Ui& ui = page.ui();
  Scene& scene = page.scene;
  const bool compact = scene.compact;
  const std::int64_t at = page.state().step, count = std::ssize(page.lesson().steps);
  float x = box.x + ui.px(compact ? 16 : 24);
  const float y = compact ? box.centre_y() - ui.px(14) : box.y + ui.px(40);
  if (!compact)
    ui.text(x, box.y + ui.px(20), std::to_string(at + 1) + " of " + std::to_string(count),
            {type::label, ui.theme.text1, Ink::Semibold});
  const auto place = [&](std::string_view words, float least) {
    const Box made{x, y, std::max(ui.px(least), ui.text_width(words, type::label, Ink::Medium) + ui.px(24)),
                   ui.px(28)};
    x = made.right() + ui.px(6);
    return made;
  };
  if (button(ui, "Step before", place("‹", 32), {"One step back", {}, "Exactly as the step begins.", "←"},
             "‹"))
    lesson_back(scene);
  if (const lessons::Course* const course = lesson_course(scene)) {
    const bool ends = page.state().stop + 1 == std::ssize(course->stops);
    const std::string_view words = ends ? "End of the course" : "Next";
    if (button(ui, "Next step", place(words, 56),
               {ends ? "End of the course" : "Next step", own(course->title), {}, "Space"}, words))
      lesson_next(scene);
  } else if (at + 1 < count) {
    if (button(ui, "Next step", place("Next", 56), {"Next step", {}, {}, "Space"}, "Next"))
      lesson_next(scene);
  } else if (const lessons::LessonEntry* const next = next_lesson(scene)) {
    const std::string title = own(std::to_string(next->number) + "   " + next->title);
    if (button(ui, "Next lesson", place("Next lesson", 56), {title, {}, {}, "Space"}, "Next lesson"))
      lesson_next(scene);
  } else if (button(ui, "Lesson done", place("All lessons", 56), {"All lessons", {}, {}, {}},
                    "All lessons")) {
    leave_lesson(scene);
  }
  if (button(ui, "Free play", place("Free play", 80),
             {"Free play",
              {},
              is_lesson_training(scene)
                  ? "The run on the training page, to try what you like; Esc comes back to it as it was."
                  : "The step in Explore, to try what you like; Esc comes back to it as it was.",
              "Esc"}))
    lesson_free_play(scene);
  return x + ui.px(16);
}

/// The words at the lower right: how many predictions were right.
std::string lesson_score_words(const Scene& scene) {
  const LessonScore score = lesson_score(scene);
  if (score.asked == 0) return {};
  return std::to_string(score.right) + " of " + std::to_string(score.asked) + " predictions right";
}

/// A click on it goes to the chapter's first step.
void draw_chapter_title(LessonPage& page, const Box& room, std::size_t chapter, bool here) {
  const Ui& ui = page.ui();
  const Ink ink = here ? Ink::Semibold : Ink::Regular;
  const std::string& title = page.lesson().chapters[chapter];
  const float wide = std::min(room.w, ui.text_width(title, type::label, ink));
  const Box words{room.x, room.y, wide, room.h};
  const Ui::Touch touch = ui.touch(("lesson chapter " + std::to_string(chapter + 1)).c_str(), words);
  if (touch.focused) ui.frame(words.grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(4));
  const Rgba colour = here || touch.hovered ? ui.theme.text1 : ui.theme.text2;
  ui.text(words.x, words.centre_y(), own(title), {type::label, colour, ink, Align::Left, room.w});
  tooltip(ui, touch.hovered, words, {own(title), {}, "To the first step of this chapter.", {}});
  if (touch.clicked) go_to_lesson_chapter(page.scene, chapter);
}

}  // namespace

void draw_lesson_scrubber(LessonPage& page, const Box& box) {
  const Ui& ui = page.ui();
  Scene& scene = page.scene;
  const bool compact = scene.compact;
  ui.horizontal(box.x, box.y, box.w, ui.theme.hairline);
  const float left = draw_lesson_buttons(page, box), pad = ui.px(compact ? 16 : 24);
  const auto& steps = page.lesson().steps;
  const auto& chapters = page.lesson().chapters;
  const std::int64_t at = page.state().step, count = std::ssize(steps);
  const float chapter_gap = ui.px(12), gap = ui.px(8);
  const float room = box.right() - pad - left - chapter_gap * static_cast<float>(chapters.size() - 1);
  const float bar = (room - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
  const float title = box.y + ui.px(compact ? 14 : 18), line = box.y + ui.px(compact ? 38 : 48);
  float x = left;
  std::size_t chapter = static_cast<std::size_t>(-1);
  std::int64_t of_chapter = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const lessons::Step& step = steps[static_cast<std::size_t>(i)];
    if (step.chapter != chapter) {
      if (i > 0) x += chapter_gap;
      chapter = step.chapter;
      of_chapter = std::ranges::count(steps, chapter, &lessons::Step::chapter);
      const float wide = (bar + gap) * static_cast<float>(of_chapter) - gap;
      const bool here = page.step.chapter == chapter;
      draw_chapter_title(page, {x, title - ui.px(11), wide - ui.px(2), ui.px(22)}, chapter, here);
    }
    const Box mark{std::round(x), line, std::round(bar), ui.px(8)};
    const Box target{mark.x, mark.y - ui.px(8), mark.w + gap, mark.h + ui.px(compact ? 22 : 30)};
    const std::string label = "lesson step " + std::to_string(i + 1);
    const Ui::Touch touch = ui.touch(label.c_str(), target);
    const Rgba colour = i < at    ? fade(ui.theme.query, 0.5f)
                        : i == at ? ui.theme.query
                                  : ui.theme.control_hover;
    ui.fill(mark, touch.hovered && i != at ? fade(ui.theme.query, 0.7f) : colour, ui.px(2));
    if (touch.focused) ui.frame(mark.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(4));
    if (i == at) draw_scrub_knob(ui, {mark.centre_x(), mark.centre_y()}, touch);
    const float below = mark.bottom() + ui.px(compact ? 12 : 14);
    const bool asks = step.question.has_value();
    // A compact window has the title of this step alone: it may use the next step's room, and the last step's
    // title also that of the previous one up to a question mark.
    const float right = box.right() - pad - ui.px(asks ? 20 : 0);
    float title_x = mark.x, title_room = bar - ui.px(asks ? 16 : 4);
    if (compact) {
      const float wanted = ui.text_width(step.title, type::tick, Ink::Semibold) + ui.px(1);
      if (i > 0 && !steps[static_cast<std::size_t>(i - 1)].question)
        title_x = std::max(mark.x - bar, std::min(mark.x, right - wanted));
      title_room = std::min(2 * bar + gap - ui.px(48), right - mark.x) + mark.x - title_x;
    }
    float question = mark.right();
    if (!compact || i == at) {
      const float width = ui.text(title_x, below, own(step.title),
                                  {type::tick, i == at ? ui.theme.text1 : ui.theme.text2,
                                   i == at ? Ink::Semibold : Ink::Regular, Align::Left, title_room});
      question = std::max(question, title_x + width + ui.px(16));
    }
    if (asks)
      ui.text(question, below, "?",
              {type::label, i == at ? ui.theme.query : ui.theme.text2, Ink::Medium, Align::Right});
    tooltip(ui, touch.hovered, mark, {own(step.title), {}, asks ? "Asks for a prediction." : "", {}});
    if (touch.clicked) go_to_lesson_step(scene, i);
    x += bar + gap;
  }
  const std::string score = lesson_score_words(scene);
  if (!compact && !score.empty())
    ui.text(box.right() - pad, box.bottom() - ui.px(12), score,
            {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
}

}  // namespace attnscope
