// app/results: the largest magnitudes of ResultStats, which colours of stages and of matrices go up to.
#include <algorithm>
#include <cmath>

#include "app/results/result_stats.hpp"
#include "app/results/stats_kept.hpp"
#include "core/analysis/value_range.hpp"

namespace attnscope {
namespace {

/// 1 where no finite number of the columns is other than 0.
float largest_of_columns(const ConstMatrixMap<float>& values, std::int64_t first, std::int64_t columns) {
  const float largest = largest_magnitude(values, {0, first, values.rows(), columns});
  return largest == 0 ? 1 : largest;
}

}  // namespace

float ResultStats::largest(Stage stage) {
  if (largest_[stage]) return *largest_[stage];
  float largest = 0;
  const auto values = result_->layer().trace[stage]->values();
  // Of very many numbers a sample, since all would block the window. The step is odd so that it reaches every
  // dimension.
  constexpr std::size_t most = std::size_t{1} << 22;
  const std::size_t step = values.size() > most ? (values.size() / most) | 1 : 1;
  for (std::size_t i = 0; i < values.size(); i += step)
    if (std::isfinite(values[i])) largest = std::max(largest, std::abs(values[i]));
  return largest_[stage].emplace(largest == 0 ? 1 : largest);
}

std::int64_t ResultStats::not_finite(Stage stage) {
  if (not_finite_[stage]) return *not_finite_[stage];
  std::int64_t count = 0;
  if (result_->layer().trace[stage])
    for (const float value : result_->layer().trace[stage]->values())
      if (!std::isfinite(value)) ++count;
  return not_finite_[stage].emplace(count);
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
