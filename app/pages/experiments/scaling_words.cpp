// app/pages/experiments: why √dₖ, and temperature.
#include "app/kit/ui/number_format.hpp"
#include "app/pages/experiments/words.hpp"
#include "core/experiments/quantities.hpp"

namespace attnscope {
namespace {

std::string whole_words(double value) { return grouped(std::llround(value)); }

std::string divided_title(double d_k) {
  return "divided by " + own_number(written_number(NumberForm::Whole, std::sqrt(d_k)));
}
std::string not_divided_title(double) { return "not divided"; }

std::vector<std::string> scaling_sentences(const ExperimentNumbers& n) {
  using N = experiments::ScalingNumbers;
  const std::string d_k = own_number(whole_words(n.value()));
  return {
      "At dₖ " + d_k + " the scores have σ = " + n.say(N::SpreadB) + " before the division, where √dₖ is " +
          own_number(written_number(NumberForm::Whole, std::sqrt(n.value()))) +
          ", and σ = " + n.say(N::SpreadA) + " after it: softmax then gets the same spread at every width.",
      "The score gradient of the median row is " + n.say(N::GradientB) + " without the division and " +
          n.say(N::GradientA) + " with it; it is below 1e−6 in " + n.say(N::StillB, NumberForm::Share) +
          " of the rows without, in " + n.say(N::StillA, NumberForm::Share) + " with the division.",
      "The gradient of Q as a whole does not vanish: ‖∂L/∂Q‖ is " + n.say(N::QueryGradientB) +
          " without the division and " + n.say(N::QueryGradientA) +
          " with it: rows with nearly equal largest scores keep a large gradient."};
}

std::string tau_words(double value) {
  return value >= 1 ? whole_words(value) : "1/" + whole_words(1 / value);
}
std::string plain_title(double) { return "no cap"; }
std::string capped_title(double) { return "capped at 1"; }

std::vector<std::string> temperature_sentences(const ExperimentNumbers& n) {
  using N = experiments::TemperatureNumbers;
  std::vector<std::string> all{
      "At τ " + own_number(tau_words(n.value())) + " a row is as even as " + n.say(N::KeysA) +
      " equal weights (e^H) of 64 keys, and its largest weight is " + n.say(N::LargestA) + "."};
  if (const double eighth = n.at_value(1. / 8, N::KeysA); !std::isnan(eighth))
    all.push_back(
        "Scores that are not divided by √64 are the divided ones at τ 1/8: there a row is as even as " +
        ExperimentNumbers::said(eighth) + " equal weights.");
  all.push_back("With the soft-cap c = 1 no weight is more than e^(2c/τ) = " + n.say(N::BoundB) +
                " times another of its row: the largest is " + n.say(N::RatioB) +
                " times the least here, and " + n.say(N::RatioA) + " times without the cap.");
  return all;
}

}  // namespace

ExperimentWords scaling_words() {
  using N = experiments::ScalingNumbers;
  using H = SeriesHue;
  return {
      .name = "scaling",
      .number = 1,
      .title = "Why √dₖ",
      .subtitle = "spread, weight, gradient",
      .about =
          "64 queries and 64 keys, every entry standard normal, 24 seeds: lines are means (gradient: "
          "medians), bands run from least to largest seed. The loss is L = Σ g·α, with standard normal g for "
          "the "
          "weights α.",
      .symbol = "dₖ",
      .axis = "dₖ, log",
      .value = whole_words,
      .legend = {{"not divided", H::B}, {"divided by √dₖ", H::A}},
      .plots = {{"Spread of scores",
                 "σ",
                 {{N::SpreadB, H::B}, {N::SpreadA, H::A}, {N::Root, H::Formula}},
                 true,
                 0.5,
                 50,
                 NumberForm::Small,
                 "√dₖ"},
                {"Largest weight in a row",
                 "mean of rows",
                 {{N::LargestB, H::B}, {N::LargestA, H::A}},
                 false,
                 0,
                 1},
                {"Entropy of a row", "H / ln 64", {{N::EntropyB, H::B}, {N::EntropyA, H::A}}, false, 0, 1},
                {"Score gradient of a row",
                 "median ‖∂L/∂s‖, L = Σ g·α",
                 {{N::GradientB, H::B}, {N::GradientA, H::A}},
                 true,
                 1e-4,
                 1}},
      .columns = {{"σ", "q·k", N::SpreadB, H::B},
                  {"σ", "÷ √dₖ", N::SpreadA, H::A},
                  {"max", "q·k", N::LargestB, H::B},
                  {"max", "÷ √dₖ", N::LargestA, H::A},
                  {"H", "q·k", N::EntropyB, H::B},
                  {"H", "÷ √dₖ", N::EntropyA, H::A},
                  {"‖∂s‖", "q·k", N::GradientB, H::B}},
      .picture_a = divided_title,
      .picture_b = not_divided_title,
      .picture_high = 0.25f,
      .headline = {"largest weight", N::LargestA, N::LargestB},
      .sentences = scaling_sentences,
      .thumb_a = {0.9f, 0.9f, 0.9f, 0.9f, 0.9f},
      .thumb_b = {0.9f, 0.75f, 0.4f, 0.18f, 0.1f}};
}

ExperimentWords temperature_words() {
  using N = experiments::TemperatureNumbers;
  using H = SeriesHue;
  return {
      .name = "temperature",
      .number = 14,
      .title = "Temperature",
      .subtitle = "an entropy dial",
      .about =
          "softmax(s/τ) of 64 scores with σ = 1, and with a soft-cap before it: c·tanh(s/c), c = 1. "
          "24 seeds; lines are means, of gradients medians. The loss is L = Σ g·α, with standard normal g "
          "for the "
          "weights α.",
      .symbol = "τ",
      .axis = "τ, log",
      .value = tau_words,
      .legend = {{"with soft-cap", H::B}, {"without", H::A}},
      .plots = {{"Entropy of a row", "H / ln 64", {{N::EntropyB, H::B}, {N::EntropyA, H::A}}, false, 0, 1},
                {"Largest weight in a row",
                 "mean of rows",
                 {{N::LargestB, H::B}, {N::LargestA, H::A}},
                 false,
                 0,
                 1},
                {"Largest weight over least",
                 "of a row, mean of seeds",
                 {{N::RatioB, H::B}, {N::RatioA, H::A}, {N::BoundB, H::Formula}},
                 true,
                 1,
                 1e12,
                 NumberForm::Small,
                 "e^(2c/τ)"},
                {"Score gradient of a row",
                 "median ‖∂L/∂(s/τ)‖, L = Σ g·α",
                 {{N::GradientB, H::B}, {N::GradientA, H::A}},
                 true,
                 1e-3,
                 1}},
      .columns = {{"H", "capped", N::EntropyB, H::B},
                  {"H", "no cap", N::EntropyA, H::A},
                  {"max", "capped", N::LargestB, H::B},
                  {"max", "no cap", N::LargestA, H::A},
                  {"e^H", "capped", N::KeysB, H::B},
                  {"e^H", "no cap", N::KeysA, H::A}},
      .picture_a = plain_title,
      .picture_b = capped_title,
      .picture_high = 0.25f,
      .headline = {"effective keys", N::KeysA, N::KeysB},
      .sentences = temperature_sentences,
      .thumb_a = {0.05f, 0.2f, 0.75f, 0.95f, 0.98f},
      .thumb_b = {0.5f, 0.8f, 0.93f, 0.97f, 0.98f}};
}

}  // namespace attnscope
