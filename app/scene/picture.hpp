// app/scene: one head's matrix of one stage as a picture: the range of its colours, the marks of its cells,
// its texture. The thumbnails, the focus and the mask picture are all made here.
#pragma once

#include "app/kit/draw/raster.hpp"
#include "app/scene/scene.hpp"
#include "app/state/focus_state.hpp"

namespace attnscope {

/// What mark each cell of a plane wears, decided by the same rule that the Mask stage computes with. Refers
/// to the scene's result; asked row by row it looks a row up once.
class CellMarks {
 public:
  CellMarks(const Scene&, Plane, std::int64_t b, std::int64_t h);
  CellKind operator()(std::int64_t query, std::int64_t key);
  /// Those of a whole row, [keys].
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

/// The same of the cells of several that the result's overview has: hidden where all of them are.
class OverviewMarks {
 public:
  OverviewMarks(const Scene&, Plane, std::int64_t b, std::int64_t h);
  /// Those of a row of the overview.
  void row(std::int64_t row, std::span<CellKind> kinds);

 private:
  const Scene* scene_;
  Plane plane_;
  std::int64_t b_, h_, cell_, queries_;
  std::vector<std::uint8_t> seen_, any_;  // [keys] of a query; of the row's queries
};

/// Colour bar of a plane: which map, from where to where.
struct ColourScale {
  Map map = Map::Weights;
  float low = 0, high = 1;
  bool zero_centred = false;
  bool log = false;  // colours follow the logarithm; low is above 0
};

/// The map that weights wear in this theme.
Map weights_map(const Theme&, WeightColours);

/// The part of a matrix that fills a box: rows of queries, columns of keys; fractions where it was dragged.
/// Turned: keys run down and queries across.
struct Part {
  double row0 = 0, column0 = 0, rows = 0, columns = 0;
  bool turned = false;
};

/// The job that fills the box with the whole matrix, in the theme's colours; values, ends and marks are up to
/// the caller.
RasterJob whole_matrix(const Ui&, const ConstMatrixMap<float>& values, const Colormap&, const Box&);

/// Weights run over 0 … 1 for all heads, or over what the range mode says; scores are centred on zero.
ColourScale colour_scale(const Scene&, Plane, std::int64_t h);

/// Draws the matrix into the box, painted anew only when something it shows changed. `place` names the place.
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

/// A colour bar without its words: the map from left to right. Where [low, high] of the scale is narrower
/// than [from, to], what lies outside wears the end colours.
void draw_ramp(const Ui&, const char* place, const Box&, const ColourScale&, float from, float to);

/// The mask itself as a small picture: allowed cells filled, hidden ones hatched.
void draw_mask_picture(const Shown&, const char* place, const Box&);

/// Where cell (row, column) of an n_rows x n_columns matrix lies in the box: the same whole-pixel edges as
/// raster().
Box cell_box(const Box&, std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns);
/// The same where the box shows a part of the matrix; outside the box for cells out of sight.
Box cell_box(const Box&, const Part&, std::int64_t query, std::int64_t key);
/// The cell at a point inside the box.
Cell cell_at(const Box&, ImVec2 point, std::int64_t rows, std::int64_t columns);

/// Colour of a value on a scale.
Rgba colour_of(const ColourScale&, float value);
/// Dark or light ink, whichever can be read on the colour.
Rgba ink_on(Rgba ground);

}  // namespace attnscope
