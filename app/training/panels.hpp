// app/training: the parts of a picture of runs: curves, heads, the strip of time. The training page draws
// them, and lessons that train.
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
#include "app/training/training_runs.hpp"

namespace attnscope {

/// What the parts are given: which runs, which step, and how much of them there is on screen.
struct TrainingPanels {
  Scene& scene;
  const training::LabSight& lab;
  const training::WallSight& wall;
  /// A and the run beside it: its branch or, of a branch, itself with its parent as A. Null: none.
  const training::LabRun* a = nullptr;
  const training::LabRun* b = nullptr;
  std::int64_t step = 0;  // that is looked at
  std::int64_t last = 1;  // where the axes of steps end, from the first step of a run to its last
  bool narrow = false;
  std::string_view front = {};  // the curves that stand large, see lessons::measure_names(); empty: the loss
  std::span<const std::string> plots = {};  // the only curves and numbers of heads, by name; empty: all
  int small_rows = 2;                       // of the other curves: three in each of two, two in one, none
  bool has_rule = true;                     // what gives a head its name is said below the heads
  bool covers_numbers = false;              // those beside the heads
  bool covers_heads = false;                // no pictures of heads, in the strip of time either
  /// In place of the large plot, and of all the small ones; empty: the plots.
  std::function<void(const Box&)> draws_front = {}, draws_small = {};

  const Ui& ui() const { return scene.ui; }
  /// Whether the curves of that name, or the numbers, are on screen.
  bool has_plot(std::string_view name) const {
    return plots.empty() || std::find(plots.begin(), plots.end(), name) != plots.end();
  }
  LabState& state() const { return lab_of(scene.view); }
  const training::Recipe& recipe() const { return *lab.recipe; }
  std::int64_t heads() const { return recipe().network.layers * recipe().network.heads; }
  /// The run whose heads are drawn: B where that is asked for and there.
  const training::LabRun* shown() const { return state().side == LabSide::B && b != nullptr ? b : a; }
};

TrainingPanels training_panels(Scene&, const training::LabSight&);

/// The end of the axis of steps where a recipe's whole length would leave most of it empty: so far as the
/// runs are meant to go, or by hundreds as far as they have come.
std::int64_t lab_axis_end(const TrainingPanels&, std::int64_t meant);

/// The learning rate's peak, beside the recipe's; what was chosen, if any was.
std::optional<double> lab_rate_slider(const Ui&, const Box& row, double rate, double recipes);

void draw_lab_plots(const TrainingPanels&, const Box&);
void draw_lab_heads(const TrainingPanels&, const Box&);
void draw_lab_time(const TrainingPanels&, const Box&);
/// All heads of a moment as small pictures without words, layer by layer.
void draw_lab_heads_small(const TrainingPanels&, const std::shared_ptr<const training::LabMoment>&,
                          const char* place, const Box&);

}  // namespace attnscope
