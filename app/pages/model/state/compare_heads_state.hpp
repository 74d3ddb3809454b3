// app/pages/model: settings of the comparison with the held model, head by head.
#pragma once

#include <cstdint>

#include "app/kit/table.hpp"

namespace attnscope {

/// The measure of the map of heads and of the list: the total variation distance, or the largest change of a
/// single weight.
enum class HeadDistance : std::uint8_t { TotalVariation, Largest };

/// Which layers are compared is in ModelLook.
struct CompareHeadsState {
  HeadDistance measure = HeadDistance::TotalVariation;
  TableOrder order{.sorted_by = 1};  // of the list; sessions do not keep its first row

  // Not kept in a session.
  std::int64_t rows_back = 0;  // by which the table of tokens is scrolled up from its end
};

}  // namespace attnscope
