#include "core/attention/run_stage.hpp"

#include <limits>
#include <utility>

#include "core/attention/buckets.hpp"
#include "core/attention/dropout.hpp"
#include "core/attention/embed.hpp"
#include "core/attention/intervention.hpp"
#include "core/attention/linear.hpp"
#include "core/attention/positions.hpp"
#include "core/attention/projections.hpp"
#include "core/attention/softmax.hpp"
#include "core/blocks/block_stages.hpp"
#include "core/document/mask.hpp"
#include "core/document/precision.hpp"
#include "core/latent/latent.hpp"

namespace attnscope {

namespace {

/// Computes one stage of one Document. Results are not yet rounded to the Document's precision.
template <class T>
class StageRun {
 public:
  using Ptr = TensorPtrOf<T>;
  StageRun(const StageMath<T>& math, const Document& document, const Sources<T>& sources,
           const TraceOf<T>& so_far)
      : math_(math),
        work_(math.work()),
        document_(document),
        from_(sources),
        so_far_(so_far),
        size_(check_any_length(document)) {}

  Ptr run(Stage stage) const {
    if (is_of_block(stage)) return run_block_stage<T>(work_, stage, {document_, from_.parameters, so_far_});
    switch (stage) {
      case Stage::Embed: return embedded();
      case Stage::Position: return positioned(so_far_[Stage::Embed]);
      case Stage::Memory: return memory();
      case Stage::QueryLatent: return query_latent();
      case Stage::Latent: return latent();
      case Stage::Fuse: return fused();
      case Stage::Query: return queries();
      case Stage::Key: return keys();
      case Stage::Value: return values();
      case Stage::NormQuery: return normed(Stage::Query, Parameter::QueryNorm, size_.queries);
      case Stage::NormKey: return normed(Stage::Key, Parameter::KeyNorm, size_.token_keys());
      case Stage::RotateQuery: return rotated(Stage::NormQuery, true);
      case Stage::RotateKey: return rotated(Stage::NormKey, false);
      case Stage::Concat: return math_.concat(so_far_[Stage::Mix]);
      case Stage::Output: return projected_output();
      default: return score_stage(stage);
    }
  }

 private:
  static Ptr shared(TensorOf<T>&& tensor) { return std::make_shared<const TensorOf<T>>(std::move(tensor)); }
  /// A tensor of the Document, rounded to the storage precision.
  Ptr block(const Ptr& tensor) const { return stored(document_.precision, tensor); }
  const Ptr& source_of_keys() const {
    return so_far_[Stage::Memory] ? so_far_[Stage::Memory] : so_far_[Stage::AttentionNorm];
  }

  Ptr embedded() const {
    if (document_.input.is_given()) return nullptr;
    if (from_.query_vectors) return from_.query_vectors;
    if (from_.edited) return from_.edited;
    return shared(embed<T>(document_));
  }

  /// Learned tables are rounded like all tensors of the Document; None and the kinds that act later share the
  /// tensor x.
  Ptr positioned(const Ptr& x) const {
    const Positions kind = document_.layer().positions;
    if (!x || !is_added_to_tokens(kind)) return x;
    const Ptr table = block(from_[Parameter::PositionTable]);
    return shared(add_positions(document_, *x, table.get()));
  }

  Ptr memory() const {
    if (document_.input.is_given()) return nullptr;
    if (from_.key_vectors) return positioned(from_.key_vectors);
    const std::vector<Sequence>& sequences = document_.input.memory;
    if (sequences.empty() || from_.query_vectors) return nullptr;
    if (from_.edited_memory) return positioned(from_.edited_memory);
    return positioned(shared(embed<T>(document_, sequences, longest_of(sequences))));
  }

  Ptr query_latent() const {
    const std::int64_t width = document_.layer().latent.query_width;
    if (!has_latent(document_) || width == 0) return nullptr;
    return compressed(so_far_[Stage::AttentionNorm], width, Parameter::WQueryLatent,
                      Parameter::QueryLatentNorm);
  }
  Ptr latent() const {
    if (!has_latent(document_)) return nullptr;
    return compressed(block(source_of_keys()), document_.layer().latent.width, Parameter::WLatent,
                      Parameter::LatentNorm);
  }
  Ptr compressed(const Ptr& x, std::int64_t width, Parameter matrix, Parameter norm) const {
    const Ptr w = block(from_[matrix]), weight = block(from_[norm]);
    return shared(compress<T>(work_, *x, {*w, width, latent_norm_of(document_.layer()), weight.get()}));
  }
  /// The part of the latent that W_K and W_V read.
  Ptr content() const { return shared(content_of(*so_far_[Stage::Latent], document_.layer().latent.width)); }

  Ptr fused() const {
    const bool one_source = so_far_[Stage::AttentionNorm] && !so_far_[Stage::Latent] &&
                            document_.input.memory.empty() && !from_.key_vectors && !from_.value_vectors;
    if (!document_.layer().weights.fused || !one_source) return nullptr;
    std::array<Ptr, 3> matrices, biases;
    std::array<FusedPart<T>, 3> parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto which = static_cast<Projection>(i);
      matrices[i] = block(from_[matrix_of(which)]);
      biases[i] = block(from_[bias_of(which)]);
      parts[i] = {matrices[i].get(), biases[i].get(), i == 0 ? size_.heads : size_.kv_heads};
    }
    return shared(fuse(work_, *so_far_[Stage::AttentionNorm], parts));
  }

  Ptr queries() const {
    if (document_.input.is_given()) return from_.query;
    if (so_far_[Stage::Fuse])
      return shared(split(*so_far_[Stage::Fuse], 0, size_.heads, size_.d_k, size_.past));
    const Ptr& source = so_far_[so_far_[Stage::QueryLatent] ? Stage::QueryLatent : Stage::AttentionNorm];
    return math_.project(source, block(from_[Parameter::WQuery]), block(from_[Parameter::BQuery]),
                         size_.heads, size_.past);
  }

  Ptr keys() const {
    if (document_.input.is_given()) return joined(from_.past_key, from_.key, nullptr);
    if (so_far_[Stage::Fuse]) {
      const std::int64_t first = size_.heads * size_.d_k;
      return joined(nullptr, shared(split(*so_far_[Stage::Fuse], first, size_.kv_heads, size_.d_k, 0)),
                    from_[Parameter::BiasK]);
    }
    if (so_far_[Stage::Latent]) {
      const Ptr own = projected(content(), from_[Parameter::WKey], from_[Parameter::BKey]);
      return joined(nullptr,
                    shared(with_shared_key(*so_far_[Stage::Latent], document_.layer().latent.width, *own)),
                    from_[Parameter::BiasK]);
    }
    return joined(nullptr, projected(source_of_keys(), from_[Parameter::WKey], from_[Parameter::BKey]),
                  from_[Parameter::BiasK]);
  }

  Ptr values() const {
    if (document_.input.is_given()) return joined(from_.past_value, from_.value, nullptr);
    if (so_far_[Stage::Fuse]) {
      const std::int64_t first = (size_.heads + size_.kv_heads) * size_.d_k;
      return joined(nullptr, shared(split(*so_far_[Stage::Fuse], first, size_.kv_heads, size_.d_v, 0)),
                    from_[Parameter::BiasV]);
    }
    const Ptr source = so_far_[Stage::Latent] ? content()
                       : from_.value_vectors  ? from_.value_vectors
                                              : source_of_keys();
    return joined(nullptr, projected(source, from_[Parameter::WValue], from_[Parameter::BValue]),
                  from_[Parameter::BiasV]);
  }

  Ptr projected(const Ptr& source, const Ptr& w, const Ptr& bias) const {
    return math_.project(block(source), block(w), block(bias), size_.kv_heads, 0);
  }

  /// Shares `fresh` if no other keys are added.
  Ptr joined(const Ptr& past, const Ptr& fresh, const Ptr& extra) const {
    if (!past && !extra && !document_.layer().add_zero_attn) return fresh;
    return shared(join_keys(block(past).get(), *fresh, block(extra).get(), document_.layer().add_zero_attn));
  }

  Ptr normed(Stage stage, Parameter weight, std::int64_t tokens) const {
    const Ptr& x = so_far_[stage];
    const std::optional<HeadNorm> norm = norm_of(document_.layer());
    if (!norm) return x;
    return shared(norm_heads<T>(work_, *norm, block(from_[weight]).get(), *x, tokens));
  }

  Ptr rotated(Stage stage, bool query) const {
    const Ptr& x = so_far_[stage];
    if (!is_rotary(document_.layer().positions)) return x;
    return math_.rotate(x, query ? query_rotation<T>(document_, size_) : key_rotation<T>(document_, size_));
  }

  Ptr projected_output() const {
    if (!has_output_weights(document_)) return nullptr;
    return math_.output(so_far_[Stage::Concat], block(from_[Parameter::WOutput]),
                        block(from_[Parameter::BOutput]));
  }

  /// The stages from the scores to Mix, and the buckets.
  Ptr score_stage(Stage stage) const {
    const auto at = [&](Stage which) -> const TensorOf<T>& { return *so_far_[which]; };
    switch (stage) {
      case Stage::Bucket:
        if (document_.layer().masking.sparsity.kind != Sparsity::Kind::Lsh) return nullptr;
        return shared(buckets(work_, document_.layer().masking.sparsity, at(Stage::RotateQuery),
                              at(Stage::RotateKey), size_.token_keys()));
      case Stage::Score: return math_.score(so_far_[Stage::RotateQuery], so_far_[Stage::RotateKey]);
      case Stage::Scale: return math_.scale(so_far_[Stage::Score], scale_of());
      case Stage::Cap:
        if (document_.layer().soft_cap == 0) return so_far_[Stage::Scale];
        return math_.cap(
            so_far_[Stage::Scale],
            static_cast<T>(from_.soft_cap.value_or(static_cast<double>(document_.layer().soft_cap))));
      case Stage::Bias: return bias();
      case Stage::Mask: return math_.mask(so_far_[Stage::Cap], so_far_[Stage::Bias], from_.additive, rule());
      case Stage::Softmax: return weights();
      case Stage::Linear:
        if (!document_.layer().linear) return nullptr;
        return linear();
      case Stage::Intervention: {
        const Ptr& own = so_far_[own_weights_stage(document_)];
        return has_intervention(document_)
                   ? shared(operate(work_, *own, from_.additive, document_.layer().interventions, rule()))
                   : own;
      }
      case Stage::Drop: {
        const Ptr& used = so_far_[Stage::Intervention];
        return document_.layer().dropout.rate == 0 ? used
                                                   : shared(drop(work_, *used, document_.layer().dropout));
      }
      default: return math_.mix(so_far_[Stage::Drop], so_far_[Stage::Value]);
    }
  }

  double scale_of() const {
    return from_.scale.value_or(scale_factor(document_.layer().scaling, scale_width(document_, size_.d_k)));
  }

  Ptr bias() const {
    const Positions kind = document_.layer().positions;
    if (is_disentangled(document_)) return disentangled();
    if (!is_added_to_scores(kind) || position_facts(kind).of_tokens) return nullptr;
    const auto which = bias_table(kind);
    const Ptr table = which ? block(from_[*which]) : nullptr;
    if (is_distance_bias(kind))
      return math_.spread_distances(shared(distance_values(document_, size_, table.get())), size_.queries,
                                    size_.keys);
    return shared(cell_values(document_, size_, table.get()));
  }

  Ptr disentangled() const {
    const PositionSettings& settings = document_.layer().position_settings;
    const TensorOf<T> vectors = relative_vectors(document_, block(from_[Parameter::RelativeVectors]).get());
    const auto projected_by = [&](bool wanted, Parameter w, Parameter b, std::int64_t heads) -> Ptr {
      if (!wanted) return nullptr;
      return shared(attnscope::project(work_, vectors, *block(from_[w]), block(from_[b]).get(), heads));
    };
    const Ptr query =
        projected_by(settings.position_to_content, Parameter::WQuery, Parameter::BQuery, size_.heads);
    const Ptr key =
        projected_by(settings.content_to_position, Parameter::WKey, Parameter::BKey, size_.kv_heads);
    const std::vector<std::int64_t> first = first_positions(document_, size_);
    return shared(disentangled_bias<T>(
        work_, {*so_far_[Stage::RotateQuery], *so_far_[Stage::RotateKey], query.get(), key.get(), first,
                size_.token_keys(), settings.span, static_cast<T>(scale_of())}));
  }

  /// Rotary positions rotate φ(q) and φ(k), not q and k.
  Ptr linear() const {
    LinearOperands<T> of{*so_far_[Stage::NormQuery], *so_far_[Stage::NormKey]};
    if (!is_rotary(document_.layer().positions))
      return shared(linear_weights(work_, of, from_.additive, rule()));
    const Rotation<T> query = query_rotation<T>(document_, size_), key = key_rotation<T>(document_, size_);
    of.query_rotation = &query;
    of.key_rotation = &key;
    return shared(linear_weights(work_, of, from_.additive, rule()));
  }

  /// Backends know neither empty rows nor sinks: they leave zeros in rows without a key, which are filled in
  /// here, and the softmax with sinks runs on the CPU.
  Ptr weights() const {
    const Ptr& masked = so_far_[Stage::Mask];
    const Ptr sinks = block(from_[Parameter::SinkLogits]);
    const SoftmaxKind kind = document_.layer().softmax;
    const auto temperature = static_cast<T>(document_.layer().temperature);
    const Ptr weights =
        with_empty_rows<T>(empty_row_of(document_), *masked,
                           sinks ? shared(softmax(work_, kind, *masked, temperature, sinks.get()))
                                 : math_.softmax(kind, masked, temperature));
    if (document_.layer().masking.mistake != MaskMistake::AfterSoftmax) return weights;
    return shared(hide_weights(work_, *weights, from_.additive, rule()));
  }

  MaskRule rule() const { return MaskRule(document_, so_far_); }

  const StageMath<T>& math_;
  const Work& work_;
  const Document& document_;
  const Sources<T>& from_;
  const TraceOf<T>& so_far_;
  Dimensions size_;
};

}  // namespace

std::optional<HeadNorm> norm_of(const LayerSpec& layer) {
  if (layer.qk_norm.kind == QkNorm::Kind::None) return std::nullopt;
  return HeadNorm{norm_settings(layer.qk_norm), norms_all_heads(layer.qk_norm)};
}

std::optional<NormSettings> latent_norm_of(const LayerSpec& layer) {
  if (!layer.latent.normed) return std::nullopt;
  return NormSettings{NormKind::RmsNorm, static_cast<double>(layer.latent.epsilon)};
}

float sink_logit(const LayerSpec& layer, std::int64_t head) {
  const TensorPtr& sinks = layer.weights[Parameter::SinkLogits];
  return sinks ? sinks->values()[static_cast<std::size_t>(head)] : no_sink<float>;
}

double weight_in_empty_row(const Document& document, std::int64_t keys) {
  switch (empty_row_of(document)) {
    case EmptyRow::NotANumber: return std::numeric_limits<double>::quiet_NaN();
    case EmptyRow::Uniform: return 1 / static_cast<double>(keys);
    case EmptyRow::Zeros: break;
  }
  return 0;
}

template <class T>
TensorPtrOf<T> run_stage(const Work& work, Stage stage, const Document& document, const Sources<T>& sources,
                         const TraceOf<T>& so_far) {
  return run_stage(StageMath<T>(work), stage, document, sources, so_far);
}

template <class T>
TensorPtrOf<T> run_stage(const StageMath<T>& math, Stage stage, const Document& document,
                         const Sources<T>& sources, const TraceOf<T>& so_far) {
  TensorPtrOf<T> result = StageRun<T>(math, document, sources, so_far).run(stage);
  if (stage == Stage::Bucket || document.precision == Precision::Float32) return result;
  for (const StageInfo& row : stage_table) {  // a tensor shared with an earlier stage is already rounded
    if (row.stage == stage) break;
    if (so_far[row.stage] == result) return result;
  }
  return stored(document.precision, std::move(result));
}

template <class T>
TraceOf<T> run_stages(const Work& work, const Document& document, const Sources<T>& sources) {
  TraceOf<T> trace;
  for (const StageInfo& row : stage_table)
    trace[row.stage] = run_stage(work, row.stage, document, sources, trace);
  return trace;
}

template TensorPtr run_stage(const Work&, Stage, const Document&, const Sources<float>&, const Trace&);
template TensorPtrOf<double> run_stage(const Work&, Stage, const Document&, const Sources<double>&,
                                       const TraceOf<double>&);
template TensorPtr run_stage(const StageMath<float>&, Stage, const Document&, const Sources<float>&,
                             const Trace&);
template Trace run_stages(const Work&, const Document&, const Sources<float>&);
template TraceOf<double> run_stages(const Work&, const Document&, const Sources<double>&);

}  // namespace attnscope
