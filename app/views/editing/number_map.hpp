// app/views: a large matrix of zero-centred, editable numbers: labels, printed values, wheel zoom and drag
// pan. Vectors and weights share it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/kit/widgets/number_edit.hpp"
#include "app/scene/picture.hpp"

namespace attnscope {

struct NumberMap {
  const char* label;          // unique: the ID of the area that takes the mouse, and of the picture
  std::string what;           // names the matrix: the zoom is reset when it changes
  std::uint64_t content = 0;  // identifies the numbers: the picture is drawn anew when it changes
  ConstMatrixMap<float> values{nullptr, 0, 0};
  float most = 1;                // ends of the colours: -most … most
  std::string colour_note = {};  // the text beside the bar: which numbers these ends are of
  std::string_view row_title = "token ↓";
  std::function<std::string(std::int64_t)> row_label, column_label;
  std::int64_t marked = -1;  // the row with a tick in `hue`; -1: none
  Rgba hue = 0;
  /// The columns (or rows, for W_O) that are not dimmed, those of one head; empty: all.
  NumberStretch lit_columns = {}, lit_rows = {};
  // As in NumberGrid.
  std::function<std::string(NumberAt)> name;
  std::function<Tip(NumberAt)> tip;
  std::function<bool(NumberAt)> can_edit;
  std::function<NumberStretch(NumberAt)> stretch = {};
  std::function<bool(NumberAt)> can_reset = [](NumberAt) { return true; };
};

/// The places of the cells of a zoomable map: only whole cells are in sight.
struct NumberMapCells {
  Box box;                                                    // device pixels
  std::int64_t row0 = 0, column0 = 0, rows = 0, columns = 0;  // the part of the matrix in `box`
  float side_x() const { return box.w / static_cast<float>(columns); }
  float side_y() const { return box.h / static_cast<float>(rows); }
  Box of(std::int64_t row, std::int64_t column) const {
    return cell_box(box, row - row0, column - column0, rows, columns);
  }
};

/// Draws the map with a colour bar below it. A click that does not edit is in touch.clicked.
struct NumberMapResult : NumberGridResult {
  NumberMapCells cells;  // to draw more around them
};
NumberMapResult draw_number_map(Scene&, const Box& area, const NumberMap&);

}  // namespace attnscope
