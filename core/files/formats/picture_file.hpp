// core/files/formats: pictures from outside as bytes of red, green and blue.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace attnscope {

struct RgbPicture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> bytes;  // [height][width][3]
};

/// A PNG or JPEG file of at most 64 MB, 16,384 pixels a side and 67 million in all, upright by its EXIF
/// orientation. Transparency is left out, grey becomes three equal channels, of 16 bits the upper 8 count.
/// These are the bytes of Pillow's convert("RGB"), except where note_on_picture() says otherwise. Throws
/// Error with the path and the reason.
RgbPicture read_picture(const std::filesystem::path& path);

/// A sentence where Pillow, which reads pictures for transformers, makes other bytes of a file: of 16 bits of
/// grey without alpha it takes the number itself, and 255 for all above. Empty for other files.
std::string note_on_picture(const std::filesystem::path& path);

/// The orientation tag, 1 (upright) to 8, of a JPEG's EXIF segment or a PNG's eXIf chunk, else of its XMP
/// packet; 1 where the bytes have none or are damaged.
int orientation_of(std::span<const unsigned char> file);
/// The picture as it is meant to be seen.
RgbPicture upright(RgbPicture picture, int orientation);

}  // namespace attnscope
