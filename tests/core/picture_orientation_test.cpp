// Rotated photographs are turned upright as by Pillow's ImageOps.exif_transpose.
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/files/formats/picture_file.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::picture_orientation_test {
namespace {

std::string number(std::size_t value, int bytes, bool big_endian = true) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    const int place = big_endian ? bytes - 1 - i : i;
    text += static_cast<char>(value >> (8 * place) & 0xFF);
  }
  return text;
}

/// A TIFF header with a directory of two entries, the second of which is the orientation.
std::string exif(std::size_t orientation, bool big_endian, std::size_t type = 3) {
  const auto n = [&](std::size_t value, int bytes) { return number(value, bytes, big_endian); };
  return (big_endian ? "MM" : "II") + n(42, 2) + n(8, 4) + n(2, 2) +        //
         n(0x010F, 2) + n(2, 2) + n(4, 4) + "abc" + std::string(1, '\0') +  //
         n(0x0112, 2) + n(type, 2) + n(1, 4) + (type == 3 ? n(orientation, 2) + n(0, 2) : n(orientation, 4)) +
         n(0, 4);
}

std::string jpeg(const std::string& segment) {
  return "\xFF\xD8" + ("\xFF\xE0" + number(7, 2)) + "JFIF" + '\0' + "\xFF\xE1" +
         number(segment.size() + 2, 2) + segment + "\xFF\xDA";
}
std::string chunk(std::string_view name, const std::string& data) {
  return number(data.size(), 4) + std::string(name) + data + "sum!";
}
std::string png(const std::string& chunks) {
  return "\x89PNG\r\n\x1A\n" + chunk("IHDR", std::string(13, 'x')) + chunks + chunk("IEND", "");
}

int read(const std::string& file) {
  return orientation_of({reinterpret_cast<const unsigned char*>(file.data()), file.size()});
}

const std::string exif_mark("Exif\0\0", 6), xmp_mark("http://ns.adobe.com/xap/1.0/\0", 29);

/// Rows of letters with bars between, of a picture of letters.
std::string letters(const RgbPicture& picture) {
  std::string text;
  for (int y = 0; y < picture.height; ++y) {
    if (y > 0) text += '|';
    for (int x = 0; x < picture.width; ++x)
      text += static_cast<char>(picture.bytes[static_cast<std::size_t>(3 * (y * picture.width + x) + 2)]);
  }
  return text;
}

}  // namespace

TEST_CASE("the orientation of a photograph is read from EXIF, else from XMP", "[image_input]") {
  for (std::size_t value = 1; value <= 8; ++value) {
    for (const bool big_endian : {false, true}) {
      CHECK(read(jpeg(exif_mark + exif(value, big_endian))) == static_cast<int>(value));
      CHECK(read(png(chunk("eXIf", exif(value, big_endian)))) == static_cast<int>(value));
    }
  }
  CHECK(read(jpeg(exif_mark + exif(6, true, 4))) == 6);
  CHECK(read(png(chunk("IDAT", "abc") + chunk("eXIf", exif(3, true)))) == 3);  // after the pixels
  CHECK(read(jpeg(xmp_mark + "<rdf tiff:Orientation=\"8\"/>")) == 8);
  CHECK(read(jpeg(xmp_mark + "<tiff:Orientation>5</tiff:Orientation>")) == 5);
}

TEST_CASE("without an orientation, or with a damaged one, a picture stays as it is", "[image_input]") {
  CHECK(read("") == 1);
  CHECK(read("\xFF\xD8") == 1);
  CHECK(read(jpeg("something else")) == 1);
  CHECK(read(jpeg(exif_mark + exif(0, true))) == 1);
  CHECK(read(jpeg(exif_mark + exif(9, true))) == 1);
  CHECK(read(jpeg(exif_mark + exif(6, true, 2))) == 1);
  const std::string whole = jpeg(exif_mark + exif(6, false)), chunks = png(chunk("eXIf", exif(6, false)));
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK((read(whole.substr(0, size)) == 1 || read(whole.substr(0, size)) == 6));
  for (std::size_t size = 0; size < chunks.size(); ++size)
    CHECK((read(chunks.substr(0, size)) == 1 || read(chunks.substr(0, size)) == 6));
  std::string far = exif(6, true);
  far[4] = '\x7F';  // the directory is far beyond the end
  CHECK(read(jpeg(exif_mark + far)) == 1);
}

TEST_CASE("a picture of too many pixels is refused before it is unpacked", "[image_input]") {
  const test::TemporaryDirectory directory;
  const auto refusal = [&](std::size_t width, std::size_t height) {
    const std::string rgb_of_8_bits("\x08\x02\0\0\0", 5);
    const std::filesystem::path path = directory.write(
        "a.png", "\x89PNG\r\n\x1A\n" + chunk("IHDR", number(width, 4) + number(height, 4) + rgb_of_8_bits));
    return test::message_of<Error>([&] { read_picture(path); });
  };
  const std::string limit = "a picture may have 16,384 a side and 67 million in all.";
  CHECK(refusal(12'000, 12'000).ends_with("a.png\" has 12000 × 12000 pixels; " + limit));
  CHECK(refusal(16'385, 1).ends_with("has 16385 × 1 pixels; " + limit));
  CHECK(refusal(8185, 8186).ends_with("has 8185 × 8186 pixels; " + limit));
  CHECK(refusal(8185, 8185).find("is no picture that can be read") != std::string::npos);  // it has no pixels
}

TEST_CASE("a picture is turned and mirrored by its orientation", "[image_input]") {
  RgbPicture picture{.width = 3, .height = 2, .bytes = {}};
  for (const char letter : {'a', 'b', 'c', 'd', 'e', 'f'})
    for (int channel = 0; channel < 3; ++channel)
      picture.bytes.push_back(static_cast<std::uint8_t>(channel == 2 ? letter : '-'));
  const char* expected[] = {"abc|def",  "cba|fed",  "fed|cba",  "def|abc",
                            "ad|be|cf", "da|eb|fc", "fc|eb|da", "cf|be|ad"};
  for (int orientation = 1; orientation <= 8; ++orientation)
    CHECK(letters(upright(picture, orientation)) == expected[orientation - 1]);
  CHECK(letters(upright(picture, 9)) == "abc|def");
}

}  // namespace attnscope::picture_orientation_test
