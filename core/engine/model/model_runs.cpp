#include "core/engine/model/model_runs.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/models/staged_attention.hpp"

namespace attnscope {
namespace {

// The two newest runs (with and without changes) are always kept, more while they are small.
constexpr std::size_t always_kept = 2, most_kept = 4;
constexpr std::size_t most_floats = std::size_t{64} << 20;

bool is_same_request(const RunRequest& a, const RunRequest& b) {
  return a.logits == b.logits && a.entropy == b.entropy && a.received == b.received &&
         a.picture_side == b.picture_side && a.changes == b.changes;
}

std::size_t floats_of(const ModelRun& run) {
  std::size_t floats = run.logits.values.size();
  for (const StackRun* stack : {&run.encoder, &run.decoder}) {
    for (const KeptRows& rows : stack->hidden) floats += rows.values.size();
    for (const AttentionRun& attention : stack->attention) {
      floats += attention.queries.values.size() + attention.pictures.mean.values().size() * 2;
      if (const StagedAttention* const staged = attention.staged.get())
        floats += staged->weights->values().size() + staged->output->values().size() +
                  staged->allowed.size() / sizeof(float);
    }
  }
  return floats;
}

/// The approximate share of a run that must be computed when it continues from `before`, see run_again(): the
/// same text with other changes keeps its first blocks, another text with the same changes its first rows.
double left_to_run(const ModelSpec& spec, const ModelRun& before, const ModelInput& input,
                   const RunRequest& request) {
  const AttentionOf of = output_attention(spec);
  const auto blocks = static_cast<double>(spec.output_stack().blocks.size());
  if (before.input == input)
    return 1 - static_cast<double>(blocks_alike(spec, of, before.changes, request.changes)) / blocks;
  if (spec.encoder || !spec.decoder->causal() || before.changes != request.changes ||
      looks_ahead(request.changes))
    return 1;
  const auto same = std::ranges::mismatch(before.input.ids, input.ids).in1 - before.input.ids.begin();
  return 1 - static_cast<double>(same) / static_cast<double>(std::max<std::size_t>(input.ids.size(), 1));
}

}  // namespace

ModelRunPtr ModelRuns::get(const Model& model, const ModelInput& input, const RunRequest& request,
                           const Work& work) {
  const auto known = std::ranges::find_if(kept_, [&](const Kept& kept) {
    return is_same_request(kept.request, request) && kept.run->input == input;
  });
  if (known != kept_.end()) {
    std::rotate(kept_.begin(), known, known + 1);
    return kept_.front().run;
  }
  auto run = std::make_shared<const ModelRun>(
      run_again(model, begin_from(model, input, request), input, request, work));
  kept_.push_front({run, request, {}});
  drop_old();
  return run;
}

ModelRun ModelRuns::begin_from(const Model& model, const ModelInput& input, const RunRequest& request) {
  Kept* before = nullptr;
  double least = 1;  // the share of a whole run that must be computed
  for (Kept& kept : kept_)
    if (const double left = left_to_run(model.spec, *kept.run, input, request); left < least) {
      before = &kept;
      least = left;
    }
  if (before == nullptr) return {};
  if (!before->spare) return *before->run;
  ModelRun spare = std::move(*before->spare);
  before->spare.reset();
  return spare;
}

void ModelRuns::make_spares() {
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    Kept& kept = kept_[i];
    if (i >= always_kept)
      kept.spare.reset();
    else if (!kept.spare)
      try {
        kept.spare = *kept.run;
      } catch (const std::bad_alloc&) {
        return;
      }
  }
}

void ModelRuns::drop_old() {
  std::size_t floats = 0;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    floats += floats_of(*kept_[i].run);
    if (i < always_kept || (i < most_kept && floats <= most_floats)) continue;
    kept_.resize(i);
    return;
  }
}

}  // namespace attnscope
