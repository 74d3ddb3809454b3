#include "core/engine/streamed_document.hpp"

#include <algorithm>

#include "core/attention/positions.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/mask.hpp"

namespace attnscope {

namespace {

std::string reason_against(const Document& document) {
  const LayerSpec& layer = document.layer();
  if (layer.linear) return "Linear attention has no softmax to stream.";
  if (layer.softmax != SoftmaxKind::Stable)
    return "The naive softmax overflows on purpose; it is not streamed.";
  if (layer.dropout.rate != 0) return "Dropout needs every weight at once; it is not streamed.";
  if (has_intervention(document)) return "Heads whose pattern is replaced are not streamed.";
  if (document.precision != Precision::Float32)
    return "Stages stored with fewer bits need every score at once; only float32 is streamed.";
  if (layer.masking.mistake == MaskMistake::AfterSoftmax)
    return "A mask after the softmax needs every weight at once; it is not streamed.";
  if (layer.masking.hidden != Masking::Hidden::MinusInfinity)
    return "Hidden keys get a finite number instead of minus infinity; that is not streamed.";
  const PositionFacts& positions = position_facts(layer.positions);
  if (positions.of_tokens && document.input.is_given()) return {};
  return std::string(positions.not_streamed);
}

/// One sequence of a tensor [batch][heads][rows][numbers].
HeadRows rows_of(const TensorPtr& tensor, std::int64_t b) {
  const Shape& shape = tensor->shape();
  return HeadRows::of(tensor, b * shape[1] * shape[2] * shape[3]);
}

class Maker {
 public:
  Maker(const Document& document, const Trace& trace, std::int64_t b)
      : document_(document), trace_(trace), b_(b) {
    made_.query = trace[Stage::RotateQuery];
    made_.key = trace[Stage::RotateKey];
    made_.value = trace[Stage::Value];
    size_.batch = 1;  // one sequence's mask is held at a time
    size_.heads = made_.query->shape()[1];
    size_.queries = made_.query->shape()[2];
    size_.keys = made_.key->shape()[2];
    size_.extra = (document.layer().weights[Parameter::BiasK] && !document.input.is_given() ? 1 : 0) +
                  (document.layer().add_zero_attn ? 1 : 0);
    size_.past = document.input.is_given() ? 0 : document.input.cached;
    if (document.input.given().past_key) size_.past = document.input.given().past_key->shape()[2];
  }

  StreamedDocument make() && {
    AttentionProblem& p = made_.problem;
    if (!has_simple_mask() && is_long(size_)) {
      made_.why_not =
          "Sparse patterns, masks with a mistake and keys that belong to no token need a mark for every "
          "score; they are not streamed.";
      return std::move(made_);
    }
    p.heads = size_.heads;
    p.kv_heads = made_.key->shape()[1];
    p.queries = size_.queries;
    p.keys = size_.keys;
    p.d_k = made_.query->shape()[3];
    p.d_v = made_.value->shape()[3];
    p.query = rows_of(made_.query, b_);
    p.key = rows_of(made_.key, b_);
    p.value = rows_of(made_.value, b_);
    p.scale = scale_factor(document_.layer().scaling, scale_width(document_, p.d_k));
    p.soft_cap = static_cast<double>(document_.layer().soft_cap);
    p.temperature = static_cast<double>(document_.layer().temperature);
    p.offset = query_offset(document_, size_, b_);
    if (document_.input.is_text())
      p.real_queries =
          std::clamp<std::int64_t>(sequence_length(document_, b_) - size_.past, 0, size_.queries);
    if (has_simple_mask())
      add_simple_mask();
    else
      add_boolean_mask();
    if (const TensorPtr& sinks = document_.layer().weights[Parameter::SinkLogits]) {
      made_.sinks.assign(sinks->values().begin(), sinks->values().end());
      p.sinks = made_.sinks;
    }
    if (empty_row_of(document_) != EmptyRow::Zeros && may_have_empty_rows()) {
      made_.why_not = "Rows without a key are zeros where they are streamed, neither NaN nor uniform.";
      return std::move(made_);
    }
    if (document_.layer().masking.additive) add_additive(*document_.layer().masking.additive);
    if (is_distance_bias(document_.layer().positions)) add_positions_to_scores();
    return std::move(made_);
  }

 private:
  bool has_simple_mask() const {
    return document_.layer().masking.mistake == MaskMistake::None &&
           document_.layer().masking.sparsity.kind == Sparsity::Kind::None && size_.extra == 0;
  }

  void add_simple_mask() {
    AttentionProblem& p = made_.problem;
    const Masking& masking = document_.layer().masking;
    p.causal = masking.causal;
    p.left = masking.window.left;
    p.right = masking.window.right;
    if (masking.padding) p.real_keys = std::clamp<std::int64_t>(key_length(document_, b_), 0, p.keys);
    if (masking.heads.empty()) return;
    p.patterned.assign(static_cast<std::size_t>(p.heads), 0);
    for (const int head : masking.heads)
      if (head >= 0 && head < p.heads) p.patterned[static_cast<std::size_t>(head)] = 1;
  }

  /// Whether a row may have no key; true if unknown, for added masks.
  bool may_have_empty_rows() const {
    if (size_.extra > 0) return false;
    if (document_.layer().masking.additive) return true;
    const MaskRule rule(document_, trace_);
    if (const auto rows = rule.intervals()) {  // for all heads at once, with and without the sparse pattern
      for (std::int64_t at = 2 * b_ * size_.queries; at < 2 * (b_ + 1) * size_.queries; ++at)
        if (rows->begin[static_cast<std::size_t>(at)] >= rows->end[static_cast<std::size_t>(at)]) return true;
      return false;
    }
    for (std::int64_t row = 0; row < size_.heads * size_.queries; ++row)
      if (rule.allowed_keys(b_, row / size_.queries, row % size_.queries) == 0) return true;
    return false;
  }

  void add_boolean_mask() {
    const MaskRule rule(document_, trace_);
    const auto keys = static_cast<std::size_t>(size_.keys);
    made_.allowed.resize(static_cast<std::size_t>(size_.heads * size_.queries) * keys);
    for (std::int64_t h = 0; h < size_.heads; ++h)
      for (std::int64_t i = 0; i < size_.queries; ++i)
        rule.see(
            b_, h, i,
            std::span(made_.allowed).subspan(static_cast<std::size_t>(h * size_.queries + i) * keys, keys));
    made_.problem.allowed = {made_.allowed, size_.heads};
  }

  /// Adds [1 or batch][1 or heads][queries][token keys]; keys that belong to no token get 0.
  void add_additive(const Tensor& additive) {
    const Shape& shape = additive.shape();
    const std::int64_t block = shape[1] * shape[2] * shape[3], tokens = shape[3];
    const std::span<const float> values = additive.values().subspan(
        static_cast<std::size_t>(shape[0] == 1 ? 0 : b_ * block), static_cast<std::size_t>(block));
    made_.problem.additive.heads = shape[1];
    if (size_.extra == 0) {
      made_.added = document_.layer().masking.additive;
      made_.problem.additive.values = values;
      made_.problem.additive.owner = document_.layer().masking.additive;
      return;
    }
    made_.additive.assign(static_cast<std::size_t>(shape[1] * size_.queries * size_.keys), 0);
    for (std::int64_t row = 0; row < shape[1] * size_.queries; ++row)
      std::copy_n(values.begin() + row * tokens, tokens, made_.additive.begin() + row * size_.keys);
    made_.problem.additive.values = made_.additive;
  }

  void add_positions_to_scores() {
    const LayerSpec& layer = document_.layer();
    const auto table = bias_table(layer.positions);
    const auto bias =
        position_bias(bias_source(document_, size_.heads, table ? layer.weights[*table].get() : nullptr));
    const std::int64_t tokens = size_.keys - size_.extra, distances = size_.queries + size_.keys - 1;
    const std::int64_t last = made_.problem.offset + size_.queries - 1;
    made_.distance_bias.assign(static_cast<std::size_t>(size_.heads * distances), 0);
    for (std::int64_t h = 0; h < size_.heads; ++h)
      bias->fill(h, last,
                 std::span(made_.distance_bias)
                     .subspan(static_cast<std::size_t>(h * distances),
                              static_cast<std::size_t>(size_.queries + tokens - 1)));
    made_.problem.distance_bias = made_.distance_bias;
  }

  const Document& document_;
  const Trace& trace_;
  std::int64_t b_;
  Dimensions size_;
  StreamedDocument made_;
};

}  // namespace

StreamedDocument make_problem(const Document& document, const Trace& trace, std::int64_t batch) {
  const LayerSpec& layer = document.layer();
  StreamedDocument refused;
  refused.why_not = reason_against(document);
  if (layer.add_zero_attn || layer.weights[Parameter::BiasK]) {
    if (is_distance_bias(layer.positions) && refused.why_not.empty())
      refused.why_not =
          "Keys that belong to no token have no distance; with positions added to scores they are not "
          "streamed.";
  }
  if (!refused.why_not.empty()) return refused;
  return Maker(document, trace, batch).make();
}

}  // namespace attnscope
