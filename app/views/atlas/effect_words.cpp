#include "app/views/atlas/effect_words.hpp"

#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/views/atlas/head_numbers.hpp"

namespace attnscope {

std::string percent_with_sign(double value) {
  const std::string number = fixed(100 * std::abs(value), 1);
  return (value < 0 && number != "0.0" ? "−" : "+") + number;
}
std::string in_nats(double value) { return value >= 0.0095 ? fixed(value, 2) : tight(value); }

const EffectWords& effect_words(EffectMeasure measure) {
  static constexpr std::array<EffectWords, 3> all{
      {{"Δ logit",
        with_sign,
        with_sign_in_cell,
        {"Δ logit",
         "with − without",
         "How the logit of the likeliest token changes when the head is zeroed.",
         {}}},
       {"KL",
        in_nats,
        in_nats,
        {"Kullback–Leibler divergence",
         "Σ p ln(p / q)",
         "How far the prediction without the head, q, is from the model's own, p, in nats.",
         {}}},
       {"Δ p %",
        percent_with_sign,
        percent_with_sign,
        {"Δ probability",
         "with − without",
         "How the probability of the likeliest token changes when the head is zeroed, in percent.",
         {}}}}};
  return all[static_cast<std::size_t>(measure)];
}

}  // namespace attnscope
