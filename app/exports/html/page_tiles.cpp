#include "app/exports/html/page_tiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace attnscope {
namespace {

constexpr std::size_t most_exact_cells = 1 << 14;  // of all heads together: 64 KiB
constexpr int special_code = 255 * 256;
enum Special : int { Hidden = 0, NotANumber = 1, Infinite = 2, MinusInfinite = 3 };

/// Writes the high bytes from `at` on, and the low bytes from `low` + `at` on.
void put_codes(const HtmlCode& code, const HtmlHead& head, std::size_t at, std::size_t low, std::string& to) {
  const std::span<const float> values = head.weights.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int number = head.hidden[i] != 0 ? special_code + Special::Hidden : html_code_of(code, values[i]);
    to[at + i] = static_cast<char>(number >> 8);
    to[low + at + i] = static_cast<char>(number & 255);
  }
}

void append_exactly(const HtmlHead& head, std::string& to) {
  for (const float value : head.weights.values()) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) to += static_cast<char>(bits >> shift & 255);
  }
}

}  // namespace

HtmlCode html_code(const HtmlPage& page) {
  HtmlCode code;
  for (const HtmlHead& head : page.heads) {
    const std::span<const float> values = head.weights.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (head.hidden[i] != 0 || !std::isfinite(values[i])) continue;
      code.low = std::min(code.low, static_cast<double>(values[i]));
      code.high = std::max(code.high, static_cast<double>(values[i]));
    }
  }
  code.root = code.low == 0;
  return code;
}

int html_code_of(const HtmlCode& code, float value) {
  if (std::isnan(value)) return special_code + Special::NotANumber;
  if (std::isinf(value)) return special_code + (value > 0 ? Special::Infinite : Special::MinusInfinite);
  const double share = std::clamp((static_cast<double>(value) - code.low) / (code.high - code.low), 0.0, 1.0);
  return static_cast<int>(std::lround((code.root ? std::sqrt(share) : share) * most_html_code));
}

HtmlTiles html_tiles(const HtmlPage& page, const std::function<void(double)>& share) {
  HtmlTiles tiles;
  tiles.code = html_code(page);
  std::size_t cells = 0, at = 0;
  for (const HtmlHead& head : page.heads) cells += head.weights.values().size();
  tiles.bytes.resize(2 * cells);
  for (std::size_t i = 0; i < page.heads.size(); ++i) {
    put_codes(tiles.code, page.heads[i], at, cells, tiles.bytes);
    at += page.heads[i].weights.values().size();
    if (share) share(static_cast<double>(i + 1) / static_cast<double>(page.heads.size()));
  }
  for (std::size_t i = 0; i < page.heads.size(); ++i)
    if (cells <= most_exact_cells || i == page.chosen) tiles.exact.push_back(i);
  for (const std::size_t i : tiles.exact) append_exactly(page.heads[i], tiles.bytes);
  return tiles;
}

}  // namespace attnscope
