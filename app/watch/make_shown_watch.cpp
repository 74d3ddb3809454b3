#include "app/watch/make_shown_watch.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

namespace attnscope {
namespace {

std::uint64_t next_ticket() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// Continues the previous pictures if it can: beyond 1,000 tokens, computing all rows of all heads again for
/// each new token takes seconds.
WatchedPictures pictures_of_layer(const WatchedLayer& layer, const ShownWatchLayer* before,
                                  const Work& work) {
  if (before != nullptr)
    if (auto made = continued_pictures(*before->layer, before->pictures, layer, watch_picture_side, 0, work))
      return std::move(*made);
  return watched_pictures(layer, watch_picture_side, 0, work);
}

ShownWatchLayer shown_layer(const WatchedLayerPtr& layer, const ShownWatchLayer* before, const Work& work) {
  ShownWatchLayer shown{layer, pictures_of_layer(*layer, before, work),
                        watched_pictures(*layer, watch_picture_side, 0, work,
                                         {std::max<std::int64_t>(0, layer->rows() - 2), layer->rows()}),
                        std::numeric_limits<float>::quiet_NaN()};
  double sum = 0;
  std::int64_t known = 0;
  for (const float entropy : shown.pictures.normalised.values()) {
    if (std::isnan(entropy)) continue;
    sum += static_cast<double>(entropy);
    ++known;
  }
  if (known > 0) shown.mean_entropy = static_cast<float>(sum / static_cast<double>(known));
  return shown;
}

/// The mean weight of each key over the rows that can see it, by causality alone.
std::vector<float> mean_row(const WatchedLayer& layer, const Tensor& weights, std::int64_t first) {
  const std::int64_t rows = weights.shape()[0], keys = weights.shape()[1];
  std::vector<double> sums(static_cast<std::size_t>(keys));
  std::vector<std::int64_t> counts(sums.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t end = std::min(keys, layer.end_of(first + row));
    for (std::int64_t key = 0; key < end; ++key) {
      const auto at = static_cast<std::size_t>(key);
      sums[at] += static_cast<double>(weights.data()[row * keys + key]);
      ++counts[at];
    }
  }
  std::vector<float> mean(sums.size());
  for (std::size_t key = 0; key < mean.size(); ++key)
    mean[key] = counts[key] == 0 ? 0 : static_cast<float>(sums[key] / static_cast<double>(counts[key]));
  return mean;
}

}  // namespace

ShownWatchGrid make_watch_grid(const WatchedSnapshotPtr& text, const Work& work,
                               const ShownWatchGrid* before) {
  ShownWatchGrid grid{text, {}, next_ticket()};
  for (const WatchedLayerPtr& layer : text->layers) {
    if (layer->rows() == 0 || layer->keys() == 0) continue;
    const ShownWatchLayer* there = nullptr;
    if (before != nullptr && before->text->text == text->text)
      for (const ShownWatchLayer& one : before->layers)
        if (one.layer->index == layer->index) there = &one;
    grid.layers.push_back(shown_layer(layer, there, work));
  }
  return grid;
}

ShownWatchHead make_watch_head(const WatchedSnapshotPtr& text, std::int64_t layer, std::int64_t head,
                               const Work& work) {
  ShownWatchHead shown{.text = text, .layer = text->share(layer), .head = head, .ticket = next_ticket()};
  const WatchedLayer& of = *shown.layer;
  const std::int64_t most =
      std::max<std::int64_t>(1, most_watch_cells / std::max<std::int64_t>(1, of.keys()));
  shown.first = std::max<std::int64_t>(0, of.rows() - most);
  const WatchedPlace place{head, 0, shown.first, of.rows()};
  shown.weights = watched_weights(of, place, work);
  shown.mean = mean_row(of, shown.weights, shown.first);
  const bool cross = of.kind == WatchKind::Cross;
  const auto& ids = of.kind == WatchKind::Encoder ? text->memory_ids : text->ids;
  const bool has_ids = !cross && !ids.empty();
  shown.measures = watched_measures(
      of, place, shown.weights,
      has_ids ? std::span<const std::int64_t>(ids.front()) : std::span<const std::int64_t>());
  shown.output_error = watched_output_error(of, work);
  return shown;
}

}  // namespace attnscope
