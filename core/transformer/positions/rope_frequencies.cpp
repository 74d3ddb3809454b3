#include "core/transformer/positions/rope_frequencies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/number_checks.hpp"

namespace attnscope {
namespace {

constexpr auto scaling_names = std::to_array<std::pair<std::string_view, RopeScaling>>({
    {"default", RopeScaling::None},
    {"linear", RopeScaling::Linear},
    {"dynamic", RopeScaling::Dynamic},
    {"yarn", RopeScaling::Yarn},
    {"llama3", RopeScaling::Llama3},
    {"longrope", RopeScaling::LongRope},
    {"su", RopeScaling::LongRope},
});

/// base^(-2i / r).
std::vector<double> plain_frequencies(double base, std::int64_t r) {
  std::vector<double> frequency(static_cast<std::size_t>(r / 2));
  for (std::size_t i = 0; i < frequency.size(); ++i)
    frequency[i] = std::pow(base, -2 * static_cast<double>(i) / static_cast<double>(r));
  return frequency;
}

/// The base for texts longer than those of training. With a single pair the base has no effect: it rotates by
/// one radian for each position.
double grown_base(const RopeSettings& rope, std::int64_t positions) {
  if (rope.rotated <= 2) return rope.base;
  const auto trained = static_cast<double>(rope.trained_positions), r = static_cast<double>(rope.rotated);
  const double length = std::max(static_cast<double>(positions), trained);
  return rope.base * std::pow(rope.factor * length / trained - (rope.factor - 1), r / (r - 2));
}

/// Blends the plain frequency into that divided by the factor, between the dimensions that make `fast` and
/// `slow` turns within a context.
void scale_yarn(const RopeSettings& rope, std::vector<double>& frequency) {
  const auto r = static_cast<double>(rope.rotated);
  const auto dimension_of = [&](double turns) {
    return r * std::log(static_cast<double>(rope.trained_positions) / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(rope.base));
  };
  double low = dimension_of(rope.fast), high = dimension_of(rope.slow);
  if (rope.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, r - 1);
  if (low == high) high += 0.001;
  for (std::size_t i = 0; i < frequency.size(); ++i) {
    const double slow = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    frequency[i] = frequency[i] / rope.factor * slow + frequency[i] * (1 - slow);
  }
}

void scale_llama3(const RopeSettings& rope, std::vector<double>& frequency) {
  const auto trained = static_cast<double>(rope.trained_positions);
  const double longest = trained / rope.low_frequency, shortest = trained / rope.high_frequency;
  for (double& f : frequency) {
    const double wavelength = 2 * std::numbers::pi / f;
    if (wavelength < shortest) continue;
    if (wavelength > longest) {
      f /= rope.factor;
      continue;
    }
    const double share =
        (trained / wavelength - rope.low_frequency) / (rope.high_frequency - rope.low_frequency);
    f = (1 - share) * f / rope.factor + share * f;
  }
}

/// LongRope's factor of cosine and sine: √(1 + ln(factor) / ln(trained positions)).
double grown_magnitude(const RopeSettings& rope) {
  const auto trained = static_cast<double>(rope.trained_positions);
  return rope.factor <= 1 || trained <= 1 ? 1 : std::sqrt(1 + std::log(rope.factor) / std::log(trained));
}

}  // namespace

std::optional<RopeScaling> rope_scaling_from(std::string_view name) {
  for (const auto& [known, scaling] : scaling_names)
    if (known == name) return scaling;
  return std::nullopt;
}

void check_rope(const PositionSettings& settings) {
  check_even("The number of rotated dimensions", settings.rope_dims, "");
  const auto rising = [](std::string_view scaling, float low, float high) {
    if (low < high) return;
    throw Error(
        fmt::format("The bounds of {} are {} and {} turns; the second must be larger.", scaling, low, high));
  };
  if (settings.rope_scaling == RopeScaling::Llama3)
    rising("Llama 3's RoPE scaling", settings.rope_low_turns, settings.rope_high_turns);
  if (settings.query_growth != 0 && settings.rope_dims != 0)
    throw Error("Queries grow with their positions only where all dimensions of a head turn.");
  if (settings.rope_scaling == RopeScaling::Yarn)
    rising("YaRN", settings.rope_slow_turns, settings.rope_fast_turns);
}

std::int64_t rotated_dims(const PositionSettings& settings, std::int64_t width) {
  return settings.rope_dims == 0 ? width - width % 2 : settings.rope_dims;
}

RopeSettings rope_of(const PositionSettings& settings, std::int64_t width) {
  RopeSettings rope;
  rope.base = static_cast<double>(settings.rope_base);
  rope.rotated = rotated_dims(settings, width);
  rope.scaling = settings.rope_scaling;
  rope.factor = static_cast<double>(settings.rope_factor);
  rope.trained_positions = settings.rope_trained;
  rope.low_frequency = static_cast<double>(settings.rope_low_turns);
  rope.high_frequency = static_cast<double>(settings.rope_high_turns);
  rope.slow = static_cast<double>(settings.rope_slow_turns);
  rope.fast = static_cast<double>(settings.rope_fast_turns);
  rope.truncate = settings.rope_truncate;
  if (settings.rope_magnitude > 0) rope.magnitude = static_cast<double>(settings.rope_magnitude);
  rope.query_growth = static_cast<double>(settings.query_growth);
  rope.query_growth_length = settings.query_growth_length;
  if (const TensorPtr& divisors = settings.rope_divisors)
    rope.divisors.assign(divisors->values().begin(), divisors->values().end());
  if (const TensorPtr& divisors = settings.rope_short_divisors)
    rope.short_divisors.assign(divisors->values().begin(), divisors->values().end());
  return rope;
}

double query_factor(const RopeSettings& rope, std::int64_t position) {
  if (rope.query_growth == 0) return 1;
  const std::int64_t lengths = std::max<std::int64_t>(position, 0) / rope.query_growth_length;
  return 1 + rope.query_growth * std::log1p(static_cast<double>(lengths));
}

RopeFrequenciesOf<double> exact_rope_frequencies(const RopeSettings& rope, std::int64_t positions) {
  const double base = rope.scaling == RopeScaling::Dynamic ? grown_base(rope, positions) : rope.base;
  RopeFrequenciesOf<double> result{plain_frequencies(base, rope.rotated), 1};
  std::vector<double>& frequency = result.frequency;
  switch (rope.scaling) {
    case RopeScaling::None:
    case RopeScaling::Dynamic: break;
    case RopeScaling::Linear:
      for (double& f : frequency) f /= rope.factor;
      break;
    case RopeScaling::Yarn:
      scale_yarn(rope, frequency);
      result.magnitude = rope.magnitude.value_or(rope.factor > 1 ? 0.1 * std::log(rope.factor) + 1 : 1.0);
      break;
    case RopeScaling::Llama3: scale_llama3(rope, frequency); break;
    case RopeScaling::LongRope: result.magnitude = rope.magnitude.value_or(grown_magnitude(rope)); break;
  }
  const bool is_short = rope.scaling == RopeScaling::LongRope && positions <= rope.trained_positions;
  const std::vector<float>& divisors = is_short ? rope.short_divisors : rope.divisors;
  for (std::size_t i = 0; i < divisors.size() && i < frequency.size(); ++i)
    frequency[i] /= static_cast<double>(divisors[i]);
  return result;
}

RopeFrequencies rope_frequencies(const RopeSettings& rope, std::int64_t positions) {
  const RopeFrequenciesOf<double> exact = exact_rope_frequencies(rope, positions);
  return {{exact.frequency.begin(), exact.frequency.end()}, static_cast<float>(exact.magnitude)};
}

}  // namespace attnscope
