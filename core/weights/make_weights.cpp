#include "core/weights/make_weights.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include "core/random.hpp"
#include "core/weights/hand_built.hpp"

namespace attnscope {
namespace {

bool can_make(const Document& document) {
  const int smallest = document.weights.recipe == Recipe::HandBuilt ? min_hand_built_width : 1;
  return document.weights.recipe != Recipe::Given && !document.input.given && document.heads >= 1 &&
         document.d_model >= smallest && document.d_model <= max_made_width &&
         document.d_model % document.heads == 0;
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

void make_random(Weights& weights, int d_model) {
  const double sigma = std::sqrt(2.0 / (d_model + d_model));
  const auto matrix = [&](TensorPtr& block, std::string_view stream) {
    adopt(block, normal({d_model, d_model}, weights.seed, stream, sigma));
  };
  matrix(weights.w_query, "block W_Q");
  matrix(weights.w_key, "block W_K");
  matrix(weights.w_value, "block W_V");
  matrix(weights.w_output, "block W_O");
  const auto bias = [&](TensorPtr& block, std::string_view stream) {
    if (weights.biases) {
      adopt(block, normal({d_model}, weights.seed, stream, 0.1));
    } else {
      block.reset();
    }
  };
  bias(weights.b_query, "block b_Q");
  bias(weights.b_key, "block b_K");
  bias(weights.b_value, "block b_V");
  bias(weights.b_output, "block b_O");
  weights.head_names.clear();
}

void make_hand_built(Weights& weights, int d_model, int heads) {
  HandBuiltWeights fresh = hand_built_weights(d_model, heads, weights.seed, weights.noise);
  adopt(weights.w_query, std::move(fresh.w_query));
  adopt(weights.w_key, std::move(fresh.w_key));
  adopt(weights.w_value, std::move(fresh.w_value));
  adopt(weights.w_output, std::move(fresh.w_output));
  for (TensorPtr* bias : {&weights.b_query, &weights.b_key, &weights.b_value, &weights.b_output})
    bias->reset();
  weights.head_names = std::move(fresh.head_names);
}

}  // namespace

Document with_weights(Document document) {
  if (!can_make(document)) return document;
  if (document.weights.recipe == Recipe::Random) {
    make_random(document.weights, document.d_model);
  } else {
    make_hand_built(document.weights, document.d_model, document.heads);
  }
  return document;
}

}  // namespace attnscope
