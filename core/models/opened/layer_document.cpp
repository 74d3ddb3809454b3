#include "core/models/opened/layer_document.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/models/run_heads.hpp"
#include "core/models/staged_attention.hpp"

namespace attnscope {
namespace {

TensorPtr vectors_of(const KeptRows& rows) {
  return std::make_shared<const Tensor>(Shape{1, rows.rows(), rows.width}, rows.values);
}

/// The input of cross-attention: the residual stream behind its block's self-attention, computed again.
TensorPtr stream_between(const Model& model, const ModelRun& run, std::size_t block) {
  ThreadPool alone(1);
  const Work work{alone, {}};
  const KeptRows& before = run.decoder.hidden[block];
  const std::int64_t rows = before.rows(), d = before.width;
  auto stream = std::make_shared<Tensor>(Shape{1, rows, d}, before.values);
  if (change_of(run.changes, AttentionOf::Decoder, block).attention_off) return stream;
  const Tensor heads = head_outputs(model, run, AttentionOf::Decoder, block, {}, work);
  const std::int64_t count = heads.shape()[0], d_v = heads.shape()[2];
  Tensor beside(Shape{rows, count * d_v}), out(Shape{rows, d});
  for (std::int64_t h = 0; h < count; ++h)
    beside.matrix().middleCols(h * d_v, d_v) = std::as_const(heads).matrix(h);
  multiply(work, {beside.data(), rows, count * d_v, count * d_v},
           model.decoder.blocks[block].attention.output, {out.data(), rows, d, d});
  stream->matrix() += static_cast<float>(model.spec.decoder->residual_scale) * out.matrix();
  return stream;
}

void add_labels(const Sequence& labels, std::int64_t rows, std::string_view what, Sequences& to) {
  if (labels.tokens.empty()) return;
  if (std::ssize(labels.tokens) != rows)
    throw Error(fmt::format("There are {} labels for {} {}; as many were expected.", labels.tokens.size(),
                            rows, what));
  to.change().push_back(labels);
}

/// Cuts frozen patterns of longer texts.
void fit_frozen(std::int64_t queries, std::int64_t keys, LayerSpec& layer) {
  for (Intervention& head : layer.interventions) {
    if (!head.frozen || (head.frozen->shape()[1] <= queries && head.frozen->shape()[2] <= keys)) continue;
    const std::int64_t rows = std::min(queries, head.frozen->shape()[1]),
                       columns = std::min(keys, head.frozen->shape()[2]);
    auto cut = std::make_shared<Tensor>(Shape{1, rows, columns});
    cut->matrix() = head.frozen->matrix().topLeftCorner(rows, columns);
    head.frozen = std::move(cut);
  }
}

void check_positions(const ModelInput& input, const LayerSpec& layer) {
  if (!is_rotary(layer.positions)) return;
  if (const std::optional<std::size_t> i = first_out_of_place(input.positions))
    throw Error(
        fmt::format("Token {} stands at position {}; a layer by itself counts positions from 0, and its "
                    "queries and keys would be turned otherwise.",
                    *i, input.positions[*i]));
}

std::string title_of(const ModelSpec& spec, const BlockTensors& block) {
  if (!spec.encoder || !spec.decoder) return fmt::format("{} · layer {}", spec.family, block.block);
  constexpr std::string_view names[]{"encoder", "decoder", "cross-attention"};
  return fmt::format("{} · {} · layer {}", spec.family, names[static_cast<std::size_t>(block.of)],
                     block.block);
}

}  // namespace

Document layer_document(const Model& model, const ModelRun& run, const BlockTensors& block,
                        const Sequence& queries, const Sequence& keys) {
  const bool cross = block.of == AttentionOf::Cross;
  const auto index = static_cast<std::size_t>(block.block);
  Document document;
  Vectors vectors;
  vectors.query = cross ? stream_between(model, run, index)
                        : vectors_of(stack_of(model, run, block.of).run.hidden[index]);
  if (cross) vectors.key = vectors_of(run.encoder.normed);
  const std::int64_t rows = vectors.query->shape()[1], columns = cross ? vectors.key->shape()[1] : rows;
  add_labels(queries, rows, "queries", document.input.sequences);
  if (cross) add_labels(keys, columns, "keys", document.input.memory);
  document.input.numbers = std::move(vectors);
  LayerSpec& layer = document.layer();
  layer = block.layer;
  impose(block, run.changes, sizes_of(model, run, block), layer);
  check_positions(run.input, layer);
  fit_frozen(rows, columns, layer);
  document.title = title_of(model.spec, block);
  return document;
}

}  // namespace attnscope
