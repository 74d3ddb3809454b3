// core/models/opened: a block of a model as a layer: its weights as float parameters, its arrangement as
// settings of the layer.
#pragma once

#include <cstdint>

#include "core/document/layer.hpp"
#include "core/document/model_changes.hpp"
#include "core/models/model.hpp"

namespace attnscope {

/// One block of a model with its weights as floats, shared by all Documents that show it.
struct BlockTensors {
  AttentionOf of = AttentionOf::Decoder;
  int block = 0;
  LayerSpec layer;  // the model's weights, positions, scale, mask, norms and MLP, without changes
};

/// In a stack with cross-attention, the layer of self-attention ends before the cross-attention, and the
/// layer of cross-attention has the MLP. Learned positions are already in the residual stream, so such a
/// layer has none. Throws Error if a block of this kind cannot be shown as a layer.
BlockTensors block_tensors(const Model&, AttentionOf of, int block);

}  // namespace attnscope
