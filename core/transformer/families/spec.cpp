#include "core/transformer/families/spec.hpp"

#include <algorithm>

namespace attnscope {

Positions StackSpec::positions() const {
  if (embedded != Positions::None) return embedded;
  for (const LayerSpec& block : blocks)
    if (block.positions != Positions::None) return block.positions;
  return Positions::None;
}

bool turns_by_length(const StackSpec& stack) {
  return std::ranges::any_of(stack.blocks, [](const LayerSpec& block) { return turns_by_length(block); });
}

void set_causal(StackSpec& stack, bool causal) {
  for (LayerSpec& block : stack.blocks) {
    block.masking.causal = causal;
    block.masking.window.right = causal ? -1 : block.masking.window.left;
    if (block.positions == Positions::RelativeBuckets) block.position_settings.buckets_two_sided = !causal;
  }
}

void leave_unrotated(StackSpec& stack, int interval) {
  for (std::size_t i = 0; i < stack.blocks.size(); ++i)
    if (!rotates(i, interval)) stack.blocks[i].positions = Positions::None;
}

void leave_full_unrotated(StackSpec& stack) {
  for (LayerSpec& block : stack.blocks)
    if (window_of(block) == 0) block.positions = Positions::None;
}

}  // namespace attnscope
