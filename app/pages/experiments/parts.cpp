#include "app/pages/experiments/parts.hpp"

#include <algorithm>
#include <cmath>

#include "app/state/presenter_state.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {
namespace {

/// The title with the legend at its right, and how much was measured. Returns the y below.
float draw_experiment_head(const ExperimentPage& page, const Box& box) {
  const Ui& ui = page.ui();
  const float y = box.y + ui.px(page.narrow ? 22 : 30);
  float right = box.right();
  for (std::size_t i = page.words.legend.size(); i-- > 0;) {
    const LegendEntry& entry = page.words.legend[i];
    const Rgba colour = hue_of(ui.theme, entry.hue);
    right -= ui.text(right, y, entry.words, {type::label, colour, Ink::Medium, Align::Right}) + ui.px(8);
    ui.fill({right - ui.px(14), y - ui.px(1.5f), ui.px(14), ui.px(3)}, colour, ui.px(1));
    right -= ui.px(34);
  }
  ui.text(box.x, y, page.words.title,
          {page.narrow ? 22.f : 28.f, ui.theme.text1, Ink::Semibold, Align::Left, right - box.x});
  const float top = y + ui.px(page.narrow ? 18 : 22);
  return top + ui.paragraph(box.x, top, box.w, page.words.about, {type::label, ui.theme.text2}) + ui.px(6);
}

/// Returns the height of the sentences; draws them if `draws`.
float draw_experiment_sentences(const ExperimentPage& page, const Box& box, bool draws) {
  const Ui& ui = page.ui();
  const float label = page.narrow ? 0 : ui.px(108), gap = ui.px(page.narrow ? 4 : 8);
  float y = box.y;
  if (draws && label > 0)
    ui.text(box.x, y + ui.px(9), "What it shows",
            {type::label, ui.theme.text1, Ink::Semibold, Align::Left, label});
  // Sentences are written once their numbers are known.
  const bool known = page.shown.points[page.point].has_value();
  for (const std::string& sentence :
       known ? page.words.sentences(page.numbers()) : std::vector<std::string>{"Measuring …"}) {
    const float width = box.w - label;
    y += draws ? ui.paragraph(box.x + label, y, width, sentence, {type::label, ui.theme.text2})
               : ui.paragraph_height(width, sentence, type::label);
    y += gap;
  }
  const float least =
      3 * (ui.paragraph_height(box.w, "1", type::label) + gap);  // so that the plots keep their size
  return std::max(y - box.y, least);
}

void draw_experiment_middle(const ExperimentPage& page, const Box& box) {
  const Ui& ui = page.ui();
  const float pad = ui.px(page.narrow ? 14 : 24);
  const Box inner{box.x + pad, box.y, box.w - 2 * pad, box.h};
  float y = draw_experiment_head(page, inner);
  draw_experiment_slider(page, {inner.x, y, inner.w, ui.px(page.narrow ? 36 : 42)});
  y += ui.px(page.narrow ? 36 + 8 : 42 + 14);
  const float gap = ui.px(page.narrow ? 8 : 16), line = ui.px(page.narrow ? 4 : 14);
  const float words = draw_experiment_sentences(page, inner, false);
  float bottom = inner.bottom() - ui.px(page.narrow ? 6 : 16) - words;
  // In presenter mode the sentences are left out if the plots would be too low beside them.
  constexpr float least_plot = 88;
  if (page.scene.view.presenter->on && (bottom - ui.px(12) - y - line) / 2 < ui.px(least_plot)) {
    bottom += words;
  } else {
    ui.horizontal(inner.x, bottom - ui.px(8), inner.w, ui.theme.hairline);
    draw_experiment_sentences(page, {inner.x, bottom, inner.w, words}, true);
  }
  const float high = std::floor((bottom - ui.px(12) - y - line) / 2), wide = std::floor((inner.w - gap) / 2);
  for (std::size_t i = 0; i < page.words.plots.size(); ++i) {
    const Box plot{inner.x + (wide + gap) * static_cast<float>(i % 2),
                   y + (high + line) * static_cast<float>(i / 2), wide, high};
    draw_experiment_plot(page, page.words.plots[i], plot, i);
  }
}

/// "Experiment 1 · dₖ 64 · 24 seeds"
std::string experiment_hint(const ExperimentPage& page) {
  std::string words = "Experiment " + std::to_string(page.words.number) + "   ·   " +
                      std::string(page.words.symbol) + "   " + page.value_at(page.point);
  if (!page.shown.problem.empty()) return own(page.shown.problem);
  const std::size_t known = page.shown.known();
  if (known < page.values())
    return words + "   ·   measured " + std::to_string(known) + " of " + std::to_string(page.values());
  return words + "   ·   " + std::string(page.words.computed) + "   ·   ← → value   ·   ↑ ↓ experiment";
}

}  // namespace

void ExperimentPage::choose(std::size_t next) const {
  experiment_of(scene.view).value = shown.experiment->values[std::min(next, values() - 1)];
}

void choose_experiment(Scene& scene, const ExperimentWords& words) {
  ExperimentState& state = experiment_of(scene.view);
  if (state.name == words.name) return;
  if (state.value) state.values[state.name] = *state.value;
  state.name = words.name;
  state.tile_due = 0;
  const auto before = state.values.find(state.name);
  state.value = before == state.values.end() ? std::nullopt : std::optional(before->second);
}

void draw_experiments(Scene& scene, const ShownExperiment& shown, const Box& box) {
  const Ui& ui = scene.ui;
  ui.fill(box, ui.theme.panel);
  if (shown.experiment == nullptr) return;
  const bool presented = scene.view.presenter->on, narrow = scene.compact;
  const ExperimentPage page{scene, shown, words_of(*shown.experiment),
                            experiment_point(experiment_of(scene.view).value, *shown.experiment), narrow};
  if (scene.view.hint.empty()) scene.view.hint = experiment_hint(page);
  const float list = presented ? 0 : ui.px(narrow ? 184 : 264);
  float side = ui.px(narrow ? 340 : 408);  // so that the table's headings can be read
  if (presented || box.w - list - side < ui.px(480)) side = 0;
  if (list > 0) {
    draw_experiment_list(page, {box.x, box.y, list, box.h});
    ui.vertical(box.x + list, box.y, box.h, ui.theme.hairline);
  }
  draw_experiment_middle(page, {box.x + list, box.y, box.w - list - side, box.h});
  if (side > 0) draw_experiment_side(page, {box.right() - side, box.y, side, box.h});
}

}  // namespace attnscope
