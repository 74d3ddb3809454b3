// core/files/formats: tables as RFC 4180 has them: a line of names, then a line a row, each ended by CR LF;
// numbers with a dot and as many digits as read back to the same value.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace attnscope {

/// Quoted where a comma, a quote or a line break would be read as something else.
std::string csv_field(std::string_view text);

/// Fields are added from left to right; end_row() ends the row. What is left out of a row is empty.
class CsvTable {
 public:
  explicit CsvTable(std::initializer_list<std::string_view> columns);
  /// The same with names that were made.
  template <class Names>
  explicit CsvTable(const Names& columns) {
    for (const auto& name : columns) text(name);
    end_row();
  }

  CsvTable& text(std::string_view);
  CsvTable& whole(std::int64_t);
  /// NaN stands for what is not known: an empty field.
  CsvTable& number(double);
  CsvTable& number(float);
  CsvTable& nothing(int fields = 1);
  void end_row();

  const std::string& str() const { return text_; }

 private:
  void separate();

  std::string text_;
  bool begun_ = false;  // the row has a field
};

}  // namespace attnscope
