// app/exports/html: weights as the bytes that the page reads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "app/exports/html/page_data.hpp"

namespace attnscope {

/// A number of 16 bits is value = low + (high - low)·s, s = code / 65279 or, of `root`, its square: small
/// weights keep more places. Its high byte is the picture's. A high byte of 255 says that there is no number:
/// the low byte is then 0 where the mask hides the key, 1 for NaN, 2 for ∞, 3 for −∞.
struct HtmlCode {
  double low = 0, high = 1;
  bool root = true;
};
inline constexpr int most_html_code = 255 * 256 - 1;

struct HtmlTiles {
  HtmlCode code;
  /// Of each head its high bytes, [queries][keys]; then of each its low bytes, which are noise and would make
  /// the others hard to pack; behind them the exact heads as float32, little-endian.
  std::string bytes;
  std::vector<std::size_t> exact;  // these heads; the chosen one is among them
};
HtmlTiles html_tiles(const HtmlPage&, const std::function<void(double)>& share = {});

/// Weights are from 0 to 1; where some are not, as linear attention may have them, their own ends.
HtmlCode html_code(const HtmlPage&);
/// The two bytes of a number, high byte first in value.
int html_code_of(const HtmlCode&, float value);

}  // namespace attnscope
