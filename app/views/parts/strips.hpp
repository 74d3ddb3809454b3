// app/views/parts: vectors as strips of colour, zero-centred: orange above 0, blue below. Numbers are
// printed where they fit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <Eigen/Core>

#include "app/kit/ui/ui.hpp"

namespace attnscope {

using StripMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Vectors below each other, one per row, with a common scale from -most to most.
struct Strips {
  const char* place;  // distinguishes the picture from others in the window
  Box box;
  const StripMatrix& values;
  float most = 1;
  Rgba ground = 0;      // between the cells
  float row_gap = 2;    // logical pixels
  bool numbers = true;  // where they fit
  double times = 1;     // numbers are printed times this: the caller writes a common factor once, beside them
};
void draw_strips(const Ui&, const Strips&);
/// Whether the cells of such strips have room for numbers.
bool has_room_for_numbers(const Ui&, const Box&, std::int64_t rows, std::int64_t columns);

/// One row of the values times a factor, in the given order (empty: unchanged).
StripMatrix strip_of(std::span<const float> values, double factor = 1,
                     std::span<const std::int64_t> order = {});
/// The largest finite magnitude; 1 if none is above 0.
float largest_of(const StripMatrix&);

/// The column under the mouse, of `columns` columns; empty if the mouse is not over the box.
std::optional<std::int64_t> column_under_mouse(const Box&, std::int64_t columns);
/// A frame around one column of a box of strips, over its whole height.
void mark_column(const Ui&, const Box&, std::int64_t column, std::int64_t columns);

}  // namespace attnscope
