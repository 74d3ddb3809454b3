// core/readouts/over_texts: activation patching of many pairs of texts: mean, spread and ends of what each
// head brings back. One pair proves little.
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

/// What is measured of a head on one pair. It is patched in all rows.
enum class PatchMeasure : std::uint8_t {
  Effect,        // patch_effects(): the answer of the corrupted text with the head patched, less that without
  Share,         // of the clean answer that this brings back: 0 none, 1 all
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

/// One pair and what it was asked for.
struct PairAnswers {
  std::int64_t line = 0, tokens = 0;
  AskedAnswer asked;                // not_a_token where a run holds no numbers
  double clean = 0, corrupted = 0;  // the answers of both texts; NaN likewise
};

struct PatchSpreads {
  AttentionOf of = AttentionOf::Decoder;  // the stack that gives the output, whose heads are patched
  std::vector<PatchMeasure> measured;     // without DirectEffect where there is no sum to read it from
  std::vector<HeadPatchSpread> heads;     // all_heads()
  std::vector<PairAnswers> pairs;
  Spread clean, corrupted;               // the answers
  std::vector<TextTrouble> untold;       // pairs with characters that have no token
  std::vector<TextTrouble> same_answer;  // pairs without a share: both texts give the same answer
  std::vector<TextTrouble> not_numbers;  // pairs on which the model's numbers stop being numbers
};

/// Pairs run one after the other, none is padded; nothing runs before all of them are read. Throws Error with
/// a sentence, as tokens_of_pairs() where a pair is at fault: a model that predicts neither tokens nor
/// classes of a text, a decoder's text where there is no second stack; or Cancelled.
PatchSpreads patch_spreads(const OpenedModel&, const PairList&,
                           const std::optional<std::string>& decoder_text, TextsProgress*, const Work&);

}  // namespace attnscope
