// Input pictures of a vision transformer: read, resized as Pillow does, normalised.
#include "core/models/pictures/image_input.hpp"

#include <array>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::image_input_test {
using Catch::Matchers::ContainsSubstring;
namespace {

// Red, green; blue, (10, 20, 30).
constexpr std::array<unsigned char, 79> png{
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x08, 0x02, 0x00, 0x00, 0x00, 0xfd, 0xd4, 0x9a,
    0x73, 0x00, 0x00, 0x00, 0x16, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0xc0,
    0xf0, 0x9f, 0x81, 0x81, 0x81, 0xe1, 0x3f, 0x97, 0x88, 0x1c, 0x00, 0x1a, 0x58, 0x03, 0x3a, 0x82,
    0xe0, 0xab, 0x53, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

void write(const std::filesystem::path& path, const void* bytes, std::size_t count) {
  std::ofstream(path, std::ios::binary)
      .write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
}

/// Bytes 0, 37, 74, … modulo 256.
RgbPicture picture_of(int width, int height) {
  RgbPicture picture{width, height, {}};
  for (int i = 0; i < width * height * 3; ++i)
    picture.bytes.push_back(static_cast<std::uint8_t>(i * 37 % 256));
  return picture;
}

/// A checksum of every byte and its place.
std::int64_t sum_of(const RgbPicture& picture) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < picture.bytes.size(); ++i)
    sum += picture.bytes[i] * static_cast<std::int64_t>(i % 251 + 1);
  return sum;
}

}  // namespace

TEST_CASE("pictures in other sizes have the bytes that Pillow gives them", "[image_input]") {
  const RgbPicture picture = picture_of(7, 5);
  // Image.fromarray(bytes).resize((width, height), 2 or 3)
  CHECK(sum_of(resized(picture, 3, 2, Resampling::Bilinear)) == 22463);
  CHECK(sum_of(resized(picture, 11, 8, Resampling::Bilinear)) == 4107444);
  CHECK(sum_of(resized(picture, 3, 2, Resampling::Bicubic)) == 22494);
  CHECK(resized(picture, 7, 5, Resampling::Bilinear).bytes == picture.bytes);
  const RgbPicture small = resized(picture, 3, 2, Resampling::Bilinear);
  CHECK(std::vector<int>(small.bytes.begin(), small.bytes.begin() + 6) ==
        std::vector<int>{104, 86, 123, 146, 123, 100});
}

TEST_CASE("a picture's file is read, and a damaged one is refused by its name", "[image_input]") {
  const test::TemporaryDirectory directory;
  write(directory / "a.png", png.data(), png.size());
  const RgbPicture picture = read_picture(directory / "a.png");
  CHECK(picture.width == 2);
  CHECK(picture.height == 2);
  CHECK(picture.bytes == std::vector<std::uint8_t>{255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30});
  for (const std::size_t length : {0u, 1u, 20u, 45u, 50u}) {
    CAPTURE(length);
    write(directory / "cut.png", png.data(), length);
    try {
      read_picture(directory / "cut.png");
      FAIL("nothing was refused");
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find("cut.png") != std::string::npos);
    }
  }
  CHECK_THROWS_AS(read_picture(directory / "none.png"), Error);
}

TEST_CASE("a PNG with one bit of its pixels turned over is refused, not read otherwise", "[image_input]") {
  const test::TemporaryDirectory directory;
  constexpr std::size_t in_pixels = 45;  // the first bytes after the name IDAT
  for (std::size_t byte = in_pixels; byte < in_pixels + 4; ++byte) {
    auto damaged = png;
    damaged[byte] = static_cast<unsigned char>(damaged[byte] ^ 1);
    write(directory / "damaged.png", damaged.data(), damaged.size());
    CHECK_THROWS_WITH(read_picture(directory / "damaged.png"), ContainsSubstring("damaged.png\" is damaged"));
  }
}

TEST_CASE("a colour that the palette of a PNG leaves out is black", "[image_input]") {
  // Three pixels: colours 0, 1 and 255 of a palette of one, (9, 8, 7).
  constexpr std::array<unsigned char, 84> short_palette{
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
      0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x01, 0x08, 0x03, 0x00, 0x00, 0x00, 0x2c, 0x3e, 0xe4, 0x86, 0x00,
      0x00, 0x00, 0x03, 0x50, 0x4c, 0x54, 0x45, 0x09, 0x08, 0x07, 0xfe, 0x16, 0x19, 0xfe, 0x00, 0x00, 0x00,
      0x0c, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60, 0x60, 0xfc, 0x0f, 0x00, 0x01, 0x05, 0x01, 0x01,
      0x8f, 0x4c, 0xaa, 0xdb, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  const test::TemporaryDirectory directory;
  write(directory / "palette.png", short_palette.data(), short_palette.size());
  CHECK(read_picture(directory / "palette.png").bytes ==
        std::vector<std::uint8_t>{9, 8, 7, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("of 16 bits a channel the upper 8 are read, and where Pillow reads others a note says so",
          "[image_input]") {
  constexpr std::array<unsigned char, 72> colour{
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
      0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x10, 0x02, 0x00, 0x00, 0x00, 0xc0,
      0xe7, 0x8f, 0x9d, 0x00, 0x00, 0x00, 0x0f, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60,
      0x48, 0x11, 0xfa, 0xff, 0xff, 0x3f, 0x00, 0x08, 0x3d, 0x03, 0x74, 0xd0, 0x48, 0xa1, 0xa4,
      0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};  // 0x0064, 0x12ff, 0xffff
  const test::TemporaryDirectory directory;
  write(directory / "colour.png", colour.data(), colour.size());
  CHECK(read_picture(directory / "colour.png").bytes == std::vector<std::uint8_t>{0, 0x12, 255});
  CHECK(note_on_picture(directory / "colour.png").empty());
  write_grey_of_16_bits(directory / "grey.png");
  CHECK(read_picture(directory / "grey.png").bytes ==
        std::vector<std::uint8_t>{0, 0, 0, 0x12, 0x12, 0x12, 255, 255, 255});
  CHECK_THAT(note_on_picture(directory / "grey.png"),
             ContainsSubstring("grey.png\" has 16 bits of grey a pixel: their upper 8 are read"));
  write(directory / "a.png", png.data(), png.size());
  write(directory / "short.png", png.data(), 20);
  for (const char* file : {"a.png", "short.png"}) CHECK(note_on_picture(directory / file).empty());
}

TEST_CASE("a picture is prepared as the folder says", "[image_input]") {
  const test::TemporaryDirectory directory;
  const ImageSpec spec{3, 2, 3, 1};
  const ImagePreparation own = image_preparation(directory.path(), spec);
  CHECK(own.height == 2);
  CHECK(own.width == 3);
  const Tensor image = prepared_image(picture_of(3, 2), own, spec);
  REQUIRE(image.shape() == Shape{3, 2, 3});
  CHECK(image.data()[0] == -1);
  CHECK(image.data()[6] == static_cast<float>((37.0 / 255 - 0.5) / 0.5));

  const auto prepared = [&](const std::string& text) {
    std::ofstream(directory / "preprocessor_config.json") << text;
    return image_preparation(directory.path(), spec);
  };
  const ImagePreparation other = prepared(
      R"({"size": {"height": 4, "width": 5}, "resample": 3, "image_mean": [0.1, 0.2, 0.3], "image_std": [1, 2, 4]})");
  CHECK(prepared_image(picture_of(7, 5), other, spec).shape() == Shape{3, 4, 5});
  CHECK(other.resampling == Resampling::Bicubic);
  CHECK(other.mean == std::array<double, 3>{0.1, 0.2, 0.3});
  CHECK(prepared(R"({"size": 6})").width == 6);
  CHECK(prepared(R"({"do_resize": false, "do_rescale": false, "do_normalize": false})").factor == 1);
  for (const char* wrong :
       {R"({"size": {"shortest_edge": 6}})", R"({"size": 0})",
        R"({"size": {"height": 4, "width": 99999999999}})", R"({"resample": 1})",
        R"({"do_center_crop": true})", R"({"do_flip_channel_order": true})", R"({"do_grayscale": true})",
        R"({"rescale_offset": true})", R"({"do_pad": true})", R"({"image_std": [1, 0, 1]})",
        R"({"image_mean": [1, 2]})", R"({"rescale_factor": "a"})", R"({"do_resize": 1})", "[]", "{"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(prepared(wrong), Error);
  }
  for (const char* wrong :
       {R"({"rescale_factor": 0})", R"({"rescale_factor": -0.0})", R"({"rescale_factor": -0.5})",
        R"({"rescale_factor": 1e-999})", R"({"rescale_factor": 1e40})", R"({"rescale_factor": 1e308})",
        R"({"image_std": [1, 1, 1e-300]})", R"({"image_mean": [1e300, 0, 0]})"}) {
    CAPTURE(wrong);
    const std::string name = std::string(wrong).substr(2, std::string(wrong).find(':') - 3);
    CHECK_THROWS_WITH(prepared(wrong),
                      ContainsSubstring("preprocessor_config.json: ") && ContainsSubstring(name));
  }
  for (const char* key : {"rescale_factor", "image_mean", "image_std", "size", "do_resize", "resample"})
    for (const char* value : {"NaN", "Infinity", "-Infinity"}) {
      CAPTURE(key, value);
      CHECK_THROWS_WITH(prepared(fmt::format(R"({{"{}": {}}})", key, value)),
                        ContainsSubstring(fmt::format("preprocessor_config.json: {} ", key)));
      CHECK_THROWS_WITH(prepared(R"({"image_mean": [0.5, NaN, 0.5]})"), ContainsSubstring("image_mean"));
    }
  CHECK(prepared(R"({"image_processor_type": "ViTImageProcessorFast"})").width == 3);
  CHECK(prepared(R"({"image_processor_type": "BeitImageProcessor", "size": 6, "resample": 3,
                     "do_normalize": false})")
            .width == 6);
  // Other classes have other defaults.
  CHECK_THROWS_WITH(prepared(R"({"image_processor_type": "SiglipImageProcessor", "size": 6})"),
                    ContainsSubstring("resample is missing"));
  CHECK_THROWS_WITH(prepared(R"({"feature_extractor_type": "DeiTFeatureExtractor", "size": 6, "resample": 3,
                                 "do_normalize": false})"),
                    ContainsSubstring("do_center_crop is missing"));
  CHECK(prepared(R"({"size": null, "image_mean": null, "do_resize": null, "rescale_factor": null})").width ==
        3);
  CHECK(prepared(R"({"rescale_factor": 1e-30})").factor == 1e-30);
  CHECK_THROWS_AS(prepared_image(picture_of(3, 2), own, ImageSpec{1, 2, 3, 1}), Error);
}

}  // namespace attnscope::image_input_test
