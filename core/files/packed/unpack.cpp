#include "core/files/packed/unpack.hpp"

#include <algorithm>
#include <memory>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_NO_FAILURE_STRINGS
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#include <stb/stb_image.h>

namespace attnscope {

std::optional<PictureSize> picture_size(std::span<const unsigned char> file) {
  PictureSize size;
  int channels = 0;
  if (stbi_info_from_memory(file.data(), static_cast<int>(file.size()), &size.width, &size.height,
                            &channels) == 0)
    return std::nullopt;
  return size;
}

std::optional<UnpackedPicture> unpack_picture(std::span<const unsigned char> file) {
  UnpackedPicture picture;
  int channels = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> pixels(
      stbi_load_from_memory(file.data(), static_cast<int>(file.size()), &picture.size.width,
                            &picture.size.height, &channels, 3),
      stbi_image_free);
  if (pixels == nullptr) return std::nullopt;
  const auto count =
      static_cast<std::size_t>(picture.size.width) * static_cast<std::size_t>(picture.size.height) * 3;
  picture.bytes.assign(pixels.get(), pixels.get() + count);
  return picture;
}

bool inflate(std::span<const std::byte> deflated, std::span<std::byte> to) {
  if (deflated.size() > most_inflated_bytes - 4 || to.size() > most_inflated_bytes) return false;
  // The decoder reads two bytes ahead and takes the end of the buffer there for damage.
  std::vector<std::byte> padded(deflated.size() + 4);
  std::ranges::copy(deflated, padded.begin());
  const int made = stbi_zlib_decode_noheader_buffer(
      reinterpret_cast<char*>(to.data()), static_cast<int>(to.size()),
      reinterpret_cast<const char*>(padded.data()), static_cast<int>(padded.size()));
  return made >= 0 && static_cast<std::size_t>(made) == to.size();
}

}  // namespace attnscope
