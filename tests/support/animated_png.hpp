// tests/support: a reader of animated PNG files, written from the specification: it uses the product's reader
// of plain PNG files.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/draw/image.hpp"
#include "core/files/formats/picture_file.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::test {

struct PlayedPng {
  std::vector<Image> frames;      // as they appear on screen one after the other
  std::vector<int> milliseconds;  // each
  std::vector<int> kept_pixels;   // of each, as stored in the file
};

inline std::uint32_t png_number(std::string_view bytes, std::size_t at, int count = 4) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    number = number * 256 + static_cast<unsigned char>(bytes.at(at + i));
  return number;
}

/// The specification's checksum of a chunk, a bit at a time.
inline std::uint32_t naive_chunk_sum(std::string_view bytes) {
  std::uint32_t sum = 0xFFFFFFFFu;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum % 2 == 1 ? sum / 2 ^ 0xEDB88320u : sum / 2;
  }
  return ~sum;
}

inline std::string png_chunk(std::string_view name, std::string_view data) {
  const std::string named = std::string(name) + std::string(data);
  std::string chunk;
  const auto append = [&](std::uint32_t number) {
    for (const int shift : {24, 16, 8, 0}) chunk += static_cast<char>(number >> shift & 255);
  };
  append(static_cast<std::uint32_t>(data.size()));
  chunk += named;
  append(naive_chunk_sum(named));
  return chunk;
}

/// Fails the test if it is no such file.
inline PlayedPng play_png(std::string_view bytes) {
  const TemporaryDirectory folder;
  const std::string_view signature = bytes.substr(0, 8);
  REQUIRE(signature == "\x89PNG\r\n\x1A\n");
  PlayedPng played;
  std::string head, control, pixels;
  Image screen;
  std::uint32_t sequence = 0, said = 0;
  const auto show = [&] {
    if (control.empty()) return;
    const auto field = [&](std::size_t at) { return png_number(control, at); };
    std::string size;
    for (std::size_t i = 4; i < 12; ++i) size += control[i];
    const std::string piece = std::string(signature) + png_chunk("IHDR", size + head.substr(8)) +
                              png_chunk("IDAT", pixels) + png_chunk("IEND", {});
    std::ofstream(folder.path() / "piece.png", std::ios::binary) << piece;
    const RgbPicture part = read_picture(folder.path() / "piece.png");
    REQUIRE(part.width == static_cast<int>(field(4)));
    REQUIRE(part.height == static_cast<int>(field(8)));
    REQUIRE(static_cast<int>(field(12)) + part.width <= screen.width);
    REQUIRE(static_cast<int>(field(16)) + part.height <= screen.height);
    for (int y = 0; y < part.height; ++y)
      for (int x = 0; x < part.width; ++x) {
        const std::uint8_t* rgb = part.bytes.data() + static_cast<std::ptrdiff_t>(y * part.width + x) * 3;
        screen.at(static_cast<int>(field(12)) + x, static_cast<int>(field(16)) + y) =
            0xFF000000u | static_cast<Rgba>(rgb[0] | rgb[1] << 8 | rgb[2] << 16);
      }
    played.frames.push_back(screen);
    played.kept_pixels.push_back(part.width * part.height);
    const int parts = static_cast<int>(png_number(control, 20, 2)),
              second = static_cast<int>(png_number(control, 22, 2));
    REQUIRE(second > 0);
    REQUIRE(1000 % second == 0);  // whole milliseconds
    played.milliseconds.push_back(parts * (1000 / second));
    CHECK(png_number(control, 24, 2) == 0);  // neither taken away nor blended
    control.clear();
    pixels.clear();
  };
  bool ended = false;
  for (std::size_t at = 8; at < bytes.size();) {
    const std::size_t length = png_number(bytes, at);
    const std::string_view name = bytes.substr(at + 4, 4), data = bytes.substr(at + 8, length);
    CHECK(png_number(bytes, at + 8 + length) == naive_chunk_sum(bytes.substr(at + 4, length + 4)));
    if (name == "IHDR") {
      head = data;
      screen = Image(static_cast<int>(png_number(data, 0)), static_cast<int>(png_number(data, 4)));
    } else if (name == "acTL") {
      said = png_number(data, 0);
      CHECK(png_number(data, 4) == 0);  // plays for ever
    } else if (name == "fcTL") {
      show();
      CHECK(png_number(data, 0) == sequence++);
      control = data;
    } else if (name == "fdAT") {
      CHECK(png_number(data, 0) == sequence++);
      pixels += data.substr(4);
    } else if (name == "IDAT") {
      pixels += data;
    } else {
      CHECK(name == "IEND");
      show();
      ended = true;
    }
    at += length + 12;
  }
  CHECK(ended);
  CHECK(said == played.frames.size());
  return played;
}

}  // namespace attnscope::test
