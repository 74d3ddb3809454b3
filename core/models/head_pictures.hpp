// core/models: small pictures of every head's weights, extended as tokens are added: cells above the first
// new token stay unchanged; and the sums of weights that are at hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/models/run_model.hpp"
#include "core/streaming/sweep.hpp"

namespace attnscope {

/// The smallest cells, with sides of powers of two, so that a picture has at most `side` rows and columns of
/// cells.
PooledCells picture_cells(std::int64_t queries, std::int64_t keys, int side);

/// The first query to sweep again for cells of this size, if queries from `first` on are new: the first query
/// of the first cell with a new one, or 0 if the size has changed. A cell's bits depend on its own rows alone
/// (kernels add them in pairs of neighbours), so they equal those of a sweep of all rows.
std::int64_t first_picture_row(const HeadPictures& kept, const PooledCells& cells, std::int64_t first);

/// Whether queries [first, first + rows) can join the row of cells that kept queries began.
bool can_follow(const HeadPictures& kept, const PooledCells& cells, std::int64_t first, std::int64_t rows);

/// Forgets queries from `first` on in the kept row of cells that begins at query `begin`.
void keep_following(HeadPictures& kept, std::int64_t begin, std::int64_t first);

/// Adds `fresh`, pictures of queries [begin, …) swept against all keys; `begin` is the result of
/// first_picture_row(). Kept earlier queries must not see the new keys (causal attention, or as many keys as
/// before).
void keep_pictures(const Sweep& fresh, std::int64_t begin, HeadPictures& kept);

/// The weights that each of `keys` keys receives from `count` rows of one head, summed in double. `row(r)` as
/// below; an empty span adds nothing.
template <class Row>
void sum_received(std::int64_t keys, std::int64_t count, Row&& row, float* received) {
  std::vector<double> sums(static_cast<std::size_t>(keys));
  for (std::int64_t r = 0; r < count; ++r) {
    const std::span<const float> weights = row(r);
    for (std::size_t j = 0; j < weights.size(); ++j) sums[j] += static_cast<double>(weights[j]);
  }
  std::ranges::transform(sums, received, [](double x) { return static_cast<float>(x); });
}

/// One head's picture of `count` rows of `keys` weights: mean and, unless it is null, largest weight of each
/// cell. `row(r)` returns the weights of row r, a span that the next call may overwrite.
template <class Row>
void pool_rows(std::int64_t keys, std::int64_t count, const PooledCells& cells, Row&& row, float* mean,
               float* largest) {
  const std::int64_t columns = (keys + cells.keys_per_cell - 1) / cells.keys_per_cell;
  std::vector<double> sums(static_cast<std::size_t>(columns));
  std::vector<float> most(sums.size());
  for (std::int64_t begin = 0; begin < count; begin += cells.rows_per_cell) {
    const std::int64_t end = std::min(begin + cells.rows_per_cell, count);
    std::ranges::fill(sums, 0.0);
    std::ranges::fill(most, 0.0f);
    for (std::int64_t r = begin; r < end; ++r) {
      const std::span<const float> weights = row(r);
      for (std::int64_t j = 0; j < keys; ++j) {
        const auto column = static_cast<std::size_t>(j / cells.keys_per_cell);
        sums[column] += static_cast<double>(weights[static_cast<std::size_t>(j)]);
        most[column] = std::max(most[column], weights[static_cast<std::size_t>(j)]);
      }
    }
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t wide = std::min(cells.keys_per_cell, keys - c * cells.keys_per_cell);
      const std::int64_t to = begin / cells.rows_per_cell * columns + c;
      mean[to] =
          static_cast<float>(sums[static_cast<std::size_t>(c)] / static_cast<double>((end - begin) * wide));
      if (largest != nullptr) largest[to] = most[static_cast<std::size_t>(c)];
    }
  }
}

}  // namespace attnscope
