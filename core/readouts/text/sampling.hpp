// core/readouts: the next token drawn from a distribution. The same logits and seed give the same token on
// every machine: uniform numbers are pure functions of seed and place, and the exponential uses only + − × /.
#pragma once

#include <cstdint>
#include <span>

namespace attnscope {

struct SamplingSettings {
  double temperature = 0;  // 0 = the likeliest token, of equals the one with the smaller number
  std::int64_t top_k = 0;  // among so many of the likeliest; 0 = all
  double top_p = 1;        // among the fewest whose probabilities sum up to it (Holtzman et al. 2020)
  std::uint64_t seed = 0;
};

/// Throws Error with a sentence for a temperature below 0, top_k below 0 or top_p outside (0, 1].
void check(const SamplingSettings&);

/// The token at place `index` of the text. Temperature comes first, then top_k, then top_p over what is left.
/// Tokens that are NaN are never drawn. Throws Error as check(), and without any number among the logits.
std::int64_t sample(std::span<const float> logits, const SamplingSettings&, std::uint64_t index);

}  // namespace attnscope
