// core/files/formats: the header of a GGUF file: metadata, and the tensors with their types, shapes and
// places. Every value is checked: see gguf.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/element_type.hpp"
#include "core/files/formats/gguf_values.hpp"
#include "core/files/formats/mapped_file.hpp"

namespace attnscope {

/// One tensor of an open file.
struct GgufTensor {
  std::string name;  // valid UTF-8, any characters
  /// The number of its type in ggml.h; see ggml_type_name().
  std::uint32_t type = 0;
  /// Outermost dimension first, as everywhere in AttnScope (reversed in the file): rank 1 to 4, every size >=
  /// 0.
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  // in the file
  /// 0 for unknown types, whose size is unknown too.
  std::uint64_t bytes = 0;
};

/// "F32", "Q4_K", "IQ2_XXS"; for an unknown type its number.
std::string ggml_type_name(std::uint32_t type);
/// Nothing for types that can be listed but not read.
std::optional<ElementType> element_type_of_ggml(std::uint32_t type);

struct GgufHeader {
  std::uint32_t version = 0;
  std::uint32_t alignment = 0;
  GgufMetadata metadata;
  std::vector<GgufTensor> tensors;  // in the order of the file
};

/// Reads instead of mapping, so that a file that shrinks meanwhile gives an Error. `where` names the file in
/// messages. Throws Error with what was found and what was expected.
GgufHeader read_gguf_header(const MappedFile& file, const std::string& where);

}  // namespace attnscope
