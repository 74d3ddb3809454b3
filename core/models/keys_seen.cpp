#include "core/models/keys_seen.hpp"

#include <algorithm>
#include <cmath>

#include "core/models/apply_changes.hpp"
#include "core/models/run_heads.hpp"
#include "core/models/staged_attention.hpp"

namespace attnscope {
namespace {

/// Of self-attention with other settings than the model's; else null.
const StagedAttention* staged_in(const ModelRun& run, AttentionOf of, std::size_t block) {
  if (of == AttentionOf::Cross) return nullptr;
  const std::vector<AttentionRun>& blocks = attention_of(run, of);
  return block < blocks.size() ? blocks[block].staged.get() : nullptr;
}

/// How many keys each query of a head sees, without those that the input's mask hides.
std::vector<std::int64_t> allowed_keys(const StagedAttention& staged, std::int64_t head) {
  const std::int64_t rows = staged.weights->shape()[2], keys = staged.weights->shape()[3];
  const std::uint8_t* row = staged.allowed.data() + (staged.allowed_heads == 1 ? 0 : head) * rows * keys;
  std::vector<std::int64_t> allowed;
  for (std::int64_t i = 0; i < rows; ++i, row += keys)
    allowed.push_back(keys - std::count(row, row + keys, std::uint8_t{0}));
  return allowed;
}

/// The same for all heads of a block with the model's settings.
std::vector<std::int64_t> allowed_keys(const Model& model, const ModelRun& run, AttentionOf of, int block) {
  const KeysSeen seen = keys_seen(model.spec, run, of, block);
  const std::span<const std::uint8_t> mask = key_mask(model, run, of);
  std::vector<std::int64_t> before(static_cast<std::size_t>(seen.keys) + 1);  // visible keys before each key
  for (std::size_t j = 0; j < static_cast<std::size_t>(seen.keys); ++j)
    before[j + 1] = before[j] + (j < mask.size() && mask[j] == 0 ? 0 : 1);
  std::vector<std::int64_t> allowed;
  for (std::int64_t i = 0; i < rows_of(run, of); ++i)
    allowed.push_back(before[static_cast<std::size_t>(seen.last(i))] -
                      before[static_cast<std::size_t>(seen.first(i))]);
  return allowed;
}

}  // namespace

const std::vector<AttentionRun>& attention_of(const ModelRun& run, AttentionOf of) {
  switch (of) {
    case AttentionOf::Encoder: return run.encoder.attention;
    case AttentionOf::Cross: return run.decoder.cross;
    case AttentionOf::Decoder: break;
  }
  return run.decoder.attention;
}

std::int64_t rows_of(const ModelRun& run, AttentionOf of) {
  const StackRun& stack = of == AttentionOf::Encoder ? run.encoder : run.decoder;
  return stack.hidden.empty() ? 0 : stack.hidden.front().rows();
}

KeysSeen keys_seen(const ModelSpec& spec, const ModelRun& run, AttentionOf of, int block) {
  const auto index = static_cast<std::size_t>(block);
  if (const StagedAttention* const staged = staged_in(run, of, index))
    return {.left = staged->left, .right = staged->right, .keys = rows_of(run, of)};
  AttentionProblem p;
  if (of != AttentionOf::Cross) {
    const StackSpec& stack = spec.stack(of);
    set_window(layer_of(stack, attention_of(run, of)[index], index), p);
  }
  change_problem(run.changes, of, index, p);
  return {.left = p.left,
          .right = p.causal ? 0 : p.right,
          .keys = rows_of(run, of == AttentionOf::Cross ? AttentionOf::Encoder : of)};
}

std::vector<std::optional<double>> normalised_entropies(const Model& model, const ModelRun& run,
                                                        AttentionOf of, int block) {
  const auto index = static_cast<std::size_t>(block);
  const Tensor& entropy = attention_of(run, of)[index].entropy;
  const StackSpec& stack = model.spec.stack(of);
  std::vector<std::optional<double>> means(static_cast<std::size_t>(stack.blocks[index].heads));
  if (entropy.size() == 0) return means;
  const StagedAttention* const staged = staged_in(run, of, index);
  std::vector<std::int64_t> allowed;
  std::vector<double> most;  // the entropy of a uniform row
  const auto values = entropy.matrix();
  for (std::size_t h = 0; h < means.size(); ++h) {
    if (h == 0 || (staged != nullptr && staged->allowed_heads > 1)) {
      allowed = staged != nullptr ? allowed_keys(*staged, static_cast<std::int64_t>(h))
                                  : allowed_keys(model, run, of, block);
      most.clear();
      for (const std::int64_t keys : allowed) most.push_back(std::log(static_cast<double>(keys)));
    }
    const std::int64_t rows = std::min<std::int64_t>(values.cols(), std::ssize(allowed));
    double sum = 0;
    std::int64_t counted = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      if (allowed[static_cast<std::size_t>(i)] < 2) continue;
      sum += static_cast<double>(values(static_cast<std::int64_t>(h), i)) / most[static_cast<std::size_t>(i)];
      ++counted;
    }
    if (counted > 0) means[h] = sum / static_cast<double>(counted);
  }
  return means;
}

}  // namespace attnscope
