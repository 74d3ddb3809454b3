// core/analysis: what a head does, measured on the weights it has now: how much of its attention lies on a
// pattern that has a name, beside what uniform attention under the same mask would put there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace attnscope {

/// Which keys a pattern counts, for a query at position p. Tokens are compared with their case folded.
enum class HeadPattern : std::uint8_t {
  Previous,      // p - 1
  Next,          // p + 1
  First,         // key 0
  SameToken,     // keys of the same token, its own place among them
  SkipAndFirst,  // p - 2 and key 0
  Local,         // p - 2 … p + 2
  Content,       // content words, see core/text/function_words.hpp
  FunctionWord,  // all other tokens
  Even,          // no key: how evenly the weights are spread, H / ln(allowed keys)
};
inline constexpr std::size_t pattern_count = 9;

/// Mean share of the weights on the pattern's keys, over the rows that have a choice: at least two allowed
/// keys, some of the pattern and some not. `uniform` is what the same rows have with uniform weights. NaN
/// without such rows. Patterns of places are not counted for cross-attention (save First), patterns of words
/// only where queries and keys come from texts.
struct PatternScore {
  double score = 0, uniform = 0;
  std::int64_t rows = 0;
  /// How far the score is on its way from uniform attention (0) to all weight on the pattern (1). NaN without
  /// rows.
  double lift() const { return (score - uniform) / (1 - uniform); }
};
using PatternScores = std::array<PatternScore, pattern_count>;

/// From this lift on a head is called by the pattern it was built for: it has at least half of what there is
/// to gain over uniform attention. The eight heads have 0.75 … 0.95 on a sentence; with half as many key
/// heads some are below, without positions those of places have 0. Random heads stay below 0.3 for places,
/// below 0.6 for words. Even is called so from its score on (random heads: 0.6 … 0.9).
inline constexpr double least_lift = 0.5, least_even = 0.9;
/// A head that was not built by hand is called by one of the first four patterns only, from this lift on and
/// in as many rows: a few tokens look like anything by chance.
inline constexpr double least_found_lift = 0.6;
inline constexpr std::int64_t least_found_rows = 6;

/// Whether the head does what the pattern says, as one that was built for it.
bool holds(HeadPattern, const PatternScores&);

/// "previous token": as hand-built heads and presets are named.
std::string_view name_of(HeadPattern);
/// The pattern of a name in Weights::head_names; nothing for other names.
std::optional<HeadPattern> pattern_of(std::string_view name);

/// The best of the patterns that a head not built by hand may be called by.
std::optional<HeadPattern> found_pattern(const PatternScores&);

}  // namespace attnscope
