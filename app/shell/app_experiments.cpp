// app/shell: experiments and training on their way to the screen, and out of experiments into Explore.
#include <utility>

#include "app/shell/app.hpp"
#include "app/state/experiment_state.hpp"
#include "app/state/training/lab_state.hpp"
#include "app/views/experiments/words.hpp"

namespace attnscope {

/// Out of the mode nothing is measured.
void App::follow_experiment() {
  if (view_.mode != Mode::Experiments) return experiments_.follow(nullptr, 0);
  const ExperimentState& state = *view_.experiment;
  const experiments::Experiment* experiment = experiments::find(state.name);
  if (experiment == nullptr) experiment = &experiments::all().front();
  experiments_.follow(experiment, experiment_point(state.value, *experiment));
}

/// Out of the mode nothing trains.
void App::follow_training() {
  if (view_.mode == Mode::Training) {
    training_->follow(*view_.lab);
    if (const auto saved = training_->saved()) open(*saved);
    return;
  }
  training_->leave(*view_.lab);
}

/// As a file is opened: what was open before is kept as closed. Another value may still be on its way.
void App::open_experiment() {
  const ExperimentSight& sight = experiments_.sight();
  if (!sight.look) return view_.notices.say("This state is still being computed; try again in a moment.");
  const std::shared_ptr<const experiments::Look> look = sight.look;
  if (!look->states.b) release_held();
  Document opened = look->states.a;
  opened.title = words_of(*sight.experiment).title;
  take({.document = std::move(opened),
        .looks = {},
        .held = look->states.b,
        .damage = {},
        .note = {},
        .layers = {}},
       {});
  view_.show_stage(Stage::Softmax);
  view_.mode = Mode::Explore;
}

}  // namespace attnscope
