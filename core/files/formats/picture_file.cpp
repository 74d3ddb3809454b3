#include "core/files/formats/picture_file.hpp"

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_NO_FAILURE_STRINGS
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_MAX_DIMENSIONS 16384
#include <stb/stb_image.h>

#include "core/base/error.hpp"
#include "core/files/formats/mapped_file.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

RgbPicture read_picture(const std::filesystem::path& path) {
  constexpr std::uint64_t most = 64 << 20;
  const MappedFile file(path);
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("{} {}", in_quotes(path.string()), why));
  };
  if (file.size() > most) refuse(fmt::format("has {} MB; a picture may have 64.", file.size() >> 20));
  // Copied: what is decoded must not change meanwhile.
  std::vector<unsigned char> bytes(static_cast<std::size_t>(file.size()));
  file.read(0, bytes.data(), bytes.size());
  RgbPicture picture;
  int channels = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> pixels(
      stbi_load_from_memory(bytes.data(), static_cast<int>(bytes.size()), &picture.width, &picture.height,
                            &channels, 3),
      stbi_image_free);
  if (pixels == nullptr)
    refuse("is no picture that can be read: PNG and JPEG of at most 16,384 pixels a side are.");
  const auto count = static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * 3;
  picture.bytes.assign(pixels.get(), pixels.get() + count);
  return upright(std::move(picture), orientation_of(bytes));
}

}  // namespace attnscope
