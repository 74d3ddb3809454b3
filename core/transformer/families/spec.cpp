#include "core/transformer/families/spec.hpp"

namespace attnscope {

Positions StackSpec::positions() const {
  if (embedded != Positions::None) return embedded;
  for (const LayerSpec& block : blocks)
    if (block.positions != Positions::None) return block.positions;
  return Positions::None;
}

void set_causal(StackSpec& stack, bool causal) {
  for (LayerSpec& block : stack.blocks) {
    block.masking.causal = causal;
    block.masking.window.right = causal ? -1 : block.masking.window.left;
    if (block.positions == Positions::RelativeBuckets) block.position_settings.buckets_two_sided = !causal;
  }
}

}  // namespace attnscope
