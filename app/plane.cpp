#include "app/plane.hpp"

#include "core/known.hpp"
#include "core/stages/run_stage.hpp"

namespace attnscope {

std::vector<Plane> planes(const Result& result) {
  const Document& document = result.document;
  std::vector<Plane> all{Stage::Score, Stage::Scale};
  if (document.soft_cap > 0) all.emplace_back(Stage::Cap);
  if (result.trace[Stage::Bias]) all.emplace_back(Stage::Bias);
  all.emplace_back(Stage::Mask);
  all.emplace_back(Stage::Softmax);
  if (document.linear) all.emplace_back(Stage::Linear);
  if (is_operated(document)) all.emplace_back(Stage::Surgery);
  if (document.dropout.rate > 0) all.emplace_back(Stage::Drop);
  if (result.gradients) {
    all.emplace_back(Stage::Drop, Plane::Kind::Gradient);
    all.emplace_back(Stage::Mask, Plane::Kind::Gradient);
    all.emplace_back(Stage::Score, Plane::Kind::Gradient);
  }
  std::erase_if(all, [&](Plane plane) { return !is_known(document, plane.stage); });
  return all;
}

const TensorPtr& tensor_of(const Result& result, Plane plane) {
  if (!plane.is_gradient()) return result.trace[plane.stage];
  static const TensorPtr none;
  if (!result.gradients) return none;
  if (plane.stage == Stage::Score) return result.gradients->scores;
  return plane.stage == Stage::Mask ? result.gradients->masked : result.gradients->weights;
}

ConstMatrixMap<float> head_of(const Tensor& tensor, std::int64_t b, std::int64_t h) {
  return tensor.matrix(tensor.shape()[0] == 1 ? 0 : b, h);
}

ConstMatrixMap<float> matrix_of(const Result& result, Plane plane, std::int64_t b, std::int64_t h) {
  return head_of(*tensor_of(result, plane), b, h);
}

std::uint64_t made_in(const Result& result, Plane plane) {
  // Gradients are not stages: they may change with every result. The bit keeps them apart from the runs.
  if (plane.is_gradient()) return result.ticket | std::uint64_t{1} << 63;
  return result.made_in[static_cast<std::size_t>(plane.stage)];
}

bool is_weights(Plane plane) {
  return plane.kind == Plane::Kind::Value && (plane.stage == Stage::Softmax || plane.stage == Stage::Linear ||
                                              plane.stage == Stage::Surgery || plane.stage == Stage::Drop);
}

bool shows_mask(const Document& document, Plane plane) {
  if (plane.is_gradient() || plane.stage >= Stage::Softmax) return true;
  return plane.stage == Stage::Mask && document.masking.mistake != MaskMistake::AfterSoftmax;
}

PlaneWords words(const Document& document, Plane plane) {
  if (plane.is_gradient()) {
    switch (plane.stage) {
      case Stage::Score:
        return {"∂S scores", "∂S", "∂loss / ∂S", "How the loss changes with each product q·k."};
      case Stage::Mask:
        return {"∂M masked", "∂M", "∂M = A ∘ (∂A − Σ A∘∂A) / τ",
                "What the softmax lets through: nothing where a weight is 0 or 1."};
      default: return {"∂A weights", "∂A", "∂A = ∂C·Vᵀ", "How the loss changes when a weight grows alone."};
    }
  }
  if (plane.is_error()) {
    constexpr std::string_view formula = "float32 − float64",
                               why = "What rounding has done to this stage so far.";
    switch (plane.stage) {
      case Stage::Score: return {"Error of scores", "error", formula, why};
      case Stage::Scale: return {"Error of scaled", "error", formula, why};
      case Stage::Cap: return {"Error of capped", "error", formula, why};
      case Stage::Mask: return {"Error of masked", "error", formula, why};
      default: return {"Error of weights", "error", formula, why};
    }
  }
  if (plane.kind == Plane::Kind::Magnitude)
    return {"|A − B|", "|A − B|", "|A − B|", "How far apart the two are, whichever is larger."};
  if (plane.kind == Plane::Kind::Ratio)
    return {"A / B", "A / B", "log₂ |A| / |B|", "How many times as large as in B."};
  if (plane.is_difference()) {
    constexpr std::string_view formula = "A − B", why = "What is shown, minus what is held as B.";
    switch (plane.stage) {
      case Stage::Score: return {"A − B scores", "A − B", formula, why};
      case Stage::Scale: return {"A − B scaled", "A − B", formula, why};
      case Stage::Cap: return {"A − B capped", "A − B", formula, why};
      case Stage::Bias: return {"A − B bias", "A − B", formula, why};
      case Stage::Mask: return {"A − B masked", "A − B", formula, why};
      default: return {"A − B weights", "A − B", formula, why};
    }
  }
  switch (plane.stage) {
    case Stage::Score: return {"Scores", "score", "S = Q·Kᵀ", "How well each query fits each key."};
    case Stage::Scale:
      return {"Scaled", "scaled", "S × 1/√dₖ (or the chosen factor)",
              "The same picture with a smaller spread."};
    case Stage::Cap: return {"Capped", "capped", "c·tanh(x / c)", "No score leaves (−c, c)."};
    case Stage::Bias: return {"Bias", "bias", "b(head, key − query)", "What positions add to every score."};
    case Stage::Mask: return {"Masked", "masked", "hidden keys get −∞", "What softmax is given."};
    case Stage::Linear:
      return {"Linear weights", "weight", "φ(Q)·φ(K)ᵀ / Σ", "The weights that linear attention implies."};
    case Stage::Surgery:
      return {"Weights", "weight", "A′ = A, or what is put in its place",
              "Muted and replaced heads show what stands in the place of their own pattern."};
    case Stage::Drop:
      return {"Dropped", "weight", "A ∘ keep / (1 − r)", "What mixes the values while training."};
    default: break;
  }
  if (is_operated(document) && !document.linear)
    return {"Own weights", "weight", "A = softmax(masked / τ)",
            "Before surgery: what every head comes to itself."};
  const bool unused = document.linear;
  return {unused ? "Softmax" : "Weights", "weight", "A = softmax(masked / τ)",
          unused ? "For comparison: linear attention does not use them." : "Every row sums to 1."};
}

}  // namespace attnscope
