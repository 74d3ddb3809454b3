// app/results: the largest magnitudes of ResultStats, which colours of stages and of matrices go up to.
#include <algorithm>
#include <span>

#include "app/results/result_stats.hpp"
#include "app/results/stats_kept.hpp"
#include "core/analysis/value_range.hpp"

namespace attnscope {
namespace {

float or_one(float largest) { return largest == 0 ? 1 : largest; }

float largest_of_columns(const ConstMatrixMap<float>& values, std::int64_t first, std::int64_t columns) {
  return or_one(largest_magnitude(values, {0, first, values.rows(), columns}));
}

/// Of very many numbers a sample, since all would block the window: whole vectors, so that it reaches every
/// dimension.
float largest_of_vectors(const Tensor& of) {
  constexpr std::size_t most = std::size_t{1} << 22;
  const std::span<const float> values = of.values();
  if (values.size() <= most) return or_one(largest_magnitude(values));
  const auto width = static_cast<std::size_t>(of.shape()[of.shape().rank() - 1]);
  const std::size_t step = (values.size() / most + 1) * width;
  float largest = 0;
  for (std::size_t i = 0; i < values.size(); i += step)
    largest = std::max(largest, largest_magnitude(values.subspan(i, width)));
  return or_one(largest);
}

}  // namespace

float ResultStats::largest(Stage stage) {
  if (!largest_[stage]) largest_[stage] = largest_of_vectors(*result_->layer().trace[stage]);
  return *largest_[stage];
}

std::int64_t ResultStats::not_finite(Stage stage) {
  if (not_finite_[stage]) return *not_finite_[stage];
  const TensorPtr& values = result_->layer().trace[stage];
  return not_finite_[stage].emplace(values ? count_not_finite(values->values()) : 0);
}

float ResultStats::largest(Parameter which, std::int64_t first_column, std::int64_t columns) {
  const auto [at, added] = kept_->largest_weights.try_emplace({which, first_column, columns}, 1.0f);
  if (!added) return at->second;
  if (const TensorPtr& block = result_->document.layer().weights[which])
    at->second = largest_of_columns(block->matrix(), first_column, columns);
  return at->second;
}

float ResultStats::largest_value_input(std::int64_t b) {
  const auto [at, added] = kept_->largest_value_inputs.try_emplace(b, 1.0f);
  if (!added) return at->second;
  if (const TensorPtr& values = result_->document.input.vectors().value)
    at->second = largest_of_columns(values->matrix(b), 0, values->matrix(b).cols());
  return at->second;
}

}  // namespace attnscope
