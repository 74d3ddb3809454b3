#include "app/training/lab_state.hpp"

#include "core/training/tasks/task.hpp"

namespace attnscope {

training::Recipe recipe_of(const LabState& state) {
  const training::TaskRow* row = training::find_task(state.task);
  if (row == nullptr) row = &training::tasks().front();
  training::Recipe recipe = state.control ? row->control : row->recipe;
  recipe.seed = static_cast<std::uint64_t>(state.seed);
  if (state.batch > 0) recipe.batch = static_cast<int>(state.batch);
  recipe.stops_at_goal = false;
  return recipe;
}

}  // namespace attnscope
