#include "core/files/formats/dtype.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>

#include <Eigen/Core>

namespace attnscope {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  std::uint64_t bits;
};

constexpr std::array dtypes{
    DTypeInfo{DType::Bool, "BOOL", 8},
    DTypeInfo{DType::F4, "F4", 4},
    DTypeInfo{DType::F6E2M3, "F6_E2M3", 6},
    DTypeInfo{DType::F6E3M2, "F6_E3M2", 6},
    DTypeInfo{DType::U8, "U8", 8},
    DTypeInfo{DType::I8, "I8", 8},
    DTypeInfo{DType::F8E5M2, "F8_E5M2", 8},
    DTypeInfo{DType::F8E4M3, "F8_E4M3", 8},
    DTypeInfo{DType::F8E8M0, "F8_E8M0", 8},
    DTypeInfo{DType::F8E4M3FNUZ, "F8_E4M3FNUZ", 8},
    DTypeInfo{DType::F8E5M2FNUZ, "F8_E5M2FNUZ", 8},
    DTypeInfo{DType::I16, "I16", 16},
    DTypeInfo{DType::U16, "U16", 16},
    DTypeInfo{DType::F16, "F16", 16},
    DTypeInfo{DType::BF16, "BF16", 16},
    DTypeInfo{DType::I32, "I32", 32},
    DTypeInfo{DType::U32, "U32", 32},
    DTypeInfo{DType::F32, "F32", 32},
    DTypeInfo{DType::C64, "C64", 64},
    DTypeInfo{DType::F64, "F64", 64},
    DTypeInfo{DType::I64, "I64", 64},
    DTypeInfo{DType::U64, "U64", 64},
};

const DTypeInfo& info_of(DType dtype) { return dtypes[static_cast<std::size_t>(dtype)]; }

/// A boolean stored as a byte: any bit set is true.
struct Truth {
  std::uint8_t byte;
  operator float() const { return byte != 0 ? 1 : 0; }
};

template <class Stored, class T>
void decode_all(std::span<const std::byte> bytes, std::endian order, std::span<T> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::array<std::byte, sizeof(Stored)> stored;
    std::memcpy(stored.data(), bytes.data() + i * sizeof(Stored), sizeof(Stored));
    if (order != std::endian::native) std::reverse(stored.begin(), stored.end());
    out[i] = static_cast<T>(std::bit_cast<Stored>(stored));
  }
}

/// Rounds to float by "round to odd": rounding the result to a shorter type then gives the same as rounding
/// `value` directly, because no inexact value looks like the midpoint between two shorter numbers.
float for_rounding(float value) { return value; }
float for_rounding(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value)) return nearest;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::abs(static_cast<double>(nearest)) > std::abs(value)) --bits;  // towards zero, also from infinity
  return std::bit_cast<float>(bits | 1u);
}

template <class Stored, class T, class Convert>
std::string encode_all(std::span<const T> values, Convert convert) {
  std::string bytes(values.size() * sizeof(Stored), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Stored stored = convert(values[i]);
    std::memcpy(bytes.data() + i * sizeof(Stored), &stored, sizeof(Stored));
  }
  return bytes;
}

}  // namespace

std::string_view to_string(DType dtype) { return info_of(dtype).name; }

std::uint64_t bit_size(DType dtype) { return info_of(dtype).bits; }

std::optional<DType> dtype_from(std::string_view name) {
  for (const DTypeInfo& info : dtypes) {
    if (info.name == name) return info.dtype;
  }
  return std::nullopt;
}

bool is_real(DType dtype) {
  return dtype == DType::F16 || dtype == DType::BF16 || dtype == DType::F32 || dtype == DType::F64;
}

std::optional<ElementType> element_type_of(DType dtype) {
  switch (dtype) {
    case DType::F32: return ElementType::Float32;
    case DType::F16: return ElementType::Float16;
    case DType::BF16: return ElementType::BFloat16;
    default: return std::nullopt;
  }
}

bool is_convertible(DType dtype) {
  switch (dtype) {
    case DType::Bool:
    case DType::U8:
    case DType::I8:
    case DType::U16:
    case DType::I16:
    case DType::U32:
    case DType::I32:
    case DType::U64:
    case DType::I64: return true;
    default: return is_real(dtype);
  }
}

template <class T>
void decode(DType dtype, std::span<const std::byte> bytes, std::endian order, std::span<T> out) {
  assert(bytes.size() * 8 ==
         out.size() * bit_size(dtype));  // sanitizers do not see reads beyond a mapped file
  if constexpr (std::is_same_v<T, float>) {
    const std::optional<ElementType> type = element_type_of(dtype);
    if (type && order == std::endian::little) return widen(*type, bytes, out);
  }
  switch (dtype) {
    case DType::F64: decode_all<double>(bytes, order, out); break;
    case DType::F32: decode_all<float>(bytes, order, out); break;
    case DType::F16: decode_all<Eigen::half>(bytes, order, out); break;
    case DType::BF16: decode_all<Eigen::bfloat16>(bytes, order, out); break;
    case DType::Bool: decode_all<Truth>(bytes, order, out); break;
    case DType::U8: decode_all<std::uint8_t>(bytes, order, out); break;
    case DType::I8: decode_all<std::int8_t>(bytes, order, out); break;
    case DType::U16: decode_all<std::uint16_t>(bytes, order, out); break;
    case DType::I16: decode_all<std::int16_t>(bytes, order, out); break;
    case DType::U32: decode_all<std::uint32_t>(bytes, order, out); break;
    case DType::I32: decode_all<std::int32_t>(bytes, order, out); break;
    case DType::U64: decode_all<std::uint64_t>(bytes, order, out); break;
    case DType::I64: decode_all<std::int64_t>(bytes, order, out); break;
    default: break;  // not convertible: callers check before
  }
}

template <class T>
std::string encode(DType dtype, std::span<const T> values) {
  switch (dtype) {
    case DType::F64: return encode_all<double>(values, [](T value) { return static_cast<double>(value); });
    case DType::F32: return encode_all<float>(values, [](T value) { return static_cast<float>(value); });
    case DType::F16:
      return encode_all<Eigen::half>(values, [](T value) { return Eigen::half(for_rounding(value)); });
    case DType::BF16:
      return encode_all<Eigen::bfloat16>(values,
                                         [](T value) { return Eigen::bfloat16(for_rounding(value)); });
    default: return {};  // not real: callers check before
  }
}

template void decode<float>(DType, std::span<const std::byte>, std::endian, std::span<float>);
template void decode<double>(DType, std::span<const std::byte>, std::endian, std::span<double>);
template std::string encode<float>(DType, std::span<const float>);
template std::string encode<double>(DType, std::span<const double>);

}  // namespace attnscope
