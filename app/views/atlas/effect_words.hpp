// app/views/atlas: the names of the measures of an effect, and the format of their numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/kit/widgets/tip.hpp"

namespace attnscope {

/// The effect of zeroing a head: on the logit of the likeliest token, on the whole prediction (KL), on that
/// token's probability.
enum class EffectMeasure : std::uint8_t { Logit, Divergence, Probability };
struct EffectWords {
  std::string_view name;
  std::string (*written)(double);
  std::string (*in_map)(double);
  Tip tip;
};
const EffectWords& effect_words(EffectMeasure);

/// Of a probability, in percent: "+1.2".
std::string percent_with_sign(double value);
/// Of a divergence: "0.12", "3e−3".
std::string in_nats(double value);

}  // namespace attnscope
