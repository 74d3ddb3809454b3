// app/views/picture: a picture at screen resolution, and colours of a map laid over its patches. No ImGui in
// here.
#pragma once

#include <span>

#include "app/kit/draw/colormap.hpp"
#include "app/kit/draw/image.hpp"
#include "core/files/formats/picture_file.hpp"

namespace attnscope {

/// The picture in so many pixels, smoothed between its own.
Image paint_picture(const RgbPicture&, int width, int height);

/// Values of patches, [rows][columns], as colours over the picture, which keeps its light alone.
struct HeatJob {
  const RgbPicture& picture;
  std::span<const float> values;
  std::int64_t rows = 1, columns = 1;
  const Colormap& map;
  float low = 0, high = 1;
  Rgba nan = 0;
};
/// How much of a pixel is the colour of its patch; the rest is the picture.
inline constexpr float heat_share = 0.7f;
Image paint_heat(const HeatJob&, int width, int height);

}  // namespace attnscope
