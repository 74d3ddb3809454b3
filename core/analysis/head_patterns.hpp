// core/analysis: what a head does, measured on its current weights: the share of its attention on a named
// pattern, beside the share of uniform attention under the same mask.
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
  SameToken,     // keys with the query's token, its own position included
  SkipAndFirst,  // p - 2 and key 0
  Local,         // p - 2 … p + 2
  Content,       // content words, see core/text/function_words.hpp
  FunctionWord,  // all other tokens
  Even,          // no key: how evenly the weights are spread, H / ln(allowed keys)
};
inline constexpr std::size_t pattern_count = 9;

/// Mean share of the weights on the pattern's keys, over the rows that have a choice: at least two allowed
/// keys, some in the pattern and some not. `uniform` is the share of uniform weights in the same rows. NaN
/// without such rows. Positional patterns except First are not counted for cross-attention; token patterns
/// only where queries and keys come from texts.
struct PatternScore {
  double score = 0, uniform = 0;
  std::int64_t rows = 0;
  /// The score on a scale from uniform attention (0) to all weight on the pattern (1). NaN without rows.
  double lift() const { return (score - uniform) / (1 - uniform); }
};
using PatternScores = std::array<PatternScore, pattern_count>;

/// A hand-built head is named by the pattern it was built for from this lift on: half of the possible gain
/// over uniform attention. The eight heads have 0.75 … 0.95 on a sentence; with half as many key heads some
/// are below the limit; without positions the positional ones have 0. Random heads stay below 0.3 for
/// positional patterns and below 0.6 for token patterns. Even is named by its score instead (random heads:
/// 0.6 … 0.9).
inline constexpr double least_lift = 0.5, least_even = 0.9;
/// A head that was not built by hand is named only by Previous, Next, First or SameToken, from this lift and
/// this number of rows on: in a few rows any pattern occurs by chance.
inline constexpr double least_found_lift = 0.6;
inline constexpr std::int64_t least_found_rows = 6;

/// Whether the scores of a head built for the pattern reach its limit.
bool holds(HeadPattern, const PatternScores&);

/// The name in hand-built heads and presets: "previous token".
std::string_view name_of(HeadPattern);
/// The pattern of a name in Weights::head_names; nullopt for other names.
std::optional<HeadPattern> pattern_of(std::string_view name);

/// The pattern with the highest lift of those that may name a head not built by hand.
std::optional<HeadPattern> found_pattern(const PatternScores&);

}  // namespace attnscope
