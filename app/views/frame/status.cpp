// app/views/frame: the last line: what the mouse is on, the progress of a long computation, and a button to
// stop it.
#include <algorithm>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/lessons/library.hpp"
#include "app/scene/page_facts.hpp"
#include "app/scene/picture.hpp"
#include "app/state/files_state.hpp"
#include "app/state/model_look.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/training/run_words.hpp"
#include "app/views/files/files.hpp"
#include "app/views/watch/watch.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {

namespace {

constexpr double worth_telling_seconds = 0.2;  // shorter computations are not shown

std::string_view name_of(Precision precision) {
  switch (precision) {
    case Precision::BFloat16: return "bfloat16";
    case Precision::Float16: return "float16";
    case Precision::Float32: break;
  }
  return "float32";
}

/// A surprising fact: a weight of 0 does not keep a NaN out, since 0 · NaN is NaN.
std::string hidden_value_warning(const Shown& shown) {
  if (shown.stats.not_finite(Stage::Value) == 0 || shown.stats.not_finite(Stage::Mix) == 0) return {};
  return "V holds NaN or ∞, and reaches every output, hidden keys too: 0 × NaN = NaN, as in PyTorch";
}

/// A warning about weights that are not finite: with the naive softmax for all heads, since it fails for
/// large scores and not only in the cell that is looked at; empty if there are none.
std::string not_finite_warning(const Shown& shown) {
  if (shown.result.is_long()) return {};
  const Measures& m = shown.result.measures;
  const std::int64_t here = m.head(shown.sequence(), shown.head()).not_finite;
  if (shown.result.document.layer().softmax != SoftmaxKind::Naive) {
    if (here > 0) return counted(here, "weight is not finite", "weights are not finite");
    return hidden_value_warning(shown);
  }
  std::int64_t bad = 0;
  for (const HeadMeasures& head : m.head_means) bad += head.not_finite;
  if (bad == 0) return {};
  constexpr double largest_exponent =
      88.7;  // of float32; below -103 every exp is 0, and 0 / 0 is NaN as well
  const bool over = std::any_of(m.rows.begin(), m.rows.end(),
                                [](const RowMeasures& row) { return !(row.log_sum_exp < largest_exponent); });
  const std::string count = counted(bad, "weight is NaN", "weights are NaN");
  return over ? "softmax overflowed: " + count + " (exp of scores above 88.7)"
              : "softmax underflowed: " + count + " (0 / 0, all scores below −103)";
}

/// Of a long result: the share of known rows, including those that are being swept.
double known_share(const Scene& scene) {
  const double known = 1 / static_cast<double>(scene.result.surveys.front()->known.rows.step);
  return std::min(1.0, known * (1 + scene.engine.progress().sweep.share()));
}

/// At the right end of the bar: the computation, its progress and a button that stops it. Returns whether
/// that was pressed. `left` is set to its left end.
bool draw_progress(const Ui& ui, const Box& bar, const std::string& words, double share, const Tip& tip,
                   float& left) {
  const float wide = std::max(ui.px(64), ui.text_width("Cancel", type::label, Ink::Medium) + ui.px(16));
  const Box cancel{bar.right() - ui.px(16) - wide, bar.y + ui.px(2), wide, ui.px(20)};
  const bool pressed = button(ui, "Cancel", cancel, tip);
  const float y = bar.centre_y();
  const Box track{cancel.x - ui.px(132), y - ui.px(2), ui.px(120), ui.px(4)};
  ui.fill(track, ui.theme.control_hover, ui.px(2));
  ui.fill({track.x, track.y, track.w * static_cast<float>(share), track.h}, ui.theme.query, ui.px(2));
  left = track.x - ui.px(12);
  left -= ui.text(left, y, words, {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
  return pressed;
}

/// The setting that a key has just changed, with undo. Returns its width; 0 if there is none.
float draw_notice(Scene& scene, const Box& bar) {
  const KeyNotice& notice = scene.view.keyboard.notice;
  if (notice.name.empty() || ImGui::GetTime() >= notice.until) return 0;
  const Ui& ui = scene.ui;
  const float y = bar.centre_y(), left = bar.x + ui.px(16);
  float x = left;
  if (!notice.key.empty()) {
    const float cap = std::max(ui.px(18), ui.text_width(notice.key, type::tick) + ui.px(10));
    ui.frame({x, y - ui.px(9), cap, ui.px(18)}, ui.theme.query, std::max(1.f, std::floor(ui.scale())),
             ui.px(4));
    ui.text(x + cap / 2, y, notice.key, {type::tick, ui.theme.query, Ink::Medium, Align::Centre});
    x += cap + ui.px(8);
  }
  x += ui.text(x, y, notice.name, {type::tick, ui.theme.text1, Ink::Medium}) + ui.px(12);
  if (!notice.can_undo) return x - left;
  const float wide = ui.text_width("Undo", type::tick, Ink::Medium);
  const Box link{x - ui.px(4), bar.y + ui.px(2), wide + ui.px(8), bar.h - ui.px(4)};
  const Ui::Touch touch = ui.touch("Undo this", link);
  if (touch.hovered) ui.fill(link, ui.theme.control_hover, ui.px(4));
  if (touch.focused) ui.frame(link, ui.theme.query, ui.px(2), ui.px(4));
  ui.text(x, y, "Undo", {type::tick, ui.theme.query, Ink::Medium});
  if (touch.clicked) scene.requests.history = -1;
  return x + wide - left;
}

/// "Q4_1, computed as float32   ·   14 tokens   ·   270 heads in the model"
std::string model_facts(const ModelReading& reading) {
  const OpenedModel& opened = *reading.within.model;
  const ModelSpec& spec = opened.model->spec;
  int heads = 0;
  for (const auto& stack : {spec.encoder, spec.decoder})
    if (stack)
      for (const LayerSpec& block : stack->blocks) heads += block.heads * (stack->cross ? 2 : 1);
  const std::size_t tokens =
      reading.tokens->tokens.tokens.size() + reading.tokens->decoder_tokens.tokens.size();
  return own(opened.storage) +
         (opened.storage == "float32" ? "   ·   " : "   ·   computed as float32   ·   ") +
         counted(static_cast<std::int64_t>(tokens), "token", "tokens") + "   ·   " +
         counted(heads, "head in the model", "heads in the model");
}

/// Whether the model and its selection are the same as when it was opened.
bool is_as_opened(const Scene& scene) {
  const std::optional<OpenedAt>& opened = model_look_of(scene.view).opened_at;
  if (scene.view.mode != Mode::Model || !scene.selection.locked || !opened) return false;
  return *opened == OpenedAt{scene.document.within.read(), scene.selection.head, scene.selection.cell};
}

/// Which cell is looked at, and why.
std::string cell_words(const Scene& scene) {
  const Selection& s = scene.selection;
  const Cell cell = scene.cell();
  const std::string name = query_label(scene.result, scene.sequence(), cell.query) + " → " +
                           key_label(scene.result, scene.sequence(), cell.key);
  if (s.hovered_cell && (!s.locked || *s.hovered_cell != s.cell))
    return "under the mouse  " + name + "   ·   click locks";
  if (is_as_opened(scene))
    return "cell  " + name +
           "   ·   opened here: the row's largest weight in this layer, besides the first, previous, same "
           "and special tokens   ·   locked, Esc unlocks";
  return "cell  " + name + (s.locked ? "   ·   locked, Esc unlocks" : "   ·   hover previews, click locks");
}

/// The page's facts about its own numbers, if the page does not show the Document.
std::string status_of_page(const Scene& scene) {
  const PageFacts* const page = page_facts_of(scene.view.mode);
  return page != nullptr && page->status != nullptr ? page->status(scene) : std::string();
}

/// In free play from a lesson: "‹ Back to the step". Returns the width it takes.
float draw_way_to_step(Scene& scene, const Box& bar) {
  const Ui& ui = scene.ui;
  const LessonState& state = lesson_of(scene.view);
  if (!state.left || state.name.empty() || scene.lesson == nullptr || scene.lesson->open == nullptr ||
      ui.is_figure())
    return 0;
  constexpr std::string_view words = "‹ Back to the step";
  const float wide = ui.text_width(words, type::tick, Ink::Medium) + ui.px(16), x = bar.x + ui.px(12);
  const Box chip{x, bar.y + ui.px(2), wide, bar.h - ui.px(4)};
  const Ui::Touch touch = ui.touch("Back to the step", chip);
  ui.fill(chip, touch.hovered ? ui.theme.control_hover : ui.theme.control, ui.px(4));
  if (touch.focused) ui.frame(chip, ui.theme.query, ui.px(2), ui.px(4));
  ui.text(chip.centre_x(), chip.centre_y(), words, {type::tick, ui.theme.query, Ink::Medium, Align::Centre});
  const lessons::Lesson& lesson = scene.lesson->open->lesson;
  tooltip(ui, touch.hovered, chip,
          {own(lesson.title),
           "step " + std::to_string(state.step + 1) + " of " + std::to_string(lesson.steps.size()),
           "The step as it was left.", "Esc"});
  if (touch.clicked) {
    scene.view.mode = Mode::Lessons;
    scene.view.presenter->on = std::exchange(scene.view.presenter->returns, false);
  }
  return wide + ui.px(8);
}

/// Whether a lesson that trains is on screen.
bool shows_a_run(const Scene& scene) {
  return scene.view.mode == Mode::Lessons && scene.lesson != nullptr && scene.lesson->trains();
}

}  // namespace

void draw_status(Scene& scene, const Box& bar) {
  const Ui& ui = scene.ui;
  const float y = bar.centre_y(), pad = ui.px(16);
  ui.horizontal(bar.x, bar.y, bar.w, ui.theme.hairline);
  if (is_watching(scene.view)) return draw_watch_status(scene, bar);
  const std::string text = scene.view.hint.empty() ? cell_words(scene) : scene.view.hint;

  const Document& document = scene.result.document;
  std::string right(name_of(document.precision));
  if (std::string of_page = status_of_page(scene); !of_page.empty())
    right = std::move(of_page);
  else if (shows_a_run(scene))
    right = lab_numbers(lab_of(scene.view));
  else if (scene.model != nullptr)
    right = model_facts(*scene.model);
  else if (!document.input.is_given())
    right += "   ·   seed " + std::to_string(document.layer().weights.seed);
  std::string warning = not_finite_warning(scene);
  const std::string guess = warning.empty() ? guessed_words(scene.document) : std::string();
  if (!guess.empty()) warning = guess;

  float begin = bar.right() - pad;  // of the texts at the right
  const auto running = scene.engine.running_for().count();
  if (const std::optional<FileOnItsWay>& file = scene.view.files->opening) {
    const Tip tip{"Cancel", {}, "Stops reading; what is open stays."};
    if (draw_progress(ui, bar, file->name + "   " + fixed(100 * file->share, 0) + " %", file->share, tip,
                      begin))
      scene.requests.cancel_opening = true;
    right.clear();
    warning.clear();
  } else if (const std::optional<FileOnItsWay>& out = scene.view.files->exporting) {
    const Tip tip{"Cancel", {}, "Stops the export; nothing is written."};
    if (draw_progress(ui, bar, out->name + "   " + fixed(100 * out->share, 0) + " %", out->share, tip, begin))
      scene.requests.cancel_export = true;
    right.clear();
    warning.clear();
  } else if (running > worth_telling_seconds) {
    const Progress& progress = scene.engine.progress();
    const int total = std::max(1, progress.total.load()), done = std::clamp(progress.done.load(), 0, total);
    const bool refines = progress.total.load() == 0 && scene.result.is_long();
    const double share = refines ? known_share(scene) : static_cast<double>(done) / total;
    const std::string words =
        refines ? "rows known " + fixed(100 * share, 0) + " %"
                : "computing, stage " + std::to_string(done) + " of " + std::to_string(total);
    const Tip tip{"Cancel", {}, "Stops computing and keeps the last picture."};
    if (draw_progress(ui, bar, words, share, tip, begin)) scene.engine.cancel();
    right.clear();
    warning.clear();
  } else if (const Shown::RunningTask& doing = scene.model_task;
             (doing.share > 0 && doing.share < 1) || doing.seconds > worth_telling_seconds) {
    const Tip tip{"Cancel", {}, "Stops here; what is known of the model stays."};
    std::string words(doing.what);
    if (doing.share > 0) words += "   " + fixed(100 * doing.share, 0) + " %";
    if (draw_progress(ui, bar, words, doing.share, tip, begin)) scene.requests.cancel_model = true;
    right.clear();
    warning.clear();
  }
  begin -= ui.text(begin, y, right, {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  if (!warning.empty()) {
    begin -= ui.px(24);
    begin -= ui.text(begin, y, warning,
                     {type::tick, guess.empty() ? ui.theme.error : ui.theme.key, Ink::Medium, Align::Right});
  }
  const float way = draw_way_to_step(scene, bar);
  float left = draw_notice(scene, {bar.x + way, bar.y, bar.w - way, bar.h});
  if (left > 0) left += ui.px(28);
  left += way;
  if (const float room = begin - bar.x - pad * 2 - left; room > ui.px(40))
    ui.text(bar.x + pad + left, y, text, {type::tick, ui.theme.text2, Ink::Regular, Align::Left, room});
}

}  // namespace attnscope
