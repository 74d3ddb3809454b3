#include "core/readouts/logit_split.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/models/run_heads.hpp"
#include "core/readouts/norm_view.hpp"
#include "core/readouts/unembed.hpp"

namespace attnscope {
namespace {

void check_place(const Model& model, std::int64_t rows, std::int64_t row, std::int64_t token) {
  if (row < 0 || row >= rows)
    throw Error(fmt::format("There is no row {}; the text has rows 0 to {}.", row, rows - 1));
  if (token < 0 || token >= model.logits.d_out())
    throw Error(fmt::format("There is no token {}; the model has 0 to {}.", token, model.logits.d_out() - 1));
}

/// The direction in normed space whose product with a row is the logit, and its bias.
struct LogitDirection {
  std::vector<double> of_width;
  double bias = 0;
};

LogitDirection direction_of(const Model& model, std::int64_t token, std::optional<std::int64_t> other,
                            const MeanLogit* mean) {
  const auto one = [&](std::int64_t id) {
    const TensorOf<double> row = rows_of_map(model.logits, id, 1);
    return LogitDirection{{row.values().begin(), row.values().end()}, bias_of_map(model.logits, id, 1)[0]};
  };
  LogitDirection direction = one(token);
  const auto take_off = [&](const std::vector<double>& of_width, double bias) {
    for (std::size_t c = 0; c < of_width.size(); ++c) direction.of_width[c] -= of_width[c];
    direction.bias -= bias;
  };
  if (mean != nullptr) take_off(mean->of_width, mean->bias);
  if (other) {
    const LogitDirection less = one(*other);
    take_off(less.of_width, less.bias);
  }
  for (double& value : direction.of_width)
    value *= static_cast<double>(static_cast<float>(model.spec.logit_scale));
  return direction;
}

double product_of(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

MeanLogit mean_logit(const Model& model, const Work& work) {
  constexpr std::int64_t rows_at_once = 512;
  const std::int64_t tokens = model.logits.d_out(), d = model.spec.d_model;
  const std::int64_t chunks = (tokens + rows_at_once - 1) / rows_at_once;
  // Sums of chunks, added in a fixed order: the bits do not depend on the number of threads.
  TensorOf<double> sums(Shape{chunks, d});
  std::vector<double> biases(static_cast<std::size_t>(chunks));
  work.for_each(chunks, static_cast<double>(rows_at_once * d), [&](std::int64_t chunk) {
    const std::int64_t first = chunk * rows_at_once, count = std::min(rows_at_once, tokens - first);
    sums.matrix().row(chunk) = rows_of_map(model.logits, first, count).matrix().colwise().sum();
    for (const double bias : bias_of_map(model.logits, first, count))
      biases[static_cast<std::size_t>(chunk)] += bias;
  });
  MeanLogit mean;
  mean.of_width.assign(static_cast<std::size_t>(d), 0);
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::int64_t c = 0; c < d; ++c)
      mean.of_width[static_cast<std::size_t>(c)] += sums.matrix()(chunk, c) / static_cast<double>(tokens);
    mean.bias += biases[static_cast<std::size_t>(chunk)] / static_cast<double>(tokens);
  }
  return mean;
}

LogitSplit split_logit(const Model& model, const ModelRun& run, std::int64_t row, std::int64_t token,
                       std::optional<std::int64_t> other, const Work& work, const MeanLogit* less) {
  check_has_logits(model);
  if (model.spec.head.kind != HeadKind::NextToken)
    throw Error(fmt::format("The logits of {} stand after a layer of their own, which is no sum of parts.",
                            model.spec.family));
  const AttentionOf of = output_attention(model.spec);
  const StackView stack = stack_of(model, run, of);
  check_place(model, stack.run.normed.rows(), row, token);
  check_place(model, stack.run.normed.rows(), row, other.value_or(token));
  const std::int64_t d = model.spec.d_model;
  const NormWeights& final_norm = stack.weights.final_norm;
  const LogitDirection direction = direction_of(model, token, other, less);
  const std::vector<double> weight = norm_weight(stack.spec.norm(), final_norm, d);
  const RowStatistics norm =
      fixed_norm(stack.spec.norm(), final_norm,
                 std::span(stack.run.hidden.back().row(row), static_cast<std::size_t>(d)));
  TensorOf<double> map(Shape{1, d});
  for (std::size_t c = 0; c < weight.size(); ++c)
    map.values()[c] = direction.of_width[c] * weight[c] * norm.inverse;

  LogitSplit split;
  split.norm_scale = norm.inverse;
  const StreamAt at{model, run, of, stack.spec.blocks.size()};
  split.parts = parts_of_stream(at);
  split.values.resize(split.parts.size());
  project_stream(
      at, map, row, row + 1,
      [&](std::size_t part, std::int64_t, std::span<const double> value) { split.values[part] = value[0]; },
      work);
  const auto extra = [&](StreamPart::Kind kind, double value) {
    split.parts.push_back({.kind = kind});
    split.values.push_back(value);
  };
  if (final_norm.exists() && stack.spec.norm().kind == NormKind::LayerNorm)
    extra(StreamPart::Kind::Centring,
          -norm.mean * std::accumulate(map.values().begin(), map.values().end(), 0.0));
  if (!final_norm.bias.empty())
    extra(StreamPart::Kind::NormBias, product_of(direction.of_width, norm_bias(final_norm, d)));
  if (!model.logits.bias.empty()) extra(StreamPart::Kind::Bias, direction.bias);
  const float* const normed = stack.run.normed.row(row);
  split.logit = product_of(direction.of_width, {normed, normed + d}) + direction.bias;
  return split;
}

}  // namespace attnscope
