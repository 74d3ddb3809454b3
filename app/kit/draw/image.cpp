#include "app/kit/draw/image.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "app/kit/draw/deflate.hpp"

namespace attnscope {
namespace {

/// Replaces stb's own compression, whose fixed codes make files a third larger. stb frees the result.
unsigned char* packed_for_png(unsigned char* bytes, int size, int* packed_size, int) {
  const std::string packed = deflated({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
  auto* const copy = static_cast<unsigned char*>(std::malloc(packed.size()));
  if (copy != nullptr) std::copy(packed.begin(), packed.end(), copy);
  *packed_size = static_cast<int>(packed.size());
  return copy;
}

}  // namespace
}  // namespace attnscope

#define STBIW_ZLIB_COMPRESS attnscope::packed_for_png
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

std::string encode_png(const Image& image, bool alpha) {
  // Three channels unless alpha is asked for: that takes half the time.
  const int channels = alpha ? 4 : 3;
  std::vector<unsigned char> bytes(image.pixels.size() * static_cast<std::size_t>(channels));
  auto* to = bytes.data();
  for (const Rgba pixel : image.pixels)
    for (int channel = 0; channel < channels; ++channel)
      *to++ = static_cast<unsigned char>(pixel >> (8 * channel) & 255);
  // No prediction from pixel to pixel: on flat areas and text it makes files larger and takes three times as
  // long.
  [[maybe_unused]] static const int chosen = (stbi_write_force_png_filter = 0);
  std::string png;
  const auto append = [](void* out, void* data, int count) {
    static_cast<std::string*>(out)->append(static_cast<const char*>(data), static_cast<std::size_t>(count));
  };
  if (!stbi_write_png_to_func(append, &png, image.width, image.height, channels, bytes.data(),
                              channels * image.width))
    throw Error("The picture could not be encoded as PNG; there is too little memory.");
  return png;
}

void save_png(const Image& image, const std::filesystem::path& path) {
  if (image.width <= 0 || image.height <= 0)
    throw Error(in_quotes(path.native()) + ": a picture without pixels was not written.");
  // Nothing lies under the picture of a window, so it needs no alpha.
  const std::string png = encode_png(image);
  write_atomically(path, std::array{std::string_view(png)});
}

}  // namespace attnscope
