// core/analysis: the gradient norms of each head, and which heads stand out from the layer.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/backward/gradients.hpp"

namespace attnscope {

namespace {

/// The norm of a head's part of a gradient: its columns of a weight's gradient, or its matrices over the
/// batch.
double norm_of(const Tensor& gradient, std::int64_t head, std::int64_t heads) {
  if (gradient.shape().rank() == 2) {
    const std::int64_t d = gradient.shape()[1] / heads;
    return gradient.matrix().middleCols(head * d, d).template cast<double>().norm();
  }
  double squares = 0;
  for (std::int64_t b = 0; b < gradient.shape()[0]; ++b)
    squares += gradient.matrix(b, head).template cast<double>().squaredNorm();
  return std::sqrt(squares);
}

}  // namespace

std::vector<HeadGradients> head_gradients(const Gradients& gradients, const Dimensions& size) {
  const bool weights = static_cast<bool>(gradients[Parameter::WQuery]);
  const Tensor& query = weights ? *gradients[Parameter::WQuery] : *gradients.query;
  const Tensor& key = weights ? *gradients[Parameter::WKey] : *gradients.key;
  const Tensor& value = weights ? *gradients[Parameter::WValue] : *gradients.value;
  std::vector<HeadGradients> heads;
  for (std::int64_t h = 0; h < size.heads; ++h) {
    const std::int64_t kv = h * size.kv_heads / size.heads;
    heads.push_back(
        {norm_of(query, h, size.heads), norm_of(key, kv, size.kv_heads), norm_of(value, kv, size.kv_heads)});
  }
  const GradientLimits limits = gradient_limits(heads);
  for (HeadGradients& head : heads) {
    for (const double norm : {head.query, head.key, head.value}) {
      head.vanishing = head.vanishing || norm == 0 || norm < limits.vanishing;
      head.exploding = head.exploding || !std::isfinite(norm) || norm > limits.exploding;
    }
  }
  return heads;
}

GradientLimits gradient_limits(const std::vector<HeadGradients>& heads) {
  std::vector<double> largest;
  for (const HeadGradients& head : heads) {
    double most = 0;
    for (const double norm : {head.query, head.key, head.value})
      if (std::isfinite(norm)) most = std::max(most, norm);
    if (most > 0) largest.push_back(most);
  }
  if (largest.empty()) return {0, std::numeric_limits<double>::infinity()};
  const auto middle = largest.begin() + (std::ssize(largest) - 1) / 2;
  std::nth_element(largest.begin(), middle, largest.end());
  return {*middle * 1e-4, *middle * 10};
}

}  // namespace attnscope
