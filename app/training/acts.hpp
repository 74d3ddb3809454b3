// app/training: what is done to the runs on screen, on the training page and in lessons that train.
#pragma once

#include <cstdint>

#include "app/scene/scene.hpp"
#include "core/training/lab/lab.hpp"

namespace attnscope {

/// What trains, with a run; null: nothing yet.
const training::LabSight* lab_in(const Scene&);
/// The step that is looked at: the newest, unless an earlier one was chosen.
std::int64_t lab_step_of(const Scene&, const training::LabSight&);

/// Trains from the newest step on, or pauses.
void lab_play(Scene&);
/// From the step that is looked at, as another run.
void lab_branch(Scene&);
/// The head of that number, counted through all layers, gives zeros from the next step on, or what it gives
/// again.
void lab_mute(Scene&, std::int64_t head);

}  // namespace attnscope
