#include "core/readouts/generation.hpp"

#include "core/base/error.hpp"
#include "core/models/run_heads.hpp"

namespace attnscope {

GeneratedToken generated_token(std::span<const float> logits, std::int64_t row, std::int64_t id,
                               std::int64_t candidates) {
  GeneratedToken made;
  made.row = row;
  made.id = id;
  made.log_probability = log_softmax(logits)[static_cast<std::size_t>(id)];
  made.rank = rank_of(logits, id);
  made.entropy = prediction_entropy(logits);
  made.top = likeliest(logits, candidates);
  return made;
}

Tensor cache_reads(const Model& model, const ModelRun& run, std::int64_t row, const Work& work) {
  const StackView stack = stack_of(model, run, AttentionOf::Decoder);
  const auto blocks = static_cast<std::int64_t>(stack.spec.blocks.size());
  const std::int64_t positions = stack.run.hidden[0].rows();
  Tensor reads(Shape{blocks, positions});
  for (std::int64_t block = 0; block < blocks; ++block) {
    if (work.stop.stop_requested()) throw Cancelled();
    const auto b = static_cast<std::size_t>(block);
    const int heads = stack.spec.blocks[b].heads;
    auto mean = reads.matrix().row(block);
    for (int head = 0; head < heads; ++head)
      mean +=
          head_weight_rows(model, run, AttentionOf::Decoder, b, head, {row, row + 1}, work).matrix().row(0);
    mean /= static_cast<float>(heads);
  }
  return reads;
}

}  // namespace attnscope
