// core/readouts: activation patching of a pair of texts (Meng et al. 2022, "causal tracing"; Wang et al.
// 2023): the corrupted text is run with what a head gave at a position of the clean one, and what of the
// clean answer that brings back says what this head does there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/readouts/ablation_pass.hpp"

namespace attnscope {

/// Two runs of as many tokens, without changes and without a mask, and the answer that they are asked for:
/// the logit of `token` less that of `other` at a row of the output stack (tokens, or classes).
struct PatchedPair {
  const Model& model;
  const ModelRun& clean;
  const ModelRun& corrupted;
  std::int64_t row = 0;  // of models whose head looks at one row, that one counts
  std::int64_t token = 0, other = 0;
};
/// Between the answers of both texts: below it there is nothing to bring back.
inline constexpr double least_answer_difference = 1e-6;
/// The difference of logits of one of the two runs at the row.
double answer_of(const PatchedPair&, const ModelRun&, const Work&);
/// All logits of one of the two runs at the row.
std::vector<float> logits_of(const PatchedPair&, const ModelRun&, const Work&);

/// The answer that a pair is asked for: `token` less `other`.
struct AskedAnswer {
  std::int64_t token = 0, other = 0;
  bool operator==(const AskedAnswer&) const = default;
};
/// Where no token is wanted, the likeliest of the clean text, and less that of the corrupted one; where these
/// are the same token, what was not wanted is the second likeliest of the clean text. Either is not_a_token
/// where the logits that it is chosen from hold NaN.
AskedAnswer asked_answer(std::span<const float> clean_logits, std::span<const float> corrupted_logits,
                         std::optional<std::int64_t> wanted_token, std::optional<std::int64_t> wanted_other);

struct PatchPlace {
  HeadPlace head;
  std::int64_t row = -1;  // -1: in all rows
  bool operator==(const PatchPlace&) const = default;
};
/// Of each place alone: the answer of the corrupted text with its head patched there, less that without.
/// Throws Error with a sentence where the model predicts neither tokens nor classes, where the runs do not
/// fit each other, or where there is no such head, row or token; or Cancelled.
std::vector<double> patch_effects(const PatchedPair&, std::span<const PatchPlace>, AblationProgress*,
                                  const Work&);

/// An estimate of patching each head of all_heads() in all rows, without running anything: its direct effect
/// (Elhage et al. 2021), which is what the difference of its two outputs at the row adds to the answer
/// through the residual stream alone, with the final norm's scale of the corrupted run. What later heads and
/// MLPs make of it is left out, so heads that act through others are estimated too low. Nothing where there
/// is no sum to read it from: norms behind every sum, and models whose logits stand behind a layer of their
/// own. Throws Error as above, or Cancelled.
std::vector<double> direct_effects(const PatchedPair&, const Work&);

/// The first row from which on patching can matter: in a causal stack that of the first token that differs.
std::int64_t first_patched_row(const PatchedPair&);

}  // namespace attnscope
