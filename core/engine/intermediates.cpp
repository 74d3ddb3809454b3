#include "core/engine/intermediates.hpp"

#include <cmath>

#include "core/attention/linear.hpp"
#include "core/attention/positions.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope {

Intermediates::Intermediates(const LayerResult& result, const MaskRule& rule, std::int64_t b, std::int64_t h)
    : result_(result),
      rule_(rule),
      b_(b),
      h_(h),
      kv_(h * result.dimensions.kv_heads / result.dimensions.heads) {}

/// A plane with batch 1 is shared by all sequences.
ConstMatrixMap<float> Intermediates::plane(Stage stage) const {
  const Tensor& tensor = *result_.trace[stage];
  return tensor.matrix(tensor.shape()[0] == 1 ? 0 : b_, h_);
}

const RowSum& Intermediates::softmax_of(std::int64_t query) {
  const auto [entry, is_new] = softmax_.try_emplace(query);
  if (!is_new) return entry->second;
  const auto keys = static_cast<std::size_t>(result_.dimensions.keys);
  std::vector<float> weights(keys);
  const std::span<const float> masked(plane(Stage::Mask).row(query).data(), keys);
  entry->second =
      softmax_row<float>(layer().softmax, masked, layer().temperature, weights, sink_logit(layer(), h_));
  return entry->second;
}

double Intermediates::shifted(std::int64_t query, std::int64_t key) {
  const double largest = softmax_of(query).largest;
  const double x = static_cast<double>(plane(Stage::Mask)(query, key));
  // In a row without any key `largest` is -inf and is not subtracted.
  return std::isfinite(largest) ? (x - largest) / static_cast<double>(layer().temperature) : x;
}

float Intermediates::exponential(std::int64_t query, std::int64_t key) {
  return std::exp(static_cast<float>(shifted(query, key)));
}

float Intermediates::weight_share(std::int64_t query, std::int64_t key) {
  const double sum = softmax_of(query).sum;
  return sum == 0 ? 0 : static_cast<float>(std::exp(shifted(query, key)) / sum);
}

std::span<const float> Intermediates::feature(Stage stage, std::int64_t row) {
  const auto [entry, is_new] = features_[stage].try_emplace(row);
  if (!is_new) return entry->second;
  const bool query = stage == Stage::Query;
  const auto x =
      result_.trace[query ? Stage::NormQuery : Stage::NormKey]->matrix(b_, query ? h_ : kv_).row(row);
  Tensor features(Shape{1, 1, 1, x.size()});
  for (Eigen::Index d = 0; d < x.size(); ++d) features.data()[d] = linear_feature(x(d));
  const Document& document = result_.document;
  if (is_rotary(layer().positions) && (query || row < result_.dimensions.token_keys())) {
    const std::int64_t position = query ? query_offset(document, result_.dimensions, b_) + row : row;
    ThreadPool caller_only(1);
    features = rotate(Work{caller_only, {}}, features,
                      rotation_at<float>({&position, 1}, 1, rope_of(document, x.size()), layer().positions,
                                         rope_length(document, result_.dimensions),
                                         query ? RotationOf::Queries : RotationOf::Keys));
  }
  entry->second.assign(features.values().begin(), features.values().end());
  return entry->second;
}

float Intermediates::product(std::int64_t query, std::int64_t key) {
  const std::span<const float> q = feature(Stage::Query, query), k = feature(Stage::Key, key);
  float sum = 0;
  for (std::size_t d = 0; d < q.size(); ++d) sum += q[d] * k[d];
  return sum;
}

float Intermediates::share_of_sum(std::int64_t query, std::int64_t key) const {
  const auto q = result_.trace[Stage::NormQuery]->matrix(b_, h_).row(query);
  const auto k = result_.trace[Stage::NormKey]->matrix(b_, kv_).row(key);
  float sum = 0;
  for (Eigen::Index d = 0; d < q.size(); ++d) sum += linear_feature(q(d)) * linear_feature(k(d));
  return sum;
}

double Intermediates::linear_sum(std::int64_t query) {
  const auto [entry, is_new] = linear_.try_emplace(query, 0.0);
  if (!is_new) return entry->second;
  for (std::int64_t key = 0; key < result_.dimensions.keys; ++key)
    if (sees(query, key)) entry->second += static_cast<double>(share_of_sum(query, key));
  return entry->second;
}

float Intermediates::partial_mix(std::int64_t query, std::int64_t column, std::int64_t keys) const {
  const auto weights = plane(Stage::Drop).row(query).head(keys);
  const auto values = result_.trace[Stage::Value]->matrix(b_, kv_).col(column).head(keys);
  float sum = 0;
  for (Eigen::Index j = 0; j < keys; ++j)
    if (weights(j) != 0) sum += weights(j) * values(j);
  return sum;
}

float Intermediates::own_part(std::int64_t query, std::int64_t column) const {
  const auto mixed = result_.trace[Stage::Mix]->matrix(b_, h_).row(query);
  const auto output = layer().weights[Parameter::WOutput]->matrix();
  return mixed.dot(output.col(column).segment(h_ * mixed.size(), mixed.size()).transpose());
}

}  // namespace attnscope
