// app/pages/model: how a model is compared with the one that is held, head by head.
#pragma once

#include <cstdint>

#include "app/kit/table.hpp"

namespace attnscope {

/// What the map of heads and the list are of: the total variation distance, or the largest change of a
/// single weight.
enum class HeadDistance : std::uint8_t { TotalVariation, Largest };

/// Which layers stand beside each other is ModelLook's.
struct CompareHeadsState {
  HeadDistance measure = HeadDistance::TotalVariation;
  TableOrder order{.sorted_by = 1};  // of the list; in sessions without its first row

  // Of the moment.
  std::int64_t rows_back = 0;  // that the table of tokens is scrolled up from the last one
};

}  // namespace attnscope
