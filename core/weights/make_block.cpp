#include "core/weights/make_block.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/base/random.hpp"
#include "core/document/layer_sizes.hpp"
#include "core/weights/initialise.hpp"

namespace attnscope {
namespace {

Tensor norm_numbers(const BlockSettings& block, const ParameterInfo& row, const Shape& shape) {
  const bool bias = row.key.ends_with("bias");
  Tensor numbers(shape);
  std::ranges::fill(numbers.values(), bias || adds_one(block.norm) ? 0.f : 1.f);
  return numbers;
}

std::string stream_of_block(const ParameterInfo& row) { return "block " + std::string(row.name); }

Tensor mlp_matrix(const Weights& weights, const ParameterInfo& row, const Shape& shape) {
  Initialiser how = weights.initialiser;
  if (weights.recipe == Recipe::HandBuilt || weights.made_by == Recipe::HandBuilt) how = Initialiser::Xavier;
  if (how == Initialiser::Orthogonal && std::max(shape[0], shape[1]) > max_orthogonal_size)
    how = Initialiser::Xavier;
  return initialised(how, shape, weights.seed, stream_of_block(row));
}

/// `fan_in`: how many numbers the product sums.
Tensor mlp_bias(const Weights& weights, const ParameterInfo& row, const Shape& shape, std::int64_t fan_in) {
  if (weights.initialiser == Initialiser::Linear)
    return linear_bias(shape[0], fan_in, weights.seed, stream_of_block(row));
  Tensor numbers(shape);
  fill_normal(numbers.values(), weights.seed, stream_of(stream_of_block(row)), 0.1);
  return numbers;
}

}  // namespace

Document with_block_weights(Document document) {
  const BlockSettings& block = std::as_const(document).layer().block;
  const Weights& had = std::as_const(document).layer().weights;
  const int d_model = std::as_const(document).layer().d_model;
  const bool made = had.recipe != Recipe::Given;
  const auto is_of_a_block = [](const ParameterInfo& row) {
    return row.kind == ParameterKind::BlockNorm || row.kind == ParameterKind::BlockMatrix ||
           row.kind == ParameterKind::BlockBias;
  };
  const bool any = std::ranges::any_of(
      parameter_table, [&](const ParameterInfo& row) { return is_of_a_block(row) && had[row.parameter]; });
  if (document.input.is_given() || (!has_block(block) && !(made && any))) return document;
  if (d_model < 1 || d_model > max_made_width || block.d_inner < 0 || block.d_inner > 4 * max_made_width)
    return document;
  Weights& weights = document.layer().weights;
  const ParameterSizes sizes{.d_model = d_model, .inner = inner_width(document.layer().block, d_model)};
  for (const ParameterInfo& row : parameter_table) {
    if (!is_of_a_block(row)) continue;
    TensorPtr& present = weights[row.parameter];
    const Shape shape = shape_of(row, sizes);
    if (!reads(document.layer().block, row.parameter)) {
      if (made) present.reset();
      continue;
    }
    if (!made && present && present->shape() == shape) continue;
    const bool biased = weights.biases && weights.recipe == Recipe::Random;
    if (row.kind == ParameterKind::BlockBias && !biased) {
      present.reset();
      continue;
    }
    Tensor fresh =
        row.kind == ParameterKind::BlockNorm ? norm_numbers(document.layer().block, row, shape)
        : row.kind == ParameterKind::BlockMatrix
            ? mlp_matrix(weights, row, shape)
            : mlp_bias(weights, row, shape, row.parameter == Parameter::BDown ? sizes.inner : d_model);
    if (!present || *present != fresh) present = std::make_shared<const Tensor>(std::move(fresh));
  }
  return document;
}

}  // namespace attnscope
