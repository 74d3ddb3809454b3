// core/document: interventions on a model's run: heads that are ablated, patched or given another pattern;
// blocks with attention, MLP or mask off, or another scale. A value; later activations follow from the
// changes. core/models/changes.hpp checks whether they fit a model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/shared_value.hpp"
#include "core/base/tensor.hpp"
#include "core/document/layer.hpp"

namespace attnscope {

/// The kinds of attention in a model.
enum class AttentionOf : std::uint8_t { Encoder, Decoder, Cross };

/// A change of one head. Its own weights can still be viewed, unless the change replaces its pattern. (A
/// layer's Intervention replaces patterns only; kinds of the same name mean the same.)
struct HeadChange {
  enum class Kind : std::uint8_t {
    Zero,           // its output becomes 0: zero ablation
    Mean,           // its output becomes its mean over the visible tokens of this text, later ones included
    Uniform,        // pattern: the same weight on every key that the query may see
    PreviousToken,  // pattern: all weight on the key before; like Uniform where the query may not see it
    Identity,       // pattern: on the query's own token
    FirstToken,     // pattern: on key 0
    Frozen,         // pattern: `tensor` [queries][keys], unchanged, regardless of the mask
    Replaced,       // its output becomes `tensor` [rows][d_k]: activation patching
  };
  AttentionOf of = AttentionOf::Decoder;
  int block = 0, head = 0;
  Kind kind = Kind::Zero;
  TensorPtr tensor = {};
  std::vector<std::int64_t> rows = {};  // Zero, Mean and Replaced: the changed rows; empty = all
  bool operator==(const HeadChange&) const = default;
};

/// A change of one block. A part that is off adds nothing to the residual stream, biases included; its
/// queries, keys, values and weights are still computed.
struct BlockChange {
  AttentionOf of = AttentionOf::Decoder;
  int block = 0;
  bool attention_off = false;
  bool mlp_off = false;  // not of Cross
  /// No causal mask, no window, and none of the pattern, the mistake and the painted cells of `attention`;
  /// the input's own mask still hides keys.
  bool mask_off = false;
  bool causal = false;               // adds a causal mask to self-attention without one
  std::optional<double> scale = {};  // replaces the model's multiplier of q·k; 1 = off
  double temperature = 1;            // the softmax's, > 0
  /// Self-attention: the settings of attention_only() that replace the model's own, all of them. The mask
  /// that is off or causal comes on top of theirs.
  std::optional<SharedValue<LayerSpec>> attention = {};
  bool operator==(const BlockChange&) const = default;
};

/// Several changes of one head are applied in order; of several changes of one block the last counts.
struct ModelChanges {
  std::vector<HeadChange> heads = {};
  std::vector<BlockChange> blocks = {};
  bool empty() const { return heads.empty() && blocks.empty(); }
  bool operator==(const ModelChanges&) const = default;
};

}  // namespace attnscope
