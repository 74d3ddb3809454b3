// app/views: a matrix of zero-centred numbers, large: labels, printed values, wheel zoom and drag pan, and
// every number open to the hand. Vectors and weights look and behave alike here.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/kit/widgets/number_edit.hpp"
#include "app/scene/picture.hpp"

namespace attnscope {

struct NumberMap {
  const char* label;          // unique: what takes the mouse, and the picture
  std::string what;           // the zoom goes with it: another one starts whole
  std::uint64_t content = 0;  // a hash of the numbers
  ConstMatrixMap<float> values{nullptr, 0, 0};
  float most = 1;                // ends of the colours: -most … most
  std::string colour_note = {};  // what these ends are of, beside the bar
  std::string_view row_title = "token ↓";
  std::function<std::string(std::int64_t)> row_label, column_label;
  std::int64_t marked = -1;  // a row with a tick, in the hue
  Rgba hue = 0;
  /// What is bright: the columns (or rows, for W_O) of one head; empty: everything.
  NumberStretch lit_columns = {}, lit_rows = {};
  // What stands beside the mouse, as in NumberGrid.
  std::function<std::string(NumberAt)> name;
  std::function<Tip(NumberAt)> tip;
  std::function<bool(NumberAt)> can_edit;
  std::function<NumberStretch(NumberAt)> stretch = {};
  std::function<bool(NumberAt)> can_reset = [](NumberAt) { return true; };
};

/// Where the cells of a map stand that may be zoomed into: whole cells only.
struct CellsInSight {
  Box box;                                                    // device pixels
  std::int64_t row0 = 0, column0 = 0, rows = 0, columns = 0;  // the part of the matrix that fills it
  float side_x() const { return box.w / static_cast<float>(columns); }
  float side_y() const { return box.h / static_cast<float>(rows); }
  Box of(std::int64_t row, std::int64_t column) const {
    return cell_box(box, row - row0, column - column0, rows, columns);
  }
};

/// Draws the map with a colour bar below it. A click that was not used to edit is in touch.clicked.
struct NumberMapResult : NumberGridResult {
  CellsInSight cells;  // to draw more around them
};
NumberMapResult draw_number_map(Scene&, const Box& area, const NumberMap&);

}  // namespace attnscope
