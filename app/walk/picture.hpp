// app/walk: the matrices of some stages, without the moves: a picture for a page of another kind.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "app/scene/scene.hpp"

namespace attnscope {

/// A matrix on screen.
struct WalkMatrix {
  enum class Rows : std::uint8_t { Queries, Keys, Others };  // what its rows are
  Stage stage;                                               // of parameters: that which they make
  Rows rows;
  bool is_plane, is_parameter, is_covered;
  Box cells;
  std::int64_t first_row, row_count, first_column, column_count;  // in sight; rows of queries begin with 0

  /// Of a row, a column, a cell; w or h 0 where it is out of sight.
  Box row(std::int64_t) const;
  Box column(std::int64_t) const;
  Box cell(std::int64_t row, std::int64_t column) const;
};

struct WalkPictureStyle {
  /// The stages that have a matrix: the first of these choices that leaves room for all numbers; else the
  /// first in which scores and weights have theirs; else the first.
  std::vector<std::function<bool(Stage)>> shows;
  std::function<bool(Stage)> covers;          // those of them whose numbers are covered
  std::function<void(const Box& cells)> lid;  // draws the cover
};

/// Whether the layer has what the walk shows: scores, and all numbers.
bool has_walk(const LayerResult&);
/// Draws the chosen head's matrices, all of them computed, into the area; hovering and clicks choose a cell.
std::vector<WalkMatrix> draw_walk_picture(Scene&, const Box& area, const WalkPictureStyle&);

}  // namespace attnscope
