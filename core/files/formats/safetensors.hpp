// core/files/formats: safetensors, read by memory map and written atomically. The loader trusts nothing:
// header length, JSON, names, types, shapes, offsets, holes and overlaps are all checked before a byte of
// data is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/base/stored_tensor.hpp"
#include "core/base/tensor.hpp"
#include "core/files/formats/dtype.hpp"
#include "core/files/formats/mapped_file.hpp"
#include "core/files/formats/reading.hpp"

namespace attnscope {

/// A tensor whose bytes cannot be used in place: they are compressed or in another order.
class PackedTensor {
 public:
  virtual ~PackedTensor() = default;
  /// All values, row-major. Throws Error naming the file and the tensor, Cancelled after a stop.
  virtual Tensor floats(Reading*) const = 0;
  virtual TensorOf<double> doubles(Reading*) const = 0;
};

/// One tensor of an open file. `bytes` point into the map and live as long as the SafetensorsFile; they are
/// not aligned, and empty if the tensor is packed. to_tensor() reads from `file` instead, so that a file that
/// shrinks gives an Error.
struct TensorEntry {
  std::string name;  // valid UTF-8, any characters
  DType dtype = DType::F32;
  std::vector<std::int64_t> shape;  // every size >= 0
  std::span<const std::byte> bytes;
  const MappedFile* file = nullptr;  // the file that `bytes` lie in
  std::uint64_t begin = 0;           // in the file
  std::shared_ptr<const PackedTensor> packed = nullptr;

  std::uint64_t count() const {
    std::uint64_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::uint64_t>(size);
    return count;
  }
};

class SafetensorsFile {
 public:
  /// Throws Error naming the path, what was found and what was expected.
  explicit SafetensorsFile(const std::filesystem::path& path);
  /// Takes the tensors of a file in another format; their names must differ.
  SafetensorsFile(std::shared_ptr<const MappedFile> file, std::vector<TensorEntry> tensors);
  SafetensorsFile(SafetensorsFile&&) = default;

  const std::vector<TensorEntry>& tensors() const { return tensors_; }  // in the order of their data
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// Null if there is no such tensor. Throws Error if the file has become shorter since it was opened:
  /// reading its bytes would end the program.
  const TensorEntry* find(std::string_view name) const;
  const std::filesystem::path& path() const { return file_->path(); }
  const MappedFile& map() const { return *file_; }
  /// Keeps the bytes of its tensors alive.
  std::shared_ptr<const MemoryOwner> owner() const { return file_; }
  /// The tensor as stored: F32, F16 and BF16 stay in the map, which lives as long as any tensor in it; other
  /// types are converted to float first. Throws Error as to_tensor(); so does using the tensor once the file
  /// has become shorter.
  StoredTensor stored(const TensorEntry&) const;

 private:
  void list_places();

  std::shared_ptr<const MappedFile> file_;
  std::vector<TensorEntry> tensors_;
  std::unordered_map<std::string_view, std::size_t> places_;  // in tensors_, by the names there
  std::map<std::string, std::string> metadata_;
};

/// The values converted to float or double: F16, BF16, F32, F64, integers and Bool (0 or 1); F16 and BF16 are
/// exact. Throws Error naming `path`, the tensor and its type for the other types, for more than
/// Shape::max_rank dimensions, and if the file has become shorter.
template <class T>
TensorOf<T> to_tensor(const TensorEntry&, const std::filesystem::path& path, Reading* reading = nullptr);

/// A tensor to write, its name and its element type in the file.
struct NamedTensor {
  std::string name;
  std::variant<const Tensor*, const TensorOf<double>*, const TensorOf<std::int64_t>*> tensor;  // not null
  DType dtype = DType::F32;
};
/// Writes tensors as F16, BF16, F32 or F64, rounded to nearest even, integers as I64, and `metadata` as the
/// format's __metadata__. Atomically: a reader sees the old file or the new one, never a part. Throws Error
/// for another dtype, for names that are equal or not UTF-8, and for system errors.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace attnscope
