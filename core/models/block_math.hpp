// core/models: the arithmetic of a block around its attention: maps, norms, residual stream and MLP, in the
// order that the model's arrangement says. A text that runs through a model and many ablated versions of one
// have it from here.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/blocks/row_operators.hpp"
#include "core/models/model.hpp"

namespace attnscope {

/// What differs from the block as the model has it, and what its stack has besides.
struct BlockParts {
  bool attention_off = false, mlp_off = false;  // nothing is added
  /// Attention to the encoder of rows behind their norm; the result may lie in a room of BlockMath.
  std::function<FloatRows(const FloatRows& x)> cross = {};
};

/// One thread at a time. Rows lie where the operators have theirs. By the CPU, a row's numbers depend on that
/// row alone, to the bit: not on how many there are. Results lie in rooms that serve again: of normed() until
/// it is called again, of output() likewise, of both until finish() is called. Throws Cancelled.
class BlockMath {
 public:
  /// `length`: of the sequence, for rotary positions. Keeps references.
  BlockMath(const StackSpec&, const StackWeights&, std::int64_t length, const Work&, RowOperators&);

  /// y = N x; x as it is where there is no norm. y may be x.
  void norm(const NormWeights&, const ConstFloatRows& x, const FloatRows& y) const;
  FloatRows normed(const NormWeights&, const FloatRows& x);
  /// The results of all maps side by side.
  void project(std::span<const LinearMap>, const ConstFloatRows& x, const FloatRows& y) const;
  /// Queries and keys of a block in rows as its maps make them: norms of the heads and rotary positions, as
  /// far as the model has them. positions: of each row; may be empty without rotary ones.
  void prepare_heads(std::size_t block, std::span<const std::int64_t> positions, const FloatRows& rows) const;
  /// Heads side by side, times W_O.
  FloatRows output(const LinearMap& w_o, const ConstFloatRows& heads);
  /// x [rows][d_model], changed in place: from what enters the block to what leaves it. `attention`: what
  /// output() gave for these rows, changed in place.
  void finish(const BlockWeights&, const FloatRows& x, FloatRows attention, const BlockParts&);
  /// What the MLP adds to the stream of these rows [rows][d_model] (of parallel blocks: to what enters them):
  /// its norm, itself, and the norm behind it where there is one.
  FloatRows mlp_output(const BlockWeights&, const FloatRows& x);

 private:
  FloatRows product(const ConstFloatRows& x, const LinearMap&, RowBuffer) const;
  FloatRows transform(const BlockWeights&, const FloatRows& x);
  FloatRows written_by_mlp(const BlockWeights&, const FloatRows& normed);

  const StackSpec& spec_;
  const StackWeights& weights_;
  const Work& work_;
  RowOperators& operators_;
  RopeFrequencies frequencies_;
};

}  // namespace attnscope
