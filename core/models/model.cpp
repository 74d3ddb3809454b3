#include "core/models/model.hpp"

namespace attnscope {

void each_map(const BlockWeights& block, const std::function<void(const LinearMap&)>& visit) {
  for (const AttentionWeights* attention : {&block.attention, &block.cross}) {
    for (const LinearMap& map : attention->maps) visit(map);
    visit(attention->output);
  }
  for (const LinearMap* map : {&block.cross_query, &block.up, &block.down}) visit(*map);
  if (block.gate) visit(*block.gate);
  if (!block.mixture) return;
  const auto expert = [&](const ExpertWeights& one) {
    if (one.gate) visit(*one.gate);
    visit(one.up);
    visit(one.down);
  };
  visit(block.mixture->router);
  if (block.mixture->shared_gate) visit(*block.mixture->shared_gate);
  if (block.mixture->shared) expert(*block.mixture->shared);
  for (const ExpertWeights& one : block.mixture->experts) expert(one);
}

std::int64_t count_weights(const Model& model) {
  std::int64_t count = model.logits.weight.shape().count();
  for (const StackWeights* stack : {&model.encoder, &model.decoder})
    for (const BlockWeights& block : stack->blocks)
      each_map(block, [&](const LinearMap& map) { count += map.weight.shape().count(); });
  return count;
}

}  // namespace attnscope
