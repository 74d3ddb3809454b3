// core/files/formats: picture files as RGB bytes.
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

/// Reads a PNG or JPEG file of at most 64 MB, 16,384 pixels a side and 67 million in all, and turns it
/// upright by its orientation_of(). Transparency is dropped, grey becomes three equal channels, and 16-bit
/// samples keep their upper 8 bits. The bytes equal Pillow's convert("RGB"), except where note_on_picture()
/// says otherwise. Throws Error with the path and the reason.
RgbPicture read_picture(const std::filesystem::path& path);

/// A sentence for a file of which Pillow, the reader that transformers uses, makes other bytes: it clips
/// 16-bit grey without alpha to 255 instead of keeping the upper 8 bits. Empty for other files.
std::string note_on_picture(const std::filesystem::path& path);

/// The orientation, 1 (upright) to 8: the tag of a JPEG's EXIF segment or a PNG's eXIf chunk, else of the XMP
/// packet; 1 if the file has none or is damaged.
int orientation_of(std::span<const unsigned char> file);
/// Turns and mirrors the picture so that it is upright.
RgbPicture upright(RgbPicture picture, int orientation);

}  // namespace attnscope
