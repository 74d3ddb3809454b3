// app/state: the order of a list of heads.
#pragma once

#include <cstdint>

namespace attnscope {

/// Their own, or the largest number of a column first.
enum class HeadSort : std::uint8_t { Place, First, Second, Third };

}  // namespace attnscope
