// app/pages/training: the parts that this page alone draws.
#pragma once

#include "app/training/panels.hpp"

namespace attnscope {

/// The task and its settings, the speed, changes during training, and the list of runs.
void draw_lab_controls(const TrainingPanels&, const Box&);
/// The same recipe with many seeds.
void draw_lab_wall(const TrainingPanels&, const Box&);

/// Whether seeds are being trained in the background.
bool is_wall_busy(const training::ShownWall&);

}  // namespace attnscope
