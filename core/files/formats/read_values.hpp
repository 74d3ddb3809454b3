// core/files/formats: numbers from a file, converted. They are read piece by piece instead of through a map,
// so that a file that shrinks meanwhile is an error in words and not the end of the program.
#pragma once

#include <algorithm>
#include <vector>

#include "core/files/formats/dtype.hpp"
#include "core/files/formats/mapped_file.hpp"
#include "core/files/formats/reading.hpp"

namespace attnscope {

/// out.size() elements of a convertible type from byte `offset` on. Throws Error when the file ends before
/// that, Cancelled when the reading is stopped.
template <class T>
void read_values(const MappedFile& file, std::uint64_t offset, DType type, std::endian order,
                 std::span<T> out, Reading* reading = nullptr) {
  constexpr std::size_t piece = 1 << 18;  // elements: at most 2 MB, which the caches hold
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
