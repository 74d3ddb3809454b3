// app/pages/training: the parts that this page alone draws.
#pragma once

#include "app/training/panels.hpp"

namespace attnscope {

/// What is trained, how fast, what is changed while it trains, and the runs that there are.
void draw_lab_controls(const TrainingPanels&, const Box&);
/// The same recipe with many seeds.
void draw_lab_wall(const TrainingPanels&, const Box&);

/// Whether seeds are trained behind the window.
bool is_wall_busy(const training::WallSight&);

}  // namespace attnscope
