// core/files/formats: reads and converts numbers of a file piece by piece instead of through a map, so that a
// file that shrinks meanwhile gives an Error and does not end the program.
#pragma once

#include <algorithm>
#include <vector>

#include "core/files/formats/dtype.hpp"
#include "core/files/formats/mapped_file.hpp"
#include "core/files/formats/reading.hpp"

namespace attnscope {

/// Bytes that are read in pieces: a file, a part of one, or memory.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  /// Copies `size` bytes from `offset` on, which must exist. Throws Error if they cannot be read any more.
  virtual void read(std::uint64_t offset, void* to, std::size_t size) const = 0;
};

/// `size` bytes of a file from `begin` on.
class FilePart final : public ByteSource {
 public:
  explicit FilePart(const MappedFile& file) : FilePart(file, 0, file.size()) {}
  FilePart(const MappedFile& file, std::uint64_t begin, std::uint64_t size)
      : file_(file), begin_(begin), size_(size) {}
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, void* to, std::size_t size) const override {
    file_.read(begin_ + offset, to, size);
  }

 private:
  const MappedFile& file_;
  std::uint64_t begin_, size_;
};

/// Reads out.size() elements of a convertible type from byte `offset` on. Throws Error if the file ends
/// before that, Cancelled after a stop.
template <class T>
void read_values(const ByteSource& file, std::uint64_t offset, DType type, std::endian order,
                 std::span<T> out, Reading* reading = nullptr) {
  constexpr std::size_t piece = 1 << 18;  // elements: at most 2 MB, which fits into the caches
  const std::size_t size = static_cast<std::size_t>(bit_size(type) / 8);
  std::vector<std::byte> bytes(std::min(piece, out.size()) * size);
  while (!out.empty()) {
    const std::size_t count = std::min(piece, out.size());
    file.read(offset, bytes.data(), count * size);
    decode(type, std::span<const std::byte>(bytes).first(count * size), order, out.first(count));
    out = out.subspan(count);
    advance(reading, count);
    offset += count * size;
  }
}

}  // namespace attnscope
