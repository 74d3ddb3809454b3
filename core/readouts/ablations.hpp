// core/readouts: what the prediction owes to heads: the exact effect of ablating each one alone (the atlas),
// and of removing more and more of them (the pruning curve of Michel et al. 2019).
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
  /// Whose prediction is compared. Decoders: the last row where none is given. Models whose head looks at one
  /// row (classes of a text or a picture) have no choice.
  std::optional<std::int64_t> row = {};
};

/// Against the run without ablation, nats. What is predicted are next tokens, masked ones or classes.
struct AblationEffect {
  double divergence = 0;              // KL(without ‖ with) of the row's prediction
  double top_logit_change = 0;        // of what is the likeliest there without ablation, with − without
  double top_probability_change = 0;  // of the same
  std::int64_t top_token = 0;         // the likeliest with ablation: a token, or a class
  double mean_divergence =
      0;  // over all rows; NaN unless it was asked for, and where there is one prediction
  /// Of the mean negative log-likelihood of the text's tokens; NaN likewise, and where no next tokens are
  /// predicted.
  double likelihood_change = 0;
};

/// Every head of the stack that gives the output, block after block.
std::vector<HeadPlace> all_heads(const ModelSpec&);

/// Of each set by itself, heads of the attention to itself of the stack that gives the output. Blocks before
/// a set's first head are not computed again. Throws Error with a sentence where the model predicts neither
/// tokens nor classes, where the run has changes or a mask, or where there is no such head or row; or
/// Cancelled.
std::vector<AblationEffect> ablation_effects(const Model&, const ModelRun& base,
                                             std::span<const HeadSet> sets, const AblationRequest&,
                                             AblationProgress*, const Work&);

/// The same heads in a random order, which is the same on every machine: what an order by importance is
/// compared with.
std::vector<HeadPlace> shuffled(std::vector<HeadPlace>, std::uint64_t seed);

struct AtlasEntry {
  HeadPlace head;
  AblationEffect effect;
};
/// Every head alone. Throws as above.
std::vector<AtlasEntry> ablation_atlas(const Model&, const ModelRun& base, const AblationRequest&,
                                       AblationProgress*, const Work&);

/// Heads removed one after the other, none comes back: the one with the smallest effect alone first (the mean
/// divergence where it was measured, else that of the one row). The order is fixed before the first
/// is removed: what two heads do for each other shows in the curve, not in the order. `effect` is that of all
/// heads removed so far.
std::vector<AtlasEntry> pruning_curve(const Model&, const ModelRun& base, std::span<const AtlasEntry> atlas,
                                      const AblationRequest&, AblationProgress*, const Work&);

}  // namespace attnscope
