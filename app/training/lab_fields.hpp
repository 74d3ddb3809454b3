// app/training: what a session keeps of the training page; see app/state/session_fields.hpp.
#pragma once

#include "app/training/lab_state.hpp"

namespace attnscope {

template <class Visit>
void fields(Visit& visit, LabState& l) {
  visit("task", l.task);
  visit("control", l.control);
  visit("seed", l.seed, 0, 1 << 30);
  visit("batch", l.batch, 0, 1024);
  visit("pace", l.pace);
  visit("steps_a_frame", l.steps_a_frame, least_steps_a_frame, most_steps_a_frame);
  visit("side", l.side);
  visit("wall_seeds", l.wall_seeds, wall_sizes.front(), wall_sizes.back());
  visit("trained", l.trained, 0, 1e6);
}

}  // namespace attnscope
