#include "core/models/run_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/models/image_patches.hpp"
#include "core/models/model_head.hpp"
#include "core/models/run_heads.hpp"
#include "core/models/run_stack.hpp"

namespace attnscope {
namespace {

void check_ids(std::span<const std::int64_t> ids, std::int64_t vocabulary) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < vocabulary) continue;
    throw Error(
        fmt::format("Token {} has the number {}; the model has tokens 0 to {}.", i, ids[i], vocabulary - 1));
  }
}

void check_length(std::span<const std::int64_t> of, std::size_t tokens, std::string_view what) {
  if (of.empty() || of.size() == tokens) return;
  throw Error(fmt::format("{} tokens have {} {}; as many were expected.", tokens, of.size(), what));
}

/// Makes the first block's input: rows [first, …) of `rows`.
class Embedder {
 public:
  Embedder(const Model& model, const Work& work) : model_(model), work_(work) {}

  void embed(std::span<const std::int64_t> ids, std::int64_t first, KeptRows& rows) const {
    check_ids(ids, model_.spec.vocabulary);
    const std::int64_t d = model_.token_table.shape()[1];
    rows.width = d;
    rows.resize(first + std::ssize(ids));
    for (std::size_t i = 0; i < ids.size(); ++i) {
      float* row = rows.row(first + static_cast<std::int64_t>(i));
      model_.token_table.read(ids[i] * d, {row, static_cast<std::size_t>(d)});
      scale({row, static_cast<std::size_t>(d)});
    }
  }

  void add_rows(const Tensor& table, std::span<const std::int64_t> which, std::string_view what,
                std::int64_t first, KeptRows& rows) const {
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (which[i] < 0 || which[i] >= table.shape()[0])
        throw Error(fmt::format("Token {} has {} {}; the model has 0 to {}.",
                                first + static_cast<std::int64_t>(i), what, which[i], table.shape()[0] - 1));
      const float* from = table.data() + which[i] * rows.width;
      float* to = rows.row(first + static_cast<std::int64_t>(i));
      for (std::int64_t k = 0; k < rows.width; ++k) to[k] += from[k];
    }
  }

  void finish(std::int64_t first, KeptRows& rows) const {
    const NormWeights& norm = model_.embedding_norm;
    if (!norm.exists()) return;
    const StackSpec& stack = model_.spec.input_stack();
    apply_norm(work_, {NormKind::LayerNorm, stack.norm().epsilon}, norm, rows.row(first), rows.rows() - first,
               rows.width, rows.row(first));
  }

  /// Widens rows [0, …) to the width of the blocks. Rows kept from an earlier run are wide already.
  void widen(KeptRows& rows) const {
    const LinearMap& map = *model_.embedding_map;
    KeptRows wide;
    wide.width = map.d_out();
    wide.resize(rows.rows());
    multiply(work_, {rows.row(0), rows.rows(), rows.width, rows.width}, map,
             {wide.row(0), wide.rows(), wide.width, wide.width});
    rows = std::move(wide);
  }

  /// ESM, see ModelSpec::dropped_token.
  void drop(std::span<const std::int64_t> ids, std::span<const std::uint8_t> mask, KeptRows& rows) const {
    const auto is_real = [&](std::size_t i) { return mask.empty() || mask[i] != 0; };
    std::int64_t real = 0, dropped = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      real += is_real(i) ? 1 : 0;
      dropped += ids[i] == *model_.spec.dropped_token ? 1 : 0;
    }
    const float share = static_cast<float>(dropped) / static_cast<float>(real), usual = 1 - 0.15f * 0.8f;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const bool hidden = ids[i] == *model_.spec.dropped_token || !is_real(i);
      const float factor = hidden ? 0 : usual / (1 - share);
      float* row = rows.row(static_cast<std::int64_t>(i));
      for (std::int64_t c = 0; c < rows.width; ++c) row[c] *= factor;
    }
  }

 private:
  /// Gemma multiplies by √d_model rounded to the type of the weights, Granite by its number.
  void scale(std::span<float> row) const {
    if (model_.spec.embedding_scale == 1) return;
    auto factor = static_cast<float>(model_.spec.embedding_scale);
    const bool rounds = model_.spec.rounds_embedding_scale;
    if (rounds && model_.token_table.type() == ElementType::BFloat16)
      factor = static_cast<float>(Eigen::bfloat16(factor));
    else if (rounds && model_.token_table.type() == ElementType::Float16)
      factor = static_cast<float>(Eigen::half(factor));
    for (float& value : row) value *= factor;
  }

  const Model& model_;
  const Work& work_;
};

/// Embeds rows [first, …) of the stack that reads the input's tokens.
void embed_input(const Model& model, const ModelInput& input, std::span<const std::int64_t> positions,
                 std::int64_t first, KeptRows& rows, const Work& work) {
  const Embedder embedder(model, work);
  if (model.spec.image) {
    rows = embed_image(model, input.image, work);
    return;
  }
  embedder.embed(std::span(input.ids).subspan(static_cast<std::size_t>(first)), first, rows);
  if (model.position_table.size() > 0)
    embedder.add_rows(model.position_table, positions, "position", first, rows);
  if (model.type_table.size() > 0) {
    std::vector<std::int64_t> types = input.types;
    types.resize(input.ids.size(), 0);
    embedder.add_rows(model.type_table, std::span(types).subspan(static_cast<std::size_t>(first)), "type",
                      first, rows);
  }
  embedder.finish(first, rows);
  if (model.spec.dropped_token) embedder.drop(input.ids, input.mask, rows);
  if (model.embedding_map) embedder.widen(rows);
}

void check_input(const Model& model, const ModelInput& input) {
  if (model.spec.image) return;
  if (input.ids.empty()) throw Error("There are no tokens; a model needs at least one.");
  check_length(input.positions, input.ids.size(), "positions");
  check_length(input.types, input.ids.size(), "types");
  if (!input.mask.empty() && input.mask.size() != input.ids.size())
    throw Error(fmt::format("{} tokens have {} marks in the mask; as many were expected.", input.ids.size(),
                            input.mask.size()));
  // ALiBi counts only tokens that are not hidden; the biases here go by position.
  if (const StackSpec* stack = model.spec.decoder ? &*model.spec.decoder : nullptr;
      stack != nullptr && stack->positions() == Positions::Alibi) {
    const auto first = std::ranges::find(input.mask, 1);
    const auto hidden = std::find(first, input.mask.end(), 0);
    if (std::find(hidden, input.mask.end(), 1) != input.mask.end())
      throw Error(
          fmt::format("The mask hides token {} between others, which a model with ALiBi does not count; "
                      "hidden tokens at one end or both were expected.",
                      hidden - input.mask.begin()));
  }
  if (model.spec.reads_two_texts() && input.decoder_ids.empty())
    throw Error("There are no tokens for the decoder; an encoder-decoder needs at least one.");
}

/// Runs the blocks behind the `kept` ones, if there are any.
void run_encoder(const Model& model, ModelRun& run, std::size_t kept, const RunRequest& request,
                 const Work& work) {
  const ModelSpec& spec = model.spec;
  if (kept == spec.encoder->blocks.size()) return;
  const std::vector<std::int64_t> positions = token_positions(spec, run.input, 0);
  if (kept == 0) embed_input(model, run.input, positions, 0, run.encoder.hidden[0], work);
  run_stack(model, *spec.encoder, model.encoder, request, {positions, run.input.mask, nullptr, {}, kept}, 0,
            run.encoder, work);
  run_pooler(model, run, work);
}

void run_decoder(const Model& model, ModelRun& run, const KeptPart& kept, const RunRequest& request,
                 const Work& work) {
  const ModelSpec& spec = model.spec;
  const ModelInput& input = run.input;
  const std::size_t blocks = kept.decoder_blocks;
  if (blocks == spec.decoder->blocks.size()) return;
  if (spec.encoder) {
    std::vector<std::int64_t> positions(input.decoder_ids.size());
    std::iota(positions.begin(), positions.end(), 0);
    if (blocks == 0) Embedder(model, work).embed(input.decoder_ids, 0, run.decoder.hidden[0]);
    run_stack(model, *spec.decoder, model.decoder, request,
              {positions, {}, &run.encoder.normed, input.mask, blocks}, 0, run.decoder, work);
    return;
  }
  const std::vector<std::int64_t> positions = token_positions(spec, input, kept.rows);
  if (blocks == 0) embed_input(model, input, positions, kept.rows, run.decoder.hidden[0], work);
  run_stack(model, *spec.decoder, model.decoder, request, {positions, input.mask, nullptr, {}, blocks},
            kept.rows, run.decoder, work);
  run_pooler(model, run, work);
}

}  // namespace

ModelRun run_model(const Model& model, ModelInput input, const RunRequest& request, const Work& work) {
  check_input(model, input);
  check(request.changes, model.spec);
  ModelRun run;
  run.input = std::move(input);
  run_rest(model, run, {}, request, work);
  return run;
}

void run_rest(const Model& model, ModelRun& run, const KeptPart& kept, const RunRequest& request,
              const Work& work) {
  run.changes = request.changes;
  for (StackRun* stack : {&run.encoder, &run.decoder})
    stack->hidden.resize(std::max<std::size_t>(1, stack->hidden.size()));
  if (model.spec.encoder) run_encoder(model, run, kept.encoder_blocks, request, work);
  if (model.spec.decoder) run_decoder(model, run, kept, request, work);
  run_head(model, run, kept.rows, request.logits, work);
}

ModelRun run_more(const Model& model, ModelRun before, std::span<const std::int64_t> ids,
                  const RunRequest& request, const Work& work) {
  if (model.spec.encoder || !before.input.mask.empty() || !before.input.positions.empty())
    throw Error(
        "Tokens can follow those of a decoder that was run without a mask and without given positions.");
  if (!model.spec.decoder->causal())
    throw Error(
        "Tokens cannot follow in a decoder whose config says that it is not causal: each row sees those "
        "behind it; run the whole text again.");
  if (const std::string ahead = what_looks_ahead(before.changes); !ahead.empty())
    throw Error(fmt::format(
        "Tokens cannot follow where a change may look at all of the text: {}; run the whole text again.",
        ahead));
  const auto first = std::ssize(before.input.ids);
  before.input.ids.insert(before.input.ids.end(), ids.begin(), ids.end());
  run_rest(model, before, {.rows = first}, request, work);
  return before;
}

Tensor head_weights(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block,
                    std::int64_t head, const Work& work) {
  return head_weight_rows(model, run, of, block, head, {}, work);
}

}  // namespace attnscope
