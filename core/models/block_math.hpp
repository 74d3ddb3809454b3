// core/models: the arithmetic of a block around its attention: linear maps, norms, residual stream and MLP,
// in the order of the model's arrangement. Used for a text that runs through a model and for many ablated
// versions of it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/blocks/row_operators.hpp"
#include "core/models/model.hpp"

namespace attnscope {

/// How a block differs from the model's own, and the cross-attention of its stack.
struct BlockParts {
  bool attention_off = false, mlp_off = false;  // the part adds nothing
  /// Attention to the encoder, from normed rows; the result may lie in a buffer of BlockMath.
  std::function<FloatRows(const FloatRows& x)> cross = {};
};

/// Why only the CPU can run the model, as a sentence; empty if other operators can, too.
std::string why_on_cpu(const Model&);

/// For one thread at a time. Rows lie where the operators keep theirs. On the CPU each row's bits depend on
/// that row alone, not on how many rows there are. Results lie in buffers that are reused: that of normed()
/// until its next call, that of output() likewise, both until finish() is called. Throws Cancelled.
class BlockMath {
 public:
  /// `length`: the sequence length for rotary positions. Keeps references.
  BlockMath(const StackSpec&, std::int64_t length, const Work&, RowOperators&);

  /// y = N x; a copy of x if there is no norm. y may be x.
  void norm(const NormWeights&, const ConstFloatRows& x, const FloatRows& y) const;
  FloatRows normed(const NormWeights&, const FloatRows& x);
  /// The results of all maps, concatenated.
  void project(std::span<const LinearMap>, const ConstFloatRows& x, const FloatRows& y) const;
  /// Applies head norms and rotary positions, if the layer has them, in place to rows of queries and keys as
  /// the block's maps make them. positions: of each row; may be empty without rotary positions.
  void prepare_heads(const LayerSpec&, const AttentionWeights&, std::span<const std::int64_t> positions,
                     const FloatRows& rows);
  /// The concatenated heads times W_O.
  FloatRows output(const LinearMap& w_o, const ConstFloatRows& heads);
  /// x [rows][d_model], from the block's input to its output in place. `attention`: the result of output()
  /// for these rows, changed in place.
  void finish(const BlockWeights&, const FloatRows& x, FloatRows attention, const BlockParts&);
  /// What the MLP adds to the residual stream for these rows [rows][d_model], which for parallel blocks are
  /// the block's input: its norm, the MLP, and the norm behind it if there is one.
  FloatRows mlp_output(const BlockWeights&, const FloatRows& x);

 private:
  struct Frequencies {
    PositionSettings settings;
    int d_k;
    RopeFrequencies values;
  };
  const RopeFrequencies& frequencies_of(const LayerSpec&);
  FloatRows product(const ConstFloatRows& x, const LinearMap&, RowBuffer) const;
  FloatRows transform(const BlockWeights&, const FloatRows& x);
  FloatRows written_by_mlp(const BlockWeights&, const FloatRows& normed);
  /// The sum of the experts of each row of x.
  FloatRows mixed(const MixtureWeights&, const FloatRows& x);
  /// Adds what an expert makes of rows of x, times their weights, to the same rows of `out`.
  void add_expert(const ExpertWeights&, const FloatRows& x,
                  std::span<const std::pair<std::int64_t, float>> rows, const FloatRows& out);
  /// ExpertGate::Clamped, in place; of both halves side by side the result is half as wide.
  static FloatRows clamped(const FloatRows& gate, const FloatRows& up);
  static FloatRows clamped_halves(const FloatRows& both);
  /// Multiplies what is added to the stream by StackSpec::residual_scale.
  void scale(const FloatRows&) const;

  const StackSpec& spec_;
  const Work& work_;
  RowOperators& operators_;
  const std::int64_t length_;
  std::vector<Frequencies> frequencies_;  // one for each kind of rotation that was needed
};

}  // namespace attnscope
