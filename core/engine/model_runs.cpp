#include "core/engine/model_runs.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace attnscope {
namespace {

// The two newest (with changes and without) are always kept, more of them while they are small.
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
    for (const AttentionRun& attention : stack->attention)
      floats += attention.queries.values.size() + attention.pictures.mean.values().size() * 2;
  }
  return floats;
}

bool shares_tokens(const ModelInput& a, const ModelInput& b) {
  return !a.ids.empty() && !b.ids.empty() && a.ids[0] == b.ids[0];
}

}  // namespace

bool is_same_input(const ModelInput& a, const ModelInput& b) {
  return a.ids == b.ids && a.positions == b.positions && a.types == b.types && a.mask == b.mask &&
         a.decoder_ids == b.decoder_ids && a.image == b.image;
}

ModelRunPtr ModelRuns::get(const Model& model, const ModelInput& input, const RunRequest& request,
                           const Work& work) {
  const auto known = std::ranges::find_if(kept_, [&](const Kept& kept) {
    return is_same_request(kept.request, request) && is_same_input(kept.run->input, input);
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
  // The same text with other changes keeps its first blocks, a text that goes on otherwise its first rows.
  auto before = std::ranges::find_if(kept_, [&](const Kept& kept) {
    return is_same_input(kept.run->input, input) && kept.request.changes != request.changes;
  });
  if (before == kept_.end() && !model.spec.encoder)
    before = std::ranges::find_if(kept_, [&](const Kept& kept) {
      return kept.request.changes == request.changes && shares_tokens(kept.run->input, input);
    });
  if (before == kept_.end()) return {};
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
