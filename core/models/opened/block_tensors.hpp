// core/models/opened: a block of a model as a layer: its weights as floats in the layer's parameters, its
// arrangement in the layer's settings.
#pragma once

#include <cstdint>

#include "core/document/layer.hpp"
#include "core/document/model_changes.hpp"
#include "core/models/model.hpp"

namespace attnscope {

/// One block of a model with its weights as floats: shared by all Documents that look at it.
struct BlockTensors {
  AttentionOf of = AttentionOf::Decoder;
  int block = 0;
  LayerSpec layer;  // weights, positions, scale, mask, norms, MLP of the model, without changes
};

/// In a stack with cross-attention the layer of self-attention ends where cross-attention begins, and that of
/// cross-attention has the MLP. Learned positions are in the stream already: such a layer has none. Throws
/// Error with a sentence where a block of this kind cannot stand by itself.
BlockTensors block_tensors(const Model&, AttentionOf of, int block);

/// The way to say that scores are multiplied with `scale`.
Scaling scaling_of(double scale, std::int64_t d_k);
/// d_k of a layer.
std::int64_t head_width(const LayerSpec&);

}  // namespace attnscope
