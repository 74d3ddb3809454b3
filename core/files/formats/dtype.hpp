// core/files/formats: the element types of files, and the way from their bytes to float and double and back.
// The tensor formats differ in their headers only: what a number looks like on disk is settled here.
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

/// Every element type of safetensors, which has all of the others. Those below a byte, the float8 types and
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
/// As safetensors writes it: "F32", "BOOL", "F8_E4M3".
std::string_view to_string(DType);
std::optional<DType> dtype_from(std::string_view);
std::uint64_t bit_size(DType);
/// F16, BF16, F32 or F64: what encode() writes.
bool is_real(DType);
/// What is used where it lies: F32, F16 and BF16.
std::optional<ElementType> element_type_of(DType);
/// The real types, the integers and Bool: what decode() reads.
bool is_convertible(DType);

/// Converts out.size() elements of a convertible type; `bytes` holds exactly those, at any address. Bool
/// becomes 0 or 1, F16 and BF16 are exact, what float cannot hold is rounded to nearest even.
template <class T>
void decode(DType, std::span<const std::byte> bytes, std::endian order, std::span<T> out);

/// The values as elements of a real type, little-endian, rounded once to nearest even: what is too large
/// becomes infinite, what is too small becomes zero of its sign, and NaN stays NaN.
template <class T>
std::string encode(DType, std::span<const T> values);

}  // namespace attnscope
