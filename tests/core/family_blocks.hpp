// tests: single blocks of the families of models, with random weights.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope::samples {

struct FamilyBlock {
  std::string_view family;
  Document document;
};
/// GPT-2, BERT, ViT, BLOOM, GPT-NeoX, Llama, Qwen3, Gemma 2, T5, T5 with a gate and OLMo 2: two sentences, 12
/// numbers for each token, the arrangement, norms, MLP, biases, positions and mask of the family.
std::vector<FamilyBlock> family_blocks(std::uint64_t seed);

}  // namespace attnscope::samples
