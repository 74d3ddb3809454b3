// app/training: the parts of a picture of runs: curves, heads, the strip of time. The training page and
// training lessons draw them.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/kit/widgets/plot.hpp"
#include "app/scene/scene.hpp"
#include "app/training/lab_state.hpp"
#include "app/training/phase_change.hpp"
#include "app/training/training_runs.hpp"
#include "app/training/verdicts.hpp"

namespace attnscope {

/// The parts' input: the runs, the step, and which of the parts are on screen.
struct TrainingPanels {
  Scene& scene;
  const training::ShownLab& lab;
  const training::ShownWall& wall;
  /// A and B: a run and its newest branch; if the active run is a branch, its parent and the branch. Null:
  /// none.
  const training::LabRun* a = nullptr;
  const training::LabRun* b = nullptr;
  std::int64_t step = 0;  // the shown step
  std::int64_t last = 1;  // the end of the axes of steps
  bool narrow = false;
  std::string_view front = {};  // name of the large plot, see lessons::measure_names(); empty: the loss
  std::span<const std::string> plots = {};  // names of the shown curves and heads' numbers; empty: all
  int small_rows = 2;                       // rows of small plots: 2 of three plots, 1 of two, or 0
  bool has_rule = true;                     // the rule for the heads' names is written below the heads
  bool has_sentence = true;                 // and so is what one row of the probe is to look at
  bool enlarges = false;                    // a click on a head draws it alone, and all again
  bool covers_numbers = false;              // hides the numbers of the heads
  bool covers_heads = false;                // hides the pictures of heads, also in the strip of time
  bool has_verdicts = false;                // the strip of time says below the pictures what was learned,
  bool has_verdict_row = false;             // below those of B as well, since there is no room left of them
  std::optional<PhaseChange> phase = {};    // of A, shaded in the plots; empty: none
  /// Draw something else instead of the large plot, or of all small plots; empty: the plots are drawn.
  std::function<void(const Box&)> draws_front = {}, draws_small = {};

  const Ui& ui() const { return scene.ui; }
  /// Whether the curves or the heads' numbers of that name are on screen.
  bool has_plot(std::string_view name) const {
    return plots.empty() || std::find(plots.begin(), plots.end(), name) != plots.end();
  }
  LabState& state() const { return lab_of(scene.view); }
  const training::Recipe& recipe() const { return *lab.recipe; }
  std::int64_t heads() const { return recipe().network.layers * recipe().network.heads; }
  /// The heads of a run as they are drawn, see LabProbes::moment_at(), and the sequence that they are of.
  std::shared_ptr<const training::LabMoment> moment_at(const training::LabRun& run, std::int64_t at) const {
    return scene.training->probes().moment_at(run, at);
  }
  const ProbeText* text_of(const training::LabMoment& moment) const {
    return scene.training->probes().text_of(moment);
  }
  JudgedRuns judged() const { return {lab, a, b, shown(), step, phase}; }
  /// The head that is drawn alone; −1: all are.
  std::int64_t large_head() const { return enlarges && state().head < heads() ? state().head : -1; }
  /// The run whose heads are drawn: B if it is chosen and exists, else A.
  const training::LabRun* shown() const { return state().side == LabSide::B && b != nullptr ? b : a; }
};

TrainingPanels training_panels(Scene&, const training::ShownLab&);

/// The end of an axis of steps that does not show the recipe's whole length: `meant` or the runs' last step,
/// whichever is larger, rounded up to hundreds, at most the recipe's steps.
std::int64_t lab_axis_end(const TrainingPanels&, std::int64_t meant);

/// A slider for the learning rate's peak; `recipes`: the recipe's peak. Returns the new rate if it was moved.
std::optional<double> lab_rate_slider(const Ui&, const Box& row, double rate, double recipes);

void draw_lab_plots(const TrainingPanels&, const Box&);
void draw_lab_heads(const TrainingPanels&, const Box&);
void draw_lab_time(const TrainingPanels&, const Box&);
/// All heads of a moment as small pictures without words, layer by layer.
void draw_lab_heads_small(const TrainingPanels&, const std::shared_ptr<const training::LabMoment>&,
                          const char* place, const Box&);

}  // namespace attnscope
