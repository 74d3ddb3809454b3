// app/walk: places the matrices. Cells of the same kind have the same size, so that widths show
// dimensions. They shrink until their numbers no longer fit, then only their colours are drawn, then only
// some rows and columns are in sight. Pure arithmetic in device pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "app/kit/ui/ui.hpp"

namespace attnscope::walk {

/// Cells of the same unit share a width: dimensions of the model, of the parameters, of heads before rotary
/// positions, of heads, and keys.
enum class Unit { Model, Parameters, Before, Head, Keys };
inline constexpr std::size_t unit_count = 5;

/// What the place of a matrix depends on.
struct Want {
  Unit unit;
  bool lower, parameter, begins;
  std::int64_t rows, columns;
  float before;  // room for the sign and the row labels at its left
  float title;   // width of its heading
};

struct Place {
  Box cells;                           // w or h 0: there was no room
  Box slot;                            // the cells with heading and foot
  std::int64_t rows = 0, columns = 0;  // in sight
  bool printed = false;                // cells are large enough for their numbers
};

struct MatrixPlaces {
  std::vector<Place> places;  // one for each Want
  Box gutter;                 // between the lines, for the buses
  bool fits = true;           // false: something is wider than the area
  bool all_printed = true;    // every matrix has its numbers
  bool keys_printed = true;   // the stages of queries by keys have their numbers
  bool whole = true;          // every cell is in sight
};

/// Heights that do not depend on cells.
struct Heads {
  float upper, lower;  // above the cells: name, caption, labels of the keys
  float upper_foot, lower_foot;
  float gutter;
};

/// `numbers`: if not everything can be printed, shows some cells with their numbers instead of all without.
MatrixPlaces arrange(const Ui&, const Box& area, std::span<const Want>, const Heads&, bool numbers);

}  // namespace attnscope::walk
