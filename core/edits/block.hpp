// core/edits: the block around the attention layer.
#pragma once

#include <cstdint>
#include <optional>

#include "core/document/document.hpp"

namespace attnscope::edit {

/// Blocks of well-known models.
enum class BlockPreset : std::uint8_t {
  None,
  Bert,   // post-norm, LayerNorm, GELU (Devlin et al. 2019)
  Gpt,    // pre-norm, LayerNorm, GELU (tanh): GPT-2 (Radford et al. 2019)
  Llama,  // pre-norm, RMSNorm, gated SiLU, 8/3·d_model wide (Touvron et al. 2023)
};

/// The settings of the preset for vectors of d_model numbers. Causal masks belong to the mask, not to the
/// block.
BlockSettings block_of(BlockPreset, int d_model);
/// The preset with these settings; nullopt if there is none.
std::optional<BlockPreset> preset_of(const BlockSettings&, int d_model);

/// The Document with such a block; missing parameters are made (see make_block.hpp). Given norm weights w
/// become w − 1 where the norm now adds 1, and vice versa.
Document block(Document, const BlockSettings&);
Document block(Document, BlockPreset);

}  // namespace attnscope::edit
