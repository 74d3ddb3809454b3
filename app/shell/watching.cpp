#include "app/shell/watching.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "app/state/files_state.hpp"
#include "app/state/model_look.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/model/facts.hpp"
#include "app/watch/shown_watch.hpp"
#include "app/watch/watcher.hpp"
#include "core/models/changes.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/watch/watched_weights.hpp"

namespace attnscope {
namespace {

/// The followed row and the shown key, as query and key of the layer's Document.
Cell followed_cell(const ShownWatch& watch, const WatchState& state) {
  if (!watch.head) return {};
  const WatchedLayer& layer = *watch.head->layer;
  const std::int64_t last = layer.rows() - 1, row = state.row ? layer.row_at(*state.row) : last;
  const std::int64_t shown = row < 0 ? last : row;
  const float* const weights = watch.head->at(layer.position(shown));
  if (weights == nullptr) return {};
  const std::int64_t key =
      words_of_row(weights, std::min(watch.head->keys(), layer.end_of(shown))).largest_key;
  return {shown, std::max<std::int64_t>(0, state.key.value_or(key))};
}

/// Whether the process chosen in the list is shown and still running.
bool lives_chosen(const WatchState& state) {
  if (!state.is_chosen || !state.shown || state.shown->connection.path != state.wanted) return false;
  const WatchConnection& now = state.shown->connection;
  return now.state == WatchConnection::State::Live && now.process.is_alive();
}

}  // namespace

Watching::Watching(Workspace& space, Files& files, Arriving& arriving)
    : space_(space), files_(files), arriving_(arriving) {}

Watching::~Watching() = default;

void Watching::follow() {
  const bool is_shown = is_watching(space_.view);
  if (!watcher_ && !is_shown) return;
  if (!watcher_) watcher_ = std::make_unique<Watcher>(space_.wake, space_.backends.pool());
  WatchState& state = *space_.view.watch;
  watcher_->follow(state, is_shown);
  std::vector<std::filesystem::path> known;
  if (is_shown) {
    known = files_.recent().paths();
    std::ranges::sort(known);  // by name, so that another order of recent files does not start a new search
    if (state.shown->text->passes_seen > 0 &&
        std::exchange(state.sought_beside, state.shown->connection.path) != state.shown->connection.path)
      files_.look_for_models(space_.attended);
  }
  watcher_->look_beside(state, is_shown, known, space_.view.files->models,
                        space_.shown.result ? &space_.shown.result->layer() : nullptr);
}

bool Watching::take_stream(const std::filesystem::path& path) {
  if (!is_watch_stream(path)) return false;
  WatchState& state = *space_.view.watch;
  std::error_code unknown;
  const std::filesystem::path stream = std::filesystem::absolute(path, unknown);
  if (stream != state.wanted && lives_chosen(state)) {
    space_.view.notices.tell("Another process sends its attention, too: it is in the list of processes.");
  } else {
    state.wanted = stream;
    state.is_chosen = false;
  }
  state.on = true;
  space_.view.mode = Mode::Model;
  return true;
}

void Watching::open_layer() {
  WatchState& state = *space_.view.watch;
  state.open_layer = false;
  const std::shared_ptr<const ShownWatch> watch = state.shown;
  if (!watch || watch->text->find(state.layer) == nullptr) return;
  const std::string& module = watch->connection.facts.module;
  try {
    Session layer;
    layer.document = watched_document(*watch->text, state.layer, module.empty() ? "watch" : module);
    Selection at;
    at.head = state.head;
    at.cell = followed_cell(*watch, state);
    at.locked = true;
    arriving_.take(std::move(layer), {});
    state.on = true;
    space_.view.mode = Mode::Explore;
    stage_look_of(space_.view).vectors.reset();
    arriving_.arrival()->looks = Looks{.view = space_.view, .selection = at, .trace = {}, .file = {}};
  } catch (const std::exception& error) {
    space_.view.notices.say(error.what());
  }
}

std::shared_ptr<const WatchJoin> Watching::chosen_model() {
  WatchState& state = *space_.view.watch;
  state.open_offer = false;
  if (!state.shown || state.offer >= state.offers.size()) return nullptr;
  return std::make_shared<const WatchJoin>(join_of(*state.shown, state));
}

void Watching::read_as_watched(Session& session) const {
  const std::shared_ptr<const WatchJoin>& join = space_.view.watch->joining;
  if (!join || session.looks || !join->is_in(session.document.within.read())) return;
  ModelContext& within = session.document.within.change();
  const int last = blocks_in(within.model->model->spec, within.of) - 1;
  within.block = static_cast<int>(std::clamp<std::int64_t>(join->layer, 0, last));
  if (join->ids.empty()) return;
  within.input = {};
  within.input.ids = join->ids;
}

void Watching::look_as_watched() {
  WatchState& state = *space_.view.watch;
  const std::shared_ptr<const WatchJoin> join = std::exchange(state.joining, nullptr);
  if (!join || !arriving_.arrival() || arriving_.arrival()->looks ||
      !join->is_in(space_.document.within.read()))
    return;
  state.join = join;
  Selection at;
  at.head = join->head;
  at.cell = join->cell;
  at.locked = true;
  model_look_of(space_.view).opened_at.reset();
  arriving_.arrival()->looks = Looks{.view = space_.view, .selection = at, .trace = {}, .file = {}};
}

bool Watching::is_settled() const { return !watcher_ || !watcher_->is_busy(); }

}  // namespace attnscope
