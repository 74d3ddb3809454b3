// core/readouts/text: samples the next token from a distribution. The same logits and seed give the same
// token on every machine: uniform numbers are pure functions of seed and place, and the exponential uses only
// + − × /.
#pragma once

#include <cstdint>
#include <span>

namespace attnscope {

struct SamplingSettings {
  double temperature = 0;  // 0 = the likeliest token, of equals the smaller id
  std::int64_t top_k = 0;  // only so many of the likeliest; 0 = all
  double top_p = 1;        // only the fewest tokens whose probabilities sum to it (Holtzman et al. 2020)
  std::uint64_t seed = 0;
  bool operator==(const SamplingSettings&) const = default;
};

/// Throws Error for a temperature below 0, top_k below 0 or top_p outside (0, 1].
void check(const SamplingSettings&);

/// The token at place `index` of the text. Temperature is applied first, then top_k, then top_p over the
/// rest. Tokens with a NaN logit are never drawn. Throws Error as check(), and if no logit is a number.
std::int64_t sample(std::span<const float> logits, const SamplingSettings&, std::uint64_t index);

}  // namespace attnscope
