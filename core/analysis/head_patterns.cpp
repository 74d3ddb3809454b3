#include "core/analysis/head_patterns.hpp"

#include <algorithm>

namespace attnscope {

namespace {

constexpr std::array<std::string_view, pattern_count> names{"previous token", "next token",    "first token",
                                                            "same token",     "skip + first",  "local",
                                                            "content",        "function word", "diffuse"};

const PatternScore& of(HeadPattern pattern, const PatternScores& scores) {
  return scores[static_cast<std::size_t>(pattern)];
}

}  // namespace

bool holds(HeadPattern pattern, const PatternScores& scores) {
  const PatternScore& found = of(pattern, scores);
  return pattern == HeadPattern::Even ? found.score >= least_even : found.lift() >= least_lift;
}

std::string_view name_of(HeadPattern pattern) { return names[static_cast<std::size_t>(pattern)]; }

std::optional<HeadPattern> pattern_of(std::string_view name) {
  if (name == "uniform") return HeadPattern::Even;
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return static_cast<HeadPattern>(at - names.begin());
}

std::optional<HeadPattern> found_pattern(const PatternScores& scores) {
  std::optional<HeadPattern> best;
  for (const HeadPattern pattern :
       {HeadPattern::Previous, HeadPattern::Next, HeadPattern::First, HeadPattern::SameToken}) {
    const PatternScore& found = of(pattern, scores);
    if (found.rows < least_found_rows || !(found.lift() >= least_found_lift)) continue;
    if (!best || found.lift() > of(*best, scores).lift()) best = pattern;
  }
  return best;
}

}  // namespace attnscope
