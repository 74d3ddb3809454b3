#include "core/files/formats/picture_file.hpp"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/mapped_file.hpp"
#include "core/files/packed/unpack.hpp"
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
  // Before anything is unpacked: a file of 20 KB may hold a gigabyte of one colour.
  const std::optional<PictureSize> size = picture_size(bytes);
  const bool is_wide = size && (size->width > most_picture_side || size->height > most_picture_side);
  if (size && (is_wide || std::int64_t{size->width} * size->height > most_picture_pixels))
    refuse(fmt::format("has {} × {} pixels; a picture may have 16,384 a side and 67 million in all.",
                       size->width, size->height));
  std::optional<UnpackedPicture> unpacked = unpack_picture(bytes);
  if (!unpacked) refuse("is no picture that can be read: PNG and JPEG of at most 16,384 pixels a side are.");
  RgbPicture picture{unpacked->size.width, unpacked->size.height, std::move(unpacked->bytes)};
  return upright(std::move(picture), orientation_of(bytes));
}

}  // namespace attnscope
