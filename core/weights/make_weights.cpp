#include "core/weights/make_weights.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "core/random.hpp"
#include "core/weights/hand_built.hpp"
#include "core/weights/initialise.hpp"

namespace attnscope {
namespace {

/// Widths of a layer's blocks.
struct Widths {
  explicit Widths(const Document& document)
      : model(document.d_model),
        heads(document.heads),
        kv_heads(key_value_heads(document)),
        d_k(document.d_model / document.heads),
        d_v(value_width(document)) {}
  Shape of(Projection which) const {
    switch (which) {
      case Projection::Query: return {model, heads * d_k};
      case Projection::Key: return {model, kv_heads * d_k};
      case Projection::Value: return {model, kv_heads * d_v};
      case Projection::Output: break;
    }
    return {heads * d_v, model};
  }
  int model, heads, kv_heads, d_k, d_v;
};

/// Whether numbers edited by hand belong to a layer of other heads or widths.
bool are_outgrown(const Document& document) {
  const Weights& w = document.weights;
  if (w.recipe != Recipe::Given || !can_make(document, w.made_by)) return false;
  if (w.made_by == Recipe::HandBuilt && std::ssize(w.head_names) != document.heads) return true;
  const Widths widths(document);
  const auto fits = [&](const TensorPtr& block, Projection which) {
    return block && block->shape() == widths.of(which);
  };
  return !fits(w.w_query, Projection::Query) || !fits(w.w_key, Projection::Key) ||
         !fits(w.w_value, Projection::Value) || !fits(w.w_output, Projection::Output);
}

void adopt(TensorPtr& present, Tensor fresh) {
  if (!present || *present != fresh) present = std::make_shared<const Tensor>(std::move(fresh));
}

/// Names of streams hold a space, so no token shares one.
Tensor drawn_block(Shape shape, std::uint64_t seed, std::string_view stream, double sigma) {
  Tensor tensor(shape);
  fill_normal(tensor.values(), seed, stream_of(stream), sigma);
  return tensor;
}

/// W_Q, W_K, W_V and W_O on their way into a Document.
using Blocks = std::array<Tensor, 4>;

Blocks random_blocks(const Weights& weights, const Widths& n) {
  Blocks fresh;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (weights.blocks[i].drawn) continue;  // made below
    const auto which = static_cast<Projection>(i);
    fresh[i] = initialised(weights.initialiser, n.of(which), weights.seed, stream_name(which));
  }
  return fresh;
}

void make_biases(Weights& weights, const Widths& n) {
  const bool on = weights.biases && weights.recipe == Recipe::Random;
  const bool linear = weights.initialiser == Initialiser::Linear;
  const auto bias = [&](TensorPtr& block, int width, std::string_view stream) {
    const int fan_in = &block == &weights.b_output ? n.heads * n.d_v : n.model;
    if (on) {
      adopt(block, linear ? linear_bias(width, fan_in, weights.seed, stream)
                          : drawn_block({width}, weights.seed, stream, 0.1));
    } else {
      block.reset();
    }
  };
  bias(weights.b_query, n.heads * n.d_k, "block b_Q");
  bias(weights.b_key, n.kv_heads * n.d_k, "block b_K");
  bias(weights.b_value, n.kv_heads * n.d_v, "block b_V");
  bias(weights.b_output, n.model, "block b_O");
}

/// One head of keys or values for each group of query heads: their mean, as in Ainslie et al. 2023,
/// section 2.1.
Tensor pooled(const Tensor& w, const Widths& n) {
  if (n.kv_heads == n.heads) return w;
  const int group = n.heads / n.kv_heads;
  Tensor mean(Shape{n.model, n.kv_heads * n.d_k});
  for (int h = 0; h < n.heads; ++h)
    mean.matrix().middleCols(h / group * n.d_k, n.d_k) +=
        w.matrix().middleCols(h * n.d_k, n.d_k) / static_cast<float>(group);
  return mean;
}

/// Blocks of heads of d_k columns as blocks of d_v: cut off, or filled up with zeros.
Tensor with_columns(const Tensor& w, int heads, const Widths& n) {
  if (n.d_v == n.d_k) return w;
  Tensor resized(Shape{w.shape()[0], heads * n.d_v});
  const int kept = std::min(n.d_k, n.d_v);
  for (int h = 0; h < heads; ++h)
    resized.matrix().middleCols(h * n.d_v, kept) = w.matrix().middleCols(h * n.d_k, kept);
  return resized;
}

Tensor transposed(const Tensor& w) {
  Tensor turned(Shape{w.shape()[1], w.shape()[0]});
  turned.matrix() = w.matrix().transpose();
  return turned;
}

Blocks hand_built_blocks(const Weights& weights, const Widths& n, std::vector<std::string>& names) {
  HandBuiltWeights fresh = hand_built_weights(n.model, n.heads, weights.seed, weights.noise);
  names = std::move(fresh.head_names);
  const bool query = weights.of(Projection::Query).drawn.has_value();
  if (query || weights.of(Projection::Key).drawn) names.assign(names.size(), {});  // they do it no longer
  Tensor output = n.d_v == n.d_k ? std::move(fresh.w_output)
                                 : transposed(with_columns(transposed(fresh.w_output), n.heads, n));
  return {std::move(fresh.w_query), pooled(fresh.w_key, n),
          with_columns(pooled(fresh.w_value, n), n.kv_heads, n), std::move(output)};
}

/// What single blocks do differently from the recipe, and into the Document.
void finish(Weights& weights, const Widths& n, Blocks fresh) {
  const std::array<TensorPtr*, 4> present{&weights.w_query, &weights.w_key, &weights.w_value,
                                          &weights.w_output};
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const BlockRecipe& own = weights.blocks[i];
    const auto which = static_cast<Projection>(i);
    if (own.drawn)
      fresh[i] = initialised(own.drawn->initialiser, n.of(which), own.drawn->seed, stream_name(which));
    if (own.gain != 1) fresh[i].matrix() *= own.gain;
    adopt(*present[i], std::move(fresh[i]));
  }
}

/// The learned key and value that every query sees: kept while wanted, drawn anew for other widths.
void make_extra(Weights& weights, const Widths& n) {
  if (!weights.extra_key) return;
  adopt(weights.extra_key, drawn_block({n.kv_heads * n.d_k}, weights.seed, "block extra key", 1));
  adopt(weights.extra_value, drawn_block({n.kv_heads * n.d_v}, weights.seed, "block extra value", 1));
}

}  // namespace

bool can_make(const Document& document, Recipe recipe) {
  const int smallest = recipe == Recipe::HandBuilt ? min_hand_built_width : 1;
  if (recipe == Recipe::Given || document.input.given || document.input.vectors) return false;
  if (document.heads < 1 || document.d_model < smallest || document.d_model > max_made_width ||
      document.d_model % document.heads != 0)
    return false;
  const int kv_heads = key_value_heads(document), d_v = value_width(document);
  if (kv_heads < 1 || document.heads % kv_heads != 0 || d_v < 1 || d_v > max_made_width) return false;
  return !wants_orthogonal(document.weights) ||
         std::max(document.d_model, document.heads * d_v) <= max_orthogonal_size;
}

bool wants_orthogonal(const Weights& weights) {
  const Recipe recipe = weights.recipe == Recipe::Given ? weights.made_by : weights.recipe;
  return std::ranges::any_of(weights.blocks, [&](const BlockRecipe& block) {
    if (block.drawn) return block.drawn->initialiser == Initialiser::Orthogonal;
    return recipe == Recipe::Random && weights.initialiser == Initialiser::Orthogonal;
  });
}

Document with_weights(Document document) {
  Weights& weights = document.weights;
  if (are_outgrown(document)) weights.recipe = weights.made_by;
  if (weights.recipe != Recipe::Given) weights.made_by = Recipe::Given;
  if (!can_make(document, weights.recipe)) return document;
  const Widths widths(document);
  weights.head_names.clear();
  finish(weights, widths,
         weights.recipe == Recipe::Random ? random_blocks(weights, widths)
                                          : hand_built_blocks(weights, widths, weights.head_names));
  make_biases(weights, widths);
  make_extra(weights, widths);
  return document;
}

}  // namespace attnscope
