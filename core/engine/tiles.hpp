// core/engine: the weights of a long sequence that are on screen: square tiles of cells at any zoom, and
// whole rows, computed with the row statistics of its survey.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/cell_row.hpp"
#include "core/engine/survey.hpp"

namespace attnscope {

/// The place of a tile: cells are 2^level queries by 2^level keys, tiles are `side` by `side` cells and are
/// aligned to query 0 and key 0.
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
  std::int64_t step = 1;   // every step-th query was computed: 1 = all
  std::uint64_t made = 0;  // identifies the tile for the picture cache; set by the owner
};

/// The place of a whole row, for every stage.
struct RowPlace {
  std::int64_t sequence = 0, head = 0, query = 0;
  auto operator<=>(const RowPlace&) const = default;
};
struct WeightRow {
  static constexpr int most_strongest = 8;
  CellRow cells;
  std::vector<std::int32_t> strongest;  // the keys of the largest weights, the largest first
};

/// `survey` is that of the place's sequence. Computed by the backend, or by the threads of Work if `backend`
/// is null. All queries of the tile are computed if a cell has fewer than the survey's step; otherwise the
/// known ones. Throws Error or Cancelled.
WeightTile make_tile(const Survey& survey, const TilePlace&, Backend* backend, const Work&);
/// Computes the row again, so it is exact. Throws Error or Cancelled.
WeightRow make_row(const LayerResult& of, const RowPlace&, const Work&);

}  // namespace attnscope
