#include "app/draw/image.hpp"

#include <array>
#include <string_view>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

std::string encode_png(const Image& image, bool alpha) {
  // Three channels unless asked: half the time is saved.
  const int channels = alpha ? 4 : 3;
  std::vector<unsigned char> bytes(image.pixels.size() * static_cast<std::size_t>(channels));
  auto* to = bytes.data();
  for (const Rgba pixel : image.pixels)
    for (int channel = 0; channel < channels; ++channel)
      *to++ = static_cast<unsigned char>(pixel >> (8 * channel) & 255);
  // No prediction from pixel to pixel: on flat areas and text it makes files larger and takes three times as
  // long.
  [[maybe_unused]] static const int chosen =
      (stbi_write_png_compression_level = 5, stbi_write_force_png_filter = 0);
  std::string png;
  const auto append = [](void* out, void* data, int count) {
    static_cast<std::string*>(out)->append(static_cast<const char*>(data), static_cast<std::size_t>(count));
  };
  if (!stbi_write_png_to_func(append, &png, image.width, image.height, channels, bytes.data(),
                              channels * image.width))
    throw Error("The picture could not be encoded as PNG; there is too little memory.");
  return png;
}

std::string deflated(std::string_view bytes) {
  std::vector<unsigned char> copy(bytes.begin(), bytes.end());
  constexpr int quality = 8;  // as many earlier places are looked at; more takes longer and gains little
  int size = 0;
  unsigned char* const packed =
      stbi_zlib_compress(copy.data(), static_cast<int>(copy.size()), &size, quality);
  if (packed == nullptr) throw Error("The bytes could not be packed; there is too little memory.");
  std::string out(reinterpret_cast<const char*>(packed), static_cast<std::size_t>(size));
  STBIW_FREE(packed);
  return out;
}

void save_png(const Image& image, const std::filesystem::path& path) {
  if (image.width <= 0 || image.height <= 0)
    throw Error(in_quotes(path.native()) + ": a picture without pixels was not written.");
  // What lies under a window is nothing, so alpha has nothing to say.
  const std::string png = encode_png(image);
  write_atomically(path, std::array{std::string_view(png)});
}

}  // namespace attnscope
