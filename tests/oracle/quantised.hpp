// tests/oracle: the numbers of quantised blocks in float64, one at a time and bit by bit, from the layouts
// that ggml-common.h of llama.cpp documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace oracle {

struct Dequantised {
  double value;  // not rounded
  double size;   // the sum of its terms' magnitudes: what rounding errors are relative to
};
/// Element `index` of one block of the type of that name: "Q4_0", "Q6_K".
Dequantised dequantised(std::string_view type, std::span<const std::uint8_t> block, std::size_t index);

}  // namespace oracle
