#include "app/watch/join.hpp"

#include <algorithm>
#include <cmath>

#include "app/state/watch/watch_state.hpp"
#include "app/watch/shown_watch.hpp"
#include "core/attention/run_stage.hpp"
#include "core/watch/watched_weights.hpp"

namespace attnscope {
namespace {

constexpr std::int64_t most_joined = std::int64_t{1} << 22;  // weights of all heads

/// The token ids up to the first that the process did not send.
std::vector<std::int64_t> known_ids(const WatchedSnapshot& text) {
  if (text.ids.empty()) return {};
  const std::vector<std::int64_t>& ids = text.ids.front();
  const auto end = std::ranges::find_if(ids, [](std::int64_t id) { return id < 0; });
  return {ids.begin(), end};
}

/// The sum of a row's differences, and the largest of them.
struct RowDifference {
  double sum = 0, largest = 0;
  void add(float watched, float opened) {
    const double difference = std::abs(static_cast<double>(watched) - static_cast<double>(opened));
    // NaN counts as a difference of 1.
    const double counted = std::isnan(difference) ? 1 : difference;
    sum += counted;
    largest = std::max(largest, counted);
  }
};

/// Whether the watched call masks a key of the row to which the opened model gives more than 1e-4.
bool hides_else(const WatchedLayer& layer, std::int64_t head, std::int64_t row, const float* watched,
                const float* opened, std::int64_t end) {
  constexpr float seen = 1e-4f;
  std::vector<std::uint8_t> visible;
  for (std::int64_t key = 0; key < end; ++key) {
    if (watched[key] != 0 || !(opened[key] > seen)) continue;
    if (visible.empty()) visible = watched_visible(layer, head, row);
    if (visible[static_cast<std::size_t>(key)] == 0) return true;
  }
  return false;
}

}  // namespace

bool WatchJoin::is_in(const ModelContext& within) const { return within && within.path == path; }

bool WatchJoin::reads_the_same(const ModelContext& within) const {
  const ModelText& input = within.input;
  return !ids.empty() && is_in(within) && input.ids == ids && input.continued.empty() &&
         input.masked.empty() && within.changes.empty();
}

WatchJoin join_of(const ShownWatch& watch, const WatchState& state) {
  const WatchOffer& offer = state.offers.at(state.offer);
  WatchJoin join{.text = watch.text,
                 .path = offer.path,
                 .name = offer.name,
                 .stream = watch.connection.path,
                 .pid = watch.connection.process.pid,
                 .dtype = watch.connection.facts.dtype,
                 .ids = known_ids(*watch.text),
                 .layer = state.layer,
                 .head = state.head,
                 .cell = {}};
  const WatchedLayer* const layer = watch.text->find(state.layer);
  if (layer == nullptr || layer->rows() == 0) return join;
  const std::int64_t row = state.row ? layer->row_at(*state.row) : layer->rows() - 1;
  if (row < 0) return join;
  join.cell.query = layer->position(row);
  const ShownWatchHead* const head = watch.head.get();
  const bool is_shown = head != nullptr && head->layer->index == state.layer && head->head == state.head;
  const float* const weights = is_shown ? head->at(join.cell.query) : nullptr;
  if (weights != nullptr)
    join.cell.key = words_of_row(weights, std::min(head->keys(), layer->end_of(row))).largest_key;
  join.cell.key = std::max<std::int64_t>(0, state.key.value_or(join.cell.key));
  return join;
}

std::optional<OpenedWeights> opened_weights(const LayerResult& shown, const WatchJoin& join) {
  const ModelContext& within = shown.document.within.read();
  if (shown.is_long() || !join.reads_the_same(within)) return std::nullopt;
  const TensorPtr& weights = shown.trace[weights_stage(shown.document)];
  const WatchedLayer* const layer = join.text->find(within.block);
  if (!weights || weights->shape().rank() != 4 || layer == nullptr) return std::nullopt;
  OpenedWeights made{.layer = within.block,
                     .heads = weights->shape()[1],
                     .queries = weights->shape()[2],
                     .keys = weights->shape()[3],
                     .begin = 0,
                     .end = layer->rows(),
                     .weights = {}};
  if (layer->heads != made.heads) return std::nullopt;
  while (made.end > 0 && layer->position(made.end - 1) >= made.queries) --made.end;
  const std::int64_t most = std::max<std::int64_t>(1, most_joined / (made.heads * made.keys));
  made.begin = std::max<std::int64_t>(0, made.end - most);
  if (made.begin == made.end) return std::nullopt;
  made.weights.reserve(static_cast<std::size_t>(made.heads * (made.end - made.begin) * made.keys));
  for (std::int64_t head = 0; head < made.heads; ++head) {
    const auto matrix = weights->matrix(0, head);
    for (std::int64_t row = made.begin; row < made.end; ++row)
      for (std::int64_t key = 0; key < made.keys; ++key)
        made.weights.push_back(matrix(layer->position(row), key));
  }
  return made;
}

double join_tolerance(const std::string& dtype) {
  return dtype == "bfloat16" ? 0.1 : dtype == "float16" ? 0.03 : 1e-4;
}

JoinVerdict compare_joined(const WatchJoin& join, const OpenedWeights& opened, const Work& work) {
  const WatchedLayerPtr layer = join.text->share(opened.layer);
  const std::int64_t rows = opened.end - opened.begin;
  JoinVerdict verdict{.layer = opened.layer, .rows = rows, .heads = opened.heads};
  for (std::int64_t head = 0; head < opened.heads; ++head) {
    const Tensor watched =
        watched_weights(*layer, {.head = head, .batch = 0, .begin = opened.begin, .end = opened.end}, work);
    for (std::int64_t i = 0; i < rows; ++i) {
      const float* const now = watched.data() + i * watched.shape()[1];
      const float* const disk = opened.weights.data() + (head * rows + i) * opened.keys;
      const std::int64_t end = std::min(layer->end_of(opened.begin + i), opened.keys);
      if (hides_else(*layer, head, opened.begin + i, now, disk, end)) {
        verdict.kind = JoinVerdict::Kind::OtherMask;
        return verdict;
      }
      RowDifference row;
      for (std::int64_t key = 0; key < opened.keys; ++key) row.add(key < end ? now[key] : 0, disk[key]);
      verdict.largest = std::max(verdict.largest, row.largest);
      verdict.mean += row.sum / 2 / static_cast<double>(rows * opened.heads);
    }
  }
  if (verdict.largest <= join_tolerance(join.dtype)) verdict.kind = JoinVerdict::Kind::Agrees;
  return verdict;
}

}  // namespace attnscope
