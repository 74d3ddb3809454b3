// core/files: safetensors, read by memory map and written atomically. The loader trusts nothing: header
// length, JSON, names, types, shapes, offsets, holes and overlaps are all checked before a byte of data is
// touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/posix.hpp"
#include "core/tensor.hpp"

namespace attnscope {

/// Every element type of the format. Those below a byte, the float8 types and complex numbers can be listed
/// but not converted.
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
/// As the file writes it: "F32", "BOOL", "F8_E4M3".
std::string_view to_string(DType);
std::optional<DType> dtype_from(std::string_view);
std::uint64_t bit_size(DType);
/// F16, BF16, F32 or F64.
bool is_real(DType);

/// One tensor of an open file. `bytes` point into the map and live as long as the SafetensorsFile; they are
/// not aligned.
struct TensorEntry {
  std::string name;  // valid UTF-8, any characters
  DType dtype = DType::F32;
  std::vector<std::int64_t> shape;  // every size >= 0
  std::span<const std::byte> bytes;
};

class SafetensorsFile {
 public:
  /// Throws Error naming the path, what was found and what was expected.
  explicit SafetensorsFile(const std::filesystem::path& path);
  ~SafetensorsFile();
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  const std::vector<TensorEntry>& tensors() const { return tensors_; }  // in order of their data
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// Null when there is none. Throws Error when the file has become shorter since it was opened: reading its
  /// bytes would end the program.
  const TensorEntry* find(std::string_view name) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Descriptor file_;
  void* map_ = nullptr;
  std::size_t map_size_ = 0;
  std::vector<TensorEntry> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// The values converted to float (or double), F16 and BF16 exactly: F16, BF16, F32, F64, integers and Bool (0
/// or 1). Throws Error naming `path`, the tensor and its type for the other types, and for more than
/// Shape::max_rank dimensions.
template <class T>
TensorOf<T> to_tensor(const TensorEntry&, const std::filesystem::path& path);

struct NamedTensor {
  std::string name;
  const Tensor* tensor;
};
/// Writes F32 tensors, atomically: a reader sees the old file or the new one, never a part. Names must
/// differ. Throws Error.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors);

}  // namespace attnscope
