// core/readouts: head scores on a text: how much attention lies on keys with a known role, beside the value
// of uniform attention under the same mask; and the battery of repeated random tokens that reveals induction
// (Olsson et al. 2022).
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
  Previous,   // the previous token
  Next,       // the next token
  Duplicate,  // the same token at other places
  Induction,  // the tokens that followed the same token elsewhere
  First,      // key 0
  Special,    // tokens like [CLS], </s>, <|endoftext|>
};
inline constexpr std::size_t head_score_count = 6;
std::string_view name_of(HeadScore);

/// Score and baseline are means over rows with a choice of keys, as in PatternScore.
using HeadScores = std::array<PatternScore, head_score_count>;

/// Scores of every self-attention head of a stack, [block][head]. `special`: ids of special tokens. Hidden
/// tokens are left out as queries and as keys. Throws Cancelled.
std::vector<std::vector<HeadScores>> head_scores(const Model&, const ModelRun&, AttentionOf of,
                                                 std::span<const std::int64_t> special, const Work&);

struct BatterySettings {
  int tokens = 50;    // in the repeated block, all different
  int sequences = 4;  // the number of sequences averaged over
  std::uint64_t seed = 1;
};
/// `tokens` different random tokens that are not special, twice in the same order, equal on every machine.
/// Throws Error if the vocabulary has too few.
std::vector<std::int64_t> repeated_random_tokens(std::int64_t vocabulary,
                                                 std::span<const std::int64_t> special,
                                                 const BatterySettings&, int sequence);
/// Scores of every head over the whole battery, for the decoder of a decoder-only model, else for the
/// encoder. Sequences begin with `begin_id` if the spec has one. A model with fewer tokens or positions reads
/// the longest block that fits, of at least `least_battery` tokens. Throws Error, also for models of pictures
/// and encoder-decoders, or Cancelled.
inline constexpr int least_battery = 10;
std::vector<std::vector<HeadScores>> battery_scores(const Model&, std::span<const std::int64_t> special,
                                                    const BatterySettings&, const Work&);

}  // namespace attnscope
