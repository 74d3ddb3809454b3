// core/files/formats: a memory-mapped file, for formats whose data is used in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "core/base/stored_tensor.hpp"
#include "core/files/formats/posix.hpp"

namespace attnscope {

class MappedFile final : public MemoryOwner {
 public:
  /// Maps a regular file, which may be empty. Throws Error with the path and the reason.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile() override;

  const std::filesystem::path& path() const { return path_; }
  /// In bytes, at the time of opening.
  std::uint64_t size() const { return size_; }
  /// The whole file. Call check_length() before reading.
  std::span<const std::byte> bytes() const { return {map_, static_cast<std::size_t>(size_)}; }
  /// Throws Error when the file has become shorter since it was opened: touching the missing pages would end
  /// the program.
  void check_length() const;
  /// The same check: data in the map is used piece by piece, and each piece is checked first. If another
  /// program shortens the file between the check and the reading, the program still ends; a caller that must
  /// avoid that calls read() instead.
  void check() const override { check_length(); }
  /// Copies from the file instead of the map: a file that shrinks meanwhile then gives an Error, not a
  /// signal.
  void read(std::uint64_t offset, void* to, std::size_t size) const {
    read_exactly(file_, path_, offset, to, size);
  }

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t size_ = 0;
  const std::byte* map_ = nullptr;  // null when the file is empty
};

}  // namespace attnscope
