#include "core/readouts/rollout.hpp"

#include <algorithm>
#include <utility>

#include "core/models/changes.hpp"
#include "core/models/run_heads.hpp"

namespace attnscope {
namespace {

/// Whether the head counts as weights of 0. Replaced and mean outputs are not weights: the head's own weights
/// are used for them.
bool is_zeroed(const ModelRun& run, AttentionOf of, std::size_t block, std::int64_t head) {
  return std::ranges::any_of(run.changes.heads, [&](const HeadChange& change) {
    return change.of == of && change.block == static_cast<int>(block) && change.head == head &&
           change.kind == HeadChange::Kind::Zero && change.rows.empty();
  });
}

}  // namespace

TensorOf<double> rollout_step(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block,
                              const Work& work) {
  const StackView stack = stack_of(model, run, of);
  const std::int64_t rows = stack.run.hidden.front().rows(), heads = stack.spec.blocks[block].heads;
  TensorOf<double> step(Shape{rows, rows});
  auto sum = step.matrix();
  sum.setIdentity();
  if (!change_of(run.changes, of, block).attention_off) {
    for (std::int64_t head = 0; head < heads; ++head) {
      if (is_zeroed(run, of, block, head)) continue;
      const Tensor weights = head_weights(model, run, of, block, head, work);
      sum += weights.matrix().cast<double>() / static_cast<double>(heads);
    }
  }
  for (std::int64_t i = 0; i < rows; ++i) sum.row(i) /= sum.row(i).sum();
  return step;
}

TensorOf<double> rollout_behind(const TensorOf<double>& before, const TensorOf<double>& step,
                                const Work& work) {
  if (before.size() == 0) return step;
  const std::int64_t rows = step.shape()[0];
  TensorOf<double> behind(step.shape());
  constexpr std::int64_t at_once = 16;
  const double nanoseconds = static_cast<double>(at_once * rows * rows) / 4;
  work.for_each((rows + at_once - 1) / at_once, nanoseconds, [&](std::int64_t i) {
    const std::int64_t begin = i * at_once, count = std::min(at_once, rows - begin);
    behind.matrix().middleRows(begin, count).noalias() =
        step.matrix().middleRows(begin, count) * before.matrix();
  });
  return behind;
}

}  // namespace attnscope
