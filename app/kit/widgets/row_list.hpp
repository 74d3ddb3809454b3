// app/kit/widgets: rows of one height that scroll by whole rows, so that none is ever cut. Only the rows in
// sight need to be drawn.
#pragma once

#include <cstdint>

#include "app/kit/ui/ui.hpp"

namespace attnscope {

/// Exists while its rows are drawn. As many whole rows are shown as fit into the box; the scrollbar takes the
/// 12 px beyond its right edge.
class RowList {
 public:
  /// `kept` is the first row in sight; the list scrolls to it if the caller changes it. `follow`: a row that
  /// scrolls into sight whenever it changes; -1 = none.
  RowList(const Ui&, const char* label, const Box&, float row_height, std::int64_t rows, std::int64_t& kept,
          std::int64_t follow = -1);
  ~RowList();
  RowList(const RowList&) = delete;
  RowList& operator=(const RowList&) = delete;

  /// The rows in sight: first … last - 1.
  std::int64_t first() const { return first_; }
  std::int64_t last() const { return last_; }
  /// The box of a row in sight.
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
