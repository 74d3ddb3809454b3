// core/analysis: the callback that tells counts over the cells of a head which cells the mask hides.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace attnscope {

/// Called with a query and [keys] marks; writes 1 for every key that counts and 0 for the others. It may
/// throw to stop the count.
using SeeRow = std::function<void(std::int64_t query, std::span<std::uint8_t> seen)>;

}  // namespace attnscope
