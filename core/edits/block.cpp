#include "core/edits/block.hpp"

#include <array>
#include <memory>
#include <utility>

#include "core/weights/make_weights.hpp"

namespace attnscope::edit {

BlockSettings block_of(BlockPreset preset, int d_model) {
  BlockSettings block;
  switch (preset) {
    case BlockPreset::None: break;
    case BlockPreset::Bert:
      block.kind = Arrangement::PostNorm;
      block.epsilon = 1e-12f;
      break;
    case BlockPreset::Gpt:
      block.kind = Arrangement::PreNorm;
      block.activation = Activation::GeluTanh;
      break;
    case BlockPreset::Llama:
      block.kind = Arrangement::PreNorm;
      block.norm = NormKind::RmsNorm;
      block.epsilon = 1e-6f;
      block.gated = true;
      block.activation = Activation::Silu;
      block.d_inner = 8 * d_model / 3;  // three matrices, as many numbers as two of 4·d_model
      break;
  }
  return block;
}

std::optional<BlockPreset> preset_of(const BlockSettings& block, int d_model) {
  using enum BlockPreset;
  if (!has_block(block)) return None;
  for (const BlockPreset preset : std::array{Bert, Gpt, Llama})
    if (block == block_of(preset, d_model)) return preset;
  return std::nullopt;
}

Document block(Document document, const BlockSettings& block) {
  const float shift = static_cast<float>(adds_one(std::as_const(document).layer().block.norm)) -
                      static_cast<float>(adds_one(block.norm));
  document.layer().block = block;
  for (const Parameter which :
       {Parameter::AttentionNorm, Parameter::OutputNorm, Parameter::MlpNorm, Parameter::MlpOutputNorm}) {
    TensorPtr& weight = document.layer().weights[which];
    if (!weight || shift == 0) continue;
    auto shifted = std::make_shared<Tensor>(*weight);
    for (float& w : shifted->values()) w += shift;
    weight = std::move(shifted);
  }
  return with_weights(std::move(document));
}

Document block(Document document, BlockPreset preset) {
  const int d_model = std::as_const(document).layer().d_model;
  return block(std::move(document), block_of(preset, d_model));
}

}  // namespace attnscope::edit
