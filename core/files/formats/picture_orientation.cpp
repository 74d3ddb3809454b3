#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "core/files/formats/picture_file.hpp"

namespace attnscope {
namespace {

/// The bytes of a file; reads outside of it give nothing.
class Bytes {
 public:
  explicit Bytes(std::string_view all, bool big_endian = true) : all_(all), big_endian_(big_endian) {}

  std::optional<std::uint32_t> number(std::size_t at, std::size_t size) const {
    if (at > all_.size() || all_.size() - at < size) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t place = big_endian_ ? at + i : at + size - 1 - i;
      value = value << 8 | static_cast<unsigned char>(all_[place]);
    }
    return value;
  }
  std::string_view from(std::size_t at, std::size_t size) const {
    return at <= all_.size() ? all_.substr(at, size) : std::string_view();
  }
  std::size_t size() const { return all_.size(); }

 private:
  std::string_view all_;
  bool big_endian_;
};

std::optional<int> valid(std::optional<std::uint32_t> value) {
  if (!value || *value < 1 || *value > 8) return std::nullopt;
  return static_cast<int>(*value);
}

/// The orientation tag in the first directory of a TIFF header, the format of EXIF.
std::optional<int> orientation_in_exif(std::string_view tiff) {
  constexpr std::uint32_t orientation = 0x0112, of_16_bits = 3, of_32_bits = 4;
  if (!tiff.starts_with("II") && !tiff.starts_with("MM")) return std::nullopt;
  const Bytes bytes(tiff, tiff.starts_with("MM"));
  const auto begin = bytes.number(4, 4);
  if (!begin) return std::nullopt;
  const std::uint32_t count = bytes.number(*begin, 2).value_or(0);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t entry = std::size_t{*begin} + 2 + std::size_t{i} * 12;
    const auto tag = bytes.number(entry, 2), type = bytes.number(entry + 2, 2);
    if (!tag || !type) return std::nullopt;
    if (*tag != orientation) continue;
    if (*type == of_16_bits) return valid(bytes.number(entry + 8, 2));
    return *type == of_32_bits ? valid(bytes.number(entry + 8, 4)) : std::nullopt;
  }
  return std::nullopt;
}

/// tiff:Orientation="6" or <tiff:Orientation>6
std::optional<int> orientation_in_xmp(std::string_view packet) {
  constexpr std::string_view key = "tiff:Orientation";
  const std::size_t at = packet.find(key);
  if (at == packet.npos) return std::nullopt;
  std::string_view rest = packet.substr(at + key.size());
  if (!rest.starts_with("=\"") && !rest.starts_with('>')) return std::nullopt;
  rest.remove_prefix(rest[0] == '>' ? 1 : 2);
  return rest.empty() ? std::nullopt
                      : valid(static_cast<std::uint32_t>(static_cast<unsigned char>(rest[0]) - '0'));
}

struct Found {
  std::optional<int> exif, xmp;
};

/// Reads the segments up to the first scan: 0xFF, a marker, a length that counts its own two bytes.
Found look_in_jpeg(const Bytes& file) {
  constexpr std::string_view exif = {"Exif\0\0", 6}, xmp = {"http://ns.adobe.com/xap/1.0/\0", 29};
  constexpr std::uint32_t application_1 = 0xE1, start_of_scan = 0xDA, end_of_image = 0xD9;
  Found found;
  for (std::size_t at = 2;;) {
    if (file.number(at, 1) != 0xFF) return found;
    const auto marker = file.number(at + 1, 1);
    if (!marker || *marker == start_of_scan || *marker == end_of_image) return found;
    if (*marker == 0xFF) {  // a padding byte
      ++at;
      continue;
    }
    const auto length = file.number(at + 2, 2);
    if (!length || *length < 2) return found;
    const std::string_view data = file.from(at + 4, *length - 2);
    if (*marker == application_1 && data.starts_with(exif) && !found.exif)
      found.exif = orientation_in_exif(data.substr(exif.size()));
    if (*marker == application_1 && data.starts_with(xmp) && !found.xmp)
      found.xmp = orientation_in_xmp(data.substr(xmp.size()));
    at += 2 + *length;
  }
}

/// Reads the chunks: a length, a name of four letters, the data, four bytes of checksum.
Found look_in_png(const Bytes& file) {
  constexpr std::string_view xmp = {"XML:com.adobe.xmp\0", 18};
  Found found;
  for (std::size_t at = 8;;) {
    const auto length = file.number(at, 4);
    if (!length || file.from(at + 4, 4) == "IEND") return found;
    const std::string_view name = file.from(at + 4, 4), data = file.from(at + 8, *length);
    if (name == "eXIf") found.exif = orientation_in_exif(data);
    if (name == "iTXt" && data.starts_with(xmp)) found.xmp = orientation_in_xmp(data);
    at += 12 + std::size_t{*length};
  }
}

}  // namespace

int orientation_of(std::span<const unsigned char> file) {
  const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
  Found found;
  if (all.starts_with("\xFF\xD8")) found = look_in_jpeg(Bytes(all));
  if (all.starts_with("\x89PNG\r\n\x1A\n")) found = look_in_png(Bytes(all));
  return found.exif.value_or(found.xmp.value_or(1));
}

RgbPicture upright(RgbPicture picture, int orientation) {
  if (orientation <= 1 || orientation > 8) return picture;
  const bool turned = orientation >= 5;  // rows become columns
  const bool mirrored = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool flipped = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  RgbPicture made{.width = turned ? picture.height : picture.width,
                  .height = turned ? picture.width : picture.height,
                  .bytes = {}};
  made.bytes.resize(picture.bytes.size());
  unsigned char* to = made.bytes.data();
  for (int y = 0; y < made.height; ++y) {
    for (int x = 0; x < made.width; ++x, to += 3) {
      const int u = turned ? y : x, v = turned ? x : y;
      const std::size_t column = static_cast<std::size_t>(mirrored ? picture.width - 1 - u : u);
      const std::size_t row = static_cast<std::size_t>(flipped ? picture.height - 1 - v : v);
      std::memcpy(to, &picture.bytes[3 * (row * static_cast<std::size_t>(picture.width) + column)], 3);
    }
  }
  return made;
}

}  // namespace attnscope
