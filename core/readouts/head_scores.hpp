// core/readouts: what the heads of a model do on a text: how much of their attention lies on keys that have a
// name, beside what uniform attention under the same mask puts there; and the battery of repeated random
// tokens on which induction shows itself (Olsson et al. 2022).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/head_patterns.hpp"
#include "core/models/run_model.hpp"

namespace attnscope {

enum class HeadScore : std::uint8_t {
  Previous,   // the token before
  Next,       // the one after
  Duplicate,  // the same token elsewhere
  Induction,  // what stood behind the same token elsewhere
  First,      // key 0
  Special,    // tokens like [CLS], </s>, <|endoftext|>
};
inline constexpr std::size_t head_score_count = 6;
std::string_view name_of(HeadScore);

/// Score and baseline are means over the rows that have a choice, as in PatternScore.
using HeadScores = std::array<PatternScore, head_score_count>;

/// Of every head of the self-attention of a stack, [block][head]. `special`: the numbers of special tokens.
/// Hidden tokens are left out as queries and as keys. Throws Cancelled.
std::vector<std::vector<HeadScores>> head_scores(const Model&, const ModelRun&, AttentionOf of,
                                                 std::span<const std::int64_t> special, const Work&);

struct BatterySettings {
  int tokens = 50;    // of the block that is repeated, all different
  int sequences = 4;  // over which scores are averaged
  std::uint64_t seed = 1;
};
/// `tokens` different random tokens that are not special, twice in the same order: the same ones on every
/// machine. Throws Error when the vocabulary has too few.
std::vector<std::int64_t> repeated_random_tokens(std::int64_t vocabulary,
                                                 std::span<const std::int64_t> special,
                                                 const BatterySettings&, int sequence);
/// Of every head over the whole battery: of the decoder of a model that has one alone, else of the encoder.
/// The model begins with `begin_id` where its spec has one. A model of fewer tokens or positions reads as
/// long a block as fits, of `least_battery` tokens at least. Throws Error, also for models of pictures and
/// encoder-decoders, or Cancelled.
inline constexpr int least_battery = 10;
std::vector<std::vector<HeadScores>> battery_scores(const Model&, std::span<const std::int64_t> special,
                                                    const BatterySettings&, const Work&);

}  // namespace attnscope
