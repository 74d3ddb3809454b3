// core/base: what numbers are stored as, one by one or quantised in blocks, and the way from their bytes to
// floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace attnscope {

/// What a number is stored as, little-endian. The types after Float16 are blocks of GGUF: some integers of a
/// few bits with the scales they share.
enum class ElementType : std::uint8_t {
  Float32,
  BFloat16,
  Float16,
  Q8_0,
  Q4_0,
  Q4_1,
  Q5_0,
  Q5_1,
  Q4_K,
  Q5_K,
  Q6_K,
};
/// As files call it: "F32", "BF16", "Q4_K".
std::string_view to_string(ElementType);

/// What is stored as one piece: one number, or a block of them.
struct BlockSize {
  std::int64_t elements, bytes;
};
BlockSize block_of(ElementType);
inline constexpr std::int64_t max_block_elements = 256;

/// The numbers of `bytes`, which may lie at any address and hold exactly to.size() of them: whole blocks.
/// Exact for the floats; of a block, what its reference computes in float (see quantised.hpp).
void widen(ElementType, std::span<const std::byte> bytes, std::span<float> to);

}  // namespace attnscope
