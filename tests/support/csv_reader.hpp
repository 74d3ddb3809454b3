// tests/support: a strict reader of tables by RFC 4180: every row has as many fields as the first one and
// ends with CR LF.
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope::test {

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) {
    std::vector<std::string> row(1);
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quoted) {
        const bool twice = c == '"' && i + 1 < text.size() && text[i + 1] == '"';
        if (c != '"' || twice) row.back() += c;
        if (twice) ++i;
        quoted = c != '"' || twice;
      } else if (c == '"') {
        if (!row.back().empty()) throw std::runtime_error("a quote inside a field");
        quoted = true;
      } else if (c == ',') {
        row.emplace_back();
      } else if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
        ++i;
        rows_.push_back(std::move(row));
        row = {std::string()};
      } else if (c == '\r' || c == '\n') {
        throw std::runtime_error("a line break that is not CR LF");
      } else {
        row.back() += c;
      }
    }
    if (quoted || row.size() > 1 || !row.back().empty()) throw std::runtime_error("the last row has no end");
    for (const std::vector<std::string>& other : rows_)
      if (other.size() != rows_.front().size()) throw std::runtime_error("rows of different lengths");
  }

  const std::vector<std::string>& names() const { return rows_.front(); }
  std::size_t rows() const { return rows_.size() - 1; }
  std::size_t column(std::string_view name) const {
    for (std::size_t c = 0; c < names().size(); ++c)
      if (names()[c] == name) return c;
    throw std::runtime_error("no column " + std::string(name));
  }
  const std::string& at(std::size_t row, std::size_t column) const { return rows_[row + 1][column]; }
  const std::string& at(std::size_t row, std::string_view name) const { return at(row, column(name)); }
  /// NaN where the field is empty.
  double number(std::size_t row, std::string_view name) const {
    const std::string& field = at(row, name);
    return field.empty() ? std::numeric_limits<double>::quiet_NaN() : std::stod(field);
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace attnscope::test
