// core/files/formats: a file as memory, for the formats whose data is used where it lies.
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
  /// In bytes, when it was opened.
  std::uint64_t size() const { return size_; }
  /// All of it. Call check_length() before reading.
  std::span<const std::byte> bytes() const { return {map_, static_cast<std::size_t>(size_)}; }
  /// Throws Error when the file has become shorter since it was opened: touching the missing pages would end
  /// the program.
  void check_length() const;
  /// The same: what lies in the map is asked for piece by piece, and each piece is checked first. A file that
  /// another program shortens in the very moment between the check and the reading still ends the program:
  /// a caller that cannot have that calls read() instead.
  void check() const override { check_length(); }
  /// Copies from the file instead of the map: a file that shrinks meanwhile is then an error, not a signal.
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
