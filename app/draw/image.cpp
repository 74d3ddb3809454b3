#include "app/draw/image.hpp"

#include <array>
#include <string_view>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

#include "core/error.hpp"
#include "core/files/atomic_write.hpp"

namespace attnscope {

void save_png(const Image& image, const std::filesystem::path& path) {
  if (image.width <= 0 || image.height <= 0)
    throw Error(path.string() + ": a picture without pixels was not written.");
  // Three channels: what lies under a window is nothing, so alpha has nothing to say and half the time is
  // saved.
  std::vector<unsigned char> rgb(image.pixels.size() * 3);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const Rgba pixel = image.pixels[i];
    rgb[3 * i] = static_cast<unsigned char>(pixel & 255);
    rgb[3 * i + 1] = static_cast<unsigned char>(pixel >> 8 & 255);
    rgb[3 * i + 2] = static_cast<unsigned char>(pixel >> 16 & 255);
  }
  std::string png;
  const auto append = [](void* to, void* bytes, int count) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), static_cast<std::size_t>(count));
  };
  if (!stbi_write_png_to_func(append, &png, image.width, image.height, 3, rgb.data(), 3 * image.width))
    throw Error(path.string() + ": the picture could not be encoded as PNG; there is too little memory.");
  write_atomically(path, std::array{std::string_view(png)});
}

}  // namespace attnscope
