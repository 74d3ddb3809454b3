#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/layout.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/watch/parts.hpp"
#include "app/views/watch/watch.hpp"

namespace attnscope {
namespace {

constexpr float least_watch_grid = 300, least_watch_height = 220;  // logical

const std::shared_ptr<const ShownWatch>& nothing_seen() {
  static const auto nothing = std::make_shared<const ShownWatch>(
      ShownWatch{{}, std::make_shared<const WatchedSnapshot>(), nullptr, nullptr, {}});
  return nothing;
}

/// Finds the held row for the followed one.
void look_at_held(WatchView& v) {
  v.held = v.state.held != nullptr ? v.state.held_head.get() : nullptr;
  if (v.held == nullptr || v.held->rows() == 0) return;
  v.held_position = v.held->at(v.position) != nullptr ? v.position : v.state.held->position;
  const WatchedLayer& layer = *v.held->layer;
  const std::int64_t row = layer.row_at(v.held_position);
  if (row < 0) return;
  v.held_end = std::min(v.held->keys(), layer.end_of(row));
  v.held_row = v.state.mean ? v.held->mean.data() : v.held->at(v.held_position);
}

}  // namespace

/// The switch: heads with the newest calls below them, or only calls.
float draw_watch_switch(WatchView& v, float right, float y) {
  constexpr std::array<std::string_view, 2> names{"Heads", "Calls"};
  constexpr std::array<Tip, 2> tips{
      {{"Heads", {}, "All heads of all layers, and the newest calls below them.", {}},
       {"Calls", {}, "One pass a line, in the place of the heads: all that are kept.", {}}}};
  const float size = v.scene.compact ? type::tick : type::label;
  const float wide = std::max(v.ui.px(128), segments_width(v.ui, names, size));
  const Box box{right - wide, std::round(y - v.ui.px(14)), wide, v.ui.px(28)};
  if (const auto picked = segments(v.ui, "Heads or calls", box, names, v.state.calls_large ? 1 : 0, tips,
                                   {.text_size = size}))
    v.state.calls_large = *picked == 1;
  return box.x;
}

/// The regions; in a small window these are left out in order: what is not known, the list of calls, the
/// head, the controls.
WatchRegions watch_regions(const Ui& ui, const Box& whole, bool compact, const ViewState& view) {
  const RegionSizes& sizes = regions_of(view).sizes;
  const auto size = [&](float dragged, float usual) { return ui.px(dragged > 0 ? dragged : usual); };
  float left = regions_of(view).is_hidden(Region::Controls) ? 0 : size(sizes.controls, compact ? 216 : 264);
  float right =
      regions_of(view).is_hidden(Region::Inspector) ? 0 : size(sizes.model_head, compact ? 280 : 368);
  float low = regions_of(view).is_hidden(Region::Signals) ? 0 : size(sizes.model_stream, compact ? 184 : 254);
  const float least = ui.px(least_watch_grid), least_height = ui.px(least_watch_height);
  if (whole.w - left - right < least) left = 0;
  if (whole.w - left - right < least) right = 0;
  low = std::min(low, std::floor(whole.h * 0.4f));
  if (whole.h - low < least_height || low < ui.px(96)) low = 0;
  const float middle = std::max(0.f, whole.w - left - right), high = std::max(0.f, whole.h - low);
  WatchRegions r;
  r.controls = {whole.x, whole.y, left, whole.h};
  r.grid = {whole.x + left, whole.y, middle, high};
  r.calls = {whole.x + left, whole.y + high, middle, low};
  if (view.watch->calls_large) {
    r.grid = {};
    r.calls = {whole.x + left, whole.y, middle, whole.h};
  }
  const float unknown = whole.h - low >= ui.px(420) ? low : 0;
  r.head = {whole.x + left + middle, whole.y, right, whole.h - unknown};
  r.unknown = {r.head.x, r.head.bottom(), right, unknown};
  return r;
}

std::string WatchView::query_name(std::int64_t at) const {
  const bool encoder = head != nullptr && head->layer->kind == WatchKind::Encoder;
  return own(encoder ? text().memory_label(at) : text().label(at));
}

std::string WatchView::key_name(std::int64_t at) const {
  const bool memory = head != nullptr && head->layer->kind != WatchKind::Self;
  return own(memory ? text().memory_label(at) : text().label(at));
}

WatchView watch_view(Scene& scene) {
  WatchState& state = *scene.view.watch;
  const ShownWatch& watch = state.shown ? *state.shown : *nothing_seen();
  WatchView v{.scene = scene, .ui = scene.ui, .state = state, .shown = watch};
  v.head = watch.head && watch.head->rows() > 0 ? watch.head.get() : nullptr;
  if (v.head == nullptr) return v;
  const WatchedLayer& layer = *v.head->layer;
  v.position = state.row && layer.row_at(*state.row) >= 0 ? *state.row : layer.position(layer.rows() - 1);
  v.end = std::min(v.head->keys(), layer.end_of(layer.row_at(v.position)));
  v.row = state.mean ? v.head->mean.data() : v.head->at(v.position);
  if (v.row == nullptr) return v;
  v.words = words_of_row(v.row, v.end);
  v.key = state.pointed_key.value_or(state.key.value_or(v.words.largest_key));
  v.key = std::clamp<std::int64_t>(v.key, 0, std::max<std::int64_t>(0, v.end - 1));
  look_at_held(v);
  return v;
}

float WatchView::held_weight() const {
  const bool is_known = held_row != nullptr && key >= 0 && key < held_end;
  return is_known ? held_row[key] : std::numeric_limits<float>::quiet_NaN();
}

std::string watched_head_name(const WatchView& v) {
  return own(std::to_string(v.state.layer) + "." + std::to_string(v.state.head));
}

ColourScale watch_scale(const Scene& scene) {
  return {weights_map(scene.ui.theme, focus_of(scene.view).colours), 0, 1};
}

void draw_watch(Scene& scene, const Box& whole) {
  WatchView v = watch_view(scene);
  const WatchRegions r = watch_regions(scene.ui, whole, scene.compact, scene.view);
  if (has_place(r.controls)) draw_watch_controls(v, r.controls);
  if (v.shown.text->passes_seen == 0) {
    const float left = r.controls.w;
    draw_watch_empty(v, {whole.x + left, whole.y, whole.w - left, whole.h});
  } else {
    if (has_place(r.grid)) draw_watch_grid(v, r.grid);
    if (has_place(r.calls)) draw_watch_calls(v, r.calls);
    if (has_place(r.head)) draw_watch_head(v, r.head);
    if (has_place(r.unknown)) draw_watch_unknown(v, r.unknown);
  }
  v.state.pointed_key = std::exchange(v.state.pointed_next, std::nullopt);
}

}  // namespace attnscope
