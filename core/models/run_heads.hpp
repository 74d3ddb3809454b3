// core/models: the heads of a run, computed again from the kept queries, keys and values: outputs and rows of
// weights, with the run's changes.
#pragma once

#include <cstdint>

#include "core/models/run_model.hpp"
#include "core/models/stack_problem.hpp"

namespace attnscope {

/// A stack of a model and its run. Keeps references to both.
struct StackView {
  const StackSpec& spec;
  const StackWeights& weights;
  const StackRun& run;
};
/// The stack in which `of` attends; Cross is in the decoder.
StackView stack_of(const Model&, const ModelRun&, AttentionOf of);

/// The input's mask for the keys of `of`; empty = none is hidden.
std::span<const std::uint8_t> key_mask(const ModelSpec&, const ModelRun&, AttentionOf of);

/// The attention of a block over all rows, with the run's scale, mask and temperature.
BlockProblem problem_of(const Model&, const ModelRun&, AttentionOf of, std::size_t block);

/// The output of every head before W_O, after all changes: [heads][rows of the range][d_k]. Throws Cancelled.
Tensor head_outputs(const Model&, const ModelRun&, AttentionOf of, std::size_t block, const RowRange&,
                    const Work&);

/// Attention weights of a head, [rows of the range][keys]. Throws Cancelled.
Tensor head_weight_rows(const Model&, const ModelRun&, AttentionOf of, std::size_t block, std::int64_t head,
                        const RowRange&, const Work&);

/// The key with the largest weight in a row. Throws Cancelled.
std::int64_t strongest_key(const Model&, const ModelRun&, AttentionOf of, std::size_t block,
                           std::int64_t head, std::int64_t row, const Work&);

}  // namespace attnscope
