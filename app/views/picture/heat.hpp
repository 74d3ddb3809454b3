// app/views/picture: a picture at screen resolution, and a colour map laid over its patches. No ImGui in
// here.
#pragma once

#include <span>

#include "app/kit/draw/colormap.hpp"
#include "app/kit/draw/image.hpp"
#include "core/files/formats/picture_file.hpp"

namespace attnscope {

/// The picture scaled to width × height pixels, interpolated.
Image paint_picture(const RgbPicture&, int width, int height);

/// Values of patches, [rows][columns], as colours over the picture, of which only the lightness stays.
struct HeatJob {
  const RgbPicture& picture;
  std::span<const float> values;
  std::int64_t rows = 1, columns = 1;
  const Colormap& map;
  float low = 0, high = 1;
  Rgba nan = 0;
};
/// The share of the patch's colour in a pixel; the rest is the picture.
inline constexpr float heat_share = 0.7f;
Image paint_heat(const HeatJob&, int width, int height);

}  // namespace attnscope
