#include "core/models/run_heads.hpp"

#include "core/models/apply_changes.hpp"
#include "core/models/keys_seen.hpp"
#include "core/models/staged_attention.hpp"
#include "core/streaming/tile.hpp"

namespace attnscope {

StackView stack_of(const Model& model, const ModelRun& run, AttentionOf of) {
  if (of == AttentionOf::Encoder) return {*model.spec.encoder, model.encoder, run.encoder};
  return {*model.spec.decoder, model.decoder, run.decoder};
}

std::span<const std::uint8_t> key_mask(const ModelSpec& spec, const ModelRun& run, AttentionOf of) {
  // The mask hides keys of the stack that takes the input, and in attention to that stack.
  const bool masked = of != AttentionOf::Decoder || !spec.encoder;
  return masked ? std::span(run.input.mask) : std::span<const std::uint8_t>();
}

BlockProblem problem_of(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block) {
  const StackView stack = stack_of(model, run, of);
  const std::span<const std::uint8_t> mask = key_mask(model.spec, run, of);
  BlockProblem made =
      of == AttentionOf::Cross
          ? cross_problem(stack.spec, stack.weights, block, stack.run.cross[block], 0, mask)
          : self_problem(stack.spec, stack.weights, block, stack.run.attention[block], 0, mask);
  change_problem(run.changes, of, block, made.problem);
  return made;
}

Tensor head_outputs(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block,
                    const RowRange& rows, const Work& work) {
  const BlockProblem made = problem_of(model, run, of, block);
  SweepRequest request;
  request.rows = rows;
  const StagedAttention* const staged = staged_in(run, of, block);
  Sweep swept = staged != nullptr ? sweep_of(*staged, request, work) : sweep(made.problem, request, work);
  const std::span<const std::uint8_t> mask =
      of == AttentionOf::Cross ? std::span<const std::uint8_t>() : key_mask(model.spec, run, of);
  change_heads({run.changes, of, block, mask, staged}, made.problem, swept, work);
  return std::move(swept.output);
}

Tensor head_weight_rows(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block,
                        std::int64_t head, const RowRange& rows, const Work& work) {
  const BlockProblem made = problem_of(model, run, of, block);
  const HeadChange* const change = pattern_change(run.changes, of, block, head);
  const StagedAttention* const staged = staged_in(run, of, block);
  if (change != nullptr || staged != nullptr) {
    const std::int64_t count = count_rows(rows, made.problem.queries);
    Tensor weights(Shape{count, made.problem.keys});
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int64_t query = rows.begin + r * rows.step;
      auto row = weights.matrix().row(r);
      if (change != nullptr)
        fill_pattern_row(*change, made.problem, query,
                         {row.data(), static_cast<std::size_t>(made.problem.keys)});
      else
        row = staged->weights->matrix(0, head).row(query);
    }
    return weights;
  }
  TileRequest request;
  request.head = head;
  request.rows = rows;
  return tile(made.problem, request, nullptr, work);
}

std::int64_t strongest_key(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block,
                           std::int64_t head, std::int64_t row, const Work& work) {
  const Tensor weights = head_weight_rows(model, run, of, block, head, {.begin = row, .end = row + 1}, work);
  Eigen::Index key = 0;
  weights.matrix().row(0).maxCoeff(&key);
  return key;
}

}  // namespace attnscope
