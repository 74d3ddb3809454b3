#include "core/document/layer_sizes.hpp"

#include <algorithm>

namespace attnscope {

bool is_built_by_hand(const Document& document) {
  const bool embedded = document.embedding == Embedding::HandBuilt && !document.input.is_vectors();
  return embedded || document.layer().weights.recipe == Recipe::HandBuilt;
}

int widest_model(const Document& document) {
  const Weights& weights = document.layer().weights;
  const bool made = weights.recipe != Recipe::Given || weights.made_by != Recipe::Given;
  return made && !document.input.is_vectors() ? max_made_width : max_d_model;
}

bool can_split(const Document& document, int heads) {
  return document.layer().d_k > 0 || document.layer().d_model % heads == 0;
}

int widest_head(const Document& document) {
  const std::int64_t most = widest_model(document);
  const std::int64_t columns = most * most / std::max(1, document.layer().d_model);  // of all heads
  return static_cast<int>(std::min(most, columns / std::max(1, document.layer().heads)));
}

int fitting_heads(int d_model, int heads) {
  return nearest_allowed(heads, d_model, [d_model](int n) { return d_model % n == 0; }).value_or(1);
}

bool wants_orthogonal(const Weights& weights) {
  const Recipe recipe = weights.recipe == Recipe::Given ? weights.made_by : weights.recipe;
  return std::ranges::any_of(weights.blocks, [&](const BlockRecipe& block) {
    if (block.drawn) return block.drawn->initialiser == Initialiser::Orthogonal;
    return recipe == Recipe::Random && weights.initialiser == Initialiser::Orthogonal;
  });
}

}  // namespace attnscope
