#include "core/models/run_again.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace attnscope {
namespace {

/// A text alone, as run_more() takes it.
bool is_text_alone(const ModelInput& input) {
  return input.positions.empty() && input.types.empty() && input.mask.empty() && input.decoder_ids.empty() &&
         input.image.size() == 0;
}

bool rows_stay(const Model& model, const ModelChanges& changes) {
  if (model.spec.encoder || !model.spec.decoder || looks_ahead(changes)) return false;
  const StackSpec& stack = *model.spec.decoder;
  const bool by_length =
      stack.positions == ModelPositions::Rotary && stack.rope.scaling == RopeScaling::Dynamic;
  return stack.causal && !by_length;
}

/// Whether `run` holds of its rows all that is asked for.
bool has_all(const ModelRun& run, const RunRequest& request) {
  const auto rows = std::ssize(run.input.ids);
  if (request.logits == LogitRows::All && run.logits.rows() != rows) return false;
  return !request.entropy ||
         std::ranges::all_of(run.decoder.attention, [rows](const AttentionRun& attention) {
           return attention.entropy.size() > 0 && attention.entropy.shape()[1] == rows;
         });
}

/// Leaves the first rows.
void cut(ModelRun& run, std::int64_t rows) {
  if (rows == std::ssize(run.input.ids)) return;
  run.input.ids.resize(static_cast<std::size_t>(rows));
  for (KeptRows& hidden : run.decoder.hidden) hidden.resize(rows);
  run.decoder.normed.resize(rows);
  if (run.logits.rows() > rows) run.logits.resize(rows);
  for (AttentionRun& attention : run.decoder.attention) {
    attention.queries.resize(rows);
    // A sum over rows of which some are gone: made anew.
    attention.received = Tensor();
    if (attention.entropy.size() == 0) continue;
    Tensor left(Shape{attention.entropy.shape()[0], rows});
    left.matrix() = std::as_const(attention.entropy).matrix().leftCols(rows);
    attention.entropy = std::move(left);
  }
}

}  // namespace

ModelRun run_again(const Model& model, ModelRun before, ModelInput input, const RunRequest& request,
                   const Work& work) {
  const std::vector<std::int64_t>& then = before.input.ids;
  const auto same = std::ranges::mismatch(then, input.ids).in1 - then.begin();
  // The last token is always run: its logits are asked for.
  const auto kept = std::min<std::int64_t>(same, std::ssize(input.ids) - 1);
  const bool follows = kept > 0 && is_text_alone(input) && is_text_alone(before.input) &&
                       before.changes == request.changes && rows_stay(model, request.changes) &&
                       has_all(before, request);
  if (!follows) return run_model(model, std::move(input), request, work);
  cut(before, kept);
  return run_more(model, std::move(before), std::span(input.ids).subspan(static_cast<std::size_t>(kept)),
                  request, work);
}

}  // namespace attnscope
