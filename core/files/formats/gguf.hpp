// core/files/formats: GGUF, the model files of llama.cpp, read by memory map. The loader trusts nothing:
// magic, version, counts, lengths, names, types, shapes, places and overlaps are all checked before a byte of
// data is touched. Quantised weights are used in place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/stored_tensor.hpp"
#include "core/files/formats/gguf_header.hpp"
#include "core/files/formats/gguf_values.hpp"
#include "core/files/formats/mapped_file.hpp"

namespace attnscope {

/// Whether the path is a GGUF file: by its ending or, with another ending, by its first bytes (Ollama names
/// its files by their hash). Does not throw.
bool is_gguf(const std::filesystem::path& path);

class GgufFile {
 public:
  /// Versions 2 and 3, little-endian. Throws Error naming the path, the metadata or tensor, what was found
  /// and what was expected.
  explicit GgufFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_->path(); }
  const MappedFile& map() const { return *file_; }
  std::uint32_t version() const { return header_.version; }
  std::uint32_t alignment() const { return header_.alignment; }  // of the data, in bytes
  const GgufMetadata& metadata() const& { return header_.metadata; }
  const GgufMetadata& metadata() const&& = delete;  // the metadata lives in the file
  /// In the order of the file, including tensors of types that cannot be read.
  const std::vector<GgufTensor>& tensors() const { return header_.tensors; }
  /// Null if there is no such tensor.
  const GgufTensor* find(std::string_view name) const;
  /// A tensor in place in the map, which lives as long as any tensor in it. Throws Error naming the type if
  /// it is not an ElementType, and if the file has become shorter; using the tensor later throws then, too.
  StoredTensor stored(const GgufTensor&) const;
  /// As above; also throws Error if there is no tensor of that name.
  StoredTensor stored(std::string_view name) const;

 private:
  std::shared_ptr<const MappedFile> file_;
  GgufHeader header_;
  std::vector<std::size_t> sorted_;  // indices of the tensors in the order of their names
};

}  // namespace attnscope
