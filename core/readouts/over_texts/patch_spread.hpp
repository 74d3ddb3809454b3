// core/readouts/over_texts: activation patching over many pairs of texts: mean, deviation and extremes of
// each head's effect. A single pair proves little.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/readouts/over_texts/pair_list.hpp"
#include "core/readouts/over_texts/spread.hpp"
#include "core/readouts/patching.hpp"

namespace attnscope {

/// What is measured for each head on one pair. The head is patched in all rows.
enum class PatchMeasure : std::uint8_t {
  Effect,        // patch_effects(): the corrupted text's answer with the head patched, minus without
  Share,         // of the difference of the answers that the patch restores: 0 none, 1 all
  DirectEffect,  // direct_effects(): the estimate
};
inline constexpr std::size_t patch_measure_count = 3;
/// "effect", "share", "direct_effect".
std::string_view id_of(PatchMeasure);

struct HeadPatchSpread {
  HeadPlace head;
  std::array<MeasureSpread, patch_measure_count> measures;
  const MeasureSpread& at(PatchMeasure measure) const { return measures[static_cast<std::size_t>(measure)]; }
};

/// One pair and its answers.
struct PairAnswers {
  std::int64_t line = 0, tokens = 0;
  AskedAnswer asked;                // not_a_token if a run holds NaN
  double clean = 0, corrupted = 0;  // the answers of both texts; NaN in that case
};

struct PatchSpreads {
  AttentionOf of = AttentionOf::Decoder;  // the stack that makes the output, whose heads are patched
  std::vector<PatchMeasure> measured;     // without DirectEffect if it cannot be computed
  std::vector<HeadPatchSpread> heads;     // all_heads()
  std::vector<PairAnswers> pairs;
  Spread clean, corrupted;               // the answers
  std::vector<TextTrouble> untold;       // pairs with characters that have no token
  std::vector<TextTrouble> same_answer;  // pairs without a share: both texts have the same answer
  std::vector<TextTrouble> not_numbers;  // pairs for which the model computes NaN or infinity
};

/// Pairs run one by one, without padding, after all of them are read. Throws Error, as tokens_of_pairs() if a
/// pair is the reason: for a model that predicts neither tokens nor classes of a text, or a decoder's text
/// without a second stack; or Cancelled.
PatchSpreads patch_spreads(const OpenedModel&, const PairList&,
                           const std::optional<std::string>& decoder_text, TextsProgress*, const Work&);

}  // namespace attnscope
