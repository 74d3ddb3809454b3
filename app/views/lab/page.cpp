#include "app/views/lab/page.hpp"

#include <algorithm>

#include "app/kit/ui/number_format.hpp"
#include "app/state/teaching/presenter_state.hpp"
#include "app/views/files/files.hpp"
#include "app/views/lab/lab.hpp"

namespace attnscope {
namespace {

using training::LabRun;

/// The step that is looked at: the newest, unless an earlier one was chosen.
std::int64_t lab_step_of(const Scene& scene, const training::LabSight& lab) {
  const std::int64_t newest = lab.run()->step;
  return std::min(scene.view.lab->step.value_or(newest), std::max(newest, lab.runs.front()->step));
}

std::string lab_hint(const LabPage& page) {
  std::string words = "Training   ·   step " + grouped(page.step) + " of " + grouped(page.recipe().steps);
  if (page.b != nullptr) words += "   ·   A and B share " + counted(page.b->branch, "step", "steps");
  words += "   ·   measured every " + std::to_string(page.recipe().measure_every) + " steps   ·   float32";
  if (page.wall.recipe)
    words +=
        "   ·   seed wall " + std::to_string(page.wall.done()) + " of " + std::to_string(page.wall.count);
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

const training::LabSight* lab_in(const Scene& scene) {
  if (scene.training == nullptr || scene.training->sight().run() == nullptr) return nullptr;
  return &scene.training->sight();
}

LabPage lab_page(Scene& scene, const training::LabSight& lab) {
  LabPage page{scene, lab, scene.training->wall()};
  const LabRun* const active = lab.run();
  page.a = active->parent >= 0 ? lab.runs[static_cast<std::size_t>(active->parent)].get() : active;
  if (active->parent >= 0) {
    page.b = active;
  } else {
    for (const training::LabRunPtr& run : lab.runs)
      if (run->parent == active->number) page.b = run.get();  // the newest branch
  }
  page.last = std::max<std::int64_t>(1, page.recipe().steps);
  page.step = lab_step_of(scene, lab);
  page.narrow = scene.compact;
  return page;
}

std::int64_t lab_axis_end(const LabPage& page, std::int64_t meant) {
  std::int64_t last = std::max(meant, page.a->step);
  if (page.b != nullptr) last = std::max(last, page.b->step);
  const std::int64_t hundreds = std::max<std::int64_t>(100, (last + 99) / 100 * 100);
  return std::min<std::int64_t>(std::max<std::int64_t>(1, page.recipe().steps), hundreds);
}

void lab_play(Scene& scene) {
  LabState& state = *scene.view.lab;
  const training::LabSight* const lab = lab_in(scene);
  if (lab == nullptr) return;
  state.playing = !state.playing && !lab->run()->is_at_end;
  if (state.playing) state.step.reset();
}
void lab_step(Scene& scene) {
  if (lab_in(scene) == nullptr) return;
  scene.view.lab->playing = false;
  scene.view.lab->step.reset();
  scene.training->step_once();
}
void lab_before(Scene& scene) { step_in_time(scene, -1); }
void lab_after(Scene& scene) { step_in_time(scene, 1); }

void lab_branch(Scene& scene) {
  const training::LabSight* const lab = lab_in(scene);
  if (lab == nullptr) return;
  scene.view.lab->playing = false;
  scene.training->lab()->branch(lab_step_of(scene, *lab));
  scene.view.lab->step.reset();
}

void lab_mute(Scene& scene, std::int64_t head) {
  const training::LabSight* const lab = lab_in(scene);
  if (lab == nullptr) return;
  const training::NetworkSpec& network = lab->recipe->network;
  const std::int64_t heads = std::int64_t{network.layers} * network.heads;
  if (head < 0 || head >= heads) return;
  scene.training->lab()->turn_knobs([heads, head](training::Knobs& knobs) {
    knobs.operation.muted.resize(static_cast<std::size_t>(heads), 0);
    std::uint8_t& muted = knobs.operation.muted[static_cast<std::size_t>(head)];
    muted = muted == 0 ? 1 : 0;
  });
}

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
  LabPage page = lab_page(scene, *lab);
  if (scene.view.hint.empty()) scene.view.hint = lab_hint(page);
  const bool presented = scene.view.presenter->on;
  const float left = presented ? 0 : ui.px(page.narrow ? 216 : 264);
  if (left > 0) {
    draw_lab_controls(page, {box.x, box.y, left, box.h});
    ui.vertical(box.x + left, box.y, box.h, ui.theme.hairline);
  }
  const Box rest{box.x + left, box.y, box.w - left, box.h};
  const float wall = page.narrow ? 0 : ui.px(190), time = ui.px(page.narrow         ? 120
                                                                : page.b != nullptr ? 186
                                                                                    : 130);
  const float heads = std::floor(rest.w * (page.narrow ? 0.42f : 0.425f));
  const float top = rest.h - wall - time;
  if (presented && top < ui.px(340)) {  // a room reads few plots, but large ones
    page.small_rows = top < ui.px(260) ? 0 : 1;
    page.has_rule = false;
  }
  draw_lab_plots(page, {rest.x, rest.y, rest.w - heads, top});
  ui.vertical(rest.right() - heads, rest.y, top, ui.theme.hairline);
  draw_lab_heads(page, {rest.right() - heads, rest.y, heads, top});
  ui.horizontal(rest.x, rest.y + top, rest.w, ui.theme.hairline);
  draw_lab_time(page, {rest.x, rest.y + top, rest.w, time});
  if (wall <= 0) return;
  ui.horizontal(rest.x, rest.bottom() - wall, rest.w, ui.theme.hairline);
  draw_lab_wall(page, {rest.x, rest.bottom() - wall, rest.w, wall});
}

}  // namespace attnscope
