// app/results: the largest magnitudes of ResultStats, which colours of stages and of matrices, and axes of
// plots, go up to.
#include <algorithm>
#include <cmath>
#include <span>

#include "app/results/result_stats.hpp"
#include "app/results/stats_kept.hpp"
#include "core/analysis/value_range.hpp"
#include "core/attention/run_stage.hpp"

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

/// The largest entropy of a row with a choice; at least ln of the most keys that a row sees.
double largest_entropy_in(const Measures& m, std::int64_t b) {
  std::int64_t allowed = 1;
  double most = 0;
  for (std::int64_t h = 0; h < m.heads; ++h)
    for (std::int64_t query = 0; query < m.queries; ++query) {
      const RowMeasures& row = m.row(b, h, query);
      allowed = std::max(allowed, row.allowed);
      if (row.allowed >= 2) most = std::fmax(most, std::abs(row.entropy));
    }
  return std::fmax(most, std::log(static_cast<double>(allowed)));
}

/// Of rows that have a choice in both.
double largest_entropy_change_of(const Measures& now, const Measures& held, std::int64_t b, bool normalised) {
  double most = 0;
  for (std::int64_t h = 0; h < now.heads; ++h)
    for (std::int64_t query = 0; query < now.queries; ++query) {
      const RowMeasures &row = now.row(b, h, query), &other = held.row(b, h, query);
      if (row.allowed < 2 || other.allowed < 2) continue;
      most = std::fmax(
          most, std::abs(normalised ? row.normalised - other.normalised : row.entropy - other.entropy));
    }
  return most;
}

float most_given_in(const LayerResult& layer, const ConstMatrixMap<float>& weights,
                    const ResultStats::OfToken& of) {
  float most = 0;
  for (Eigen::Index i = 0; i < (of.is_key ? weights.rows() : weights.cols()); ++i) {
    const std::int64_t query = of.is_key ? i : of.token, key = of.is_key ? of.token : i;
    if (layer.measures.row(of.b, of.h, query).allowed < 2) continue;
    if (const float weight = weights(query, key); weight > most) most = weight;
  }
  return most;
}

}  // namespace

double ResultStats::largest_entropy(std::int64_t b) {
  const auto [at, added] = kept_->largest_entropies.try_emplace(b, 0.0);
  if (added) at->second = largest_entropy_in(result_->layer().measures, b);
  return at->second;
}

double ResultStats::largest_entropy_change(std::int64_t b, bool normalised) {
  if (!can_compare()) return 0;
  const auto [at, added] = kept_->largest_entropy_changes.try_emplace({b, normalised}, 0.0);
  if (added)
    at->second = largest_entropy_change_of(result_->layer().measures, held_->layer().measures, b, normalised);
  return at->second;
}

float ResultStats::most_given(const OfToken& of) {
  constexpr std::size_t most_kept = 4096;  // tokens that the mouse was on, times heads
  if (kept_->given.size() > most_kept) kept_->given.clear();
  const auto [at, added] = kept_->given.try_emplace(of, 0.f);
  if (added)
    at->second = most_given_in(result_->layer(),
                               matrix_of(result_->layer(), weights_stage(result_->document), of.b, of.h), of);
  return at->second;
}

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
