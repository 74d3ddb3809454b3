#include "app/views/presenter/speaker_page.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/marks.hpp"
#include "app/scene/page_facts.hpp"
#include "core/base/error.hpp"

namespace attnscope {
namespace {

/// "38 min left   ·   2 min behind"
std::string words_of_time(const CourseTime& time) {
  const auto whole = [](double minutes) {
    return std::to_string(static_cast<std::int64_t>(std::ceil(std::max(0.0, minutes))));
  };
  std::string words = whole(time.left) + " min left";
  if (time.behind > 0) words += "   ·   " + whole(time.behind) + " min behind";
  if (time.behind < 0) words += "   ·   " + whole(-time.behind) + " min ahead";
  return words;
}

/// The script's words one after the other, keys as keycaps, other cues in the accent's colour.
class ScriptFlow {
 public:
  ScriptFlow(const Ui& ui, float x, float y, float width, float size)
      : ui_(ui), left_(x), x_(x), y_(y), width_(width), size_(size) {}

  void say(const lessons::ScriptParagraph& paragraph) {
    x_ = left_;
    for (const lessons::ScriptPiece& piece : paragraph) piece.cue ? cue(piece.text) : words(piece.text);
    y_ += line() + ui_.px(10);
  }
  float y() const { return y_; }

 private:
  float line() const { return std::round(ui_.px(size_ * 1.4f)); }
  float middle() const { return y_ + std::round(line() / 2); }

  /// Goes to the next line if so much does not fit into this one.
  void make_room(float wide) {
    if (x_ == left_ || x_ + wide <= left_ + width_) return;
    x_ = left_;
    y_ += line();
  }

  void words(std::string_view text) {
    const float space = ui_.px(size_ * 0.28f);
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      if (const std::string word(text.substr(0, end)); !word.empty()) {
        make_room(ui_.text_width(own(word), size_));
        x_ += ui_.text(x_, middle(), own(word), {size_, ui_.theme.text1}) + space;
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void cue(const std::string& text) {
    const float pad = ui_.px(8);
    if (text.find(':') == std::string::npos) {
      make_room(keycap_width(ui_, text));
      x_ += draw_keycap(ui_, x_, middle(), text) + pad;
      return;
    }
    const float wide = ui_.text_width(own(text), type::body, Ink::Medium) + 2 * pad;
    make_room(wide);
    const Box chip{x_, middle() - ui_.px(13), std::min(wide, width_), ui_.px(26)};
    ui_.fill(chip, fade(ui_.theme.query, 0.16f), ui_.px(4));
    ui_.text(chip.x + pad, chip.centre_y(), own(text),
             {type::body, ui_.theme.query, Ink::Medium, Align::Left, chip.w - 2 * pad});
    x_ += chip.w + pad;
  }

  const Ui& ui_;
  float left_, x_, y_, width_, size_;
};

float draw_script(const Ui& ui, float x, float y, float width, float size,
                  const std::vector<lessons::ScriptParagraph>& script) {
  ScriptFlow flow(ui, x, y, width, size);
  for (const lessons::ScriptParagraph& paragraph : script) flow.say(paragraph);
  return flow.y();
}

/// The title of a stop: that of its step, or the name of its page; empty if the step is of another lesson.
std::string title_of_stop(const SpeakerPage& page, const lessons::CourseStop& stop) {
  if (!stop.page.empty()) {
    const auto mode = mode_named(stop.page);
    const PageFacts* const facts = mode ? page_facts_of(*mode) : nullptr;
    return facts != nullptr ? std::string(facts->name) : std::string();
  }
  if (stop.lesson != page.state.name) return "Lesson " + std::to_string(stop.lesson_number);
  return own(page.lesson.steps[static_cast<std::size_t>(stop.step)].title);
}

}  // namespace

CourseTime course_time(const lessons::Course& course, std::int64_t stop, std::int64_t from, double seconds) {
  const auto count = static_cast<std::int64_t>(course.stops.size());
  const auto planned = [&](std::int64_t at) {
    return course.begins_at(static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, count)));
  };
  const double begun = planned(std::min(from, stop)), now = begun + seconds / 60;
  CourseTime time;
  time.left = planned(count) - now;
  if (now > planned(stop + 1)) time.behind = now - planned(stop + 1);
  if (now < planned(stop)) time.behind = now - planned(stop);
  return time;
}

void draw_speaker_page(const Ui& ui, const Box& box, const SpeakerPage& page) {
  const auto& [lesson, state, course, from, course_seconds, seconds] = page;
  ui.fill(box, ui.theme.panel);
  const float pad = ui.px(28), x = box.x + pad, width = box.w - 2 * pad;
  const auto minutes = static_cast<std::int64_t>(seconds) / 60,
             rest = static_cast<std::int64_t>(seconds) % 60;
  const std::string time = std::to_string(minutes) + (rest < 10 ? ":0" : ":") + std::to_string(rest);
  float y = box.y + ui.px(36);
  const float clock =
      ui.text(x + width, y, time, {type::readout - 8, ui.theme.text1, Ink::Semibold, Align::Right});
  const std::int64_t count = std::ssize(lesson.steps),
                     at = std::clamp<std::int64_t>(state.step, 0, count - 1);
  const lessons::CourseStop* const stop =
      course == nullptr ? nullptr : &course->stops[static_cast<std::size_t>(state.stop)];
  std::string place = "step " + std::to_string(at + 1) + " of " + std::to_string(count);
  if (stop != nullptr)
    place = "chapter " + std::to_string(stop->chapter + 1) + " of " +
            std::to_string(course->chapters.size()) + "   ·   " + own(course->chapters[stop->chapter].title);
  ui.text(x, y, place, {type::title, ui.theme.text2, Ink::Regular, Align::Left, width - clock - ui.px(20)});
  if (stop != nullptr) {
    const CourseTime left = course_time(*course, state.stop, from, course_seconds);
    y += ui.px(26);
    ui.text(x + width, y, words_of_time(left),
            {type::body, left.behind > 0 ? ui.theme.key : ui.theme.text2, Ink::Medium, Align::Right});
  }
  const auto draw_step = [&](const lessons::Step& shown, std::string_view said, float size, Rgba colour) {
    y += ui.px(8) + ui.paragraph(x, y, width, own(shown.title), {size, colour, Ink::Semibold});
    const std::string notes = own(said);
    if (!shown.notes.empty()) y += ui.paragraph(x, y, width, notes, {size, colour});
  };
  y += ui.px(32);
  const lessons::Step& here = lesson.steps[static_cast<std::size_t>(at)];
  const bool has_script = stop != nullptr && !stop->script.empty();
  if (has_script) {
    y += ui.px(8) + ui.paragraph(x, y, width, title_of_stop(page, *stop),
                                 {type::title + 4, ui.theme.text1, Ink::Semibold});
    y = draw_script(ui, x, y, width, type::title + 4, stop->script);
    if (stop->page.empty() && !here.notes.empty())
      y += ui.paragraph(x, y, width, own(state.spoken), {type::body, ui.theme.text2});
  } else {
    draw_step(here, state.spoken, type::title + 4, ui.theme.text1);
  }
  const auto begin_next = [&] {
    y += ui.px(24);
    ui.horizontal(x, y, width, ui.theme.hairline);
    y += ui.px(22);
    ui.text(x, y, "Then", {type::label, ui.theme.query, Ink::Medium});
    y += ui.px(18);
  };
  if (stop != nullptr) {
    const auto next = static_cast<std::size_t>(state.stop) + 1;
    if (next >= course->stops.size()) return;
    begin_next();
    const lessons::CourseStop& then = course->stops[next];
    std::string words = title_of_stop(page, then);
    if (then.chapter != stop->chapter) words += "   ·   " + own(course->chapters[then.chapter].title);
    y += ui.px(8) + ui.paragraph(x, y, width, words, {type::body, ui.theme.text2, Ink::Semibold});
    if (!then.script.empty()) draw_script(ui, x, y, width, type::body, {then.script.front()});
    return;
  }
  if (at + 1 >= count) return;
  begin_next();
  const lessons::Step& next = lesson.steps[static_cast<std::size_t>(at) + 1];
  const auto unknown = [](std::string_view, std::span<const double>) -> double { throw Error("…"); };
  draw_step(next, lessons::notes_said(next, unknown), type::body, ui.theme.text2);
}

}  // namespace attnscope
