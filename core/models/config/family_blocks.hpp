// core/models/config: the blocks of a stack as their family has them; config.json and the header of a GGUF
// file name the same numbers in their own words.
#pragma once

#include "core/transformer/families/families.hpp"
#include "core/transformer/families/spec.hpp"

namespace attnscope {

/// What a model's file says of its blocks besides their heads.
struct FamilyBlock {
  float epsilon = 0;  // of the norms
  Activation activation = {};
  int d_inner = 0;
  NormKind norm = {};        // as the weights are stored
  Positions positions = {};  // as the weights are stored
};
/// Gives a block, whose heads are known, the rest.
void fill_block(LayerSpec& one, const Family&, const FamilyBlock&);

/// `count` equal blocks. Learned positions are added to the tokens, so that the blocks have none.
StackSpec equal_blocks(LayerSpec one, int count);

}  // namespace attnscope
