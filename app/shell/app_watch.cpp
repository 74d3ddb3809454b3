// app/shell: the Watch page: when a process is looked at, what of it becomes a Document, and which model is
// opened beside it.
#include <algorithm>
#include <exception>
#include <utility>

#include "app/shell/app.hpp"
#include "app/state/editing_state.hpp"
#include "app/state/files_state.hpp"
#include "app/state/model_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/views/model/facts.hpp"
#include "app/watch/join.hpp"
#include "app/watch/watch_sight.hpp"
#include "app/watch/watcher.hpp"
#include "core/models/changes.hpp"
#include "core/models/opened/opened_model.hpp"
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
  if (!watcher_) watcher_ = std::make_unique<Watcher>(wake_, backends_->pool());
  WatchState& state = *view_.watch;
  watcher_->follow(state, is_shown);
  std::vector<std::filesystem::path> known;
  if (is_shown) {
    known = files_.recent().paths();
    std::ranges::sort(known);  // by name: which was opened last is no reason to look again
    if (state.sight->text->passes_seen > 0 &&
        std::exchange(state.sought_beside, state.sight->connection.path) != state.sight->connection.path)
      files_.look_for_models(attended_);
  }
  watcher_->look_beside(state, is_shown, known, view_.files->models,
                        shown_.result ? &shown_.result->layer() : nullptr);
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

/// The chosen one of those that have the shapes of the stream. It is compared with it once it has run.
void App::open_watched_model() {
  WatchState& state = *view_.watch;
  state.open_offer = false;
  if (!state.sight || state.offer >= state.offers.size()) return;
  auto join = std::make_shared<const WatchJoin>(join_of(*state.sight, state));
  begin_opening({}, {});
  try {
    files_.begin_to_open(join->path, {}, view_);
    state.joining = join;
    if (const auto read = files_.read_soon()) take_opened(read->take(), join->path);
  } catch (const std::exception& error) {
    view_.notices.say(error.what());
  }
}

/// A model that is opened beside a stream reads what its process has read, and the layer is looked at that
/// was looked at there.
void App::read_as_watched(Session& session) const {
  const std::shared_ptr<const WatchJoin>& join = view_.watch->joining;
  if (!join || session.looks || !join->is_in(session.document.within.read())) return;
  ModelContext& within = session.document.within.change();
  const int last = blocks_in(within.model->model->spec, within.of) - 1;
  within.block = static_cast<int>(std::clamp<std::int64_t>(join->layer, 0, last));
  if (join->ids.empty()) return;
  within.input = {};
  within.input.ids = join->ids;
}

/// It has run: head and cell are those that were looked at in the stream.
void App::look_as_watched() {
  WatchState& state = *view_.watch;
  const std::shared_ptr<const WatchJoin> join = std::exchange(state.joining, nullptr);
  if (!join || !arrival_ || arrival_->looks || !join->is_in(document_.within.read())) return;
  state.join = join;
  Selection at;
  at.head = join->head;
  at.cell = join->cell;
  at.locked = true;
  view_.model->opened_at.reset();
  arrival_->looks = Looks{.view = view_, .selection = at, .trace = {}, .file = {}};
}

}  // namespace attnscope
