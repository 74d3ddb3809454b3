#include "core/models/keys_seen.hpp"

#include <cmath>

#include "core/models/apply_changes.hpp"
#include "core/models/run_heads.hpp"

namespace attnscope {
namespace {

/// How many keys each query sees, without those that the input's mask hides.
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
  AttentionProblem p;
  if (of != AttentionOf::Cross) {
    const StackSpec& stack = of == AttentionOf::Encoder ? *spec.encoder : *spec.decoder;
    set_window(stack, stack.blocks[index], p);
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
  const StackSpec& stack = of == AttentionOf::Encoder ? *model.spec.encoder : *model.spec.decoder;
  std::vector<std::optional<double>> means(static_cast<std::size_t>(stack.blocks[index].heads));
  if (entropy.size() == 0) return means;
  const std::vector<std::int64_t> allowed = allowed_keys(model, run, of, block);
  std::vector<double> most;  // the entropy of a uniform row
  for (const std::int64_t keys : allowed) most.push_back(std::log(static_cast<double>(keys)));
  const auto values = entropy.matrix();
  const std::int64_t rows = std::min<std::int64_t>(values.cols(), std::ssize(allowed));
  for (std::size_t h = 0; h < means.size(); ++h) {
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
