// app/views: what the keys of the focus do.
#include <algorithm>

#include "app/kit/widgets/resting_mouse.hpp"
#include "app/state/editing_state.hpp"
#include "app/state/focus_state.hpp"
#include "app/views/focus/focus_parts.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope {

void fit_or_zoom(Scene& scene) { scene.view.focus_gesture->fit_or_zoom = true; }

void swap_axes(Scene& scene) { scene.view.focus->turned = !scene.view.focus->turned; }

void toggle_log(Scene& scene) {
  const bool of_model = scene.view.mode == Mode::Model && scene.model != nullptr;  // weights of all heads
  if (!of_model && !is_weights(scene.view.stage)) {
    scene.view.notices.say("Only weights can be coloured by their logarithm: scores are centred on zero.");
    return;
  }
  scene.view.focus->log = !scene.view.focus->log;
  if (scene.view.range == RangeMode::Lock)
    scene.view.range = RangeMode::All;  // its ends were for the other one
}

void show_lines(Scene& scene, bool lines) {
  scene.view.focus->lines = lines;
  scene.view.vectors.reset();
  scene.view.editing->weights.reset();
  if (lines && !is_weights(scene.view.stage)) scene.view.show_stage(weights_stage(scene.result.document));
}

void toggle_lines(Scene& scene) {
  const bool is_other = scene.view.vectors || scene.view.editing->weights;
  show_lines(scene, is_other || !scene.view.focus->lines);
}

void toggle_errors(Scene& scene) {
  const bool shown = scene.view.stage.is_error();
  const auto plane = plane_of_kind(scene, shown ? Plane::Kind::Value : Plane::Kind::Error);
  if (!plane) return;
  scene.view.mode = Mode::Explore;
  show_plane(scene, *plane);
}

void move_cell(Scene& scene, std::int64_t down, std::int64_t right) {
  const bool turned = scene.view.focus->turned && scene.view.mode == Mode::Explore;
  const Dimensions& d = scene.result.dimensions;
  Cell cell = scene.selection.cell;
  cell.query = std::clamp<std::int64_t>(cell.query + (turned ? right : down), 0, d.queries - 1);
  cell.key = std::clamp<std::int64_t>(cell.key + (turned ? down : right), 0, d.keys - 1);
  scene.next.choose(cell);
  rest_mouse();
}

}  // namespace attnscope
