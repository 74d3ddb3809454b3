// core/attention: computes any stage of a Document: here the settings choose the stage function. The CPU
// backend, the command line's float64 path and the float64 references all call run_stage().
#pragma once

#include <optional>

#include "core/attention/projections.hpp"
#include "core/attention/sources.hpp"
#include "core/attention/stage_math.hpp"
#include "core/base/norm.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

/// The tensor of `stage`; null if the Document has no such stage; the tensor of the previous stage if the
/// stage changes nothing. `document` passed check(); `sources` are its numbers in T; every stage this one
/// reads is in `so_far`. Float tensors are rounded to the Document's precision. Throws Cancelled.
template <class T>
TensorPtrOf<T> run_stage(const Work&, Stage stage, const Document& document, const Sources<T>& sources,
                         const TraceOf<T>& so_far);

/// The same with the arithmetic of a StageMath.
template <class T>
TensorPtrOf<T> run_stage(const StageMath<T>&, Stage stage, const Document& document,
                         const Sources<T>& sources, const TraceOf<T>& so_far);

/// All stages in order.
template <class T>
TraceOf<T> run_stages(const Work&, const Document& document, const Sources<T>& sources);

/// The stage that holds the heads' own weights, before interventions: Softmax, or Linear for linear
/// attention.
inline Stage own_weights_stage(const Document& document) {
  return document.layer().linear ? Stage::Linear : Stage::Softmax;
}
/// The stage that holds the weights that mix the values, before dropout: the heads' own, or Intervention
/// where a pattern is replaced.
inline Stage weights_stage(const Document& document) {
  return has_intervention(document) ? Stage::Intervention : own_weights_stage(document);
}

/// The sink logit of a head's softmax; no_sink without sinks.
float sink_logit(const LayerSpec&, std::int64_t head);
inline bool has_sinks(const LayerSpec& layer) { return layer.weights[Parameter::SinkLogits] != nullptr; }

/// What a row whose masked scores are all -inf holds after the softmax. With a sink it is zeros, since the
/// sink takes all the weight; otherwise the naive softmax gives NaN for any setting.
inline EmptyRow empty_row_of(const Document& document) {
  if (has_sinks(document.layer())) return EmptyRow::Zeros;
  return document.layer().softmax == SoftmaxKind::Naive ? EmptyRow::NotANumber : document.layer().empty_row;
}
double weight_in_empty_row(const Document&, std::int64_t keys);

/// The norm of a layer's queries and keys; nullopt without one.
std::optional<HeadNorm> norm_of(const LayerSpec&);
/// The norm of a layer's latents; nullopt without one.
std::optional<NormSettings> latent_norm_of(const LayerSpec&);

}  // namespace attnscope
