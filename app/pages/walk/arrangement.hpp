// app/pages/walk: where the matrices stand. Cells of the same kind have the same size, so that widths are
// dimensions; they shrink until their numbers no longer fit, then they are colours only, then only some rows
// and columns are in sight. Pure arithmetic in device pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "app/kit/ui/ui.hpp"

namespace attnscope::walk {

/// Which cells share a width: dimensions of the model, of the parameters, of heads before they are turned, of
/// heads, and keys.
enum class Unit { Model, Parameters, Before, Head, Keys };
inline constexpr std::size_t unit_count = 5;

/// One matrix, as far as its place depends on it.
struct Want {
  Unit unit;
  bool lower, parameter, begins;
  std::int64_t rows, columns;
  float before;  // room for the sign and the row labels at its left
  float title;   // its heading is that wide
};

struct Place {
  Box cells;                           // w or h 0: there was no room
  Box slot;                            // with its heading and what stands below
  std::int64_t rows = 0, columns = 0;  // in sight
  bool printed = false;                // cells are large enough for their numbers
};

struct Arrangement {
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

/// `numbers`: where not everything can be printed, rather some cells with their numbers than all without.
Arrangement arrange(const Ui&, const Box& area, std::span<const Want>, const Heads&, bool numbers);

}  // namespace attnscope::walk
