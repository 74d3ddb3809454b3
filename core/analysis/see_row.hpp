// core/analysis: how what is counted over the cells of a head learns which of them the mask hides.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace attnscope {

/// Called with a query and [keys] marks: writes 1 for every key that counts and 0 for the others. What it
/// throws ends the count: so a count is stopped.
using SeeRow = std::function<void(std::int64_t query, std::span<std::uint8_t> seen)>;

}  // namespace attnscope
