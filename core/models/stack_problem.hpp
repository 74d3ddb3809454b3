// core/models: the attention of one block as an AttentionProblem of the streaming engine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/models/model.hpp"
#include "core/models/run_model.hpp"
#include "core/streaming/problem.hpp"

namespace attnscope {

/// An AttentionProblem and the data that it points to. Must not be moved.
struct BlockProblem {
  AttentionProblem problem;
  std::vector<float> distance_bias;
  std::vector<std::uint8_t> allowed;
};

/// Throws Error for positions that no block of a model has here.
void check_positions(Positions);
/// Throws Error for blocks without an arrangement.
void check_arrangement(const StackSpec&);

/// Sets the causal mask and the window of a block's self-attention.
void set_window(const LayerSpec&, AttentionProblem&);

/// Queries [first, rows) of block `index` against all of its keys. `mask` is the input's, for the keys. The
/// arguments must outlive the result.
BlockProblem self_problem(const StackSpec&, const StackWeights&, std::size_t index, const AttentionRun&,
                          std::int64_t first, std::span<const std::uint8_t> mask);
/// The same for attention to the encoder.
BlockProblem cross_problem(const StackSpec&, const StackWeights&, std::size_t index, const AttentionRun&,
                           std::int64_t first, std::span<const std::uint8_t> mask);

}  // namespace attnscope
