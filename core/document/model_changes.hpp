// core/document: what is changed inside a model while it runs: heads that are ablated, patched or given
// another pattern, blocks without attention, MLP, scale or mask. A value; everything behind a change follows
// from it. What of it fits a model is said by core/models/changes.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/tensor.hpp"

namespace attnscope {

/// Which attention of a block.
enum class AttentionOf : std::uint8_t { Encoder, Decoder, Cross };

/// One head. Its own weights are still there to be looked at, unless the change is one of its pattern. (The
/// kinds are not those of a layer's Intervention, which are of its pattern alone; what has the same name
/// means the same.)
struct HeadChange {
  enum class Kind : std::uint8_t {
    Zero,           // its output becomes 0: zero ablation
    Mean,           // the mean of its output over the tokens of this text that are not hidden: it looks ahead
    Uniform,        // pattern: the same weight on every key that the query may see
    PreviousToken,  // pattern: all weight on the key before; as Uniform where the query may not see it
    Identity,       // pattern: on the query's own token
    FirstToken,     // pattern: on key 0
    Frozen,         // pattern: `tensor` [queries][keys], as it is, whatever the mask says
    Replaced,       // its output becomes `tensor` [rows][d_k]: activation patching
  };
  AttentionOf of = AttentionOf::Decoder;
  int block = 0, head = 0;
  Kind kind = Kind::Zero;
  TensorPtr tensor = {};
  std::vector<std::int64_t> rows = {};  // of Zero, Mean and Replaced: where it holds; empty = everywhere
  bool operator==(const HeadChange&) const = default;
};

/// One block. What is off adds nothing to the residual stream, biases included; its queries, keys, values and
/// weights are computed all the same.
struct BlockChange {
  AttentionOf of = AttentionOf::Decoder;
  int block = 0;
  bool attention_off = false;
  bool mlp_off = false;              // not of Cross
  bool mask_off = false;             // no causal rule and no window; what the input's mask hides stays hidden
  bool causal = false;               // no query sees a later key, of self-attention that has no such rule
  std::optional<double> scale = {};  // multiplies q·k in place of the model's own; 1 = off
  double temperature = 1;            // the softmax's, > 0
  bool operator==(const BlockChange&) const = default;
};

/// Several of one head come one after the other; of one block the last counts.
struct ModelChanges {
  std::vector<HeadChange> heads = {};
  std::vector<BlockChange> blocks = {};
  bool empty() const { return heads.empty() && blocks.empty(); }
  bool operator==(const ModelChanges&) const = default;
};

}  // namespace attnscope
