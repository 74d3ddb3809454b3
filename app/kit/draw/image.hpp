// app/kit/draw: pixels in memory, and as a PNG file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// Red in the lowest byte, alpha in the highest (Dear ImGui's IM_COL32 and GL_RGBA bytes on a little-endian
/// machine).
using Rgba = std::uint32_t;

struct Image {
  int width = 0, height = 0;
  std::vector<Rgba> pixels;  // [height][width], top row first

  Image() = default;
  Image(int w, int h)
      : width(w), height(h), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  Rgba& at(int x, int y) {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
  Rgba at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
  bool operator==(const Image&) const = default;
};

/// The bytes of a PNG file, opaque unless `alpha`. Throws Error if memory is short.
std::string encode_png(const Image&, bool alpha = false);
/// Writes the picture as an opaque PNG, atomically. Throws Error with the path and the reason.
void save_png(const Image&, const std::filesystem::path&);

}  // namespace attnscope
