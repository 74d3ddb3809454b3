// core/models: the weights of a mixture of experts, and its routing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/blocks/weight_product.hpp"
#include "core/transformer/experts.hpp"

namespace attnscope {

struct ExpertWeights {
  std::optional<LinearMap> gate;  // [d_inner][d_model]; with ExpertGate::Clamped `up` makes both halves
  LinearMap up, down;
};

struct MixtureWeights {
  LinearMap router;               // [experts][d_model]
  std::vector<float> correction;  // of the scores that experts are chosen by; empty = 0
  std::vector<ExpertWeights> experts;
  std::optional<ExpertWeights> shared;
  std::optional<LinearMap> shared_gate;  // [1][d_model]
};

/// An expert of a token and the weight of what it adds.
struct ChosenExpert {
  std::int64_t expert;
  float weight;
};

/// The experts of a token with these logits of the router, `chosen` of them, the best first; of equal ones
/// the first. Throws Error if a logit is NaN.
std::vector<ChosenExpert> choose_experts(const ExpertSettings&, std::span<const float> correction,
                                         std::span<const float> logits);

}  // namespace attnscope
