// tests: comparing tensors with the oracle. The pattern of infinities and NaN must match exactly; the rest
// within a tolerance relative to the largest magnitude involved; its reason is given at the call.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/tensor.hpp"

namespace attnscope::compare {

template <class T>
std::vector<double> in_double(const TensorOf<T>& tensor) {
  return {tensor.values().begin(), tensor.values().end()};
}

inline bool same_kind(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return true;
}

/// Empty when `found` is `expected` within `tolerance` times max(1, largest finite expected magnitude); else
/// what differs first, with its place.
template <class T>
std::string difference(std::span<const T> found, const std::vector<double>& expected, double tolerance) {
  if (found.size() != expected.size())
    return fmt::format("{} values, expected {}", found.size(), expected.size());
  double magnitude = 1;
  for (const double value : expected) {
    if (std::isfinite(value)) magnitude = std::max(magnitude, std::abs(value));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double value = static_cast<double>(found[i]);
    const bool close = !std::isfinite(expected[i]) || std::abs(value - expected[i]) <= tolerance * magnitude;
    if (!same_kind(value, expected[i]) || !close)
      return fmt::format("value {}: {:.9g}, expected {:.9g}, tolerance {:.1e}", i, value, expected[i],
                         tolerance * magnitude);
  }
  return {};
}

template <class T>
std::string difference(const TensorOf<T>& found, const std::vector<double>& expected, double tolerance) {
  return difference(std::span<const T>(found.values()), expected, tolerance);
}

}  // namespace attnscope::compare
