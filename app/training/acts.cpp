#include "app/training/acts.hpp"

#include <algorithm>

#include "app/training/lab_state.hpp"
#include "app/training/training_runs.hpp"

namespace attnscope {

const training::ShownLab* lab_in(const Scene& scene) {
  if (scene.training == nullptr || scene.training->shown_lab().run() == nullptr) return nullptr;
  return &scene.training->shown_lab();
}

std::int64_t lab_step_of(const Scene& scene, const training::ShownLab& lab) {
  const std::int64_t newest = lab.run()->step;
  return std::min(lab_of(scene.view).step.value_or(newest), std::max(newest, lab.runs.front()->step));
}

void lab_play(Scene& scene) {
  LabState& state = lab_of(scene.view);
  const training::ShownLab* const lab = lab_in(scene);
  if (lab == nullptr) return;
  state.playing = !state.playing && !lab->run()->is_at_end;
  if (state.playing) state.step.reset();
}

void lab_branch(Scene& scene) {
  const training::ShownLab* const lab = lab_in(scene);
  if (lab == nullptr) return;
  lab_of(scene.view).playing = false;
  lab_of(scene.view).runs_due = lab->runs.size() + 1;
  scene.training->lab()->branch(lab_step_of(scene, *lab));
  lab_of(scene.view).step.reset();
}

void lab_mute(Scene& scene, std::int64_t head) {
  const training::ShownLab* const lab = lab_in(scene);
  if (lab == nullptr) return;
  const training::NetworkSpec& network = lab->recipe->network;
  const std::int64_t heads = std::int64_t{network.layers} * network.heads;
  if (head < 0 || head >= heads) return;
  scene.training->lab()->turn_knobs([heads, head](training::Knobs& knobs) {
    knobs.operation.muted.resize(static_cast<std::size_t>(heads), 0);
    std::uint8_t& muted = knobs.operation.muted[static_cast<std::size_t>(head)];
    muted = muted == 0 ? 1 : 0;
  });
}

}  // namespace attnscope
