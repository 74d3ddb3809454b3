#include "core/text/csv.hpp"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace attnscope {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + "\"";
}

CsvTable::CsvTable(std::initializer_list<std::string_view> columns) {
  for (const std::string_view name : columns) text(name);
  end_row();
}

void CsvTable::separate() {
  if (begun_) text_ += ',';
  begun_ = true;
}

CsvTable& CsvTable::text(std::string_view words) {
  separate();
  text_ += csv_field(words);
  return *this;
}

CsvTable& CsvTable::whole(std::int64_t value) {
  separate();
  fmt::format_to(std::back_inserter(text_), "{}", value);
  return *this;
}

CsvTable& CsvTable::number(double value) {
  separate();
  if (!std::isnan(value)) fmt::format_to(std::back_inserter(text_), "{}", value);
  return *this;
}

CsvTable& CsvTable::number(float value) {
  separate();
  if (!std::isnan(value)) fmt::format_to(std::back_inserter(text_), "{}", value);
  return *this;
}

CsvTable& CsvTable::nothing(int fields) {
  for (int i = 0; i < fields; ++i) separate();
  return *this;
}

void CsvTable::end_row() {
  text_ += "\r\n";
  begun_ = false;
}

}  // namespace attnscope
