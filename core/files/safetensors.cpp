#include "core/files/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <sys/mman.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/files/atomic_write.hpp"
#include "core/files/safetensors_header.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian and values are copied as they are");

constexpr std::size_t prefix = 8;                        // bytes before the header: its length
constexpr std::uint64_t max_header_bytes = 100'000'000;  // the reference reader's limit

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

float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

/// IEEE 754 binary16; every value of it is a float.
float from_f16(std::uint16_t bits) {
  const std::uint32_t sign = (std::uint32_t{bits} & 0x8000u) << 16, exponent = (bits >> 10) & 0x1Fu,
                      mantissa = bits & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | mantissa << 13);  // infinity, NaN
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float subnormal = static_cast<float>(mantissa) * 0x1p-24f;
  return sign != 0 ? -subnormal : subnormal;
}

/// Reads elements of type Stored, which may lie at any address, and converts each.
template <class Stored, class T, class Convert>
void convert_all(std::span<const std::byte> bytes, std::span<T> out, Convert convert) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    out[i] = static_cast<T>(convert(stored));
  }
}

template <class Stored, class T>
void convert_numbers(std::span<const std::byte> bytes, std::span<T> out) {
  convert_all<Stored>(bytes, out, [](Stored value) { return value; });
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

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : path_(path), file_(open_regular(path)) {
  const std::string where = in_quotes(path.native());
  const std::uint64_t size = size_of(file_, path);
  if (size < prefix) {
    throw Error(fmt::format("{} is not a safetensors file: it has {} bytes, expected at least {}.", where,
                            size, prefix));
  }
  std::uint64_t header_size = 0;
  read_exactly(file_, path, 0, &header_size, prefix);
  if (header_size > max_header_bytes || header_size > size - prefix) {
    throw Error(fmt::format(
        "{} is not a safetensors file: its first bytes announce a header of {} bytes, expected at "
        "most {}.",
        where, header_size, std::min(max_header_bytes, size - prefix)));
  }
  // The header is read, not mapped: a file that shrinks meanwhile is then an error, not a signal.
  std::string json(static_cast<std::size_t>(header_size), '\0');
  read_exactly(file_, path, prefix, json.data(), json.size());
  const std::uint64_t data_size = size - prefix - header_size;
  SafetensorsHeader header = parse_safetensors_header(json, data_size, where);
  metadata_ = std::move(header.metadata);
  tensors_.reserve(header.tensors.size());

  map_size_ = static_cast<std::size_t>(size);
  void* map = ::mmap(nullptr, map_size_, PROT_READ, MAP_PRIVATE, file_.number(), 0);
  if (map == MAP_FAILED) throw system_error("map", path);
  map_ = map;
  const std::byte* data = static_cast<const std::byte*>(map) + prefix + header_size;
  for (HeaderEntry& entry : header.tensors) {
    tensors_.push_back({std::move(entry.name),
                        entry.dtype,
                        std::move(entry.shape),
                        {data + entry.begin, static_cast<std::size_t>(entry.end - entry.begin)}});
  }
}

SafetensorsFile::~SafetensorsFile() {
  if (map_ != nullptr) ::munmap(map_, map_size_);
}

const TensorEntry* SafetensorsFile::find(std::string_view name) const {
  if (size_of(file_, path_) < map_size_) {
    throw Error(fmt::format("{} became shorter while it was open.", in_quotes(path_.native())));
  }
  for (const TensorEntry& entry : tensors_) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

template <class T>
TensorOf<T> to_tensor(const TensorEntry& entry, const std::filesystem::path& path) {
  if (entry.shape.size() > static_cast<std::size_t>(Shape::max_rank)) {
    throw Error(fmt::format("{}: tensor {} has {} dimensions, expected at most {}.", in_quotes(path.native()),
                            in_quotes(entry.name), entry.shape.size(), Shape::max_rank));
  }
  TensorOf<T> tensor{Shape(std::span(entry.shape))};
  const std::span<T> out = tensor.values();
  switch (entry.dtype) {
    case DType::F64: convert_numbers<double>(entry.bytes, out); break;
    case DType::F32: convert_numbers<float>(entry.bytes, out); break;
    case DType::F16: convert_all<std::uint16_t>(entry.bytes, out, from_f16); break;
    case DType::BF16: convert_all<std::uint16_t>(entry.bytes, out, from_bf16); break;
    case DType::Bool:
      convert_all<std::uint8_t>(entry.bytes, out, [](std::uint8_t b) { return b != 0 ? 1 : 0; });
      break;
    case DType::U8: convert_numbers<std::uint8_t>(entry.bytes, out); break;
    case DType::I8: convert_numbers<std::int8_t>(entry.bytes, out); break;
    case DType::U16: convert_numbers<std::uint16_t>(entry.bytes, out); break;
    case DType::I16: convert_numbers<std::int16_t>(entry.bytes, out); break;
    case DType::U32: convert_numbers<std::uint32_t>(entry.bytes, out); break;
    case DType::I32: convert_numbers<std::int32_t>(entry.bytes, out); break;
    case DType::U64: convert_numbers<std::uint64_t>(entry.bytes, out); break;
    case DType::I64: convert_numbers<std::int64_t>(entry.bytes, out); break;
    default:
      throw Error(
          fmt::format("{}: tensor {} has dtype {}, expected BOOL, an integer or one of F16, BF16, F32, F64.",
                      in_quotes(path.native()), in_quotes(entry.name), to_string(entry.dtype)));
  }
  return tensor;
}

template TensorOf<float> to_tensor<float>(const TensorEntry&, const std::filesystem::path&);
template TensorOf<double> to_tensor<double>(const TensorEntry&, const std::filesystem::path&);

void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors) {
  std::string header = "{";
  std::vector<std::string_view> pieces(2);  // length and header, filled in below
  std::set<std::string_view> names{"__metadata__"};
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    if (!is_valid_utf8(name) || !names.insert(name).second) {
      throw Error(fmt::format("Cannot write {}: the tensor name {} cannot be used.", in_quotes(path.native()),
                              in_quotes(name)));
    }
    std::string shape;
    for (int axis = 0; axis < tensor->shape().rank(); ++axis) {
      shape += fmt::format("{}{}", axis == 0 ? "" : ",", tensor->shape()[axis]);
    }
    const std::size_t bytes = tensor->values().size_bytes();
    header += fmt::format("{}{}:{{\"dtype\":\"F32\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          header.size() == 1 ? "" : ",", nlohmann::json(name).dump(), shape, offset,
                          offset + bytes);
    pieces.emplace_back(reinterpret_cast<const char*>(tensor->data()), bytes);
    offset += bytes;
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');  // so that the data is aligned for readers that map it
  const std::uint64_t length = header.size();
  pieces[0] = {reinterpret_cast<const char*>(&length), sizeof length};
  pieces[1] = header;
  write_atomically(path, pieces);
}

}  // namespace attnscope
