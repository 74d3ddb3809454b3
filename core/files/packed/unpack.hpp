// core/files/packed: decompression by stb_image, which is compiled only here: pictures, and DEFLATE, which
// zip archives and PNG share.
// It reads memory, not files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attnscope {

/// The most pixels a side, and in all: these take 200 MB, and the decoder needs the same again.
inline constexpr int most_picture_side = 16'384;
inline constexpr std::int64_t most_picture_pixels = 67'000'000;

struct PictureSize {
  int width = 0, height = 0;
};
/// The size from the header of a PNG or JPEG, however large; nothing for other bytes.
std::optional<PictureSize> picture_size(std::span<const unsigned char> file);

/// The pixels [height][width][3] of a PNG or JPEG; nothing if the bytes are damaged.
struct UnpackedPicture {
  PictureSize size;
  std::vector<std::uint8_t> bytes;
};
std::optional<UnpackedPicture> unpack_picture(std::span<const unsigned char> file);

/// Inflates bytes (RFC 1951, no header) of at most 2 GiB - 1 either way. Returns whether they end after
/// exactly to.size() bytes; if not, `to` is filled as far as possible.
inline constexpr std::uint64_t most_inflated_bytes = 0x7FFF'FFFF;
bool inflate(std::span<const std::byte> deflated, std::span<std::byte> to);

}  // namespace attnscope
