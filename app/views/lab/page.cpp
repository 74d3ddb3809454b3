#include "app/views/lab/lab.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/state/teaching/presenter_state.hpp"
#include "app/training/acts.hpp"
#include "app/views/files/files.hpp"

namespace attnscope {
namespace {

std::string lab_hint(const TrainingPanels& panels) {
  std::string words = "Training   ·   step " + grouped(panels.step) + " of " + grouped(panels.recipe().steps);
  if (panels.b != nullptr) words += "   ·   A and B share " + counted(panels.b->branch, "step", "steps");
  words += "   ·   measured every " + std::to_string(panels.recipe().measure_every) + " steps   ·   float32";
  if (panels.wall.recipe)
    words +=
        "   ·   seed wall " + std::to_string(panels.wall.done()) + " of " + std::to_string(panels.wall.count);
  return words + "   ·   Space train   ·   S step   ·   B branch   ·   ← → time";
}

void step_in_time(Scene& scene, int way) {
  const training::LabSight* const lab = lab_in(scene);
  if (lab == nullptr) return;
  const std::int64_t every = std::max(1, lab->recipe->measure_every), now = lab_step_of(scene, *lab);
  const std::int64_t next = way < 0 ? (now - 1) / every * every : (now / every + 1) * every;
  const std::int64_t newest = lab->run()->step;
  if (next >= newest)
    scene.view.lab->step.reset();
  else
    scene.view.lab->step = std::max<std::int64_t>(0, next);
}

}  // namespace

void lab_step(Scene& scene) {
  if (lab_in(scene) == nullptr) return;
  scene.view.lab->playing = false;
  scene.view.lab->step.reset();
  scene.training->step_once();
}
void lab_before(Scene& scene) { step_in_time(scene, -1); }
void lab_after(Scene& scene) { step_in_time(scene, 1); }

void lab_anew(Scene& scene) {
  if (lab_in(scene) == nullptr) return;
  scene.view.lab->playing = false;
  scene.view.lab->step.reset();
  scene.training->lab()->begin(recipe_of(*scene.view.lab));
}

void lab_open_model(Scene& scene) {
  const training::LabSight* const lab = lab_in(scene);
  if (lab == nullptr) return;
  const std::string name = lab->recipe->task + "-seed-" + std::to_string(lab->recipe->seed) + "-step-" +
                           std::to_string(lab->run()->step);
  scene.view.lab->playing = false;
  scene.training->save(scene.view.lab->models / name);
}
void lab_save_log(Scene& scene) {
  if (lab_in(scene) != nullptr) open_export_dialog(scene, NumberFormat::Csv);
}

void draw_lab(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  ui.fill(box, ui.theme.panel);
  const training::LabSight* const lab = lab_in(scene);
  if (lab == nullptr) {
    const std::string problem = scene.training != nullptr ? scene.training->sight().problem : std::string();
    ui.text(box.centre_x(), box.centre_y(),
            problem.empty() ? std::string("Making the network …") : own(problem),
            {type::body, ui.theme.text2, Ink::Regular, Align::Centre, box.w - ui.px(40)});
    return;
  }
  TrainingPanels panels = training_panels(scene, *lab);
  if (scene.view.hint.empty()) scene.view.hint = lab_hint(panels);
  const bool presented = scene.view.presenter->on;
  const float left = presented ? 0 : ui.px(panels.narrow ? 216 : 264);
  if (left > 0) {
    draw_lab_controls(panels, {box.x, box.y, left, box.h});
    ui.vertical(box.x + left, box.y, box.h, ui.theme.hairline);
  }
  const Box rest{box.x + left, box.y, box.w - left, box.h};
  const float wall = panels.narrow ? 0 : ui.px(190), time = ui.px(panels.narrow         ? 120
                                                                  : panels.b != nullptr ? 186
                                                                                        : 130);
  const float heads = std::floor(rest.w * (panels.narrow ? 0.42f : 0.425f));
  const float top = rest.h - wall - time;
  if (presented && top < ui.px(340)) {  // a room reads few plots, but large ones
    panels.small_rows = top < ui.px(260) ? 0 : 1;
    panels.has_rule = false;
  }
  draw_lab_plots(panels, {rest.x, rest.y, rest.w - heads, top});
  ui.vertical(rest.right() - heads, rest.y, top, ui.theme.hairline);
  draw_lab_heads(panels, {rest.right() - heads, rest.y, heads, top});
  ui.horizontal(rest.x, rest.y + top, rest.w, ui.theme.hairline);
  draw_lab_time(panels, {rest.x, rest.y + top, rest.w, time});
  if (wall <= 0) return;
  ui.horizontal(rest.x, rest.bottom() - wall, rest.w, ui.theme.hairline);
  draw_lab_wall(panels, {rest.x, rest.bottom() - wall, rest.w, wall});
}

}  // namespace attnscope
