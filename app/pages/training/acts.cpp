#include "app/pages/training/acts.hpp"

#include <algorithm>
#include <string>

#include "app/pages/training/parts.hpp"
#include "app/state/model_look.hpp"
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

/// Where the active run's model opens: at the head that learned most, in the row that the page shows. Nothing
/// where no head has a name.
std::optional<OpensOn> opens_on(const Scene& scene, const training::ShownLab& lab,
                                const std::filesystem::path& folder) {
  const training::LabRun& run = *lab.run();
  const auto best = run.points.empty() ? std::nullopt : best_head(*lab.task, *run.points.back());
  if (!best) return std::nullopt;
  const std::int64_t per_layer = lab.recipe->network.heads;
  OpensOn on{.folder = folder,
             .block = static_cast<int>(best->head / per_layer),
             .head = best->head % per_layer,
             .text = {},
             .rows = 0,
             .cell = {}};
  const ProbeFacts* const facts = scene.training->probes().facts();
  const ProbeText::Look* const look = facts == nullptr ? nullptr : facts->own.look_of(best->score);
  if (look != nullptr) {
    on.text = facts->own.words;
    on.rows = facts->own.rows();
    on.cell = {look->query, look->keys.front()};
  }
  return on;
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
  const std::filesystem::path folder = lab_of(scene.view).models / name;
  model_look_of(scene.view).opens_on = opens_on(scene, *lab, folder);
  scene.training->save(folder);
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
