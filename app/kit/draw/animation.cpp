#include "app/kit/draw/animation.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope {
namespace {

constexpr std::size_t signature_bytes = 8, head_bytes = signature_bytes + 12 + 13;

/// The CRC of a chunk's name and data, as in annex D of the PNG specification.
std::uint32_t chunk_sum(std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> all{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t sum = i;
      for (int bit = 0; bit < 8; ++bit) sum = (sum & 1) != 0 ? 0xedb88320u ^ (sum >> 1) : sum >> 1;
      all[i] = sum;
    }
    return all;
  }();
  std::uint32_t sum = ~0u;
  for (const char byte : bytes) sum = table[(sum ^ static_cast<unsigned char>(byte)) & 255] ^ (sum >> 8);
  return ~sum;
}

void append_number(std::string& to, std::uint32_t number, int bytes = 4) {
  for (int i = bytes - 1; i >= 0; --i) to += static_cast<char>(number >> (8 * i) & 255);
}

void append_chunk(std::string& to, std::string_view name, std::string_view data) {
  append_number(to, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = to.size();
  to.append(name).append(data);
  append_number(to, chunk_sum(std::string_view(to).substr(begin)));
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

constexpr int most_parts = 0xFFFF, most_milliseconds = 1000 * most_parts;

/// The time of a frame as the file stores it: `parts` / `in_a_second` seconds. in_a_second is 1000, 100, 10
/// or 1, the largest for which `parts` fits in 16 bits.
struct Delay {
  int parts = 0, in_a_second = 1000;
};

Delay delay_of(int milliseconds) {
  int in_a_second = 1000;
  const auto parts = [&] {
    const std::int64_t unit = 1000 / in_a_second;
    return (milliseconds + unit / 2) / unit;
  };
  while (parts() > most_parts) in_a_second /= 10;
  return {static_cast<int>(parts()), in_a_second};
}

/// The data of all IDAT chunks of a PNG that encode_png() wrote.
std::string pixel_data(std::string_view png) {
  std::string data;
  for (std::size_t at = signature_bytes; at + 12 <= png.size();) {
    const std::size_t length = number_at(png, at);
    if (png.substr(at + 4, 4) == "IDAT") data += png.substr(at + 8, length);
    at += length + 12;
  }
  return data;
}

struct Changed {
  int left = 0, top = 0, right = 1, bottom = 1;  // one pixel if nothing changed: a frame is never empty
};

Changed changed_part(const Image& before, const Image& now) {
  Changed part{now.width, now.height, 0, 0};
  for (int y = 0; y < now.height; ++y) {
    const auto* a = before.pixels.data() + static_cast<std::ptrdiff_t>(y) * now.width;
    const auto* b = now.pixels.data() + static_cast<std::ptrdiff_t>(y) * now.width;
    const auto first = std::mismatch(a, a + now.width, b).first - a;
    if (first == now.width) continue;
    int last = now.width - 1;
    while (a[last] == b[last]) --last;
    part.left = std::min(part.left, static_cast<int>(first));
    part.right = std::max(part.right, last + 1);
    part.top = std::min(part.top, y);
    part.bottom = y + 1;
  }
  return part.right == 0 ? Changed{} : part;
}

Image cut_out(const Image& whole, const Changed& part) {
  Image piece(part.right - part.left, part.bottom - part.top);
  for (int y = 0; y < piece.height; ++y)
    for (int x = 0; x < piece.width; ++x) piece.at(x, y) = whole.at(part.left + x, part.top + y);
  return piece;
}

}  // namespace

void AnimatedPng::add(const Image& image, int milliseconds) {
  if (image.width <= 0 || image.height <= 0) throw Error("A picture without pixels cannot be animated.");
  if (milliseconds < 0 || milliseconds > most_milliseconds)
    throw Error(
        fmt::format("A picture of an animation can be shown for {} to {} milliseconds; {} were asked for.", 0,
                    most_milliseconds, milliseconds));
  Frame frame{0, 0, image.width, image.height, milliseconds, {}};
  if (frames_.empty()) {
    const std::string png = encode_png(image);
    head_ = png.substr(0, head_bytes);
    frame.pixels = pixel_data(png);
  } else {
    if (image.width != last_.width || image.height != last_.height)
      throw Error("The pictures of an animation must be of one size.");
    const Changed part = changed_part(last_, image);
    frame.x = part.left;
    frame.y = part.top;
    frame.width = part.right - part.left;
    frame.height = part.bottom - part.top;
    frame.pixels = pixel_data(encode_png(cut_out(image, part)));
  }
  frames_.push_back(std::move(frame));
  last_ = image;
}

std::string AnimatedPng::finish() const {
  if (frames_.empty()) throw Error("An animation without pictures was not written.");
  std::string file = head_, data;
  append_number(data, static_cast<std::uint32_t>(frames_.size()));
  append_number(data, 0);  // plays for ever
  append_chunk(file, "acTL", data);
  std::uint32_t sequence = 0;
  for (const Frame& frame : frames_) {
    data.clear();
    append_number(data, sequence++);
    for (const int number : {frame.width, frame.height, frame.x, frame.y})
      append_number(data, static_cast<std::uint32_t>(number));
    const Delay delay = delay_of(frame.milliseconds);
    append_number(data, static_cast<std::uint32_t>(delay.parts), 2);
    append_number(data, static_cast<std::uint32_t>(delay.in_a_second), 2);
    data.append(2, '\0');  // dispose_op NONE, blend_op SOURCE: a frame stays until the next overwrites it
    append_chunk(file, "fcTL", data);
    if (&frame == &frames_.front()) {
      append_chunk(file, "IDAT", frame.pixels);
      continue;
    }
    data.clear();
    append_number(data, sequence++);
    append_chunk(file, "fdAT", data + frame.pixels);
  }
  append_chunk(file, "IEND", {});
  return file;
}

}  // namespace attnscope
