// app/views/files: the series of an animated picture or PDF: a knob with its ends and the number of pictures;
// or the steps of a lesson.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include "app/scene/page_facts.hpp"
#include "app/state/window_state.hpp"
#include "app/views/files/dialog.hpp"
#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::int64_t most_sheet = 9999;

/// Replaces a knob that this Document does not have by its first one, with the proposed ends.
void keep_knob_there(Scene& scene) {
  FilesState& files = *scene.view.files;
  const std::vector<edit::Knob> all = edit::knobs_of(scene.document);
  const bool is_there = std::ranges::find(all, files.sweep.knob) != all.end();
  if (is_there && !files.sweep_from.empty()) return;
  const edit::KnobInfo& knob = edit::info(is_there ? files.sweep.knob : all.front());
  files.sweep.knob = knob.knob;
  files.sweep_from = fmt::format("{}", knob.from);
  files.sweep_to = fmt::format("{}", knob.to);
}

double typed_end(const std::string& text) {
  double value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size())
    throw Error("Cannot read " + in_quotes(text) + " as an end of the sweep; expected a number.");
  return value;
}

}  // namespace

PictureSeries picture_series(const Scene& scene) {
  const Mode mode = scene.view.mode;
  if (const PageFacts* const page = page_facts_of(mode); page != nullptr && !page->series.empty())
    return PictureSeries::Values;
  if (const PageSteps* const steps = page_steps_of(mode))
    return steps->are_there(scene) ? PictureSeries::Steps : PictureSeries::None;
  if (is_page(mode) || mode == Mode::Model) return PictureSeries::None;
  return scene.document.within.read() || edit::knobs_of(scene.document).empty() ? PictureSeries::None
                                                                                : PictureSeries::Sweep;
}

namespace {

void draw_page_options(Scene& scene, const Box& line) {
  constexpr std::array<std::string_view, 5> names{"Questions open", "With the answers", "Worksheet",
                                                  "Instructor", "Quiz"};
  constexpr std::array<Tip, 5> tips{
      {{"Questions open", {}, "What is asked stays covered: for those who are to predict it."},
       {"With the answers", {}, "Every question is answered: for afterwards."},
       {"Worksheet",
        {},
        "Empty tables and room to write, other numbers on each sheet, the answers at the end."},
       {"Instructor", {}, "Goal, time, plan, board sketch, what to ask, and what they may say."},
       {"Quiz", {}, "The questions for a spreadsheet, for Moodle or for another learning platform."}}};
  FilesState& files = *scene.view.files;
  const int now = files.print == LessonPrint::None ? (files.answers ? 1 : 0)
                                                   : std::min(static_cast<int>(files.print) + 1, 4);
  const Box box{line.x, line.y, std::min(line.w, scene.ui.px(620)), line.h};
  if (const auto picked = segments(scene.ui, "Handout answers", box, names, now, tips)) {
    files.answers = *picked == 1;
    files.print = *picked < 2 ? LessonPrint::None : static_cast<LessonPrint>(*picked - 1);
    follow_choice(scene);
  }
}

void draw_sweep_options(Scene& scene, const Box& line) {
  const Ui& ui = scene.ui;
  FilesState& files = *scene.view.files;
  keep_knob_there(scene);
  const Box which{line.x, line.y, ui.px(140), line.h};
  drop(ui, "Sweep knob", which, edit::info(files.sweep.knob).words,
       {"Knob", {}, "What goes from one end to the other while the rest stays."}, [&] {
         for (const edit::Knob knob : edit::knobs_of(scene.document)) {
           const edit::KnobInfo& row = edit::info(knob);
           if (!menu_row(ui, std::string(row.words).c_str(), {}, knob == files.sweep.knob)) continue;
           files.sweep.knob = knob;
           files.sweep_from.clear();
         }
       });
  const auto end = [&](const char* label, std::string& text, float x) {
    text_field(ui, label, {x, line.y, ui.px(64), line.h}, text, "");
    return x + ui.px(64);
  };
  float x = end("Sweep from", files.sweep_from, which.right() + ui.px(8)) + ui.px(8);
  x += ui.text(x, line.centre_y(), "to", {type::label, ui.theme.text2}) + ui.px(8);
  x = end("Sweep to", files.sweep_to, x) + ui.px(12);
  const auto inside = [](std::int64_t frames) {
    return std::clamp<std::int64_t>(frames, edit::least_frames, edit::most_frames);
  };
  const Box frames{x, line.y, std::min(ui.px(124), line.right() - x), line.h};
  if (const auto count = stepper(
          ui, "Sweep frames", frames, files.sweep.frames,
          [&](int by) { return inside(files.sweep.frames + by); },
          {"Pictures", {}, "How many values are drawn, from 2 to 120."},
          std::to_string(files.sweep.frames) + " pictures"))
    files.sweep.frames = static_cast<int>(inside(*count));
}

}  // namespace

bool is_print(const Scene& scene) {
  return picture_kind(scene) == PictureKind::Series && picture_series(scene) == PictureSeries::Steps &&
         scene.view.files->print != LessonPrint::None;
}

float draw_sheet(Scene& scene, const Box& box) {
  FilesState& files = *scene.view.files;
  if (files.print == LessonPrint::Instructor) return box.x;
  const auto inside = [](std::int64_t sheet) { return std::clamp<std::int64_t>(sheet, 0, most_sheet); };
  const Box wide{box.x, box.y, scene.ui.px(150), box.h};
  if (const auto sheet = stepper(
          scene.ui, "Sheet", wide, files.sheet, [&](int by) { return inside(files.sheet + by); },
          {"Sheet", {}, "Each sheet has other numbers, and its choices in another order."},
          "sheet " + std::to_string(files.sheet))) {
    files.sheet = inside(*sheet);
    follow_choice(scene);
  }
  return wide.right();
}

void draw_print_format(Scene& scene, const Box& card, float& y) {
  constexpr std::array<std::string_view, 3> names{"CSV", "GIFT", "QTI"};
  constexpr std::array<Tip, 3> tips{{{"CSV", {}, "A table for a spreadsheet, a line for each question."},
                                     {"GIFT", {}, "A text that Moodle imports into its question bank."},
                                     {"QTI", {}, "A zip archive in QTI, for other learning platforms."}}};
  const Ui& ui = scene.ui;
  FilesState& files = *scene.view.files;
  Box line = option_line(ui, card, y, "Format");
  if (files.print < LessonPrint::QuizCsv) {
    ui.text(line.x, line.centre_y(), "a page for a browser, to be printed on A4",
            {type::label, ui.theme.text1, Ink::Medium, Align::Left, line.w});
    return;
  }
  line.w = std::min(line.w, ui.px(300));
  const int now = static_cast<int>(files.print) - static_cast<int>(LessonPrint::QuizCsv);
  if (const auto picked = segments(ui, "Quiz format", line, names, now, tips)) {
    files.print = static_cast<LessonPrint>(static_cast<int>(LessonPrint::QuizCsv) + *picked);
    follow_choice(scene);
  }
}

void draw_series_options(Scene& scene, const Box& line) {
  switch (picture_series(scene)) {
    case PictureSeries::Sweep: return draw_sweep_options(scene, line);
    case PictureSeries::Steps: return draw_page_options(scene, line);
    case PictureSeries::Values:
      scene.ui.text(line.x, line.centre_y(), page_facts_of(scene.view.mode)->series,
                    {type::label, scene.ui.theme.text1, Ink::Medium, Align::Left, line.w});
      return;
    case PictureSeries::None: return;
  }
}

edit::Sweep chosen_sweep(const Scene& scene) {
  const FilesState& files = *scene.view.files;
  edit::Sweep sweep = files.sweep;
  sweep.from = typed_end(files.sweep_from);
  sweep.to = typed_end(files.sweep_to);
  edit::check(sweep);
  return sweep;
}

}  // namespace attnscope
