// app/views: the actions of the focus's keys.
#include <algorithm>

#include "app/kit/widgets/resting_mouse.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/focus/focus_parts.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope {

void fit_or_zoom(Scene& scene) { focus_gesture_of(scene.view).fit_or_zoom = true; }

void swap_axes(Scene& scene) { focus_of(scene.view).turned = !focus_of(scene.view).turned; }

void toggle_log(Scene& scene) {
  const bool of_model = scene.view.mode == Mode::Model && scene.model != nullptr;  // weights of all heads
  if (!of_model && !is_weights(stage_look_of(scene.view).stage)) {
    scene.view.notices.say("Only weights can be coloured by their logarithm: scores are centred on zero.");
    return;
  }
  focus_of(scene.view).log = !focus_of(scene.view).log;
  if (stage_look_of(scene.view).range == RangeMode::Lock)
    stage_look_of(scene.view).range = RangeMode::All;  // the locked ends were those of the other scale
}

void show_lines(Scene& scene, bool lines) {
  focus_of(scene.view).lines = lines;
  stage_look_of(scene.view).vectors.reset();
  editing_of(scene.view).weights.reset();
  if (lines && !is_weights(stage_look_of(scene.view).stage))
    show_stage(scene.view, weights_stage(scene.result.document));
}

bool shows_map(const ViewState& view) {
  return !stage_look_of(view).vectors && !editing_of(view).weights && !focus_of(view).lines;
}

void toggle_lines(Scene& scene) {
  const bool is_other = stage_look_of(scene.view).vectors || editing_of(scene.view).weights;
  show_lines(scene, is_other || !focus_of(scene.view).lines);
}

void toggle_errors(Scene& scene) {
  const bool shown = stage_look_of(scene.view).stage.is_error();
  const auto plane = plane_of_kind(scene, shown ? Plane::Kind::Value : Plane::Kind::Error);
  if (!plane) return;
  scene.view.mode = Mode::Explore;
  show_plane(scene, *plane);
}

void move_cell(Scene& scene, std::int64_t down, std::int64_t right) {
  const bool turned = focus_of(scene.view).turned && scene.view.mode == Mode::Explore;
  const Dimensions& d = scene.result.dimensions;
  Cell cell = scene.selection.cell;
  cell.query = std::clamp<std::int64_t>(cell.query + (turned ? right : down), 0, d.queries - 1);
  cell.key = std::clamp<std::int64_t>(cell.key + (turned ? down : right), 0, d.keys - 1);
  scene.next.choose(cell);
  rest_mouse();
}

}  // namespace attnscope
