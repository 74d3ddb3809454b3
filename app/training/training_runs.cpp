#include "app/training/training_runs.hpp"

#include <algorithm>

#include "app/training/phase_change.hpp"

namespace attnscope {

void TrainingRuns::follow(LabState& state) {
  if (!lab_) lab_ = std::make_unique<training::Lab>(wake_, pool_);
  const training::Recipe recipe = recipe_of(state);
  const bool is_brought = state.trained != trained_;  // a session set it
  if (!begun_ || !(*begun_ == recipe) || is_brought) {
    begun_ = recipe;
    lab_->begin(recipe);
    if (is_brought && state.trained > 0) lab_->train(state.trained);
    if (!is_brought) state.trained = 0;
    trained_ = state.trained;
    if (wall_) wall_->stop();
    shown_wall_ = {};
    state.step.reset();
    state.side = LabSide::A;
    state.head = -1;
  }
  shown_ = lab_->shown_lab();
  probes_.follow(shown_);
  if (wall_ && shown_wall_.recipe) shown_wall_ = wall_->shown_wall();
  // While a session's run is being trained to its step, the state keeps that step.
  if (is_placed() && !shown_.runs.empty() && (!lab_->is_busy() || shown_.runs.front()->step > trained_))
    state.trained = trained_ = shown_.runs.front()->step;
  const training::LabRun* const run = shown_.run();
  if (run != nullptr && run->is_at_end) state.playing = false;
  if (!state.playing) {
    if (state.pace == LabPace::Fast && lab_->is_training()) lab_->stop();
    return;
  }
  if (lab_->is_busy()) return;
  train_on(state);
  if (state.pace == LabPace::Step) state.playing = false;
}

/// The steps of one frame. While a score moves there are fewer of them, and where there is one alone, only in
/// every fourth frame: a class can say what it sees.
void TrainingRuns::train_on(const LabState& state) {
  constexpr int slower = 4;
  if (state.pace == LabPace::Fast) return lab_->train_on();
  if (state.pace == LabPace::Step) return lab_->train(1);
  const training::LabRun* const run = shown_.run();
  const bool is_slow = state.slows && run != nullptr && is_moving(*shown_.task, *run);
  if (is_slow && ++frames_ < slower / state.steps_a_frame) return;
  frames_ = 0;
  lab_->train(is_slow ? std::max(1, state.steps_a_frame / slower) : state.steps_a_frame);
}

void TrainingRuns::stand(LabState& state, const training::LabStand& wanted) {
  if (!lab_) lab_ = std::make_unique<training::Lab>(wake_, pool_);
  if (wall_) wall_->stop();
  shown_wall_ = {};
  asked_ = lab_->stand(wanted);
  begun_ = recipe_of(state);
  state.playing = false;
  trained_ = state.trained = wanted.steps;
}

void TrainingRuns::put_back(LabState& state, const StoredRuns& before) {
  if (!lab_) return;
  state = before.state;
  state.playing = false;
  trained_ = state.trained;
  asked_ = lab_->put_back(before.shown);
  begun_.reset();
  if (before.shown.recipe) begun_ = recipe_of(state);  // else no run had begun then
}

void TrainingRuns::leave(LabState& state) {
  state.playing = false;
  if (wall_ && wall_->is_busy()) wall_->stop();
  if (!lab_) return;
  shown_ = lab_->shown_lab();
  probes_.rest();
  if (!lab_->is_training()) return;
  lab_->stop();
  if (has_stood()) return;
  // The run was being trained to its place: the next follow() trains it from the beginning.
  begun_.reset();
  trained_ = -1;
}

bool TrainingRuns::is_settled() const {
  if (!lab_) return true;
  return !lab_->is_busy() && lab_->shown_lab().version == shown_.version && probes_.is_settled();
}

void TrainingRuns::wait() const {
  if (lab_) lab_->wait();
  probes_.wait();
}

void TrainingRuns::save(const std::filesystem::path& folder) {
  if (lab_) lab_->save(folder);
}

std::optional<std::filesystem::path> TrainingRuns::saved() {
  if (shown_.saves == saves_) return std::nullopt;
  saves_ = shown_.saves;
  return shown_.saved;
}

void TrainingRuns::step_once() {
  if (lab_ && !lab_->is_busy()) lab_->train(1);
}

void TrainingRuns::run_wall(const training::Recipe& recipe, std::size_t seeds) {
  if (!wall_) wall_ = std::make_unique<training::SeedWall>(wake_, pool_);
  training::Recipe first = recipe;
  first.seed = 0;
  wall_->begin(first, seeds);
  shown_wall_ = wall_->shown_wall();
}

void TrainingRuns::stop_wall() {
  if (wall_) wall_->stop();
}

}  // namespace attnscope
