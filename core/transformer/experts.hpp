// core/transformer: mixtures of experts: MLPs of which a router chooses a few for each token. For y = Σ
// w·E(x) over the chosen experts E (Shazeer et al. 2017; Fedus et al. 2022), the settings say how the weights
// w follow from the router's logits z.
#pragma once

#include <cstdint>

namespace attnscope {

/// How an expert is chosen and weighed.
enum class Routing : std::uint8_t {
  Softmax,          // the best of softmax(z), with their probabilities: Mixtral, Qwen3-MoE
  SoftmaxOfChosen,  // the best z, with the softmax over them alone: gpt-oss
  Sigmoid,          // the best of σ(z) plus a correction, with σ(z): DeepSeek-V3
};

/// What stands between the two products of an expert.
enum class ExpertGate : std::uint8_t {
  Usual,    // the block's activation of the gate, times the other half
  Clamped,  // gpt-oss: halves at even and odd places, g ≤ 7 and |u| ≤ 7: (u + 1)·g·σ(1.702·g)
};

struct ExpertSettings {
  int experts = 0;
  int chosen = 1;  // of each token; at most `experts`
  int d_inner = 0;
  Routing routing = Routing::Softmax;
  ExpertGate gate = ExpertGate::Usual;
  bool normalised = false;  // the weights of the chosen are divided by their sum
  double scale = 1;         // of the weights
  /// Experts stand in groups of equal size; only those of the best groups are chosen from. A group is as good
  /// as the sum of its two best experts, or with best_of_group as its best one.
  int groups = 1, chosen_groups = 1;
  bool best_of_group = false;
  int d_shared = 0;           // of an expert that every token takes; 0 = there is none
  bool shared_gated = false;  // which is multiplied by σ of a number of its own
};

}  // namespace attnscope
