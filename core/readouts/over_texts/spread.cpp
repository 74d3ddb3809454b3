#include "core/readouts/over_texts/spread.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {

void Spread::add(double value) {
  ++count_;
  const double from_mean = value - mean_;
  mean_ += from_mean / static_cast<double>(count_);
  squares_ += from_mean * (value - mean_);
  least_ = count_ == 1 ? value : std::min(least_, value);
  largest_ = count_ == 1 ? value : std::max(largest_, value);
}

double Spread::deviation() const {
  return count_ > 1 ? std::sqrt(squares_ / static_cast<double>(count_ - 1)) : none;
}

}  // namespace attnscope
