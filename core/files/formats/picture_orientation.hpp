// core/files/formats: how a photograph says that it lies: the EXIF orientation of JPEG and PNG files.
#pragma once

#include <span>

#include "core/files/formats/picture_file.hpp"

namespace attnscope {

/// The orientation tag, 1 (upright) to 8, of a JPEG's EXIF segment or a PNG's eXIf chunk, else of its XMP
/// packet; 1 where the bytes have none or are damaged.
int orientation_of(std::span<const unsigned char> file);

/// The picture as it is meant to be seen.
RgbPicture upright(RgbPicture picture, int orientation);

}  // namespace attnscope
