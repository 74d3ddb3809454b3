#include "core/engine/model/run_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/engine/model/model_values.hpp"
#include "core/models/keys_seen.hpp"
#include "core/readouts/stream.hpp"

namespace attnscope {
namespace {

constexpr double no_entropy = std::numeric_limits<double>::quiet_NaN();

RunNumbers::Attention entropies(const Model& model, const ModelRun& run, AttentionOf of, const Work& work) {
  RunNumbers::Attention made{of, {}};
  const auto blocks = attention_of(run, of).size();
  made.entropy.resize(blocks);
  const double nanoseconds = 50 * static_cast<double>(rows_of(run, of));  // for about ten heads
  work.for_each(static_cast<std::int64_t>(blocks), nanoseconds, [&](std::int64_t block) {
    for (const std::optional<double>& mean : normalised_entropies(model, run, of, static_cast<int>(block)))
      made.entropy[static_cast<std::size_t>(block)].push_back(mean.value_or(no_entropy));
  });
  return made;
}

double median_of(const std::vector<RunNumbers::Attention>& attentions) {
  std::vector<double> all;
  for (const RunNumbers::Attention& attention : attentions)
    for (const std::vector<double>& block : attention.entropy)
      for (const double value : block)
        if (!std::isnan(value)) all.push_back(value);
  if (all.empty()) return no_entropy;
  const auto middle = all.begin() + std::ssize(all) / 2;
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

}  // namespace

double RunNumbers::entropy_of(AttentionOf of, int block, std::int64_t head) const {
  const auto found = std::ranges::find(attentions, of, &Attention::of);
  if (found == attentions.end() || block < 0 || block >= std::ssize(found->entropy)) return no_entropy;
  const std::vector<double>& heads = found->entropy[static_cast<std::size_t>(block)];
  return head >= 0 && head < std::ssize(heads) ? heads[static_cast<std::size_t>(head)] : no_entropy;
}

RunNumbers run_numbers(const Model& model, const ModelRun& run, const Work& work) {
  RunNumbers made;
  for (const AttentionOf of : {AttentionOf::Encoder, AttentionOf::Decoder, AttentionOf::Cross})
    if (has_attention(model.spec, of)) made.attentions.push_back(entropies(model, run, of, work));
  made.median_entropy = median_of(made.attentions);
  made.stream_norms = stream_norms(run.last(model), work);
  return made;
}

}  // namespace attnscope
