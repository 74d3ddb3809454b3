// core/watch: a watched layer as a Document.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/watch/watched_problem.hpp"
#include "core/watch/watched_weights.hpp"

namespace attnscope {
namespace {

/// The last rows of the layer with consecutive positions.
WatchedPart last_run(const WatchedLayer& layer) {
  WatchedPart part{0, 0, layer.heads, layer.rows(), layer.rows()};
  while (part.begin > 0 &&
         (part.begin == part.end || layer.position(part.begin - 1) + 1 == layer.position(part.begin)))
    --part.begin;
  return part;
}

/// Rows [begin, end) as [batch][heads][rows][width].
TensorPtr tensor_of(const GrowingRows& rows, std::int64_t batch, std::int64_t begin, std::int64_t end) {
  auto tensor = std::make_shared<Tensor>(Shape{batch, rows.heads() / batch, end - begin, rows.width()});
  const std::int64_t count = (end - begin) * rows.width();
  for (std::int64_t h = 0; h < rows.heads(); ++h)
    std::copy_n(rows.row(h, begin), count, tensor->data() + h * count);
  return tensor;
}

/// The numbers to add to the scores; null if the masking rule needs none.
TensorPtr cells_of(const WatchedLayer& layer, WatchedPart part) {
  const std::int64_t heads = heads_with_cells(layer, part);
  if (heads == 0) return nullptr;
  if (part.rows() * layer.keys() * heads * layer.batch > max_cells)
    throw Error(fmt::format("The mask of layer {} has {} × {} numbers: too many to open it.", layer.index,
                            part.rows(), layer.keys()));
  auto cells = std::make_shared<Tensor>(Shape{layer.batch, heads, part.rows(), layer.keys()});
  for (part.batch = 0; part.batch < layer.batch; ++part.batch)
    write_cells(layer, part, heads, cells->data() + part.batch * heads * part.rows() * layer.keys());
  return cells;
}

/// Labels for positions [begin, end): tokens for the first sequence, ids for the others.
Sequence labels_of(const WatchedSnapshot& text, std::size_t b, std::int64_t begin, std::int64_t end,
                   bool memory) {
  const auto& ids = memory ? text.memory_ids : text.ids;
  Sequence sequence;
  for (std::int64_t i = begin; i < end; ++i) {
    const auto at = static_cast<std::size_t>(i);
    std::string label = memory ? text.memory_label(i) : text.label(i);
    if (b > 0)
      label = fmt::to_string(b < ids.size() && at < ids[b].size() && ids[b][at] >= 0 ? ids[b][at] : i);
    sequence.tokens.emplace_back(std::move(label));
  }
  sequence.text = joined(sequence.tokens);
  return sequence;
}

/// Sets mask, window and causality of the rows; returns how many keys they can see.
std::int64_t take_rule(const WatchedLayer& layer, const WatchedPart& part, Masking& masking) {
  masking.additive = cells_of(layer, part);
  if (masking.additive) return layer.keys();
  const AttentionProblem rule = watched_problem(layer, part).problem;
  masking.causal = rule.causal;
  if (rule.left >= 0)
    masking.window = {static_cast<int>(rule.left), rule.causal ? -1 : static_cast<int>(rule.right)};
  return rule.real_keys;
}

void take_labels(const WatchedSnapshot& text, const WatchedLayer& layer, const WatchedPart& part,
                 std::int64_t keys, Input& input) {
  const bool cross = layer.kind == WatchKind::Cross,
             memory = layer.kind == WatchKind::Encoder &&
                      (!text.memory_ids.empty() || !text.memory_tokens.empty());
  std::vector<Sequence> sequences, keys_of_cross;
  for (std::size_t b = 0; b < static_cast<std::size_t>(layer.batch); ++b) {
    if (cross) {
      const std::int64_t first = layer.position(part.begin);
      sequences.push_back(labels_of(text, b, first, first + part.rows(), false));
      keys_of_cross.push_back(labels_of(text, b, 0, keys, true));
    } else {
      sequences.push_back(labels_of(text, b, 0, std::max(keys, part.rows()), memory));
    }
  }
  input.sequences = std::move(sequences);
  input.memory = std::move(keys_of_cross);
}

}  // namespace

Document watched_document(const WatchedSnapshot& text, std::int64_t index, const std::string& title) {
  const WatchedLayer* const layer = text.find(index);
  if (layer == nullptr || layer->rows() == 0) throw Error(fmt::format("Layer {} is not known yet.", index));
  const WatchedPart part = last_run(*layer);
  Document document;
  document.title = fmt::format("{} · layer {}", title, index);
  LayerSpec& spec = document.layer();
  spec.positions = Positions::None;
  spec.scaling = {Scaling::Kind::Factor, static_cast<float>(layer->scale)};
  spec.soft_cap = static_cast<float>(layer->soft_cap);
  if (layer->sinks) spec.weights[Parameter::SinkLogits] = layer->sinks;
  const std::int64_t keys = take_rule(*layer, part, spec.masking);
  Given& given = document.input.change<Given>();
  given.query = tensor_of(layer->query, layer->batch, part.begin, part.end);
  given.key = tensor_of(layer->key, layer->batch, 0, keys);
  given.value = tensor_of(layer->value, layer->batch, 0, keys);
  if (layer->kind != WatchKind::Cross && part.rows() < keys)  // the queries are the last of the keys
    given.lengths.assign(static_cast<std::size_t>(layer->batch), keys);
  take_labels(text, *layer, part, keys, document.input);
  check(document);
  return document;
}

}  // namespace attnscope
