// core/files/formats: the element types of files, and conversion of their bytes to float and double and back,
// for all tensor formats.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/stored_tensor.hpp"

namespace attnscope {

/// Every element type of safetensors, a superset of the other formats' types. Types below a byte, float8 and
/// complex numbers can be listed but not converted.
enum class DType {
  Bool,
  F4,
  F6E2M3,
  F6E3M2,
  U8,
  I8,
  F8E5M2,
  F8E4M3,
  F8E8M0,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  I16,
  U16,
  F16,
  BF16,
  I32,
  U32,
  F32,
  C64,
  F64,
  I64,
  U64,
};
/// The name in safetensors: "F32", "BOOL", "F8_E4M3".
std::string_view to_string(DType);
std::optional<DType> dtype_from(std::string_view);
std::uint64_t bit_size(DType);
/// F16, BF16, F32 or F64: the types that encode() writes.
bool is_real(DType);
/// The ElementType for F32, F16 and BF16, which are used in place without conversion; nothing for other
/// types.
std::optional<ElementType> element_type_of(DType);
/// The real types, the integers and Bool: the types that decode() reads.
bool is_convertible(DType);

/// Converts out.size() elements of a convertible type; `bytes` holds exactly those and need not be aligned.
/// Bool becomes 0 or 1, F16 and BF16 are exact; values that float cannot hold are rounded to nearest even.
template <class T>
void decode(DType, std::span<const std::byte> bytes, std::endian order, std::span<T> out);

/// The values as little-endian elements of a real type, rounded once to nearest even: too large values become
/// infinite, too small ones zero with their sign, and NaN stays NaN.
template <class T>
std::string encode(DType, std::span<const T> values);

}  // namespace attnscope
