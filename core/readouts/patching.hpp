// core/readouts: activation patching of a pair of texts (Meng et al. 2022, "causal tracing"; Wang et al.
// 2023): the corrupted text runs with a head's output at a position of the clean one. How much of the clean
// answer that restores shows what the head does there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/readouts/ablation_pass.hpp"

namespace attnscope {

/// Two runs with equal numbers of tokens, without changes and without a mask, and the answer to compare: the
/// logit of `token` minus that of `other` (tokens or classes) at a row of the output stack.
struct PatchedPair {
  const Model& model;
  const ModelRun& clean;
  const ModelRun& corrupted;
  std::int64_t row = 0;  // models whose head reads one row always use that one
  std::int64_t token = 0, other = 0;
};
/// If the two answers differ by less, there is nothing to restore.
inline constexpr double least_answer_difference = 1e-6;
/// The logit difference of one of the two runs at the row.
double answer_of(const PatchedPair&, const ModelRun&, const Work&);
/// All logits of one of the two runs at the row.
std::vector<float> logits_of(const PatchedPair&, const ModelRun&, const Work&);

/// The tokens of a pair's answer: `token` minus `other`.
struct AskedAnswer {
  std::int64_t token = 0, other = 0;
  bool operator==(const AskedAnswer&) const = default;
};
/// Defaults: `token` is the likeliest of the clean text, `other` the likeliest of the corrupted one; if these
/// are equal, the one that was not given becomes the second likeliest of the clean text. Either is
/// not_a_token if the logits that it is chosen from hold NaN.
AskedAnswer asked_answer(std::span<const float> clean_logits, std::span<const float> corrupted_logits,
                         std::optional<std::int64_t> wanted_token, std::optional<std::int64_t> wanted_other);

struct PatchPlace {
  HeadPlace head;
  std::int64_t row = -1;  // -1: in all rows
  bool operator==(const PatchPlace&) const = default;
};
/// For each place alone: the corrupted text's answer with the head patched there, minus without. Throws Error
/// if the model predicts neither tokens nor classes, if the runs do not fit each other, or if a head, row or
/// token does not exist; or Cancelled.
std::vector<double> patch_effects(const PatchedPair&, std::span<const PatchPlace>, AblationProgress*,
                                  const Work&);

/// Estimates the effect of patching each head of all_heads() in all rows without running the model: its
/// direct effect (Elhage et al. 2021), the contribution of the difference of its two outputs at the row to
/// the answer through the residual stream alone, with the final norm's scale of the corrupted run. Effects
/// through later heads and MLPs are left out, so heads that act through others are underestimated. Nothing if
/// the stream is not a sum (norms behind every sum), and for models whose head has a layer of its own before
/// the logits. Throws Error as above, or Cancelled.
std::vector<double> direct_effects(const PatchedPair&, const Work&);

/// The first row where patching can have an effect: in a causal stack that of the first token that differs.
std::int64_t first_patched_row(const PatchedPair&);

}  // namespace attnscope
