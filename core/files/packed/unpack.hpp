// core/files/packed: what stb_image unpacks, which is compiled here alone: pictures, and the deflated bytes
// that zip archives share with PNG. Knows nothing of files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attnscope {

/// A picture may have that many pixels a side, and that many in all: they are 200 MB, and the decoder needs
/// the same again.
inline constexpr int most_picture_side = 16'384;
inline constexpr std::int64_t most_picture_pixels = 67'000'000;

struct PictureSize {
  int width = 0, height = 0;
};
/// By the header of a PNG or JPEG, of whatever size; none for other bytes.
std::optional<PictureSize> picture_size(std::span<const unsigned char> file);

/// The pixels [height][width][3] of a PNG or JPEG; none when the bytes are damaged.
struct UnpackedPicture {
  PictureSize size;
  std::vector<std::uint8_t> bytes;
};
std::optional<UnpackedPicture> unpack_picture(std::span<const unsigned char> file);

/// Deflated bytes (RFC 1951, no header) of at most 2 GiB - 1 either way. Whether they end after exactly
/// to.size() bytes; when they do not, as much of `to` as could be is filled.
inline constexpr std::uint64_t most_inflated_bytes = 0x7FFF'FFFF;
bool inflate(std::span<const std::byte> deflated, std::span<std::byte> to);

}  // namespace attnscope
