// core/engine: weights of a long sequence where they are looked at: square tiles of cells at any zoom and
// whole rows, made of what its survey knows.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/cell_row.hpp"
#include "core/engine/survey.hpp"

namespace attnscope {

/// Which tile: cells have 2^level queries and keys to a side, tiles have `side` cells to a side and lie side
/// by side from query 0 and key 0 on.
struct TilePlace {
  static constexpr std::int64_t side = 128;
  std::int64_t sequence = 0, head = 0;
  int level = 0;
  std::int64_t down = 0, across = 0;
  auto operator<=>(const TilePlace&) const = default;
  std::int64_t first_query() const { return (down * side) << level; }
  std::int64_t first_key() const { return (across * side) << level; }
};

/// [cells][cells], fewer where the matrix ends. Hidden keys count as 0.
struct WeightTile {
  Tensor max, mean;
  std::int64_t step = 1;   // every step-th query was looked at: 1 = all of them
  std::uint64_t made = 0;  // tells tiles apart for the picture cache; given by their keeper
};

/// A whole row, in every stage.
struct RowPlace {
  std::int64_t sequence = 0, head = 0, query = 0;
  auto operator<=>(const RowPlace&) const = default;
};
struct WeightRow {
  static constexpr int most_strongest = 8;
  CellRow cells;
  std::vector<std::int32_t> strongest;  // the keys of the largest weights, from the largest on
};

/// `survey` is that of the place's sequence. By the backend, or by the work's threads where there is none.
/// All queries of the tile are looked at while few are pooled in a cell, else those that the survey knows.
/// Throws Error or Cancelled.
WeightTile make_tile(const Survey& survey, const TilePlace&, Backend* backend, const Work&);
/// The row is swept anew, so that it is exact. Throws Error or Cancelled.
WeightRow make_row(const LayerResult& of, const RowPlace&, const Work&);

}  // namespace attnscope
