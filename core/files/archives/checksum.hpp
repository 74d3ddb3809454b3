// core/files/archives: the checksum of zip archives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace attnscope {

/// CRC-32 as zip defines it, continued from `so_far` (0 for the first bytes).
std::uint32_t checksum(std::uint32_t so_far, std::span<const std::byte> bytes);

}  // namespace attnscope
