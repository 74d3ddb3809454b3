// app/exports/html: weights in the byte format that the page reads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "app/exports/html/page_data.hpp"

namespace attnscope {

/// A number of 16 bits means value = low + (high - low)·s, with s = code / 65279 or, with `root`, its square:
/// small weights keep more digits. The picture uses its high byte. A high byte of 255 means that there is no
/// number: the low byte is then 0 if the mask hides the key, 1 for NaN, 2 for ∞, 3 for −∞.
struct HtmlCode {
  double low = 0, high = 1;
  bool root = true;
};
inline constexpr int most_html_code = 255 * 256 - 1;

struct HtmlTiles {
  HtmlCode code;
  /// The high bytes of every head, [queries][keys]; then the low bytes of every head, which are noise and
  /// would make the others hard to compress; then the exact heads as float32, little-endian.
  std::string bytes;
  std::vector<std::size_t> exact;  // indices of these heads; the chosen one is among them
};
HtmlTiles html_tiles(const HtmlPage&, const std::function<void(double)>& share = {});

/// The range is 0 to 1, extended to the weights outside of it, which linear attention may have.
HtmlCode html_code(const HtmlPage&);
/// The two bytes of a number, high byte first in value.
int html_code_of(const HtmlCode&, float value);

}  // namespace attnscope
