// core/attention: one stage of a Document, whichever it is: the place where the settings meet the stage
// functions. The CPU backend, the command line's float64 path and the float64 references all come through
// here.
#pragma once

#include <optional>

#include "core/attention/sources.hpp"
#include "core/attention/stage_math.hpp"
#include "core/base/norm.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

/// The tensor of `stage`, null where it does not exist for this Document, the tensor of the stage before
/// where it would change nothing. `document` passed check(); `sources` are its numbers in T; every stage this
/// one reads is in `so_far`. Float tensors are rounded to the Document's precision. Throws Cancelled.
template <class T>
TensorPtrOf<T> run_stage(const Work&, Stage stage, const Document& document, const Sources<T>& sources,
                         const TraceOf<T>& so_far);

/// The same with the arithmetic of a StageMath.
template <class T>
TensorPtrOf<T> run_stage(const StageMath<T>&, Stage stage, const Document& document,
                         const Sources<T>& sources, const TraceOf<T>& so_far);

/// All of them in order.
template <class T>
TraceOf<T> run_stages(const Work&, const Document& document, const Sources<T>& sources);

/// The stage whose tensor holds the weights that the heads come to by themselves: Softmax, or Linear for
/// linear attention.
inline Stage own_weights_stage(const Document& document) {
  return document.layer().linear ? Stage::Linear : Stage::Softmax;
}
/// The stage whose tensor says how much each key counts: the heads' own weights, or Intervention where a
/// pattern is replaced.
inline Stage weights_stage(const Document& document) {
  return has_intervention(document) ? Stage::Intervention : own_weights_stage(document);
}

/// The sink of a head's softmax; no_sink where there is none.
float sink_logit(const LayerSpec&, std::int64_t head);
inline bool has_sinks(const LayerSpec& layer) { return layer.weights[Parameter::SinkLogits] != nullptr; }

/// What a row of nothing but -inf holds after the softmax; the naive one has no choice. A sink takes all of
/// it.
inline EmptyRow empty_row_of(const Document& document) {
  if (has_sinks(document.layer())) return EmptyRow::Zeros;
  return document.layer().softmax == SoftmaxKind::Naive ? EmptyRow::NotANumber : document.layer().empty_row;
}
double weight_in_empty_row(const Document&, std::int64_t keys);

/// The norm of a layer's queries and keys; nothing without one.
std::optional<NormSettings> norm_of(const LayerSpec&);
/// That of the latents of a layer that has some.
std::optional<NormSettings> latent_norm_of(const LayerSpec&);

/// Whether queries and keys are turned by rotary positions, and whether a position bias is added to the
/// scores: one that follows from the distance alone, or any.
inline bool is_rotary(Positions p) { return p == Positions::RopeHalf || p == Positions::RopeInterleaved; }
inline bool is_distance_bias(Positions p) { return p == Positions::RelativeBuckets || p == Positions::Alibi; }
inline bool is_added_to_scores(Positions p) {
  return is_distance_bias(p) || p == Positions::RelativeWindows || p == Positions::Disentangled;
}
/// The table that the bias of a kind of positions is learned in.
inline std::optional<Parameter> bias_table(Positions p) {
  switch (p) {
    case Positions::RelativeBuckets: return Parameter::RelativeBias;
    case Positions::RelativeWindows: return Parameter::WindowBias;
    case Positions::Disentangled: return Parameter::RelativeVectors;
    default: return std::nullopt;
  }
}

}  // namespace attnscope
