#include "app/state/plane.hpp"

#include "core/attention/run_stage.hpp"
#include "core/document/known.hpp"

namespace attnscope {

std::vector<Plane> planes(const LayerResult& result) {
  const Document& document = result.document;
  std::vector<Plane> all{Stage::Score, Stage::Scale};
  if (document.layer().soft_cap > 0) all.emplace_back(Stage::Cap);
  if (result.trace[Stage::Bias]) all.emplace_back(Stage::Bias);
  all.emplace_back(Stage::Mask);
  all.emplace_back(Stage::Softmax);
  if (document.layer().linear) all.emplace_back(Stage::Linear);
  if (has_intervention(document)) all.emplace_back(Stage::Intervention);
  if (document.layer().dropout.rate > 0) all.emplace_back(Stage::Drop);
  if (result.gradients) {
    all.emplace_back(Stage::Drop, Plane::Kind::Gradient);
    all.emplace_back(Stage::Mask, Plane::Kind::Gradient);
    all.emplace_back(Stage::Score, Plane::Kind::Gradient);
  }
  std::erase_if(all, [&](Plane plane) { return !is_known(document, plane.stage); });
  return all;
}

const TensorPtr& tensor_of(const LayerResult& result, Plane plane) {
  if (!plane.is_gradient()) return result.trace[plane.stage];
  static const TensorPtr none;
  if (!result.gradients) return none;
  if (plane.stage == Stage::Score) return result.gradients->scores;
  return plane.stage == Stage::Mask ? result.gradients->masked : result.gradients->weights;
}

ConstMatrixMap<float> head_of(const Tensor& tensor, std::int64_t b, std::int64_t h) {
  return tensor.matrix(tensor.shape()[0] == 1 ? 0 : b, h);
}

ConstMatrixMap<float> matrix_of(const LayerResult& result, Plane plane, std::int64_t b, std::int64_t h) {
  return head_of(*tensor_of(result, plane), b, h);
}

std::uint64_t made_in(const LayerResult& result, Plane plane) {
  // Gradients are no stages and may change with every result. The bit keeps their ids apart from those of
  // stages.
  if (plane.is_gradient()) return result.ticket | std::uint64_t{1} << 63;
  return result.made_in[plane.stage];
}

bool is_weights(Plane plane) { return plane.kind == Plane::Kind::Value && holds_weights(plane.stage); }

bool shows_mask(const Document& document, Plane plane) {
  if (plane.is_gradient() || holds_weights(plane.stage)) return true;
  return plane.stage == Stage::Mask && document.layer().masking.mistake != MaskMistake::AfterSoftmax;
}

PlaneWords words(const Document& document, Plane plane) {
  const LayerSpec& layer = document.layer();
  if (plane.is_gradient()) {
    switch (plane.stage) {
      case Stage::Score:
        return {"∂S scores", "∂S", "∂loss / ∂S", "Derivative of the loss by each score q·k."};
      case Stage::Mask:
        return {"∂M masked logits", "∂M", "∂M = A ∘ (∂A − Σ A∘∂A) / τ",
                "Gradient after the softmax: 0 where a weight is 0 or 1."};
      default: return {"∂A weights", "∂A", "∂A = ∂Z·Vᵀ", "Derivative of the loss by each weight."};
    }
  }
  if (plane.is_error()) {
    constexpr std::string_view formula = "float32 − float64",
                               why = "What rounding has done to this stage so far.";
    switch (plane.stage) {
      case Stage::Score: return {"Error of scores", "error", formula, why};
      case Stage::Scale: return {"Error of scaled logits", "error", formula, why};
      case Stage::Cap: return {"Error of capped logits", "error", formula, why};
      case Stage::Mask: return {"Error of masked logits", "error", formula, why};
      default: return {"Error of weights", "error", formula, why};
    }
  }
  if (plane.kind == Plane::Kind::Magnitude)
    return {"|now − held|", "|now − held|", "|now − held|", "Absolute difference."};
  if (plane.kind == Plane::Kind::Ratio)
    return {"now / held", "now / held", "log₂ |now| / |held|", "Ratio of what is shown now to what is held."};
  if (plane.is_difference()) {
    constexpr std::string_view formula = "now − held", why = "What is shown now, minus what is held.";
    switch (plane.stage) {
      case Stage::Score: return {"now − held, scores", "now − held", formula, why};
      case Stage::Scale: return {"now − held, scaled logits", "now − held", formula, why};
      case Stage::Cap: return {"now − held, capped logits", "now − held", formula, why};
      case Stage::Bias: return {"now − held, bias", "now − held", formula, why};
      case Stage::Mask: return {"now − held, masked logits", "now − held", formula, why};
      default: return {"now − held, weights", "now − held", formula, why};
    }
  }
  switch (plane.stage) {
    case Stage::Score: return {"Scores", "score", "S = Q·Kᵀ", "How well each key matches each query."};
    case Stage::Scale:
      return {"Scaled logits", "scaled", "S × 1/√dₖ (or the chosen factor)",
              "Scores divided by √dₖ, or times the chosen factor."};
    case Stage::Cap:
      return {"Capped logits", "capped", "c·tanh(x / c)", "Soft-capped logits lie in (−c, c)."};
    case Stage::Bias:
      return {"Bias", "bias", position_facts(layer.positions).bias, position_facts(layer.positions).bias_why};
    case Stage::Mask: return {"Masked logits", "masked", "hidden keys get −∞", "Input of the softmax."};
    case Stage::Linear:
      return {"Linear weights", "weight",
              is_rotary(layer.positions) ? "Rφ(Q)·(Rφ(K))ᵀ / Σ φ(Q)·φ(K)ᵀ" : "φ(Q)·φ(K)ᵀ / Σ",
              "The weights that linear attention implies."};
    case Stage::Intervention:
      return {"Weights", "weight", "A′ = A, or what is put in its place",
              "Ablated and replaced heads show the pattern that is used instead of their own."};
    case Stage::Drop:
      return {"Dropped", "weight", "A ∘ keep / (1 − r)", "The weights that average the values in training."};
    default: break;
  }
  if (has_intervention(document) && !layer.linear)
    return {"Own weights", "weight", "A = softmax(masked / τ)",
            "Before the intervention: each head's own weights."};
  const bool unused = layer.linear;
  if (has_sinks(layer) && !unused)
    return {"Weights", "weight", "A = e^(M/τ) / (Σ e^(M/τ) + e^(s/τ))",
            "Every row sums to 1 minus the share of its head's sink s."};
  return {unused ? "Softmax" : "Weights", "weight", "A = softmax(masked / τ)",
          unused ? "For comparison: linear attention does not use them." : "Every row sums to 1."};
}

}  // namespace attnscope
