// core/base: the types that numbers are stored as, single or quantised in blocks, and the conversion of their
// bytes to floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace attnscope {

/// The storage type of a number, little-endian. The types after Float16 are blocks of GGUF: integers of a few
/// bits with shared scales.
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
  Q2_K,
  Q3_K,
  IQ1_S,
  IQ1_M,
  IQ2_XXS,
  IQ2_XS,
  IQ2_S,
  IQ3_XXS,
  IQ3_S,
  IQ4_NL,
  IQ4_XS,
  TQ1_0,
  TQ2_0,
  MXFP4,
  NVFP4,
  /// Codes and scales apart: see coded_weights.hpp. Only a StoredTensor can widen it.
  Coded,
};
/// The name in files: "F32", "BF16", "Q4_K".
std::string_view to_string(ElementType);

/// The smallest unit of storage: one number, or a block of numbers.
struct BlockSize {
  std::int64_t elements, bytes;
};
BlockSize block_of(ElementType);
inline constexpr std::int64_t max_block_elements = 256;

/// Converts `bytes`, which may lie at any address and hold exactly to.size() numbers, in whole blocks. Exact
/// for the float types; for blocks the result is that of their reference in float (see quantised.hpp).
void widen(ElementType, std::span<const std::byte> bytes, std::span<float> to);

}  // namespace attnscope
