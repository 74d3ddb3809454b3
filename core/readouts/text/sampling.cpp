#include "core/readouts/text/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/random.hpp"

namespace attnscope {
namespace {

constexpr std::uint64_t sampling_stream = 0x73616d706c65;  // "sample"

/// e^x for x <= 0, to a few units in the last place: std::exp may differ between machines.
double portable_exp(double x) {
  if (x < -700) return 0;
  constexpr double log2_e = 1.4426950408889634, high = 0.693145751953125, low = 1.42860682030941723e-6;
  const double n = std::floor(x * log2_e + 0.5);
  const double r = (x - n * high) - n * low;  // |r| <= ln 2 / 2
  double sum = 1;
  for (int i = 17; i >= 1; --i) sum = 1 + sum * r / i;
  return std::ldexp(sum, static_cast<int>(n));
}

struct Candidate {
  std::int64_t id;
  double weight;
};

/// Ids by descending logit; of equals the smaller id comes first.
std::vector<std::int64_t> in_order(std::span<const float> logits, std::int64_t most) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < std::ssize(logits); ++i)
    if (!std::isnan(logits[static_cast<std::size_t>(i)])) ids.push_back(i);
  if (ids.empty()) throw Error("There is no number among the logits, so no token can be drawn.");
  const auto end = most > 0 && most < std::ssize(ids) ? ids.begin() + most : ids.end();
  std::partial_sort(ids.begin(), end, ids.end(), [&](std::int64_t a, std::int64_t b) {
    const float x = logits[static_cast<std::size_t>(a)], y = logits[static_cast<std::size_t>(b)];
    return x > y || (x == y && a < b);
  });
  ids.erase(end, ids.end());
  return ids;
}

}  // namespace

void check(const SamplingSettings& settings) {
  if (!(settings.temperature >= 0) || !std::isfinite(settings.temperature))
    throw Error(fmt::format("The temperature is {}; it has to be 0 or above.", settings.temperature));
  if (settings.top_k < 0)
    throw Error(fmt::format("top-k is {}; it has to be 0 (all) or above.", settings.top_k));
  if (!(settings.top_p > 0 && settings.top_p <= 1))
    throw Error(fmt::format("top-p is {}; it has to be above 0 and at most 1.", settings.top_p));
}

std::int64_t sample(std::span<const float> logits, const SamplingSettings& settings, std::uint64_t index) {
  check(settings);
  if (settings.temperature == 0) return in_order(logits, 1)[0];
  const std::vector<std::int64_t> ids = in_order(logits, settings.top_k);
  const auto at = [&](std::int64_t id) { return static_cast<double>(logits[static_cast<std::size_t>(id)]); };
  const double most = at(ids[0]);
  std::vector<Candidate> candidates;
  double all = 0;
  for (const std::int64_t id : ids) {
    // The difference of infinite logits would be NaN: an infinite one that equals the largest gets 1.
    const double weight = at(id) == most ? 1 : portable_exp((at(id) - most) / settings.temperature);
    candidates.push_back({id, weight});
    all += weight;
  }
  double kept = 0;
  std::size_t count = 0;
  while (count < candidates.size() && (count == 0 || kept < settings.top_p * all))
    kept += candidates[count++].weight;
  const double uniform =
      static_cast<double>(random_bits(settings.seed, sampling_stream, index) >> 11) * 0x1p-53;  // [0, 1)
  double left = uniform * kept;
  for (std::size_t i = 0; i < count; ++i) {
    if (left < candidates[i].weight) return candidates[i].id;
    left -= candidates[i].weight;
  }
  return candidates[count - 1].id;
}

}  // namespace attnscope
