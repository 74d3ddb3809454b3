// core/files/formats: the JSON header of a safetensors file, checked in full. It is parsed from text alone,
// so tests can give it hostile headers without files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/formats/dtype.hpp"

namespace attnscope {

struct HeaderEntry {
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes of the data section
};

struct SafetensorsHeader {
  std::vector<HeaderEntry> tensors;  // in the order of their data, which they cover without holes or overlaps
  std::map<std::string, std::string> metadata;
};

/// `where` names the file in messages. Throws Error for everything the format forbids (see the format's
/// README and the reference reader in Rust), and for duplicate keys, which the reference reader accepts.
/// Memory stays within a small multiple of the header's size.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_size,
                                           const std::string& where);

}  // namespace attnscope
