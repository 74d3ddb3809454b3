#include "app/pages/training/acts.hpp"

#include <algorithm>
#include <string>

#include "app/pages/training/parts.hpp"
#include "app/views/files/files.hpp"

namespace attnscope {
namespace {

void step_in_time(Scene& scene, int way) {
  const training::ShownLab* const lab = lab_in(scene);
  if (lab == nullptr) return;
  const std::int64_t every = std::max(1, lab->recipe->measure_every), now = lab_step_of(scene, *lab);
  const std::int64_t next = way < 0 ? (now - 1) / every * every : (now / every + 1) * every;
  const std::int64_t newest = lab->run()->step;
  if (next >= newest)
    lab_of(scene.view).step.reset();
  else
    lab_of(scene.view).step = std::max<std::int64_t>(0, next);
}

}  // namespace

void lab_step(Scene& scene) {
  if (lab_in(scene) == nullptr) return;
  lab_of(scene.view).playing = false;
  lab_of(scene.view).step.reset();
  scene.training->step_once();
}

void lab_before(Scene& scene) { step_in_time(scene, -1); }
void lab_after(Scene& scene) { step_in_time(scene, 1); }

void lab_anew(Scene& scene) {
  if (lab_in(scene) == nullptr) return;
  lab_of(scene.view).playing = false;
  lab_of(scene.view).step.reset();
  scene.training->lab()->begin(recipe_of(lab_of(scene.view)));
}

void lab_open_model(Scene& scene) {
  const training::ShownLab* const lab = lab_in(scene);
  if (lab == nullptr) return;
  const std::string name = lab->recipe->task + "-seed-" + std::to_string(lab->recipe->seed) + "-step-" +
                           std::to_string(lab->run()->step);
  lab_of(scene.view).playing = false;
  scene.training->save(lab_of(scene.view).models / name);
}

void lab_save_log(Scene& scene) {
  if (lab_in(scene) != nullptr) open_export_dialog(scene, NumberFormat::Csv);
}

void lab_wall(Scene& scene) {
  if (scene.training == nullptr || scene.training->shown_lab().recipe == nullptr) return;
  if (is_wall_busy(scene.training->wall()))
    scene.training->stop_wall();
  else
    scene.training->run_wall(*scene.training->shown_lab().recipe,
                             static_cast<std::size_t>(lab_of(scene.view).wall_seeds));
}

}  // namespace attnscope
