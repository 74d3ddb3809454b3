// app/kit/draw: a matrix of numbers becomes a picture at screen resolution. One function serves the window
// and the exports, so what is saved is what is seen. No GL and no ImGui in here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "app/kit/draw/colormap.hpp"
#include "app/kit/draw/image.hpp"
#include "app/kit/draw/row_loops.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

struct RasterColours {
  Rgba ground = 0;        // between the cells, and where the part lies outside the matrix
  Rgba hatch_ground = 0;  // masked
  Rgba hatch_line = 0;
  Rgba no_key_line = 0;
  Rgba underflow_dot = 0;
  Rgba nan = 0;  // NaN filled; infinity as an outline of it
};

struct RasterJob {
  ConstMatrixMap<float> values{nullptr, 0, 0};  // [rows][columns]
  // The kinds of a row's cells, [columns]; empty: `kind` is asked.
  std::function<void(std::int64_t row, std::span<CellKind> kinds)> row_kinds = {};
  std::function<CellKind(std::int64_t row, std::int64_t column)> kind = {};  // empty: every cell is a Number
  const Colormap* map = nullptr;
  float low = 0, high = 1;  // ends of the map; values outside are clipped to them; equal: its middle
  bool log = false;         // colours follow the logarithm; low is above 0. What is not above 0 has the map's
                     // first colour, everything else one from `log_floor` on, so that zero stays distinct
  double row0 = 0, column0 = 0, rows = 0, columns = 0;  // the part that fills the picture; may be fractional
  int width = 0, height = 0;                            // of the picture, pixels
  bool turned = false;  // rows run across and columns down; width and height are those of the turned picture
  int gap = 0;  // pixels of ground at the right and bottom of each cell; used where cells are over 6 px
  bool pool_maximum = true;  // zoomed out, a pixel shows the largest |value| of its block, else the mean
  int mark = 1;              // display scale, rounded: lines, hatch and dots are this many times as thick
  RasterColours colours = {};
};

/// The picture. Cells larger than a pixel have whole-pixel edges whose widths differ by at most one. Smaller
/// ones are pooled, so that thin lines survive: a block with a NaN or an infinity shows it, a block is masked
/// only if all its cells are, and of a value and its negative the positive one shows. `kind` is called once
/// per cell in sight, `row_kinds` once per row.
Image raster(const RasterJob&);

/// A cell as raster() paints it: rectangles of whole pixels, x1 and y1 beyond the last.
struct PaintedCell {
  struct Part {
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    Rgba colour = 0;
  };
  Part ground;                   // without the gap
  bool hatched = false;          // instead of the ground's colour
  std::vector<Part> marks = {};  // over it: dot, line, outline
};
/// The same cells one by one, row by row; empty if cells are pooled or there are more than `most`.
std::optional<std::vector<PaintedCell>> visible_cells(const RasterJob&, std::size_t most);
/// Pixels from one line of the hatch to the next, times `mark`.
inline constexpr int hatch_every = 6;

/// Rows become columns.
Image mirrored_at_diagonal(const Image&);

/// Place of a value in a map: 0..255. NaN gives 0.
int map_index(float value, float low, float high, bool log = false);
/// The first colour that a logarithmic map uses for values above 0.
inline constexpr int log_floor = 20;

}  // namespace attnscope
