// app/kit: a table's columns in files, on the clipboard, sorted and drawn.
#include "app/kit/table.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"

namespace attnscope {
namespace {

std::string with_percent(double number) { return std::to_string(std::lround(100 * number)) + " %"; }

/// Three rows; the second is not known. "note" is in files alone, "place" on the screen alone.
Table three_rows() {
  static const std::vector<double> shares{0.25, std::numeric_limits<double>::quiet_NaN(), -0.5};
  Table table{.rows = 3, .columns = {}};
  table.columns.push_back({.title = "place", .cell = [](std::size_t row) -> TableCell {
                             return "tab\there " + std::to_string(row);
                           }});
  table.columns.push_back({.name = "share",
                           .title = "Share",
                           .cell = [](std::size_t row) -> TableCell { return shares[row]; },
                           .written = with_percent});
  table.columns.push_back({.name = "tokens", .title = "tokens", .cell = [](std::size_t row) -> TableCell {
                             return static_cast<std::int64_t>(7 * row);
                           }});
  table.columns.push_back({.name = "note", .cell = [](std::size_t row) -> TableCell {
                             if (row == 1) return {};
                             return std::string("a, \"b\"");
                           }});
  table.columns.push_back({.name = "narrow", .cell = [](std::size_t) -> TableCell { return 0.1f; }});
  return table;
}

}  // namespace

TEST_CASE("kit: a table in a file has its named columns") {
  const std::string csv = csv_of(three_rows());
  CHECK(csv ==
        "share,tokens,note,narrow\r\n"
        "0.25,0,\"a, \"\"b\"\"\",0.1\r\n"
        ",7,,0.1\r\n"
        "-0.5,14,\"a, \"\"b\"\"\",0.1\r\n");
  Table none = three_rows();
  none.rows = 0;
  CHECK(csv_of(none) == "share,tokens,note,narrow\r\n");
}

TEST_CASE("kit: a table is copied as the screen shows it") {
  const Table table = three_rows();
  CHECK(tab_separated(table, rows_by(table, 1)) ==
        "place\tShare\ttokens\n"
        "tab here 2\t-50 %\t14\n"
        "tab here 0\t25 %\t0\n"
        "tab here 1\t–\t7\n");
}

TEST_CASE("kit: rows are sorted by magnitude, what is not known last") {
  const Table table = three_rows();
  CHECK(rows_by(table, 0) == std::vector<std::size_t>{0, 1, 2});  // text
  CHECK(rows_by(table, 1) == std::vector<std::size_t>{2, 0, 1});
  CHECK(rows_by(table, 2) == std::vector<std::size_t>{2, 1, 0});
  CHECK(rows_by(table, 3) == std::vector<std::size_t>{0, 1, 2});  // no column of the screen
  Table equal = table;
  equal.columns[1].cell = [](std::size_t row) -> TableCell { return row == 1 ? 1.0 : -1.0; };
  CHECK(rows_by(equal, 1) == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("kit: a table that is cancelled is not written") {
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(csv_of(three_rows(), stop.get_token()), Cancelled);
}

}  // namespace attnscope
