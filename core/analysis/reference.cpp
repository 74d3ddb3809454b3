#include "core/analysis/reference.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "core/attention/embed.hpp"
#include "core/attention/positions.hpp"
#include "core/attention/projections.hpp"
#include "core/attention/run_stage.hpp"
#include "core/attention/scores.hpp"
#include "core/attention/softmax.hpp"
#include "core/document/mask.hpp"
#include "core/latent/latent.hpp"

namespace attnscope {

namespace {

using Reference = TensorOf<double>;
using ReferencePtr = TensorPtrOf<double>;

/// Entry b of [batch][n][d], in double; null for null.
ReferencePtr entry(const TensorPtr& tensor, std::int64_t b) {
  if (!tensor) return nullptr;
  const Shape& shape = tensor->shape();
  const std::int64_t count = shape.count() / shape[0];
  const auto values =
      tensor->values().subspan(static_cast<std::size_t>(b * count), static_cast<std::size_t>(count));
  const std::vector<double> wide(values.begin(), values.end());
  return std::make_shared<Reference>(Shape{1, shape[1], shape[2]}, wide);
}

/// Columns of one head of a matrix or bias.
Reference columns(const TensorPtr& block, std::int64_t h, std::int64_t d) {
  const auto part = block->matrix().middleCols(h * d, d).cast<double>();
  Reference cut(block->shape().rank() == 1 ? Shape{d} : Shape{block->shape()[0], d});
  cut.matrix() = part;
  return cut;
}

Reference rows(const Reference& head, std::int64_t first, std::int64_t count) {
  const Shape& shape = head.shape();
  Reference cut(shape.rank() == 3 ? Shape{1, count, shape[2]} : Shape{1, 1, count, shape[3]});
  cut.matrix() = head.matrix().middleRows(first, count);
  return cut;
}

/// One head of entry b of [batch][heads][n][d], in double, as [1][1][n][d].
Reference one_head(const Tensor& tensor, std::int64_t b, std::int64_t h) {
  Reference cut(Shape{1, 1, tensor.shape()[2], tensor.shape()[3]});
  cut.matrix() = tensor.matrix(b, h).cast<double>();
  return cut;
}

/// The chosen query and the keys of its head in double.
class CellSources {
 public:
  CellSources(const Work& work, const Document& document, std::int64_t b, std::int64_t h, std::int64_t query)
      : work_(work),
        document_(document),
        size_(check(document)),
        b_(b),
        kv_(h / (size_.heads / size_.kv_heads)) {
    if (!document.input.is_given()) read_text();
    query_ = query_of(h, query);
    keys_ = keys_of(kv_);
    if (const auto norm = norm_of(document.layer())) norm_heads(*norm, h, query);
    if (is_rotary(document.layer().positions)) turn(query_offset(document, size_, b) + query);
  }

  const Reference& query() const { return query_; }  // [1][1][1][d_k]
  const Reference& keys() const { return keys_; }    // [1][1][keys][d_k]

  /// What disentangled positions add to the scores of head h's query at `position`; [keys].
  std::vector<double> disentangled(std::int64_t h, std::int64_t position, double factor) const {
    const PositionSettings& settings = document_.layer().position_settings;
    const Weights& w = document_.layer().weights;
    const Reference vectors = relative_vectors(document_, widened(w[Parameter::RelativeVectors]).get());
    const Reference query = project_head(vectors, w[Parameter::WQuery], w[Parameter::BQuery], h, size_.d_k);
    const Reference key = project_head(vectors, w[Parameter::WKey], w[Parameter::BKey], kv_, size_.d_k);
    const Reference row = disentangled_bias<double>(work_, {query_,
                                                            keys_,
                                                            settings.position_to_content ? &query : nullptr,
                                                            settings.content_to_position ? &key : nullptr,
                                                            {&position, 1},
                                                            size_.token_keys(),
                                                            settings.span,
                                                            factor});
    return {row.values().begin(), row.values().end()};
  }

 private:
  /// Computes the vectors that queries and keys are projected from.
  void read_text() {
    const Document one = only_sequence();
    Sources<double> sources;
    sources.query_vectors = entry(document_.input.vectors().query, b_);
    sources.key_vectors = entry(document_.input.vectors().key, b_);
    sources.edited = entry(document_.input.from_text().edited, b_);
    sources.edited_memory = entry(document_.input.from_text().edited_memory, b_);
    const Weights& w = document_.layer().weights;
    sources[Parameter::PositionTable] = widened(w[Parameter::PositionTable]);
    trace_[Stage::Embed] = run_stage(work_, Stage::Embed, one, sources, trace_);
    trace_[Stage::Position] = run_stage(work_, Stage::Position, one, sources, trace_);
    for (const ParameterInfo& row : parameter_table)
      if (is_of_sources(row.kind)) sources[row.parameter] = widened(w[row.parameter]);
    for (const Stage stage : {Stage::Memory, Stage::AttentionNorm, Stage::QueryLatent, Stage::Latent})
      trace_[stage] = run_stage(work_, stage, one, sources, trace_);
  }

  Reference query_of(std::int64_t h, std::int64_t query) const {
    if (document_.input.is_given()) return rows(one_head(*document_.input.given().query, b_, h), query, 1);
    const Weights& w = document_.layer().weights;
    const Reference& x = *trace_[trace_[Stage::QueryLatent] ? Stage::QueryLatent : Stage::AttentionNorm];
    return project_head(rows(x, size_.past + query, 1), w[Parameter::WQuery], w[Parameter::BQuery], h,
                        size_.d_k);
  }

  Reference keys_of(std::int64_t kv) const {
    if (document_.input.is_given()) {
      const Given& given = document_.input.given();
      return joined(kv, one_head(*given.key, b_, kv), given.past_key);
    }
    const Weights& w = document_.layer().weights;
    const auto keys = [&](const Reference& from, std::int64_t d) {
      return project_head(from, w[Parameter::WKey], w[Parameter::BKey], kv, d);
    };
    if (const ReferencePtr& latent = trace_[Stage::Latent]) {
      const std::int64_t width = document_.layer().latent.width;
      const Reference own = keys(content_of(*latent, width), size_.d_k - shared_key_width(document_));
      return joined(kv, with_shared_key(*latent, width, own), nullptr);
    }
    return joined(kv, keys(*trace_[trace_[Stage::Memory] ? Stage::Memory : Stage::AttentionNorm], size_.d_k),
                  nullptr);
  }

  /// Norms the query and the keys; a norm over all heads needs those of the other heads, too.
  void norm_heads(const HeadNorm& norm, std::int64_t h, std::int64_t query) {
    const Weights& w = document_.layer().weights;
    const auto normed = [&](Parameter weight, const Reference& x, std::int64_t tokens) {
      return attnscope::norm_heads<double>(work_, norm, widened(w[weight]).get(), x, tokens);
    };
    if (!norm.all_heads) {
      query_ = normed(Parameter::QueryNorm, query_, 1);
      keys_ = normed(Parameter::KeyNorm, keys_, size_.token_keys());
      return;
    }
    const auto all = [](std::int64_t heads, const auto& head) {
      const Reference first = head(0);
      Reference made(Shape{1, heads, first.shape()[2], first.shape()[3]});
      for (std::int64_t i = 0; i < heads; ++i) made.matrix(0, i) = head(i).matrix();
      return made;
    };
    const auto one = [](const Reference& from, std::int64_t head) {
      Reference cut(Shape{1, 1, from.shape()[2], from.shape()[3]});
      cut.matrix() = from.matrix(0, head);
      return cut;
    };
    const Reference queries = all(size_.heads, [&](std::int64_t i) { return query_of(i, query); });
    const Reference keys = all(size_.kv_heads, [&](std::int64_t i) { return keys_of(i); });
    query_ = one(normed(Parameter::QueryNorm, queries, 1), h);
    keys_ = one(normed(Parameter::KeyNorm, keys, size_.token_keys()), kv_);
  }

  /// Whether parameters of this kind change the vectors that queries and keys are projected from.
  static bool is_of_sources(ParameterKind kind) {
    return kind == ParameterKind::BlockNorm || kind == ParameterKind::Latent ||
           kind == ParameterKind::LatentNorm;
  }

  /// The Document with this sequence alone, padded as in the batch, without tensors that have the batch's
  /// shape.
  Document only_sequence() const {
    Document one = document_;
    Sparsity image = one.layer().masking.sparsity;  // positions may be those of an image
    image.kind = Sparsity::Kind::None;
    one.layer().masking = {};
    one.layer().masking.sparsity = image;
    one.loss = {};
    one.layer().interventions = {};
    one.precision = Precision::Float32;
    const Input& input = document_.input;
    if (input.is_vectors()) return one;  // Sources hold the vectors
    const auto at = static_cast<std::size_t>(b_);
    one.input.padded_length = static_cast<int>(padded_tokens(input));
    one.input.sequences = {input.sequences[at]};
    one.input.numbers = FromText{};  // Sources hold edited vectors
    if (input.memory.empty()) return one;
    Sequence memory = input.memory[at];
    memory.tokens.resize(static_cast<std::size_t>(longest_of(input.memory)), std::string(padding_token));
    one.input.memory = {std::move(memory)};
    return one;
  }

  Reference project_head(const Reference& x, const TensorPtr& w, const TensorPtr& bias, std::int64_t h,
                         std::int64_t d) const {
    const Reference block = columns(w, h, d);
    if (!bias) return attnscope::project(work_, x, block, static_cast<const Reference*>(nullptr), 1);
    const Reference offset = columns(bias, h, d);
    return attnscope::project(work_, x, block, &offset, 1);
  }

  Reference joined(std::int64_t kv, const Reference& fresh, const TensorPtr& past) const {
    const TensorPtr& learned = document_.layer().weights[Parameter::BiasK];
    const bool extra = learned && !document_.input.is_given();
    const Reference extra_head = extra ? columns(learned, kv, size_.d_k) : Reference();
    const Reference past_head = past ? one_head(*past, b_, kv) : Reference();
    return join_keys(past ? &past_head : nullptr, fresh, extra ? &extra_head : nullptr,
                     document_.layer().add_zero_attn);
  }

  void turn(std::int64_t position) {
    const RopeSettings rope = rope_of(document_, size_.d_k);
    const std::int64_t zero = 0, length = rope_length(document_, size_);
    query_ = rotate(work_, query_,
                    rotation_at<double>({&position, 1}, 1, rope, document_.layer().positions, length,
                                        RotationOf::Queries));
    keys_ = rotate(work_, keys_,
                   rotation_at<double>({&zero, 1}, size_.token_keys(), rope, document_.layer().positions,
                                       length, RotationOf::Keys));
  }

  const Work& work_;
  const Document& document_;
  Dimensions size_;
  std::int64_t b_, kv_;
  TraceOf<double> trace_;  // of a text, up to what queries and keys are projected from
  Reference query_, keys_;
};

/// The row's position bias where it depends on positions alone; else empty.
std::vector<double> bias_row(const Document& document, const Dimensions& size, std::int64_t h,
                             std::int64_t position) {
  const auto which = bias_table(document.layer().positions);
  const ReferencePtr table = which ? widened(document.layer().weights[*which]) : nullptr;
  const auto bias = position_bias(bias_source(document, size.heads, table.get()));
  if (!bias) return {};
  std::vector<double> row(static_cast<std::size_t>(size.keys));
  bias->fill(h, position, std::span(row).first(static_cast<std::size_t>(size.token_keys())));
  return row;
}

}  // namespace

CellReference reference_cell(const Document& document, const Trace& trace, std::int64_t b, std::int64_t h,
                             std::int64_t query, std::int64_t key, const std::stop_token& stop) {
  const LayerSpec& layer = document.layer();
  ThreadPool caller_only(1);
  const Work work{caller_only, stop};
  const Dimensions size = check(document);
  const CellSources from(work, document, b, h, query);
  const Reference scores = score(work, from.query(), from.keys());
  const double factor = scale_factor(layer.scaling, scale_width(document, size.d_k));
  const Reference scaled = scale(work, scores, factor);
  const double c = static_cast<double>(layer.soft_cap);
  const Reference capped = c > 0 ? cap(work, scaled, c) : scaled;
  const std::int64_t position = query_offset(document, size, b) + query;
  const std::vector<double> bias = is_disentangled(document) ? from.disentangled(h, position, factor)
                                                             : bias_row(document, size, h, position);
  const auto added = MaskRule::additive_row<float>(layer.masking.additive, b, h, query);
  const std::vector<double> additive(added.begin(), added.end());
  std::vector<double> masked(scaled.values().size()), weights(masked.size());
  std::vector<std::uint8_t> seen(masked.size());
  const MaskRule rule(document, trace);
  mask_row<double>(rule, {b, h, query, capped.values(), bias, additive}, seen, masked);
  const RowSum sums = softmax_row<double>(SoftmaxKind::Stable, masked, static_cast<double>(layer.temperature),
                                          weights, static_cast<double>(sink_logit(layer, h)));
  const auto at = static_cast<std::size_t>(key);
  const bool zeroed = rule.after_softmax() && seen[at] == 0;
  if (sums.sum == 0)  // without a sink
    std::fill(weights.begin(), weights.end(), weight_in_empty_row(document, size.keys));
  return {.score = scores.values()[at],
          .scaled = scaled.values()[at],
          .capped = capped.values()[at],
          .bias = bias.empty() ? 0 : bias[at],
          .masked = masked[at],
          .weight = zeroed ? 0 : weights[at],
          .row_max = sums.largest,
          .row_sum = sums.sum};
}

}  // namespace attnscope
