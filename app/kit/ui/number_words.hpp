// app/kit/ui: weights in full and sums of small numbers, for read-outs and sentences.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "app/kit/ui/number_format.hpp"

namespace attnscope {

/// A weight in full: "0.4312"; where four places would be zeros, "8.3e−6".
inline std::string in_full(double weight) {
  return weight != 0 && std::abs(weight) < 0.0005 ? tiny(weight) : fixed(weight, 4);
}

/// Two places, or one digit and an exponent where these would be zeros: ".24", "3e−3".
inline std::string in_two_places(double value) {
  return value > 0 && value < 0.005 ? tight(value) : in_cell(value);
}

/// The value as rounded by in_two_places(), for a value that is not negative.
inline double left_in_two_places(double value) {
  const double unit = value >= 0.995                 ? 0.1
                      : value <= 0 || value >= 0.005 ? 0.01
                                                     : std::pow(10.0, std::floor(std::log10(value)));
  return std::round(value / unit) * unit;
}

/// ".03 + .02 = .05": the first `most` parts in two places, "…" if there are more, and the sum of all. "≈"
/// replaces "=" if all parts are written and these numbers have another sum.
inline std::string sum_in_words(std::span<const double> parts, std::size_t most) {
  std::string words;
  double sum = 0, written = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sum += parts[i];
    written += left_in_two_places(parts[i]);
    if (i < most) words += (i == 0 ? "" : " + ") + in_two_places(parts[i]);
    if (i == most) words += " + …";
  }
  const bool adds_up = parts.size() > most || std::abs(written - left_in_two_places(sum)) < 1e-9;
  return words + (adds_up ? " = " : " ≈ ") + in_two_places(sum);
}

}  // namespace attnscope
