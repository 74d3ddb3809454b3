// core/readouts: how the prediction depends on heads: the exact effect of ablating each one alone (the
// atlas), and of removing more and more of them (the pruning curve of Michel et al. 2019).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/readouts/ablation_pass.hpp"

namespace attnscope {

struct AblationRequest {
  AblationKind kind = AblationKind::Zero;
  bool all_positions = false;  // mean divergence and likelihood need the logits of every row
  /// The row whose prediction is compared. Decoders: the last row by default. Models whose head reads only
  /// one row (classes of a text or a picture) always use that row.
  std::optional<std::int64_t> row = {};
};

/// Compared with the run without ablation, in nats. Predictions are of next tokens, masked tokens or classes.
struct AblationEffect {
  double divergence = 0;              // KL(without ‖ with) of the row's prediction
  double top_logit_change = 0;        // of the likeliest one without ablation: with − without
  double top_probability_change = 0;  // of the same one
  std::int64_t top_token = 0;         // the likeliest with ablation: a token, or a class
  double mean_divergence =
      0;  // over all rows; NaN unless it was requested, and if there is only one prediction
  /// Change of the mean negative log-likelihood of the text's tokens; NaN unless requested, and if the model
  /// does not predict next tokens.
  double likelihood_change = 0;
};

/// Every head of the stack that makes the output, block after block.
std::vector<HeadPlace> all_heads(const ModelSpec&);

/// The effect of each set by itself; its heads are of self-attention in the stack that makes the output.
/// Blocks before a set's first head are not computed again. Throws Error if the model predicts neither tokens
/// nor classes, if the run has changes or a mask, or if a head or row does not exist; or Cancelled.
std::vector<AblationEffect> ablation_effects(const Model&, const ModelRun& base,
                                             std::span<const HeadSet> sets, const AblationRequest&,
                                             AblationProgress*, const Work&);

/// The heads in a random order, equal on every machine: a baseline for an order by importance.
std::vector<HeadPlace> shuffled(std::vector<HeadPlace>, std::uint64_t seed);

struct AtlasEntry {
  HeadPlace head;
  AblationEffect effect;
};
/// Ablates every head alone. Throws as above.
std::vector<AtlasEntry> ablation_atlas(const Model&, const ModelRun& base, const AblationRequest&,
                                       AblationProgress*, const Work&);

/// Removes heads one after the other and never restores one, beginning with the smallest effect alone (the
/// mean divergence if it was measured, else that of the one row). The order is fixed before the first is
/// removed, so interactions of heads show in the curve, not in the order. `effect` is that of all heads
/// removed so far.
std::vector<AtlasEntry> pruning_curve(const Model&, const ModelRun& base, std::span<const AtlasEntry> atlas,
                                      const AblationRequest&, AblationProgress*, const Work&);

}  // namespace attnscope
