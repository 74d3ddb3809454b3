// Tables by RFC 4180: quoted fields, the format of numbers, ends of rows.
#include "core/text/csv.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace attnscope::csv_test {

TEST_CASE("a field is quoted where it would be read as something else", "[csv]") {
  CHECK(csv_field("plain words; é") == "plain words; é");
  CHECK(csv_field("") == "");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"it\"") == "\"say \"\"it\"\"\"");
  CHECK(csv_field("\"") == "\"\"\"\"");
  // A lone line break of either kind: many readers would end the row there.
  CHECK(csv_field("a\nb") == "\"a\nb\"");
  CHECK(csv_field("a\rb") == "\"a\rb\"");
}

TEST_CASE("rows of a table", "[csv]") {
  CsvTable table{"token", "a,b"};
  table.text("x\ry").whole(std::numeric_limits<std::int64_t>::min()).number(0.1).number(0.1f);
  table.end_row();
  table.nothing().number(std::nan("")).number(std::nanf("")).nothing(2).whole(7);
  table.end_row();
  table.number(-std::numeric_limits<double>::infinity()).number(1e300);
  table.end_row();
  CHECK(table.str() == "token,\"a,b\"\r\n\"x\ry\",-9223372036854775808,0.1,0.1\r\n,,,,,7\r\n-inf,1e+300\r\n");
  const std::vector<std::string> names{"one", "two"};
  CHECK(CsvTable(names).str() == "one,two\r\n");
}

TEST_CASE("a number reads back to the same value", "[csv]") {
  for (const double value : {1.0 / 3, 5e-324, 123456789.123456789, -0.0}) {
    CsvTable table{"value"};
    table.number(value);
    table.end_row();
    const std::string text = table.str();
    const double back = std::strtod(text.c_str() + text.find('\n') + 1, nullptr);
    CHECK(back == value);
    CHECK(std::signbit(back) == std::signbit(value));
  }
}

}  // namespace attnscope::csv_test
