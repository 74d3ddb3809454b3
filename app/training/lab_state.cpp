#include "app/training/lab_state.hpp"

#include "app/state/page/page_state.hpp"
#include "core/training/tasks/task.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(LabPace, {"step", "run", "fast"});
ATTNSCOPE_NAMES(LabSide, {"a", "b", "difference"});

training::Recipe recipe_of(const LabState& state) {
  const training::TaskRow* row = training::find_task(state.task);
  if (row == nullptr) row = &training::tasks().front();
  training::Recipe recipe = state.control ? row->control : row->recipe;
  recipe.seed = static_cast<std::uint64_t>(state.seed);
  if (state.batch > 0) recipe.batch = static_cast<int>(state.batch);
  recipe.stops_at_goal = false;
  return recipe;
}

std::string lab_file_name(const ViewState& view) { return "training " + lab_of(view).task; }

void fields(PageFields& visit, LabState& l) {
  visit("task", l.task);
  visit("control", l.control);
  visit("seed", l.seed, 0, 1 << 30);
  visit("batch", l.batch, 0, 1024);
  visit("pace", l.pace);
  visit("steps_a_frame", l.steps_a_frame, least_steps_a_frame, most_steps_a_frame);
  visit("slows", l.slows);
  visit("side", l.side);
  visit("wall_seeds", l.wall_seeds, wall_sizes.front(), wall_sizes.back());
  visit("trained", l.trained, 0, 1e6, InUndo::No);  // the program counts it
}

LabState& lab_of(ViewState& view) { return pages_of(view).of<LabState>(); }
const LabState& lab_of(const ViewState& view) { return pages_of(view).of<LabState>(); }

}  // namespace attnscope
