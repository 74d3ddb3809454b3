// app/draw: a matrix of numbers becomes a picture at screen resolution. One function serves the window and
// the exports, so what is saved is what is seen. No GL and no ImGui in here.
#pragma once

#include <cstdint>
#include <functional>

#include "app/draw/colormap.hpp"
#include "app/draw/image.hpp"
#include "core/tensor.hpp"

namespace attnscope {

/// What a cell is beyond its number; decides its mark.
enum class CellKind : unsigned char {
  Number,     // coloured by its value; NaN and infinity are seen in the value
  Masked,     // hidden by the mask: diagonal hatch, screen-fixed
  Underflow,  // allowed, but the weight came out as exactly 0: zero colour with a dot
  NoKey,      // its whole row has no allowed key: hatch with a line through the row
};

struct RasterColours {
  Rgba ground = 0;        // between the cells, and where the part lies outside the matrix
  Rgba hatch_ground = 0;  // masked
  Rgba hatch_line = 0;
  Rgba no_key_line = 0;
  Rgba underflow_dot = 0;
  Rgba nan = 0;  // NaN filled; infinity as an outline of it
};

struct RasterJob {
  ConstMatrixMap<float> values{nullptr, 0, 0};                               // [rows][columns]
  std::function<CellKind(std::int64_t row, std::int64_t column)> kind = {};  // empty: every cell is a Number
  const Colormap* map = nullptr;
  float low = 0, high = 1;  // ends of the map; values outside are clipped to them; equal: its middle
  double row0 = 0, column0 = 0, rows = 0, columns = 0;  // the part that fills the picture; may be fractional
  int width = 0, height = 0;                            // of the picture, pixels
  int gap = 0;  // pixels of ground at the right and bottom of each cell; used where cells are over 6 px
  bool pool_maximum = true;  // zoomed out, a pixel shows the largest |value| of its block, else the mean
  int mark = 1;              // display scale, rounded: lines, hatch and dots are this many times as thick
  RasterColours colours = {};
};

/// The picture. Cells larger than a pixel have whole-pixel edges whose widths differ by at most one; smaller
/// ones are pooled, so that thin lines survive: NaN and infinity show wherever they are in a block, masked
/// only where the whole block is. `kind` is asked once per cell in sight.
Image raster(const RasterJob&);

/// Place of a value in a map: 0..255. NaN gives 0.
int map_index(float value, float low, float high);

}  // namespace attnscope
