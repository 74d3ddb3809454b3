// app/training: actions on the runs on screen, used by the training page and by training lessons.
#pragma once

#include <cstdint>

#include "app/scene/scene.hpp"
#include "core/training/lab/lab.hpp"

namespace attnscope {

/// The lab, if it has a run; null before.
const training::ShownLab* lab_in(const Scene&);
/// The shown step: the newest, unless an earlier one was chosen.
std::int64_t lab_step_of(const Scene&, const training::ShownLab&);

/// Trains from the newest step on, or pauses.
void lab_play(Scene&);
/// Branches off another run at the shown step.
void lab_branch(Scene&);
/// Zero-ablates a head from the next step on, or ends its ablation. Heads are counted through all layers.
void lab_mute(Scene&, std::int64_t head);

}  // namespace attnscope
