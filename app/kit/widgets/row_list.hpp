// app/kit/widgets: rows of one height that scroll by whole rows, so that none is ever cut. Only the rows in
// sight need to be drawn.
#pragma once

#include <cstdint>

#include "app/kit/ui/ui.hpp"

namespace attnscope {

/// Lives as long as its rows are drawn. The box takes as many whole rows as fit; its scrollbar stands in the
/// 12 px beyond its right edge.
class RowList {
 public:
  /// `kept` is the first row in sight, and where the list scrolls to when it is set from outside. `follow`: a
  /// row that comes into sight whenever another one is asked for; -1 = none.
  RowList(const Ui&, const char* label, const Box&, float row_height, std::int64_t rows, std::int64_t& kept,
          std::int64_t follow = -1);
  ~RowList();
  RowList(const RowList&) = delete;
  RowList& operator=(const RowList&) = delete;

  /// The rows in sight: first … last - 1.
  std::int64_t first() const { return first_; }
  std::int64_t last() const { return last_; }
  /// Where a row in sight stands.
  Box row(std::int64_t index) const;
  /// From the next frame on the list begins with this row, as far as it can.
  void begin_with(std::int64_t row) const;

 private:
  const Ui& ui_;
  Box box_;
  float row_height_, top_ = 0;
  std::int64_t rows_, first_ = 0, last_ = 0;
};

}  // namespace attnscope
