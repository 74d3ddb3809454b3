#include "core/models/config/family_blocks.hpp"

#include <utility>

namespace attnscope {

void fill_block(LayerSpec& one, const Family& family, const FamilyBlock& of) {
  one.block.kind = family.arrangement;
  one.block.norm = of.norm;
  one.block.epsilon = of.epsilon;
  one.block.activation = of.activation;
  // Of an encoder and a decoder the config says whether they are gated, see read_stack of the family.
  one.block.gated = family.is_gated();
  one.block.d_inner = of.d_inner;
  if (find_part(family.blocks(), Part::QueryNorm) != nullptr)
    one.qk_norm = {family.norms_all_heads ? QkNorm::Kind::AllHeads : QkNorm::Kind::RootMeanSquare,
                   of.epsilon};
  one.positions = of.positions;
}

StackSpec equal_blocks(LayerSpec one, int count) {
  StackSpec stack;
  if (one.positions == Positions::Learned) std::swap(stack.embedded, one.positions);
  stack.blocks.assign(static_cast<std::size_t>(count), one);
  return stack;
}

}  // namespace attnscope
