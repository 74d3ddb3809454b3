// app/scene: one head's matrix of one stage as a picture: its colour range, the marks of its cells, its
// texture. Thumbnails, the focus and the mask picture are all made here.
#pragma once

#include "app/kit/draw/raster.hpp"
#include "app/scene/scene.hpp"
#include "app/state/regions/focus_state.hpp"

namespace attnscope {

/// The mark of each cell of a plane, by the rule with which the Mask stage is computed. Refers to the scene's
/// result; when read row by row, each row is looked up once.
class CellMarks {
 public:
  CellMarks(const Scene&, Plane, std::int64_t b, std::int64_t h);
  CellKind operator()(std::int64_t query, std::int64_t key);
  /// The marks of a whole row, [keys].
  void row(std::int64_t query, std::span<CellKind> kinds);

 private:
  const Scene* scene_;
  Plane plane_;
  std::int64_t b_, h_, row_ = -1;
  KindRule rule_;
  std::vector<std::uint8_t> seen_;
  std::vector<CellKind> kinds_;  // of row_
  ConstMatrixMap<float> values_;
};

/// The same for the overview of a result, in which one cell pools several: hidden if all of them are.
class OverviewMarks {
 public:
  OverviewMarks(const Scene&, Plane, std::int64_t b, std::int64_t h);
  /// The marks of a row of the overview.
  void row(std::int64_t row, std::span<CellKind> kinds);

 private:
  const Scene* scene_;
  Plane plane_;
  std::int64_t b_, h_, cell_, queries_;
  std::vector<std::uint8_t> seen_, any_;  // [keys]: of a query; of any of the row's queries
};

/// The colour bar of a plane: its map and its ends.
struct ColourScale {
  Map map = Map::Weights;
  float low = 0, high = 1;
  bool zero_centred = false;
  bool log = false;  // colours follow the logarithm; low is above 0
};

/// The map of weights in this theme.
Map weights_map(const Theme&, WeightColours);

/// The part of a matrix that fills a box: rows of queries, columns of keys; fractional after dragging.
/// Turned: keys run down and queries across.
struct Part {
  double row0 = 0, column0 = 0, rows = 0, columns = 0;
  bool turned = false;
};

/// A job that fills the box with the whole matrix, in the theme's colours; the caller sets values, ends and
/// marks.
RasterJob whole_matrix(const Ui&, const ConstMatrixMap<float>& values, const Colormap&, const Box&);

/// Weights range over 0 … 1 (after dropout to 1 / (1 - rate)) for all heads, or by the range mode; scores are
/// centred on zero.
ColourScale colour_scale(const Scene&, Plane, std::int64_t h);

/// Draws the matrix into the box; it is painted again only if something in it has changed. `place` names the
/// place.
void draw_matrix(const Scene&, const char* place, const Box&, Plane, std::int64_t b, std::int64_t h,
                 const ColourScale&, float opacity = 1);

/// One head of one sequence, or a part of it, in a box.
struct MatrixPicture {
  const char* place;
  Box box;
  Plane plane;
  std::int64_t b = 0, h = 0;
  ColourScale scale;
  std::optional<Part> part = {};  // empty: all of it
  float opacity = 1;
};
void draw_matrix(const Scene&, const MatrixPicture&);

/// A colour bar without labels: the map from left to right. Where [low, high] of the scale is narrower than
/// [from, to], the rest has the end colours.
void draw_ramp(const Ui&, const char* place, const Box&, const ColourScale&, float from, float to);

/// The mask itself as a small picture: allowed cells filled, hidden ones hatched.
void draw_mask_picture(const Shown&, const char* place, const Box&);

/// The box of cell (row, column) of a rows x columns matrix: the same whole-pixel edges as raster().
Box cell_box(const Box&, std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns);
/// The same for a part of the matrix; outside the box for cells out of sight.
Box cell_box(const Box&, const Part&, std::int64_t query, std::int64_t key);
/// The cell at a point inside the box.
Cell cell_at(const Box&, ImVec2 point, std::int64_t rows, std::int64_t columns);

/// Colour of a value on a scale.
Rgba colour_of(const ColourScale&, float value);
/// Dark or light ink, whichever is legible on the colour.
Rgba ink_on(Rgba ground);

}  // namespace attnscope
