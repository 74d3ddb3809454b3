#include "core/weights/make_weights.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "core/base/random.hpp"
#include "core/document/layer_sizes.hpp"
#include "core/weights/hand_built.hpp"
#include "core/weights/initialise.hpp"
#include "core/weights/make_block.hpp"

namespace attnscope {
namespace {

/// Whether edited numbers no longer fit the layer's heads or widths.
bool are_outgrown(const Document& document) {
  const Weights& w = document.layer().weights;
  if (w.recipe != Recipe::Given || !can_make(document, w.made_by)) return false;
  if (w.made_by == Recipe::HandBuilt && std::ssize(w.head_names) != document.layer().heads) return true;
  const ParameterSizes sizes = parameter_sizes(document);
  return std::ranges::any_of(parameter_table, [&](const ParameterInfo& row) {
    const TensorPtr& block = w[row.parameter];
    return row.kind == ParameterKind::Matrix && (!block || block->shape() != shape_of(row, sizes));
  });
}

void adopt(TensorPtr& present, Tensor fresh) {
  if (!present || *present != fresh) present = std::make_shared<const Tensor>(std::move(fresh));
}

/// Stream names contain a space, so that they differ from the stream of any token.
Tensor drawn_block(Shape shape, std::uint64_t seed, std::string_view stream, double sigma) {
  Tensor tensor(shape);
  fill_normal(tensor.values(), seed, stream_of(stream), sigma);
  return tensor;
}

Shape shape_of(Projection which, const ParameterSizes& n) { return shape_of(info(matrix_of(which)), n); }

/// New W_Q, W_K, W_V and W_O, by Projection.
using Blocks = std::array<Tensor, 4>;

Blocks random_blocks(const Weights& weights, const ParameterSizes& n) {
  Blocks fresh;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (weights.blocks[i].drawn) continue;  // made in finish()
    const auto which = static_cast<Projection>(i);
    fresh[i] = initialised(weights.initialiser, shape_of(which, n), weights.seed, stream_name(which));
  }
  return fresh;
}

void make_biases(Weights& weights, const ParameterSizes& n) {
  const bool on = weights.biases && weights.recipe == Recipe::Random;
  const bool linear = weights.initialiser == Initialiser::Linear;
  for (const ParameterInfo& row : parameter_table) {
    if (row.kind != ParameterKind::Bias) continue;
    TensorPtr& block = weights[row.parameter];
    const Shape shape = shape_of(row, n);
    const std::string stream = "block " + std::string(row.name);
    if (!on) {
      block.reset();
    } else if (linear) {
      adopt(block, linear_bias(shape[0], shape_of(*row.projection, n)[0], weights.seed, stream));
    } else {
      adopt(block, drawn_block(shape, weights.seed, stream, 0.1));
    }
  }
}

/// One head of keys or values for each group of query heads: the mean of the group's, as in Ainslie et al.
/// 2023, section 2.1.
Tensor pooled(const Tensor& w, const ParameterSizes& n) {
  if (n.kv_heads == n.heads) return w;
  const std::int64_t group = n.heads / n.kv_heads;
  Tensor mean(Shape{n.d_model, n.kv_heads * n.d_k});
  for (std::int64_t h = 0; h < n.heads; ++h)
    mean.matrix().middleCols(h / group * n.d_k, n.d_k) +=
        w.matrix().middleCols(h * n.d_k, n.d_k) / static_cast<float>(group);
  return mean;
}

/// Changes the width of each head from d_k to d_v columns: cuts them off, or adds zeros.
Tensor with_columns(const Tensor& w, std::int64_t heads, const ParameterSizes& n) {
  if (n.d_v == n.d_k) return w;
  Tensor resized(Shape{w.shape()[0], heads * n.d_v});
  const std::int64_t kept = std::min(n.d_k, n.d_v);
  for (std::int64_t h = 0; h < heads; ++h)
    resized.matrix().middleCols(h * n.d_v, kept) = w.matrix().middleCols(h * n.d_k, kept);
  return resized;
}

Tensor transposed_weights(const Tensor& w) {
  Tensor turned(Shape{w.shape()[1], w.shape()[0]});
  turned.matrix() = w.matrix().transpose();
  return turned;
}

Blocks hand_built_blocks(const Document& document, const ParameterSizes& n, std::vector<std::string>& names) {
  const LayerSpec& layer = document.layer();
  const Weights& weights = layer.weights;
  HandBuiltWeights fresh =
      hand_built_weights({.d_model = layer.d_model, .heads = layer.heads, .d_k = key_width(document)},
                         weights.seed, weights.noise);
  names = std::move(fresh.head_names);
  const bool query = weights.of(Projection::Query).drawn.has_value();
  if (query || weights.of(Projection::Key).drawn) names.assign(names.size(), {});  // patterns are lost
  Tensor output = n.d_v == n.d_k
                      ? std::move(fresh.w_output)
                      : transposed_weights(with_columns(transposed_weights(fresh.w_output), n.heads, n));
  return {std::move(fresh.w_query), pooled(fresh.w_key, n),
          with_columns(pooled(fresh.w_value, n), n.kv_heads, n), std::move(output)};
}

/// Applies each block's own drawing and gain, and stores the blocks in `weights`.
void finish(Weights& weights, const ParameterSizes& n, Blocks fresh) {
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const BlockRecipe& own = weights.blocks[i];
    const auto which = static_cast<Projection>(i);
    if (own.drawn)
      fresh[i] = initialised(own.drawn->initialiser, shape_of(which, n), own.drawn->seed, stream_name(which));
    if (own.gain != 1) fresh[i].matrix() *= own.gain;
    adopt(weights[matrix_of(which)], std::move(fresh[i]));
  }
}

/// Draws the learned key and value that every query sees from the seed, if the layer has them.
void make_extra(Weights& weights, const ParameterSizes& n) {
  if (!weights[Parameter::BiasK]) return;
  const auto draw = [&](Parameter which, std::string_view stream) {
    adopt(weights[which], drawn_block(shape_of(info(which), n), weights.seed, stream, 1));
  };
  draw(Parameter::BiasK, "block extra key");
  draw(Parameter::BiasV, "block extra value");
}

/// The logits of sinks: existing heads keep theirs, new heads get 0.
void make_sinks(Weights& weights, const ParameterSizes& n) {
  TensorPtr& block = weights[Parameter::SinkLogits];
  if (!block || block->size() == n.heads) return;
  auto fitted = std::make_shared<Tensor>(Shape{n.heads});
  std::copy_n(block->values().begin(), std::min(n.heads, block->size()), fitted->values().begin());
  block = std::move(fitted);
}

/// Weights of a norm: all 1.
void make_ones(TensorPtr& block, const Shape& shape) {
  Tensor ones(shape);
  std::ranges::fill(ones.values(), 1.f);
  adopt(block, std::move(ones));
}

/// The matrices of latent attention, drawn like the other four, and the weights of its norms.
void make_latents(Weights& weights, const ParameterSizes& n, bool normed) {
  for (const ParameterInfo& row : parameter_table) {
    const bool matrix = row.kind == ParameterKind::Latent;
    if (!matrix && row.kind != ParameterKind::LatentNorm) continue;
    TensorPtr& block = weights[row.parameter];
    const Shape shape = shape_of(row, n);
    if (n.latent == 0 || shape[shape.rank() - 1] == 0 || (!matrix && !normed))
      block.reset();
    else if (matrix)
      adopt(block, initialised(weights.initialiser, shape, weights.seed, "block " + std::string(row.name)));
    else
      make_ones(block, shape);
  }
}

/// The weights of the norms of queries and keys.
void make_norms(Weights& weights, const QkNorm& norm, const ParameterSizes& n) {
  for (const ParameterInfo& row : parameter_table) {
    if (row.kind != ParameterKind::Norm) continue;
    TensorPtr& block = weights[row.parameter];
    if (norm.kind == QkNorm::Kind::None)
      block.reset();
    else
      make_ones(block, shape_of(row, n));
  }
}

}  // namespace

bool can_make(const Document& document, Recipe recipe) {
  const LayerSpec& layer = document.layer();
  const int smallest = recipe == Recipe::HandBuilt ? min_hand_built_width : 1;
  if (recipe == Recipe::Given || !document.input.is_text()) return false;
  if (layer.latent.width > 0 &&
      (recipe == Recipe::HandBuilt || layer.latent.shared >= std::max(1, key_width(document))))
    return false;
  if (layer.heads < 1 || layer.d_model < smallest || layer.d_model > max_made_width ||
      !can_split(document, layer.heads))
    return false;
  const int kv_heads = key_value_heads(document), d_k = key_width(document), d_v = value_width(document);
  const int widest = widest_head(document), wider = std::max(d_k, d_v);
  if (kv_heads < 1 || layer.heads % kv_heads != 0 || std::min(d_k, d_v) < 1 || wider > widest) return false;
  return !wants_orthogonal(layer.weights) ||
         std::max(layer.d_model, layer.heads * wider) <= max_orthogonal_size;
}

Document with_weights(Document document) {
  Weights& weights = document.layer().weights;
  if (are_outgrown(document)) weights.recipe = weights.made_by;
  if (weights.recipe != Recipe::Given) weights.made_by = Recipe::Given;
  if (!can_make(document, weights.recipe)) return with_block_weights(std::move(document));
  const ParameterSizes sizes = parameter_sizes(document);
  weights.head_names.clear();
  finish(weights, sizes,
         weights.recipe == Recipe::Random ? random_blocks(weights, sizes)
                                          : hand_built_blocks(document, sizes, weights.head_names));
  make_biases(weights, sizes);
  make_extra(weights, sizes);
  make_latents(weights, sizes, document.layer().latent.normed);
  make_norms(weights, document.layer().qk_norm, sizes);
  make_sinks(weights, sizes);
  return with_block_weights(std::move(document));
}

}  // namespace attnscope
