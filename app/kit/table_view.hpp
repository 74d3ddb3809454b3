// app/kit: a Table drawn as a list: heads that sort it, rows that scroll by whole rows, a chosen one.
#pragma once

#include "app/kit/table.hpp"
#include "app/widgets/widgets.hpp"

namespace attnscope {

/// How a table looks; sizes are logical pixels.
struct TableLook {
  const char* label;       // the robot finds a row as "label name", by the text in its first column
  float first_width = 84;  // of the first column, which stands left; the others share the rest
  float row_height = 22;
  std::optional<std::size_t> chosen = {};        // a row
  std::function<Rgba(std::size_t)> swatch = {};  // a square of that colour before the first column
};

struct TableTouch {
  std::optional<std::size_t> pointed = {}, clicked = {};  // rows
  std::string copied = {};  // the table for the clipboard, once, where a right click on a head asked for it
};

/// The heads, a line below them, and as many whole rows as fit.
TableTouch draw_table(const Ui&, const Box&, const Table&, const TableLook&, TableOrder&);

}  // namespace attnscope
