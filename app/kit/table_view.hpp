// app/kit: a Table drawn as a list: heads that sort it, rows that scroll by whole rows, a chosen one.
#pragma once

#include "app/kit/table.hpp"
#include "app/kit/widgets/widgets.hpp"

namespace attnscope {

/// How a column of the screen looks; sizes are logical pixels.
struct ColumnLook {
  float width = 0;  // device pixels, since texts may be measured for it; 0: an equal share of what is left
  Align align = Align::Right;
  float inset = 0;  // between the texts and the edge that they are aligned to
  /// Free space at the other end, where a longer text is cut; negative: no text is cut.
  float gap = 4, head_gap = 4;
  std::string_view below = {};  // the second line of the head
  std::optional<Rgba> head_colour = {};
  Ink head_ink = Ink::Regular;
  /// Size, colour and weight of a cell's text.
  std::function<TextStyle(std::size_t row)> style = {};
  /// Draw the cell, or the head, in place of its text.
  std::function<void(std::size_t row, const Box& cell)> paint = {};
  std::function<void(const Box& head)> paint_head = {};
};

/// How a table looks; sizes are logical pixels.
struct TableLook {
  const char* label;       // the robot finds a row as "label name"
  float first_width = 84;  // of the first column, which is left-aligned; the others share the rest
  float row_height = 22;
  std::optional<std::size_t> chosen = {};        // a row
  std::function<Rgba(std::size_t)> swatch = {};  // a square of that colour before the first column
  /// Of the columns on the screen, from left to right; empty: as first_width says.
  std::vector<ColumnLook> columns = {};
  bool sorts = true;  // a click on a head sorts; false: rows stay as they are in the table
  std::function<std::string(std::size_t row)> name = {};  // null: the text in its first column
  bool focusable = true;                                  // rows can be reached by keyboard
  float head_height = 24;      // 0: there are no heads, and a right click on a row asks for the copy
  bool ruled = true;           // a line below the heads, with a little room to the rows
  float most_row_height = 0;   // rows grow up to this where there is room; 0: they do not
  std::int64_t followed = -1;  // a row that scrolls into sight whenever this changes
  /// Draws what is below the cells of a row: choice, hover and keyboard focus.
  std::function<void(std::size_t row, const Box&, const Ui::Touch&)> ground = {};
};

struct TableTouch {
  std::optional<std::size_t> pointed = {}, clicked = {};  // rows
  std::optional<std::size_t> hovered = {};                // pointed at, or reached by keyboard
  std::string copied = {};  // the table for the clipboard, once, after a right click asked for it
};

/// The heads, a line below them, and as many whole rows as fit.
TableTouch draw_table(const Ui&, const Box&, const Table&, const TableLook&, TableOrder&);

/// For a table that a page draws itself: a right click into the box of its heads offers to copy it in the
/// table's order. `copied` is set once, when that is chosen. The robot finds the box as "label heads".
void offer_copy(const Ui&, const char* label, const Box& heads, const Table&, std::string& copied);

}  // namespace attnscope
