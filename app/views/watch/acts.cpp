// app/views/watch: the actions of keys on the Watch page.
#include <algorithm>

#include <fmt/format.h>

#include "app/state/window_state.hpp"
#include "app/views/watch/parts.hpp"
#include "app/views/watch/watch.hpp"

namespace attnscope {
namespace {

/// The last rows of the current text's passes, as far as the head has them.
std::vector<std::int64_t> last_rows(const WatchView& v) {
  std::vector<std::int64_t> rows;
  if (v.head == nullptr) return rows;
  for (const WatchedPass& pass : v.head->text->passes) {
    const std::int64_t last = last_row_of(pass);
    if (pass.text == v.head->text->text && v.head->at(last) != nullptr) rows.push_back(last);
  }
  return rows;
}

void step_pass(Scene& scene, int by) {
  if (!is_watching(scene.view)) return;
  const WatchView v = watch_view(scene);
  const std::vector<std::int64_t> rows = last_rows(v);
  if (rows.empty()) return;
  const auto now = std::ranges::lower_bound(rows, v.position) - rows.begin();
  const auto next = std::clamp<std::ptrdiff_t>(now + by, 0, std::ssize(rows) - 1);
  v.state.mean = false;
  v.state.key.reset();
  v.state.row = rows[static_cast<std::size_t>(next)];
  if (next + 1 == std::ssize(rows) && by > 0) v.state.row.reset();  // follow the newest again
}

void step_layer(Scene& scene, int by) {
  if (!is_watching(scene.view)) return;
  const WatchView v = watch_view(scene);
  const auto& layers = v.shown.text->layers;
  const auto now = std::ranges::find(layers, v.state.layer, [](const auto& layer) { return layer->index; });
  if (now == layers.end()) return;
  const auto at = std::clamp<std::ptrdiff_t>(now - layers.begin() + by, 0, std::ssize(layers) - 1);
  v.state.layer = layers[static_cast<std::size_t>(at)]->index;
}

void step_head(Scene& scene, int by) {
  if (!is_watching(scene.view)) return;
  const WatchView v = watch_view(scene);
  const WatchedLayer* const layer = v.shown.text->find(v.state.layer);
  if (layer != nullptr) v.state.head = (v.state.head + by + layer->heads) % layer->heads;
}

}  // namespace

void show_watch(Scene& scene) {
  scene.view.mode = Mode::Model;
  scene.view.watch->on = true;
}
void leave_watch(Scene& scene) { scene.view.watch->on = false; }
void watch_pause(Scene& scene) {
  if (is_watching(scene.view)) scene.view.watch->paused = !scene.view.watch->paused;
}
void watch_pass_before(Scene& scene) { step_pass(scene, -1); }
void watch_pass_after(Scene& scene) { step_pass(scene, 1); }
void watch_newest(Scene& scene) {
  WatchState& state = *scene.view.watch;
  state.row.reset();
  state.key.reset();
  state.mean = false;
  state.calls_back = 0;
}
void watch_layer_above(Scene& scene) { step_layer(scene, -1); }
void watch_layer_below(Scene& scene) { step_layer(scene, 1); }
void watch_head_before(Scene& scene) { step_head(scene, -1); }
void watch_head_after(Scene& scene) { step_head(scene, 1); }
void watch_open_layer(Scene& scene) {
  if (is_watching(scene.view) && watch_view(scene).head != nullptr) scene.view.watch->open_layer = true;
}

void copy_watched_row(Scene& scene) {
  const WatchView v = watch_view(scene);
  if (v.row == nullptr) return scene.view.notices.say("No row is known yet.");
  std::string& text = scene.requests.copy;
  text.clear();
  for (std::int64_t key = 0; key < v.end; ++key) {
    for (const std::string& column :
         {std::to_string(key), plain(v.key_name(key)), fmt::format("{}", v.row[key])}) {
      text.append(column);
      text.push_back('\t');
    }
    text.back() = '\n';
  }
  scene.view.notices.tell("Copied as tab-separated text · head " + watched_head_name(v));
}

}  // namespace attnscope
