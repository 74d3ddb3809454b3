// core/transformer/families: mixtures of experts as the families that have them share them.
#pragma once

#include <cstdint>
#include <utility>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/spec.hpp"

namespace attnscope {

inline constexpr int most_experts = 4096;

/// Makes the MLP of every block for which mixes(i) holds a mixture.
void mix_blocks(StackSpec& stack, const ExpertSettings& experts, auto&& mixes) {
  stack.experts = experts;
  stack.mixes.clear();
  for (std::size_t i = 0; i < stack.blocks.size(); ++i) stack.mixes.push_back(mixes(i) ? 1 : 0);
}
inline void mix_blocks(StackSpec& stack, const ExpertSettings& experts) {
  mix_blocks(stack, experts, [](std::size_t) { return true; });
}

/// DeepSeek-V3's router, from the keys that families written like it share; what is missing has the numbers
/// of `usual`. The first "first_k_dense_replace" blocks, by default `dense`, have a plain MLP.
void mix_like_deepseek(const ConfigObject&, StackSpec&, ExpertSettings usual, int dense);

}  // namespace attnscope
