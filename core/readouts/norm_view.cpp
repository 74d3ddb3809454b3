#include "core/readouts/norm_view.hpp"

namespace attnscope {

RowStatistics fixed_norm(const NormSettings& settings, const NormWeights& weights,
                         std::span<const float> row) {
  return weights.exists() ? row_statistics(settings, row) : RowStatistics{};
}
RowStatistics fixed_norm(const NormSettings& settings, const NormWeights& weights,
                         std::span<const double> row) {
  return weights.exists() ? row_statistics(settings, row) : RowStatistics{};
}

std::vector<double> norm_weight(const NormSettings& settings, const NormWeights& weights,
                                std::int64_t width) {
  if (!weights.exists()) return std::vector<double>(static_cast<std::size_t>(width), 1.0);
  std::vector<double> weight(weights.weight.begin(), weights.weight.end());
  if (adds_one(settings.kind))
    for (double& w : weight) ++w;
  return weight;
}

std::vector<double> norm_bias(const NormWeights& weights, std::int64_t width) {
  if (weights.bias.empty()) return std::vector<double>(static_cast<std::size_t>(width), 0.0);
  return {weights.bias.begin(), weights.bias.end()};
}

TensorOf<double> rows_of_map(const LinearMap& map, std::int64_t first, std::int64_t count) {
  const std::int64_t d_in = map.d_in();
  Tensor rows(Shape{count, d_in});
  if (map.layout == WeightLayout::OutIn) {
    map.weight.read(first * d_in, rows.values());
  } else {
    Tensor columns(Shape{d_in, count});
    map.weight.read_columns(first, columns.matrix());
    rows.matrix() = columns.matrix().transpose();
  }
  return {rows.shape(), std::vector<double>(rows.values().begin(), rows.values().end())};
}

std::vector<double> bias_of_map(const LinearMap& map, std::int64_t first, std::int64_t count) {
  if (map.bias.empty()) return std::vector<double>(static_cast<std::size_t>(count), 0.0);
  return {map.bias.begin() + first, map.bias.begin() + first + count};
}

}  // namespace attnscope
