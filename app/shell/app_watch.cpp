// app/shell: the Watch page: when a process is looked at, and what of it becomes a Document.
#include <algorithm>
#include <exception>
#include <utility>

#include "app/shell/app.hpp"
#include "app/state/editing_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/watch/watch_sight.hpp"
#include "app/watch/watcher.hpp"
#include "core/watch/watched_weights.hpp"

namespace attnscope {
namespace {

/// The row that is followed and the key that is looked at, as rows and keys of the layer's Document.
Cell followed_cell(const WatchSight& sight, const WatchState& state) {
  if (!sight.head) return {};
  const WatchedLayer& layer = *sight.head->layer;
  const std::int64_t last = layer.rows() - 1, row = state.row ? layer.row_at(*state.row) : last;
  const std::int64_t shown = row < 0 ? last : row;
  const float* const weights = sight.head->at(layer.position(shown));
  if (weights == nullptr) return {};
  const std::int64_t key =
      words_of_row(weights, std::min(sight.head->keys(), layer.end_of(shown))).largest_key;
  return {shown, std::max<std::int64_t>(0, state.key.value_or(key))};
}

/// Whether the process that was chosen in the list is shown and still sends.
bool lives_chosen(const WatchState& state) {
  if (!state.is_chosen || !state.sight || state.sight->connection.path != state.wanted) return false;
  const WatchConnection& now = state.sight->connection;
  return now.state == WatchConnection::State::Live && now.process.is_alive();
}

}  // namespace

void App::follow_watch() {
  const bool is_shown = is_watching(view_);
  if (!watcher_ && !is_shown) return;
  if (!watcher_) watcher_ = std::make_unique<Watcher>(wake_);
  watcher_->follow(*view_.watch, is_shown);
}

/// A stream is no Document: it is watched. While a process lives that was chosen in the list, another one
/// that calls watch() is added to the list.
bool App::give_to_watch(const std::filesystem::path& path) {
  if (!is_watch_stream(path)) return false;
  WatchState& state = *view_.watch;
  std::error_code unknown;
  const std::filesystem::path stream = std::filesystem::absolute(path, unknown);
  if (stream != state.wanted && lives_chosen(state)) {
    view_.notices.tell("Another process sends its attention, too: it is in the list of processes.");
  } else {
    state.wanted = stream;
    state.is_chosen = false;
  }
  state.on = true;
  view_.mode = Mode::Model;
  return true;
}

/// The layer of the chosen head, as it is now. Undo goes back to the page, and so does Model.
void App::open_watched_layer() {
  WatchState& state = *view_.watch;
  state.open_layer = false;
  const std::shared_ptr<const WatchSight> sight = state.sight;
  if (!sight || sight->text->find(state.layer) == nullptr) return;
  const std::string& module = sight->connection.facts.module;
  try {
    Session layer;
    layer.document = watched_document(*sight->text, state.layer, module.empty() ? "watch" : module);
    Selection at;
    at.head = state.head;
    at.cell = followed_cell(*sight, state);
    at.locked = true;
    take(std::move(layer), {});
    state.on = true;
    view_.mode = Mode::Explore;
    view_.vectors.reset();
    arrival_->looks = Looks{.view = view_, .selection = at, .trace = {}, .file = {}};
  } catch (const std::exception& error) {
    view_.notices.say(error.what());
  }
}

}  // namespace attnscope
