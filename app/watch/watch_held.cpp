#include "app/watch/watch_held.hpp"

#include <algorithm>
#include <limits>

namespace attnscope {
namespace {

constexpr float not_comparable = std::numeric_limits<float>::quiet_NaN();

/// Whether the rows have consecutive positions that begin at `first`.
bool is_run(const WatchedLayer& layer, std::int64_t first) {
  const std::int64_t rows = layer.rows();
  return rows > 0 && layer.position(0) == first && layer.position(rows - 1) == first + rows - 1;
}

/// Pools the cells of a picture into larger ones: their mean, or the largest.
class CoarseCells {
 public:
  CoarseCells(const ShownWatchLayer& shown, bool is_largest)
      : layer_(*shown.layer),
        rows_per_cell_(shown.pictures.rows_per_cell),
        keys_per_cell_(shown.pictures.keys_per_cell),
        values_(is_largest ? shown.pictures.max : shown.pictures.mean),
        is_largest_(is_largest) {}

  /// The pooled value of rows [row, row_end) and keys [key, key_end), which begin at a cell's start.
  float of(std::int64_t head, std::int64_t row, std::int64_t row_end, std::int64_t key,
           std::int64_t key_end) const {
    const std::int64_t down = values_.shape()[1], across = values_.shape()[2];
    double sum = 0, cells = 0, largest = 0;
    for (std::int64_t r = row; r < row_end; r += rows_per_cell_)
      for (std::int64_t k = key; k < key_end; k += keys_per_cell_) {
        const auto value = static_cast<double>(
            values_.data()[(head * down + r / rows_per_cell_) * across + k / keys_per_cell_]);
        const auto count = static_cast<double>((std::min(r + rows_per_cell_, layer_.rows()) - r) *
                                               (std::min(k + keys_per_cell_, layer_.keys()) - k));
        sum += value * count;
        cells += count;
        largest = std::max(largest, value);
      }
    return static_cast<float>(is_largest_ ? largest : sum / cells);
  }

 private:
  const WatchedLayer& layer_;
  std::int64_t rows_per_cell_, keys_per_cell_;
  const Tensor& values_;
  bool is_largest_;
};

/// The end of the cell that begins at `begin`; empty if it ends elsewhere in the other matrix.
std::optional<std::int64_t> same_end(std::int64_t begin, std::int64_t size, std::int64_t now,
                                     std::int64_t held) {
  const std::int64_t end = std::min(begin + size, now);
  return end == std::min(begin + size, held) ? std::optional(end) : std::nullopt;
}

}  // namespace

Tensor held_difference(const ShownWatchHead& now, const ShownWatchHead& held) {
  Tensor difference(now.weights.shape());
  std::ranges::fill(difference.values(), not_comparable);
  for (std::int64_t row = 0; row < now.rows(); ++row) {
    const std::int64_t position = now.layer->position(now.first + row);
    const float* const there = held.at(position);
    if (there == nullptr) continue;
    const std::int64_t end = std::min({now.keys(), held.keys(), now.layer->end_of(now.first + row),
                                       held.layer->end_of(held.layer->row_at(position))});
    const float* const here = now.weights.data() + row * now.keys();
    for (std::int64_t key = 0; key < end; ++key)
      difference.data()[row * now.keys() + key] = here[key] - there[key];
  }
  return difference;
}

std::optional<WatchLayerDifference> held_difference(const ShownWatchLayer& now, const ShownWatchLayer& held) {
  const WatchedLayer &a = *now.layer, &b = *held.layer;
  if (a.heads != b.heads || a.kind != b.kind || a.rows() == 0) return std::nullopt;
  if (!is_run(a, a.position(0)) || !is_run(b, a.position(0))) return std::nullopt;
  WatchLayerDifference made;
  made.rows_per_cell = std::max(now.pictures.rows_per_cell, held.pictures.rows_per_cell);
  made.keys_per_cell = std::max(now.pictures.keys_per_cell, held.pictures.keys_per_cell);
  const std::int64_t down = (a.rows() + made.rows_per_cell - 1) / made.rows_per_cell;
  const std::int64_t across = (a.keys() + made.keys_per_cell - 1) / made.keys_per_cell;
  made.mean = made.max = Tensor(Shape{a.heads, down, across});
  const CoarseCells mean_now(now, false), mean_held(held, false), max_now(now, true), max_held(held, true);
  for (std::int64_t i = 0; i < down; ++i)
    for (std::int64_t j = 0; j < across; ++j) {
      const std::int64_t row = i * made.rows_per_cell, key = j * made.keys_per_cell;
      const auto row_end = same_end(row, made.rows_per_cell, a.rows(), b.rows());
      const auto key_end = same_end(key, made.keys_per_cell, a.keys(), b.keys());
      for (std::int64_t head = 0; head < a.heads; ++head) {
        const std::int64_t at = (head * down + i) * across + j;
        if (!row_end || !key_end) {
          made.mean.data()[at] = made.max.data()[at] = not_comparable;
          continue;
        }
        made.mean.data()[at] = mean_now.of(head, row, *row_end, key, *key_end) -
                               mean_held.of(head, row, *row_end, key, *key_end);
        made.max.data()[at] =
            max_now.of(head, row, *row_end, key, *key_end) - max_held.of(head, row, *row_end, key, *key_end);
      }
    }
  return made;
}

}  // namespace attnscope
