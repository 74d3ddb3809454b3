// app/pages/experiments: the parts of the page.
#pragma once

#include <string>
#include <vector>

#include "app/pages/experiments/experiment_state.hpp"
#include "app/pages/experiments/words.hpp"
#include "app/scene/scene.hpp"

namespace attnscope {

struct PaletteEntry;

struct ExperimentPage {
  Scene& scene;
  const ShownExperiment& shown;
  const ExperimentWords& words;
  std::size_t point;  // the chosen value
  bool narrow = false;

  const Ui& ui() const { return scene.ui; }
  std::size_t values() const { return shown.experiment->values.size(); }
  std::string value_at(std::size_t i) const { return words.value(shown.experiment->values[i]); }
  ExperimentNumbers numbers() const { return {shown, point}; }
  /// Chooses the value at that index of the sweep.
  void choose(std::size_t next) const;
};

Rgba hue_of(const Theme&, SeriesHue);
/// The whole page.
void draw_experiments(Scene&, const ShownExperiment&, const Box&);

/// Shows this experiment, at the value that was chosen last.
void choose_experiment(Scene&, const ExperimentWords&);

/// Adds all experiments by title.
void add_experiments_to_palette(const Shown&, std::vector<PaletteEntry>&);

void draw_experiment_list(const ExperimentPage&, const Box&);
/// The slider that is the x of all plots.
void draw_experiment_slider(const ExperimentPage&, const Box&);
void draw_experiment_plot(const ExperimentPage&, const PlotRow&, const Box&, std::size_t index);
/// Pictures, table and buttons.
void draw_experiment_side(const ExperimentPage&, const Box&);

}  // namespace attnscope
