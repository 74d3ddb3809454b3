// app/pages/experiments: masks right and wrong, precision and positions.
#include <algorithm>
#include <array>

#include "app/pages/experiments/words.hpp"
#include "core/experiments/quantities.hpp"

namespace attnscope {
namespace {

constexpr double as_numbers_ask = std::numeric_limits<double>::quiet_NaN();

std::string mask_way_words(double way) {
  constexpr std::array<std::string_view, 8> names{"−∞",    "−1e9",     "+ −1e9",     "finfo.min",
                                                  "after", "diagonal", "transposed", "none"};
  return std::string(names.at(static_cast<std::size_t>(way)));
}

std::string mask_way_sentence(double way) {
  constexpr std::array<std::string_view, 8> sentences{
      "Hidden scores become −∞ before the softmax: the right mask.",
      "Hidden scores are replaced by −1e9: their weights underflow to 0 unless a whole row is hidden.",
      "−1e9 is added to hidden scores: in float32 what is left of them is rounded to multiples of 64.",
      "Hidden scores are replaced by the least finite number of the precision, as torch.finfo(dtype).min.",
      "Weights are set to 0 after the softmax: the rows no longer sum to 1, and what was hidden still counts "
      "in "
      "the denominator.",
      "The diagonal is hidden as well, < in the place of ≤: no token sees itself, and the first sees "
      "nothing.",
      "Rows and columns are swapped: a query sees itself and what comes later.",
      "There is no mask: every query sees every key."};
  return std::string(sentences.at(static_cast<std::size_t>(way)));
}

std::string right_mask_title(double) { return "right: −∞"; }

std::string torch_sentence(const ExperimentNumbers& n) {
  using N = experiments::MaskNumbers;
  if (std::isnan(n[N::TorchA]))
    return "In PyTorch softmax makes the row NaN in both: where every score is −∞ it computes 0 ÷ 0.";
  if (n[N::TorchA] == 0)
    return "In PyTorch softmax shares the whole weight out among them, and the mask then sets it to 0.";
  if (std::isnan(n[N::TorchB]))
    return "In PyTorch softmax gives them " + n.say(N::TorchA, NumberForm::Share) +
           " in float32 and makes the row NaN in float16, where −1e9 is −∞: it computes 0 ÷ 0.";
  return "In PyTorch softmax gives them " + n.say(N::TorchA, NumberForm::Share) + " and " +
         n.say(N::TorchB, NumberForm::Share) + ": no score is −∞.";
}

std::vector<std::string> mask_sentences(const ExperimentNumbers& n) {
  using N = experiments::MaskNumbers;
  const double reach = std::max(n[N::ReachA], n[N::ReachB]);
  return {mask_way_sentence(n.value()),
          "On average " + n.say(N::LeakA, NumberForm::Share) +
              " of a row's weight lies on later keys; with another last token an earlier output moves by up "
              "to " +
              ExperimentNumbers::said(reach) +
              (reach > 0 ? ": the test that finds this mistake." : ": nothing leaks."),
          "A query with every key hidden gives the hidden keys " + n.say(N::EmptyA, NumberForm::Share) +
              " of its weight in float32, " + n.say(N::EmptyB, NumberForm::Share) +
              " in float16; the right answer is 0. " + torch_sentence(n)};
}

std::string sigma_words(double value) { return written_number(NumberForm::Whole, value); }
std::string half_error_title(double) { return "|error| in float16"; }
std::string brain_error_title(double) { return "|error| in bfloat16"; }

std::vector<std::string> precision_sentences(const ExperimentNumbers& n) {
  using N = experiments::PrecisionNumbers;
  const std::string sigma = own_number(sigma_words(n.value()));
  std::vector<std::string> all{"At σ " + sigma + " the scaled scores are off by up to " +
                               n.say(N::ScoreSingle) + " in float32 and " + n.say(N::ScoreBrain) +
                               " in bfloat16: an error of ε in a score multiplies its exponential by e^ε."};
  if (std::isnan(n[N::ScoreHalf]))
    all.emplace_back(
        "In float16 products q·k beyond 65504 become infinite before they are divided, and their rows NaN.");
  else
    all.push_back("In float16 they are off by up to " + n.say(N::ScoreHalf) +
                  ": its numbers have 11 significant bits, those of bfloat16 8.");
  all.push_back("The strongest key of a row is another one in " + n.say(N::WrongBrain, NumberForm::Share) +
                " of the rows in bfloat16, " + n.say(N::WrongHalf, NumberForm::Share) + " in float16 and " +
                n.say(N::WrongSingle, NumberForm::Share) + " in float32.");
  return all;
}

std::string scheme_words(double scheme) {
  constexpr std::array<std::string_view, 6> names{"none",    "sinusoidal", "learned",
                                                  "buckets", "ALiBi",      "RoPE"};
  return std::string(names.at(static_cast<std::size_t>(scheme)));
}
std::string in_order_title(double) { return "tokens in order"; }
std::string shuffled_title(double) { return "tokens shuffled"; }

std::vector<std::string> position_sentences(const ExperimentNumbers& n) {
  using N = experiments::PositionNumbers;
  const bool blind = n[N::ShuffledA] < 1e-4;
  return {blind ? "Without a causal mask shuffled tokens give the same outputs, shuffled: the order is not "
                  "seen at all; what is left, " +
                      n.say(N::ShuffledA) + ", is rounding."
                : "Without a causal mask, shuffling the tokens changes their outputs by " +
                      n.say(N::ShuffledA, NumberForm::Share) + " of their norm: the order is seen.",
          "With the causal mask shuffling changes them by " + n.say(N::ShuffledB, NumberForm::Share) +
              ": which keys a query sees depends on the order, whatever the positions are.",
          "Keys at most two tokens away get " + n.say(N::NearA, NumberForm::Share) + " of the weight, " +
              n.say(N::NearEven, NumberForm::Share) + " if weights were even; the positions move " +
              n.say(N::MovedA, NumberForm::Share) + " of a row's weight."};
}

}  // namespace

ExperimentWords masks_words() {
  using N = experiments::MaskNumbers;
  using H = SeriesHue;
  return {
      .name = "masks",
      .number = 2,
      .title = "Masks and mistakes",
      .subtitle = "−∞, −1e9, leaks",
      .about =
          "A causal mask of 16 tokens: with −∞, with finite numbers in its place, with mistakes, in float32 "
          "and "
          "float16; 8 seeds.",
      .symbol = "mask",
      .axis = "kind of mask",
      .value = mask_way_words,
      .legend = {{"float16", H::B}, {"float32", H::A}},
      .plots = {{"Weight on later keys", "mean of rows", {{N::LeakB, H::B}, {N::LeakA, H::A}}, false, 0, 1},
                {"Rows that do not sum to 1",
                 "largest |1 − Σ w|",
                 {{N::SumB, H::B}, {N::SumA, H::A}},
                 false,
                 0,
                 1},
                {"Reach of the last token",
                 "change of earlier outputs",
                 {{N::ReachB, H::B}, {N::ReachA, H::A}},
                 false,
                 0},
                {.title = "A row with every key hidden",
                 .unit = "weight it gives them in PyTorch",
                 .series = {{N::TorchB, H::B}, {N::TorchA, H::A}},
                 .low = 0,
                 .high = 1,
                 .nan = true}},
      .columns = {{"leak", "f32", N::LeakA, H::A},
                  {"reach", "f32", N::ReachA, H::A},
                  {"empty", "f32", N::EmptyA, H::A},
                  {"empty", "f16", N::EmptyB, H::B},
                  {"torch", "f32", N::TorchA, H::A, NumberForm::Small, true},
                  {"torch", "f16", N::TorchB, H::B, NumberForm::Small, true}},
      .picture_a = right_mask_title,
      .picture_b = mask_way_words,
      .headline = {"weight of an empty row", N::EmptyA, N::EmptyB},
      .sentences = mask_sentences,
      .kinds = true,
      .computed = "float32",
      .thumb_a = {0.05f, 0.05f, 0.05f, 0.05f, 0.05f},
      .thumb_b = {0.05f, 0.05f, 0.5f, 0.9f, 0.7f}};
}

ExperimentWords precision_words() {
  using N = experiments::PrecisionNumbers;
  using H = SeriesHue;
  return {.name = "precision",
          .number = 5,
          .title = "Precision",
          .subtitle = "per stage, to float64",
          .about =
              "64 queries and keys, dₖ 64, every stage stored in float32, bfloat16 or float16, sums in "
              "float32, "
              "compared with float64; 4 seeds. Scores spread by σ.",
          .symbol = "σ",
          .axis = "σ of the scaled scores, log",
          .value = sigma_words,
          .legend = {{"bfloat16", H::B}, {"float32", H::A}, {"float16", H::Third}},
          .plots = {{"Scores",
                     "largest |error|",
                     {{N::ScoreBrain, H::B}, {N::ScoreSingle, H::A}, {N::ScoreHalf, H::Third}},
                     true},
                    {"Weights",
                     "total variation, mean of rows",
                     {{N::WeightBrain, H::B}, {N::WeightSingle, H::A}, {N::WeightHalf, H::Third}},
                     true,
                     1e-8,
                     1},
                    {"Output",
                     "‖o − o₆₄‖ / ‖o₆₄‖",
                     {{N::OutputBrain, H::B}, {N::OutputSingle, H::A}, {N::OutputHalf, H::Third}},
                     true,
                     1e-8,
                     1},
                    {"Rows with another strongest key",
                     "or NaN",
                     {{N::WrongBrain, H::B}, {N::WrongSingle, H::A}, {N::WrongHalf, H::Third}},
                     false,
                     0,
                     1}},
          .columns = {{"scores", "bfloat16", N::ScoreBrain, H::B},
                      {"weights", "bfloat16", N::WeightBrain, H::B},
                      {"weights", "float16", N::WeightHalf, H::Third},
                      {"output", "bfloat16", N::OutputBrain, H::B},
                      {"output", "float32", N::OutputSingle, H::A}},
          .picture_title = "Errors of the weights",
          .picture_a = half_error_title,
          .picture_b = brain_error_title,
          .headline = {"error of the output", N::OutputHalf, N::OutputBrain},
          .sentences = precision_sentences,
          .computed = "float64",
          .thumb_a = {0.05f, 0.08f, 0.15f, 0.22f, 0.3f},
          .thumb_b = {0.3f, 0.45f, 0.6f, 0.8f, 0.95f}};
}

ExperimentWords positions_words() {
  using N = experiments::PositionNumbers;
  using H = SeriesHue;
  return {
      .name = "positions",
      .number = 6,
      .title = "Positions",
      .subtitle = "shuffle the tokens",
      .about =
          "32 random tokens through one layer of 4 heads, in order and shuffled, with each scheme of "
          "positions; 6 "
          "seeds, weights at initialisation.",
      .symbol = "positions",
      .axis = "scheme",
      .value = scheme_words,
      .legend = {{"causal", H::B}, {"every key seen", H::A}, {"even weights", H::Baseline}},
      .plots = {{"Change of outputs by shuffling",
                 "of their norm, log",
                 {{N::ShuffledB, H::B}, {N::ShuffledA, H::A}},
                 true,
                 1e-8,
                 10},
                {"Weight on near keys",
                 "at most 2 away",
                 {{N::NearB, H::B}, {N::NearA, H::A}, {N::NearEven, H::Baseline}},
                 false,
                 0,
                 as_numbers_ask,
                 NumberForm::Small,
                 ""},
                {"Weight that positions move",
                 "total variation",
                 {{N::MovedB, H::B}, {N::MovedA, H::A}},
                 false,
                 0},
                {"Entropy of a row", "H / ln keys", {{N::EntropyB, H::B}, {N::EntropyA, H::A}}, false, 0, 1}},
      .columns = {{"shuffle", "all keys", N::ShuffledA, H::A},
                  {"shuffle", "causal", N::ShuffledB, H::B},
                  {"near", "all keys", N::NearA, H::A},
                  {"moved", "all keys", N::MovedA, H::A}},
      .picture_a = in_order_title,
      .picture_b = shuffled_title,
      .headline = {"change by shuffling", N::ShuffledA, N::ShuffledB},
      .sentences = position_sentences,
      .kinds = true,
      .computed = "float32",
      .thumb_a = {0.05f, 0.7f, 0.7f, 0.4f, 0.6f},
      .thumb_b = {0.5f, 0.8f, 0.8f, 0.6f, 0.7f}};
}

}  // namespace attnscope
