// app/views/parts: the layout of one heatmap of the focus: the part of the matrix in sight, and the places of
// its cells, labels and strips. Pure arithmetic once the labels are measured.
#pragma once

#include <string>
#include <string_view>

#include "app/state/regions/focus_state.hpp"
#include "app/views/parts/heat_map.hpp"

namespace attnscope {

/// A stretch of one direction, device pixels.
struct Stretch {
  float begin = 0, length = 0;
  float end() const { return begin + length; }
  float centre() const { return begin + length / 2; }
};

/// One axis of the picture, down or across: queries or keys, and the range in sight.
struct Axis {
  bool keys = false;
  std::int64_t count = 0;       // in the whole matrix
  double first = 0, shown = 0;  // in sight, in cells; both may be fractions
  Stretch place = {};           // of the range in sight

  float side() const { return place.length / static_cast<float>(shown); }
  bool is_whole() const { return shown >= static_cast<double>(count); }
  /// The cells in sight are [from, to), the first and last perhaps partly.
  std::int64_t from() const {
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(first)));
  }
  std::int64_t to() const {
    return std::min(count, static_cast<std::int64_t>(std::ceil(first + shown - 1e-9)));
  }
  /// The visible part of cell i, with raster()'s whole-pixel edges; empty if it is out of sight.
  Stretch cell(std::int64_t i) const;
  /// The position in the matrix under a pixel, in cells.
  double at(float pixel) const {
    return first + static_cast<double>(pixel - place.begin) * shown / place.length;
  }
  /// `wished` as the first position, limited so that nothing beyond the ends is in sight.
  double clamped(double wished) const { return std::clamp(wished, 0.0, static_cast<double>(count) - shown); }
};

/// The data that the parts of one map share.
struct MapFrame {
  Scene& scene;
  std::int64_t b, h;
  Plane plane;
  const HeatMapStyle& style;
  Cell marked;
  bool is_chosen;  // this sequence is the selected one
  Box area;        // of the map with its labels and strips
  Axis down, across;
  Box cells = {};         // the part of the matrix that is in sight
  float side = 0;         // of a cell, device pixels; may be below 1
  float fitted = 0;       // the side at which the whole matrix fits
  float label_width = 0;  // of the labels at the left
  float label_room = 0;   // above the cells
  bool upright = false;   // labels above the cells are vertical

  const Ui& ui() const { return scene.ui; }
  /// Numbers with an exponent need more room.
  bool prints_values() const {
    return side >= ui().px(plane.is_error() || plane.is_gradient() ? 42 : style.least_printed);
  }
  bool is_zoomed() const { return !down.is_whole() || !across.is_whole(); }
  bool turned() const { return down.keys; }
  Axis& queries() { return down.keys ? across : down; }
  Axis& keys() { return down.keys ? down : across; }
  const Axis& queries() const { return down.keys ? across : down; }
  const Axis& keys() const { return down.keys ? down : across; }
  Part part() const;
  /// The box of a cell, and its part in sight.
  Box cell(Cell) const;
  Box visible_cell(Cell) const;
  Cell under(ImVec2 point) const;
  std::int64_t marked_on(const Axis& axis) const { return axis.keys ? marked.key : marked.query; }
  Rgba hue(const Axis& axis) const { return axis.keys ? ui().theme.key : ui().theme.query; }
  std::string label(const Axis&, std::int64_t i) const;
  /// The height of the line with the sentence, for a batch.
  float caption() const { return style.caption ? ui().px(28) : 0; }
  float strip_gap() const { return style.strips ? ui().px(16) : 0; }
};

/// Sides that cells are zoomed to, device pixels.
inline float largest_side(const Ui& ui) { return ui.px(144); }
inline float readable_side(const Ui& ui) { return ui.px(56); }

/// The plan for the area at the zoom of scene.view.focus. `cells` is empty when there is no room.
MapFrame plan_map(Scene&, const Box& area, std::int64_t b, const HeatMapStyle&);

/// Zooms so that cells have the side (at least the fitted one); the position under the point stays there.
void zoom_to(const MapFrame&, float side, ImVec2 point);
/// Zooms so that cells have the side and the cell is in the middle, as far as the ends allow.
void zoom_to(const MapFrame&, float side, Cell middle);
/// Moves the part in sight as little as needed to show the cell.
void make_visible(const MapFrame&, Cell);

inline constexpr float label_height = 16;  // logical
/// Whether a column's label stays horizontal where others are turned: turned, "I" and "." look like dashes,
/// and the signs of a newline and of a tab point in a wrong direction.
bool lies_flat(const Ui&, std::string_view label);
inline constexpr std::int64_t most_skipped = 4;  // labels; beyond that numbers say more
/// The step at which labels are drawn so that none overlap.
std::int64_t label_step(float side, float needed);

}  // namespace attnscope
