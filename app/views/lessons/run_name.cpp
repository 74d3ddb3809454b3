#include "app/views/lessons/run_name.hpp"

#include <algorithm>

#include "app/kit/ui/number_format.hpp"
#include "app/training/run_words.hpp"
#include "app/training/training_runs.hpp"
#include "app/views/lessons/playing.hpp"

namespace attnscope {

std::string trained_run_name(const Scene& scene) {
  if (scene.view.mode != Mode::Lessons || scene.view.lesson->name.empty() || !is_lesson_training(scene))
    return {};
  const LabState& state = lab_of(scene.view);
  const std::string task = lab_task_name(state.task), seed = std::to_string(state.seed);
  if (scene.training == nullptr || scene.training->sight().runs.empty())
    return inner(task) + " · seed " + seed;
  const training::LabSight& lab = scene.training->sight();
  const bool is_b = state.side == LabSide::B && lab.runs.size() > 1;
  const std::int64_t newest = (is_b ? lab.runs.back() : lab.runs.front())->step;
  return inner(task) + (is_b ? " · B, step " : " · A, step ") +
         grouped(std::min(state.step.value_or(newest), newest)) + " · seed " + seed;
}

}  // namespace attnscope
