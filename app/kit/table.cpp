#include "app/kit/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "app/kit/ui/own_words.hpp"
#include "core/base/error.hpp"
#include "core/text/csv.hpp"

namespace attnscope {
namespace {

void add_cell(CsvTable& csv, const TableCell& cell) {
  if (const auto* const text = std::get_if<std::string>(&cell)) {
    csv.text(*text);
  } else if (const auto* const whole = std::get_if<std::int64_t>(&cell)) {
    csv.whole(*whole);
  } else if (const auto* const wide = std::get_if<double>(&cell)) {
    csv.number(*wide);
  } else if (const auto* const narrow = std::get_if<float>(&cell)) {
    csv.number(*narrow);
  } else {
    csv.nothing();
  }
}

std::string in_one_line(std::string text) {
  for (char& each : text)
    if (each == '\t' || each == '\n' || each == '\r') each = ' ';
  return text;
}

}  // namespace

std::vector<const TableColumn*> Table::on_screen() const {
  std::vector<const TableColumn*> found;
  for (const TableColumn& column : columns)
    if (!column.title.empty()) found.push_back(&column);
  return found;
}

double number_in(const TableCell& cell) {
  if (const auto* const whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* const wide = std::get_if<double>(&cell)) return *wide;
  if (const auto* const narrow = std::get_if<float>(&cell)) return static_cast<double>(*narrow);
  return std::numeric_limits<double>::quiet_NaN();
}

std::string written_cell(const TableColumn& column, std::size_t row) {
  const TableCell cell = column.cell(row);
  if (const auto* const text = std::get_if<std::string>(&cell)) return *text;
  const double number = number_in(cell);
  if (std::isnan(number)) return "–";
  if (column.written != nullptr) return column.written(number);
  if (const auto* const whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  if (const auto* const narrow = std::get_if<float>(&cell)) return fmt::format("{}", *narrow);
  return fmt::format("{}", number);
}

std::string csv_of(const Table& table, const std::stop_token& stop) {
  std::vector<const TableColumn*> columns;
  std::vector<std::string_view> names;
  for (const TableColumn& column : table.columns) {
    if (column.name.empty()) continue;
    columns.push_back(&column);
    names.emplace_back(column.name);
  }
  CsvTable csv(names);
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (row % 1024 == 0 && stop.stop_requested()) throw Cancelled();
    for (const TableColumn* const column : columns) add_cell(csv, column->cell(row));
    csv.end_row();
  }
  return csv.str();
}

std::string tab_separated(const Table& table, std::span<const std::size_t> order) {
  const std::vector<const TableColumn*> columns = table.on_screen();
  std::string lines;
  for (const TableColumn* const column : columns) {
    if (column != columns.front()) lines += '\t';
    lines += plain(column->title);
  }
  lines += '\n';
  for (const std::size_t row : order) {
    for (const TableColumn* const column : columns) {
      if (column != columns.front()) lines += '\t';
      lines += in_one_line(plain(written_cell(*column, row)));
    }
    lines += '\n';
  }
  return lines;
}

std::vector<std::size_t> rows_by(const Table& table, std::size_t screen_column) {
  std::vector<std::size_t> order(table.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<const TableColumn*> columns = table.on_screen();
  if (screen_column >= columns.size() || table.rows == 0) return order;
  const auto& cell = columns[screen_column]->cell;
  if (std::holds_alternative<std::string>(cell(0))) return order;
  std::vector<double> sizes(table.rows);
  for (std::size_t row = 0; row < table.rows; ++row) {
    const double number = number_in(cell(row));
    sizes[row] = std::isnan(number) ? -1 : std::abs(number);
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  return order;
}

}  // namespace attnscope
