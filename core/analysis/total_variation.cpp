#include "core/analysis/total_variation.hpp"

#include <cmath>

namespace attnscope {

double total_variation(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j)
    sum += std::abs(static_cast<double>(a[j]) - static_cast<double>(b[j]));
  return sum / 2;
}

}  // namespace attnscope
