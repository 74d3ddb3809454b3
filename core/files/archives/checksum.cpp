#include "core/files/archives/checksum.hpp"

#include <array>

namespace attnscope {
namespace {

/// Slicing-by-8: eight tables let each step take eight bytes instead of one.
constexpr auto checksum_tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xEDB88320u : 0);
    tables[0][byte] = value;
  }
  for (std::size_t table = 1; table < 8; ++table)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[table][byte] = tables[table - 1][byte] >> 8 ^ tables[0][tables[table - 1][byte] & 0xFF];
  return tables;
}();

}  // namespace

std::uint32_t checksum(std::uint32_t so_far, std::span<const std::byte> bytes) {
  const auto& t = checksum_tables;
  std::uint32_t value = ~so_far;
  const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(bytes[i]); };
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    const std::uint32_t low = value ^ (at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24);
    value = t[7][low & 0xFF] ^ t[6][low >> 8 & 0xFF] ^ t[5][low >> 16 & 0xFF] ^ t[4][low >> 24] ^
            t[3][at(4)] ^ t[2][at(5)] ^ t[1][at(6)] ^ t[0][at(7)];
  }
  for (const std::byte byte : bytes)
    value = value >> 8 ^ t[0][(value ^ static_cast<std::uint32_t>(byte)) & 0xFF];
  return ~value;
}

}  // namespace attnscope
