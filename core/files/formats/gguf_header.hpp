// core/files/formats: what a GGUF file says about itself before its data: metadata, and the tensors with
// their types, shapes and places. Nothing in it is believed: see gguf.hpp.
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
  /// Outermost first, as everywhere else (the file has it reversed): rank 1 to 4, every size >= 0.
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  // in the file
  /// 0 for types that are not known: where such a tensor ends is not known either.
  std::uint64_t bytes = 0;
};

/// "F32", "Q4_K", "IQ2_XXS"; its number for one that is not known.
std::string ggml_type_name(std::uint32_t type);
/// Nothing for the types that are listed but not read.
std::optional<ElementType> element_type_of_ggml(std::uint32_t type);

struct GgufHeader {
  std::uint32_t version = 0;
  std::uint32_t alignment = 0;
  GgufMetadata metadata;
  std::vector<GgufTensor> tensors;  // in the order of the file
};

/// Reads instead of mapping, so that a file that shrinks meanwhile is an error. `where` is how messages call
/// the file. Throws Error with what was found and what was expected.
GgufHeader read_gguf_header(const MappedFile& file, const std::string& where);

}  // namespace attnscope
