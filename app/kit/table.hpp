// app/kit: a table as a value. Each column is defined once, with its name in files, its title on the screen
// and its cells; files, the clipboard, sorting, the drawn list (table_view.hpp) and tests all read it from
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/kit/widgets/tip.hpp"

namespace attnscope {

/// std::monostate and NaN: not known. Such a cell is an empty field in files and "–" on the screen.
using TableCell = std::variant<std::monostate, std::string, std::int64_t, double, float>;

struct TableColumn {
  std::string name = {};        // in files, such as "effect_kl"; empty: the column is not in files
  std::string_view title = {};  // on the screen, in English; empty: the column is not on the screen
  std::function<TableCell(std::size_t row)> cell;
  /// How a known number is written on the screen; null: with its shortest digits, as in files.
  std::string (*written)(double) = nullptr;
  Tip tip = {};  // of its head on the screen
};

struct Table {
  std::size_t rows = 0;
  std::vector<TableColumn> columns;

  /// The columns on the screen, from left to right.
  std::vector<const TableColumn*> on_screen() const;
};

/// The number in a cell; NaN where it holds text or nothing.
double number_in(const TableCell&);
/// The cell as the screen shows it.
std::string written_cell(const TableColumn&, std::size_t row);

/// The columns that are in files, row after row (see core/text/csv.hpp). Throws Cancelled.
std::string csv_of(const Table&, const std::stop_token& = {});
/// The columns that are on the screen, for the clipboard: a line of titles, then the rows in that order, with
/// tabs between the cells. A tab or a line break in a text becomes a space.
std::string tab_separated(const Table&, std::span<const std::size_t> order);

/// The rows from the largest magnitude in a column of the screen to the smallest, then those that are not
/// known; equal ones keep their order. The rows in the table's order if there is no such column or its first
/// cell is a text.
std::vector<std::size_t> rows_by(const Table&, std::size_t screen_column);

/// The state of a drawn table from frame to frame; a page keeps it.
struct TableOrder {
  std::size_t sorted_by = 0;   // a column of the screen
  std::int64_t first_row = 0;  // in sight
};

}  // namespace attnscope
