// app/kit/ui: numbers with a power of ten, in the style of tiny() and tight(): "2e−7", on axes "1e−7".
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "app/kit/ui/number_format.hpp"

namespace attnscope {

/// "1e−5", "1e4"; "1" for 0.
inline std::string power_of_ten(int exponent) {
  if (exponent == 0) return "1";
  return std::string(exponent < 0 ? "1e\u2212" : "1e") + std::to_string(std::abs(exponent));
}

/// The significant digits, with an exponent if the number is long: "0.46", "−1.3", "7e−6", "2e44".
inline std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return fixed(value, 0);
  const std::string whole = fmt::format("{:.{}g}", std::abs(value), digits);
  const std::size_t at = whole.find('e');
  std::string words = value < 0 ? "\u2212" : "";
  words += whole.substr(0, at);
  if (at != std::string::npos) words += power_of_ten(std::stoi(whole.substr(at + 1))).substr(1);
  return words;
}

}  // namespace attnscope
