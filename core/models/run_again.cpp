#include "core/models/run_again.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/models/head_pictures.hpp"

namespace attnscope {
namespace {

/// Whether the input is a text alone, as run_more() takes it.
bool is_text_alone(const ModelInput& input) {
  return input.positions.empty() && input.types.empty() && input.mask.empty() && input.decoder_ids.empty() &&
         input.image.size() == 0;
}

bool rows_stay(const Model& model, const ModelChanges& changes) {
  if (model.spec.encoder || !model.spec.decoder || looks_ahead(changes)) return false;
  const StackSpec& stack = *model.spec.decoder;
  return stack.causal() && !turns_by_length(stack);
}

/// Whether `run` has everything requested for all its rows.
bool has_all(const ModelRun& run, const RunRequest& request) {
  const auto rows = std::ssize(run.input.ids);
  if (request.logits == LogitRows::All && run.logits.rows() != rows) return false;
  return !request.entropy ||
         std::ranges::all_of(run.decoder.attention, [rows](const AttentionRun& attention) {
           return attention.entropy.size() > 0 && attention.entropy.shape()[1] == rows;
         });
}

/// Keeps only the first rows.
void cut(ModelRun& run, std::int64_t rows) {
  if (rows == std::ssize(run.input.ids)) return;
  run.input.ids.resize(static_cast<std::size_t>(rows));
  for (KeptRows& hidden : run.decoder.hidden) hidden.resize(rows);
  run.decoder.normed.resize(rows);
  if (run.logits.rows() > rows) run.logits.resize(rows);
  for (AttentionRun& attention : run.decoder.attention) {
    attention.queries.resize(rows);
    // The sum includes rows that are gone: computed again.
    attention.received = Tensor();
    if (attention.entropy.size() == 0) continue;
    Tensor left(Shape{attention.entropy.shape()[0], rows});
    left.matrix() = std::as_const(attention.entropy).matrix().leftCols(rows);
    attention.entropy = std::move(left);
  }
}

/// Whether two sets of changes are equal for one attention of a block.
bool is_alike(AttentionOf of, std::size_t block, const ModelChanges& a, const ModelChanges& b) {
  if (change_of(a, of, block) != change_of(b, of, block)) return false;
  const auto heads_here = [&](const ModelChanges& changes) {
    std::vector<HeadChange> here;
    std::ranges::copy_if(changes.heads, std::back_inserter(here), [&](const HeadChange& change) {
      return change.of == of && std::cmp_equal(change.block, block);
    });
    return here;
  };
  return heads_here(a) == heads_here(b);
}

/// Whether a kept block has exactly what is requested.
bool has_all(const AttentionRun& run, std::int64_t rows, std::int64_t keys, const RunRequest& request) {
  const auto is_there = [](const Tensor& tensor, bool wanted, std::int64_t columns) {
    return wanted ? tensor.size() > 0 && tensor.shape()[1] == columns : tensor.size() == 0;
  };
  const bool pictures = request.picture_side > 0;
  return is_there(run.entropy, request.entropy, rows) && is_there(run.received, request.received, keys) &&
         (run.pictures.mean.size() > 0) == pictures &&
         (!pictures || run.pictures.cells == picture_cells(rows, keys, request.picture_side));
}

/// The same for one stack, which may be missing.
bool has_all(const std::optional<StackSpec>& spec, const StackRun& stack, std::int64_t encoder_rows,
             const RunRequest& request) {
  if (!spec) return true;
  const std::size_t blocks = spec->blocks.size();
  if (stack.attention.size() != blocks || stack.hidden.size() != blocks + 1 ||
      stack.cross.size() != (spec->cross ? blocks : 0))
    return false;
  const std::int64_t rows = stack.hidden[0].rows();
  const auto has = [&](std::int64_t keys) {
    return [&, keys](const AttentionRun& run) { return has_all(run, rows, keys, request); };
  };
  return std::ranges::all_of(stack.attention, has(rows)) &&
         std::ranges::all_of(stack.cross, has(encoder_rows));
}

/// Removes the results that are computed again, as if in a new run.
void drop_from(std::size_t block, bool keep_keys, StackRun& stack) {
  for (std::size_t i = block; i < stack.attention.size(); ++i) stack.attention[i] = {};
  for (std::size_t i = block; i < stack.cross.size(); ++i) {
    AttentionRun fresh;
    if (keep_keys) fresh.keys = std::move(stack.cross[i].keys);
    stack.cross[i] = std::move(fresh);
  }
}

/// For the same input with other changes.
ModelRun run_changed(const Model& model, ModelRun before, const RunRequest& request, const Work& work) {
  const ModelSpec& spec = model.spec;
  KeptPart kept;
  bool encoder_stays = true;
  if (spec.encoder) {
    kept.encoder_blocks = blocks_alike(spec, AttentionOf::Encoder, before.changes, request.changes);
    encoder_stays = kept.encoder_blocks == spec.encoder->blocks.size();
    drop_from(kept.encoder_blocks, false, before.encoder);
  }
  if (spec.decoder) {
    if (encoder_stays)
      kept.decoder_blocks = blocks_alike(spec, AttentionOf::Decoder, before.changes, request.changes);
    drop_from(kept.decoder_blocks, encoder_stays, before.decoder);
  }
  before.logits = {};
  run_rest(model, before, kept, request, work);
  return before;
}

}  // namespace

std::size_t blocks_alike(const ModelSpec& spec, AttentionOf of, const ModelChanges& a,
                         const ModelChanges& b) {
  const StackSpec& stack = spec.stack(of);
  std::size_t block = 0;
  while (block < stack.blocks.size() &&
         is_alike(of == AttentionOf::Encoder ? of : AttentionOf::Decoder, block, a, b) &&
         (!stack.cross || is_alike(AttentionOf::Cross, block, a, b)))
    ++block;
  return block;
}

ModelRun run_again(const Model& model, ModelRun before, ModelInput input, const RunRequest& request,
                   const Work& work) {
  if (before.input == input && has_all(model.spec.encoder, before.encoder, 0, request) &&
      has_all(model.spec.decoder, before.decoder, before.encoder.normed.rows(), request)) {
    check(request.changes, model.spec);
    return run_changed(model, std::move(before), request, work);
  }
  const std::vector<std::int64_t>& then = before.input.ids;
  const auto same = std::ranges::mismatch(then, input.ids).in1 - then.begin();
  // The last token always runs, since its logits are requested.
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
