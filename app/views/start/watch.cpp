// app/views/start: detects which steps were done, and describes their results.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/picture.hpp"
#include "app/state/start_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/start/start.hpp"
#include "core/attention/run_stage.hpp"
#include "core/edits/switches.hpp"
#include "core/edits/within.hpp"

namespace attnscope {
namespace {

StartState::Facts facts_of(const Document& document) {
  StartState::Facts facts{edit::is_divided(document), document.layer().masking.causal, {}, document.title};
  for (std::size_t i = 0; i < typed_texts(document); ++i) facts.texts.push_back(typed_text(document, i));
  return facts;
}

bool differ(FirstStep step, const StartState::Facts& a, const StartState::Facts& b) {
  switch (step) {
    case FirstStep::Scaling: return a.divided != b.divided;
    case FirstStep::Future: return a.causal != b.causal;
    case FirstStep::Sentence: break;
  }
  return a.texts != b.texts;
}

/// Measures of the shown sequence.
StartState::Measured measured(const Shown& shown) {
  const LayerResult& r = shown.result;
  const std::int64_t b = shown.sequence();
  StartState::Measured all;
  double rows = 0;
  for (std::int64_t h = 0; h < r.dimensions.heads; ++h) {
    all.entropy += r.measures.head(b, h).entropy / static_cast<double>(r.dimensions.heads);
    const auto weights = matrix_of(r, weights_stage(r.document), b, h);
    for (std::int64_t i = 0; i < r.dimensions.queries; ++i) {
      if (r.measures.row(b, h, i).padding) continue;
      rows += 1;
      for (std::int64_t j = position_of(r, b, i) + 1; j < r.dimensions.token_keys(); ++j)
        all.later += static_cast<double>(weights(i, j));
    }
  }
  all.later /= std::max(1.0, rows);
  return all;
}

std::string whole_percent(double share) { return fixed(100 * share, 0) + " %"; }

/// The measured change of the entropies.
std::string told_of_scaling(const Shown& shown, double before, double after) {
  const std::string from = fixed(before, 2), to = fixed(after, 2);
  if (!std::isfinite(before) || !std::isfinite(after)) {
    const bool has_choice = !std::isnan(shown.result.measures.head(shown.sequence(), 0).uniform.first);
    return has_choice ? "The entropy is not a number here." : "No query has a choice of keys.";
  }
  if (from == to) return "The mean entropy stayed at " + to + ".";
  if (after < before)
    return "The mean entropy fell from " + from + " to " + to + ". Softmax moved its weight to fewer keys.";
  return "The mean entropy rose from " + from + " to " + to + ". Softmax spread its weight over more keys.";
}

/// Before and after: the shares of weight on later tokens.
std::string told_of_future(const Scene& scene, double before, double after) {
  if (is_cross(scene.result)) return "Queries and keys are other tokens here: none comes later.";
  if (scene.document.layer().masking.causal)
    return "Later tokens had " + whole_percent(before) + " of the weight. Now they have " +
           whole_percent(after) + ".";
  return "Later tokens now have " + whole_percent(after) + " of the weight. Before it was " +
         whole_percent(before) + ".";
}

std::string told_of_sentence(const Scene& scene) {
  const LayerResult& r = scene.result;
  const std::int64_t b = scene.sequence(), h = scene.selection.head;
  const std::int64_t i = std::min(scene.selection.cell.query, r.dimensions.queries - 1);
  const RowMeasures& row = r.measures.row(b, h, i);
  std::string words = "All " + grouped(r.dimensions.queries * r.dimensions.keys) +
                      " weights of every head are computed anew with each key you press.";
  if (row.strongest >= 0)
    words += " In this head “" + query_label(r, b, i) + "” looks most at “" + key_label(r, b, row.strongest) +
             "”: " + fixed(row.largest, 2) + ".";
  return words;
}

/// The sentence about a step whose result has arrived.
std::string seen_words(const Scene& scene, FirstStep step, const StartState::Measured& before) {
  if (step == FirstStep::Sentence) return told_of_sentence(scene);
  const StartState::Measured after = measured(scene);
  return step == FirstStep::Scaling ? told_of_scaling(scene, before.entropy, after.entropy)
                                    : told_of_future(scene, before.later, after.later);
}

constexpr std::array all_steps{FirstStep::Scaling, FirstStep::Future, FirstStep::Sentence};

}  // namespace

void watch_start(Scene& scene) {
  StartState& start = *scene.view.start;
  const std::optional<StartState::Facts> before = std::exchange(start.facts, std::nullopt);
  if (!start.open || scene.result.is_long()) return;
  start.facts = facts_of(scene.document);
  // Another Document was opened meanwhile: the next result is not that of a step.
  const auto differs = [&](FirstStep step) { return before && differ(step, *before, *start.facts); };
  if (std::ranges::any_of(all_steps, differs))
    for (StartState::Step& step : start.steps) step.waiting = false;
  if (start.untouched && start.untouched->title != start.facts->title) start.untouched.reset();
  if (before && before->title != start.facts->title)  // earlier results do not apply here
    for (StartState::Step& step : start.steps) step.seen.clear();
}

void tick_start(Scene& scene) {
  StartState& start = *scene.view.start;
  if (!start.open || !start.facts || scene.result.is_long()) return;
  const StartState::Facts now = facts_of(scene.document);
  for (const FirstStep which : all_steps) {
    StartState::Step& step = start.step(which);
    if (differ(which, *start.facts, now)) {
      if (!step.waiting) step.before = measured(scene);
      if (!start.untouched) start.untouched = start.facts;
      start.changed = start.changed || !step.done;
      step.done = step.waiting = true;
      start.last = which;
    } else if (step.waiting && scene.result.document == scene.document) {
      step.waiting = false;
      step.seen = seen_words(scene, which, step.before);
      start.seen_at = ImGui::GetTime();
    }
  }
  start.facts = now;
  if (start.all_done() && !start.left) start.left = start.changed = true;  // it was the first launch's card
}

std::vector<FirstStep> steps_to_put_back(const StartState& start, const Document& document) {
  std::vector<FirstStep> all;
  if (!start.untouched) return all;
  const StartState::Facts now = facts_of(document);
  for (const FirstStep step : {FirstStep::Scaling, FirstStep::Future})
    if (differ(step, *start.untouched, now)) all.push_back(step);
  return all;
}

void leave_start(ViewState& view) {
  view.start->open = false;
  view.start->changed = view.start->changed || !view.start->left;
  view.start->left = true;
}

void show_start_again(Scene& scene) {
  scene.view.start = {};
  scene.view.start->open = true;
  scene.view.mode = Mode::Explore;
}

}  // namespace attnscope
