// core/files/formats: GGUF, the model files of llama.cpp, read by memory map. The loader trusts nothing:
// magic, version, counts, lengths, names, types, shapes, places and overlaps are all checked before a byte of
// data is touched. Quantised weights are used where they lie.
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

/// Whether a path is taken for a GGUF file: by its ending, or by its first bytes where it has another
/// (Ollama's files are called by their hash). Throws nothing.
bool is_gguf(const std::filesystem::path& path);

class GgufFile {
 public:
  /// Versions 2 and 3, little-endian. Throws Error naming the path, the metadata or tensor, what was found
  /// and what was expected.
  explicit GgufFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_->path(); }
  std::uint32_t version() const { return header_.version; }
  std::uint32_t alignment() const { return header_.alignment; }  // of the data, in bytes
  const GgufMetadata& metadata() const& { return header_.metadata; }
  const GgufMetadata& metadata() const&& = delete;  // its words would be gone with the file
  /// In the order of the file, those of types that cannot be read too.
  const std::vector<GgufTensor>& tensors() const { return header_.tensors; }
  /// Null when there is none.
  const GgufTensor* find(std::string_view name) const;
  /// A tensor of this file where it lies in the map, which lives as long as anything that lies in it. Throws
  /// Error naming its type when that is not one of ElementType, and when the file has become shorter; so does
  /// what is done with it then.
  StoredTensor stored(const GgufTensor&) const;
  /// Throws Error when there is none of that name, too.
  StoredTensor stored(std::string_view name) const;

 private:
  std::shared_ptr<const MappedFile> file_;
  GgufHeader header_;
  std::vector<std::size_t> sorted_;  // indices of the tensors in the order of their names
};

}  // namespace attnscope
