#include "core/weights/make_weights.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/random.hpp"
#include "core/weights/hand_built.hpp"

namespace attnscope {
namespace {

bool can_make(const Document& document) {
  const int smallest = document.weights.recipe == Recipe::HandBuilt ? min_hand_built_width : 1;
  if (document.weights.recipe == Recipe::Given || document.input.given || document.input.vectors)
    return false;
  if (document.heads < 1 || document.d_model < smallest || document.d_model > max_made_width ||
      document.d_model % document.heads != 0)
    return false;
  const int kv_heads = key_value_heads(document), d_v = value_width(document);
  return kv_heads >= 1 && document.heads % kv_heads == 0 && d_v >= 1 && d_v <= max_made_width;
}

void adopt(TensorPtr& present, Tensor fresh) {
  if (!present || *present != fresh) present = std::make_shared<const Tensor>(std::move(fresh));
}

/// Names of streams hold a space, so no token shares one.
Tensor normal(Shape shape, std::uint64_t seed, std::string_view stream, double sigma) {
  Tensor tensor(shape);
  fill_normal(tensor.values(), seed, stream_of(stream), sigma);
  return tensor;
}

/// Widths of a layer's blocks.
struct Widths {
  explicit Widths(const Document& document)
      : model(document.d_model),
        heads(document.heads),
        kv_heads(key_value_heads(document)),
        d_k(document.d_model / document.heads),
        d_v(value_width(document)) {}
  int model, heads, kv_heads, d_k, d_v;
};

void make_random(Weights& weights, const Widths& n) {
  const auto matrix = [&](TensorPtr& block, int rows, int columns, std::string_view stream) {
    adopt(block, normal({rows, columns}, weights.seed, stream, std::sqrt(2.0 / (rows + columns))));
  };
  matrix(weights.w_query, n.model, n.heads * n.d_k, "block W_Q");
  matrix(weights.w_key, n.model, n.kv_heads * n.d_k, "block W_K");
  matrix(weights.w_value, n.model, n.kv_heads * n.d_v, "block W_V");
  matrix(weights.w_output, n.heads * n.d_v, n.model, "block W_O");
  const auto bias = [&](TensorPtr& block, int width, std::string_view stream) {
    if (weights.biases) {
      adopt(block, normal({width}, weights.seed, stream, 0.1));
    } else {
      block.reset();
    }
  };
  bias(weights.b_query, n.heads * n.d_k, "block b_Q");
  bias(weights.b_key, n.kv_heads * n.d_k, "block b_K");
  bias(weights.b_value, n.kv_heads * n.d_v, "block b_V");
  bias(weights.b_output, n.model, "block b_O");
  weights.head_names.clear();
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

void make_hand_built(Weights& weights, const Widths& n) {
  HandBuiltWeights fresh = hand_built_weights(n.model, n.heads, weights.seed, weights.noise);
  adopt(weights.w_query, std::move(fresh.w_query));
  adopt(weights.w_key, pooled(fresh.w_key, n));
  adopt(weights.w_value, with_columns(pooled(fresh.w_value, n), n.kv_heads, n));
  adopt(weights.w_output, n.d_v == n.d_k ? std::move(fresh.w_output)
                                         : transposed(with_columns(transposed(fresh.w_output), n.heads, n)));
  for (TensorPtr* bias : {&weights.b_query, &weights.b_key, &weights.b_value, &weights.b_output})
    bias->reset();
  weights.head_names = std::move(fresh.head_names);
}

/// The learned key and value that every query sees: kept while wanted, drawn anew for other widths.
void make_extra(Weights& weights, const Widths& n) {
  if (!weights.extra_key) return;
  adopt(weights.extra_key, normal({n.kv_heads * n.d_k}, weights.seed, "block extra key", 1));
  adopt(weights.extra_value, normal({n.kv_heads * n.d_v}, weights.seed, "block extra value", 1));
}

}  // namespace

Document with_weights(Document document) {
  if (!can_make(document)) return document;
  const Widths widths(document);
  if (document.weights.recipe == Recipe::Random) {
    make_random(document.weights, widths);
  } else {
    make_hand_built(document.weights, widths);
  }
  make_extra(document.weights, widths);
  return document;
}

}  // namespace attnscope
