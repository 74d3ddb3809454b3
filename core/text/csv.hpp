// core/text: CSV tables as in RFC 4180: a line of names, then one line for each row, each ended by CR LF.
// Numbers have a decimal point and as many digits as are needed to read back the same value.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace attnscope {

/// The text, in quotes if it contains a comma, a quote or a line break.
std::string csv_field(std::string_view text);

/// Fields are added from left to right; end_row() ends the row. Missing fields of a row are empty.
class CsvTable {
 public:
  explicit CsvTable(std::initializer_list<std::string_view> columns);
  /// The same with names built at run time.
  template <class Names>
  explicit CsvTable(const Names& columns) {
    for (const auto& name : columns) text(name);
    end_row();
  }

  CsvTable& text(std::string_view);
  CsvTable& whole(std::int64_t);
  /// Adds a number; NaN, an unknown value, becomes an empty field.
  CsvTable& number(double);
  CsvTable& number(float);
  CsvTable& nothing(int fields = 1);
  void end_row();

  const std::string& str() const { return text_; }

 private:
  void separate();

  std::string text_;
  bool begun_ = false;  // the current row has a field
};

}  // namespace attnscope
