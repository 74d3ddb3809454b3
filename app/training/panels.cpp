#include "app/training/panels.hpp"

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/training/acts.hpp"

namespace attnscope {

TrainingPanels training_panels(Scene& scene, const training::ShownLab& lab) {
  TrainingPanels panels{scene, lab, scene.training->wall()};
  const training::LabRun* const active = lab.run();
  panels.a = active->parent >= 0 ? lab.runs[static_cast<std::size_t>(active->parent)].get() : active;
  if (active->parent >= 0) {
    panels.b = active;
  } else {
    for (const training::LabRunPtr& run : lab.runs)
      if (run->parent == active->number) panels.b = run.get();  // the newest branch
  }
  panels.last = std::max<std::int64_t>(1, panels.recipe().steps);
  panels.step = lab_step_of(scene, lab);
  panels.narrow = scene.compact;
  panels.phase = phase_change(*lab.task, *panels.a, panels.last);
  return panels;
}

std::int64_t lab_axis_end(const TrainingPanels& panels, std::int64_t meant) {
  std::int64_t last = std::max(meant, panels.a->step);
  if (panels.b != nullptr) last = std::max(last, panels.b->step);
  const std::int64_t hundreds = std::max<std::int64_t>(100, (last + 99) / 100 * 100);
  return std::min<std::int64_t>(std::max<std::int64_t>(1, panels.recipe().steps), hundreds);
}

std::optional<double> lab_rate_slider(const Ui& ui, const Box& row, double rate, double recipes) {
  const auto peak = static_cast<float>(recipes);
  const auto moved =
      slider(ui, "learning rate", "learning rate", rate < 0.01 ? tight(rate) : fixed(rate, 2), row,
             static_cast<float>(rate), {0.01f * peak, 300 * peak, peak, true}, rate != recipes,
             {"Learning rate", {}, "Its peak; a double click goes back to the recipe's.", {}});
  if (!moved) return std::nullopt;
  return *moved == peak ? recipes : static_cast<double>(*moved);
}

}  // namespace attnscope
