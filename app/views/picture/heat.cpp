#include "app/views/picture/heat.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/draw/raster.hpp"

namespace attnscope {
namespace {

using Colour = std::array<float, 3>;

Rgba packed(const Colour& c) {
  const auto byte = [](float x) { return static_cast<Rgba>(std::clamp(std::lround(x), 0L, 255L)); };
  return byte(c[0]) | byte(c[1]) << 8 | byte(c[2]) << 16 | 0xFF000000u;
}

Colour unpacked(Rgba c) {
  return {static_cast<float>(c & 255u), static_cast<float>(c >> 8 & 255u),
          static_cast<float>(c >> 16 & 255u)};
}

/// Interpolates between the four pixels around a place; their centres are at halves.
Colour sample(const RgbPicture& picture, float x, float y) {
  const float px = std::clamp(x - 0.5f, 0.f, static_cast<float>(picture.width - 1)),
              py = std::clamp(y - 0.5f, 0.f, static_cast<float>(picture.height - 1));
  const int x0 = static_cast<int>(px), y0 = static_cast<int>(py);
  const int x1 = std::min(x0 + 1, picture.width - 1), y1 = std::min(y0 + 1, picture.height - 1);
  const float fx = px - static_cast<float>(x0), fy = py - static_cast<float>(y0);
  Colour made{};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto at = [&](int column, int row) {
      const auto pixel = static_cast<std::size_t>(row) * static_cast<std::size_t>(picture.width) +
                         static_cast<std::size_t>(column);
      return static_cast<float>(picture.bytes[3 * pixel + c]);
    };
    made[c] =
        (1 - fy) * ((1 - fx) * at(x0, y0) + fx * at(x1, y0)) + fy * ((1 - fx) * at(x0, y1) + fx * at(x1, y1));
  }
  return made;
}

template <class Fn>
Image painted(const RgbPicture& picture, int width, int height, const Fn& pixel) {
  Image image(std::max(1, width), std::max(1, height));
  if (picture.bytes.empty()) return image;
  const float across = static_cast<float>(picture.width) / static_cast<float>(image.width),
              down = static_cast<float>(picture.height) / static_cast<float>(image.height);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      image.at(x, y) = packed(pixel(
          sample(picture, (static_cast<float>(x) + 0.5f) * across, (static_cast<float>(y) + 0.5f) * down), x,
          y));
  return image;
}

}  // namespace

Image paint_picture(const RgbPicture& picture, int width, int height) {
  return painted(picture, width, height, [](const Colour& colour, int, int) { return colour; });
}

Image paint_heat(const HeatJob& job, int width, int height) {
  return painted(job.picture, width, height, [&](const Colour& colour, int x, int y) {
    const std::int64_t row = std::min<std::int64_t>(job.rows - 1, y * job.rows / std::max(1, height)),
                       column = std::min<std::int64_t>(job.columns - 1, x * job.columns / std::max(1, width));
    const float value = job.values[static_cast<std::size_t>(row * job.columns + column)];
    const float light = 0.299f * colour[0] + 0.587f * colour[1] + 0.114f * colour[2];
    const Rgba patch =
        std::isnan(value) ? job.nan : job.map[static_cast<std::size_t>(map_index(value, job.low, job.high))];
    Colour mixed = unpacked(patch);
    for (float& channel : mixed) channel = heat_share * channel + (1 - heat_share) * light;
    return mixed;
  });
}

}  // namespace attnscope
