#include "core/files/formats/picture_file.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/mapped_file.hpp"
#include "core/files/packed/unpack.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr auto png_checksums = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit)
      table[i] = (table[i] & 1) != 0 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
  }
  return table;
}();

/// CRC-32 of a chunk's name and data.
std::uint32_t png_checksum(std::span<const unsigned char> bytes) {
  std::uint32_t value = ~0u;
  for (const unsigned char byte : bytes) value = value >> 8 ^ png_checksums[(value ^ byte) & 255u];
  return ~value;
}

/// Whether a chunk that the pixels depend on has a wrong checksum. The decoder does not check and would give
/// wrong pixels.
bool is_damaged_png(std::span<const unsigned char> file) {
  constexpr std::array<unsigned char, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  constexpr std::size_t frame = 12;              // length, name and checksum
  constexpr std::uint32_t last = 0x49454e44;     // IEND
  constexpr unsigned char not_of_pixels = 0x20;  // bit in the first letter of the names of ancillary chunks
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | file[at + i];
    return value;
  };
  if (file.size() < signature.size() || !std::equal(signature.begin(), signature.end(), file.begin()))
    return false;
  for (std::size_t at = signature.size(); file.size() - at >= frame;) {
    const std::size_t length = word(at);
    if (length > file.size() - at - frame) return false;  // cut off: the decoder reports it
    if ((file[at + 4] & not_of_pixels) == 0 &&
        png_checksum(file.subspan(at + 4, length + 4)) != word(at + 8 + length))
      return true;
    if (word(at + 4) == last) return false;
    at += frame + length;
  }
  return false;
}

/// The PNG with its palette extended to 256 colours, the missing ones black, as libpng does. The decoder
/// would take uninitialised memory for them.
std::vector<unsigned char> with_whole_palette(std::vector<unsigned char> file) {
  constexpr std::size_t first = 8, frame = 12, kind = 25, whole = 768;
  constexpr unsigned char of_palette = 3;
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | file[at + i];
    return value;
  };
  if (file.size() <= kind || file[0] != 0x89 || file[kind] != of_palette) return file;
  for (std::size_t at = first; file.size() - at >= frame;) {
    const std::size_t length = word(at);
    if (length > file.size() - at - frame) return file;
    if (word(at + 4) != 0x504c5445) {  // PLTE
      at += frame + length;
      continue;
    }
    if (length >= whole) return file;
    file[at + 2] = static_cast<unsigned char>(whole >> 8);
    file[at + 3] = static_cast<unsigned char>(whole & 255);
    file.insert(file.begin() + static_cast<std::ptrdiff_t>(at + 8 + length), whole - length, 0);
    return file;
  }
  return file;
}

}  // namespace

RgbPicture read_picture(const std::filesystem::path& path) {
  constexpr std::uint64_t most = 64 << 20;
  const MappedFile file(path);
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("{} {}", in_quotes(path.string()), why));
  };
  if (file.size() > most) refuse(fmt::format("has {} MB; a picture may have 64.", file.size() >> 20));
  // Copied: the bytes must not change during decoding.
  std::vector<unsigned char> bytes(static_cast<std::size_t>(file.size()));
  file.read(0, bytes.data(), bytes.size());
  // Before decoding: a file of 20 KB may expand to a gigabyte of one colour.
  const std::optional<PictureSize> size = picture_size(bytes);
  const bool is_wide = size && (size->width > most_picture_side || size->height > most_picture_side);
  if (size && (is_wide || std::int64_t{size->width} * size->height > most_picture_pixels))
    refuse(fmt::format("has {} × {} pixels; a picture may have 16,384 a side and 67 million in all.",
                       size->width, size->height));
  std::optional<UnpackedPicture> unpacked = unpack_picture(with_whole_palette(bytes));
  if (!unpacked) refuse("is no picture that can be read: PNG and JPEG of at most 16,384 pixels a side are.");
  if (is_damaged_png(bytes)) refuse("is damaged: its bytes do not have the checksum that it gives for them.");
  RgbPicture picture{unpacked->size.width, unpacked->size.height, std::move(unpacked->bytes)};
  return upright(std::move(picture), orientation_of(bytes));
}

std::string note_on_picture(const std::filesystem::path& path) {
  constexpr std::array<unsigned char, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  constexpr std::size_t depth = 24, kind = 25;
  constexpr unsigned char of_grey = 0;
  const MappedFile file(path);
  std::array<unsigned char, kind + 1> head{};
  if (file.size() < head.size()) return {};
  file.read(0, head.data(), head.size());
  if (!std::ranges::equal(signature, std::span(head).first(signature.size())) || head[depth] != 16 ||
      head[kind] != of_grey)
    return {};
  return fmt::format(
      "{} has 16 bits of grey a pixel: their upper 8 are read, where Pillow, which transformers uses, makes "
      "all above 255 white.",
      in_quotes(path.string()));
}

}  // namespace attnscope
