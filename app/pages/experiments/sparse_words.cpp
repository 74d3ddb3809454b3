// app/pages/experiments: patterns that see few keys, paths, the same output, and what a weight adds.
#include <algorithm>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/experiments/words.hpp"
#include "core/experiments/quantities.hpp"

namespace attnscope {
namespace {

constexpr double no_limit = std::numeric_limits<double>::quiet_NaN();

std::string key_count_words(double value) { return grouped(std::llround(value)); }
std::string full_pattern_title(double) { return "all earlier keys"; }
std::string window_pattern_title(double keys) { return "the last " + key_count_words(keys); }

std::vector<std::string> sparse_sentences(const ExperimentNumbers& n) {
  using N = experiments::SparseNumbers;
  return {"The last " + own_number(key_count_words(n.value())) + " keys keep " +
              n.say(N::MassWindow, NumberForm::Share) + " of the weight, strided ones " +
              n.say(N::MassStrided, NumberForm::Share) + ", blocks with the first four " +
              n.say(N::MassBlocks, NumberForm::Share) + "; the best keys would keep " +
              n.say(N::MassBest, NumberForm::Share) + ".",
          "The output is off by " + n.say(N::ErrorWindow, NumberForm::Share) + ", " +
              n.say(N::ErrorStrided, NumberForm::Share) + " and " + n.say(N::ErrorBlocks, NumberForm::Share) +
              " of its norm: this head prefers near keys, so a window suits it.",
          "The window computes " + n.say(N::PairsB, NumberForm::Count) + " of " +
              n.say(N::PairsA, NumberForm::Count) +
              " scores; linear attention computes none, sees every key, and is off by " +
              n.say(N::ErrorLinear, NumberForm::Share) + ": it is another function, not an approximation."};
}

std::string attention_path_title(double) { return "attention: α"; }
std::string recurrent_path_title(double) { return "RNN: ‖∂hᵢ/∂hⱼ‖"; }

std::vector<std::string> path_sentences(const ExperimentNumbers& n) {
  using N = experiments::PathNumbers;
  return {"A token " + own_number(key_count_words(n.value())) + " back is " +
              n.say(N::StepsB, NumberForm::Count) + " steps away in an RNN, " +
              n.say(N::StepsCnn, NumberForm::Count) +
              " layers in a CNN of width 3, and one step in attention.",
          "The RNN lets through " + n.say(N::GradientB) + " of a gradient, the CNN " + n.say(N::GradientCnn) +
              " and attention " + n.say(N::GradientA) +
              ", which depends on the weight there, not on the distance.",
          "Over as many tokens the RNN takes " + n.say(N::WorkB, NumberForm::Count) +
              " multiply-adds, token after token, "
              "attention " +
              n.say(N::WorkA, NumberForm::Count) + " at once: fewer only while n is less than half of d."};
}

std::string part_words(double value) { return fixed(value, 1); }
std::string softmax_title(double) { return "softmax"; }
std::string moved_title(double) { return "other weights"; }

std::vector<std::string> same_sentences(const ExperimentNumbers& n) {
  using N = experiments::SameNumbers;
  return {n.say(N::MovedB, NumberForm::Share) +
              " of a row's weight lies elsewhere, and the output differs by " + n.say(N::OutputB) +
              " of its norm: rounding.",
          "At the end of the way 5 of 24 keys hold all of a row's weight: d_v + 1 keys can mix what any "
          "number of them mixes (Carathéodory), so weights cannot be read off the output when n > d_v + 1.",
          "In " + n.say(N::StrongestB, NumberForm::Share) +
              " of the rows another key is the strongest, and H / ln n goes from " + n.say(N::EntropyA) +
              " to " + n.say(N::EntropyB) + "."};
}

std::string fraction_words(double value) {
  if (value == 0 || value >= 1) return written_number(NumberForm::Whole, value);
  return "1/" + written_number(NumberForm::Whole, 1 / value);
}
std::string alpha_title(double) { return "α"; }
std::string adds_title(double) { return "‖α v W_O‖, of the row"; }

std::vector<std::string> contribution_sentences(const ExperimentNumbers& n) {
  using N = experiments::ContributionNumbers;
  return {"Key 0 takes " + n.say(N::WeightA, NumberForm::Share) + " of a row's weight on average, and adds " +
              n.say(N::ShareB, NumberForm::Share) + " of what all keys add.",
          "Without it an output would change by " + n.say(N::RemovedB, NumberForm::Share) +
              " of its norm, without the key of the next largest weight by " +
              n.say(N::RemovedA, NumberForm::Share) + ".",
          "Half of the weight lies on " + n.say(N::HalfA) + " keys, half of what is added comes from " +
              n.say(N::HalfB) + "; over a row the two correlate by " + n.say(N::Correlation) + "."};
}

}  // namespace

ExperimentWords sparse_words() {
  using N = experiments::SparseNumbers;
  using H = SeriesHue;
  return {.name = "sparse",
          .number = 4,
          .title = "Sparse and linear",
          .subtitle = "what they keep",
          .about =
              "256 causal tokens of a head that prefers near keys (slope 1/16), w keys for a query, weights "
              "renormalised; 6 seeds, lines are means of rows.",
          .symbol = "w",
          .axis = "w keys for a query, log",
          .value = key_count_words,
          .legend = {{"window", H::B},
                     {"full", H::A},
                     {"strided", H::Third},
                     {"blocks + first", H::Fourth},
                     {"best keys", H::Formula}},
          .plots = {{"Weight that is kept",
                     "",
                     {{N::MassWindow, H::B},
                      {N::MassStrided, H::Third},
                      {N::MassBlocks, H::Fourth},
                      {N::MassBest, H::Formula}},
                     false,
                     0,
                     1},
                    {"Error of the output",
                     "‖o′ − o‖ / ‖o‖",
                     {{N::ErrorWindow, H::B},
                      {N::ErrorStrided, H::Third},
                      {N::ErrorBlocks, H::Fourth},
                      {N::ErrorLinear, H::Baseline}},
                     false,
                     0,
                     no_limit,
                     NumberForm::Small,
                     "linear attention"},
                    {"Scores that are computed",
                     "",
                     {{N::PairsB, H::B}, {N::PairsA, H::A}},
                     true,
                     100,
                     100000,
                     NumberForm::Count},
                    {"Rows that keep their strongest key",
                     "",
                     {{N::FoundWindow, H::B}, {N::FoundStrided, H::Third}, {N::FoundBlocks, H::Fourth}},
                     false,
                     0,
                     1}},
          .columns = {{"error", "window", N::ErrorWindow, H::B},
                      {"error", "strided", N::ErrorStrided, H::Third},
                      {"error", "blocks", N::ErrorBlocks, H::Fourth},
                      {"error", "best", N::ErrorBest, H::Formula},
                      {"scores", "window", N::PairsB, H::B, NumberForm::Count}},
          .picture_a = full_pattern_title,
          .picture_b = window_pattern_title,
          .picture_high = 0.25f,
          .headline = {"scores computed", N::PairsA, N::PairsB, NumberForm::Count},
          .sentences = sparse_sentences,
          .thumb_a = {0.98f, 0.98f, 0.98f, 0.98f, 0.98f},
          .thumb_b = {0.15f, 0.4f, 0.65f, 0.9f, 0.98f}};
}

ExperimentWords path_words() {
  using N = experiments::PathNumbers;
  using H = SeriesHue;
  return {.name = "path",
          .number = 7,
          .title = "Path length",
          .subtitle = "RNN, CNN, attention",
          .about =
              "How far a token is from the output, at initialisation, width 32: a tanh RNN, causal tanh "
              "layers of width "
              "3, attention over 257 keys. 8 seeds: medians.",
          .symbol = "distance",
          .axis = "distance in tokens, log",
          .value = key_count_words,
          .legend = {{"RNN", H::B}, {"attention", H::A}, {"CNN of width 3", H::Third}},
          .plots = {{"Steps on the way",
                     "",
                     {{N::StepsB, H::B}, {N::StepsA, H::A}, {N::StepsCnn, H::Third}},
                     true,
                     1,
                     1000,
                     NumberForm::Count},
                    {"Gradient that arrives",
                     "‖∂output/∂token‖ / √width",
                     {{N::GradientB, H::B}, {N::GradientA, H::A}, {N::GradientCnn, H::Third}},
                     true,
                     1e-12,
                     1},
                    {"Products that wait for each other",
                     "over as many tokens",
                     {{N::SerialB, H::B}, {N::SerialA, H::A}, {N::SerialCnn, H::Third}},
                     true,
                     1,
                     1000,
                     NumberForm::Count},
                    {"Work of a layer or stack",
                     "multiply-adds",
                     {{N::WorkB, H::B}, {N::WorkA, H::A}, {N::WorkCnn, H::Third}},
                     true,
                     no_limit,
                     no_limit,
                     NumberForm::Count}},
          .columns = {{"steps", "RNN", N::StepsB, H::B, NumberForm::Count},
                      {"steps", "CNN", N::StepsCnn, H::Third, NumberForm::Count},
                      {"grad.", "RNN", N::GradientB, H::B},
                      {"grad.", "CNN", N::GradientCnn, H::Third},
                      {"grad.", "attention", N::GradientA, H::A}},
          .picture_title = "What reaches i from j",
          .picture_a = attention_path_title,
          .picture_b = recurrent_path_title,
          .picture_high = 0.25f,
          .headline = {"of the gradient", N::GradientA, N::GradientB},
          .sentences = path_sentences,
          .thumb_a = {0.8f, 0.8f, 0.8f, 0.8f, 0.8f},
          .thumb_b = {0.95f, 0.6f, 0.25f, 0.08f, 0.05f}};
}

ExperimentWords same_words() {
  using N = experiments::SameNumbers;
  using H = SeriesHue;
  return {
      .name = "same",
      .number = 9,
      .title = "Same output",
      .subtitle = "another picture",
      .about =
          "24 keys with values of 4 numbers: the weights move in a direction that changes neither the output "
          "nor their sum (the null space of [V, 1]), until as many as possible are 0. 12 seeds: means.",
      .symbol = "way",
      .axis = "share of the way",
      .value = part_words,
      .legend = {{"moved", H::B}, {"softmax", H::A}},
      .plots =
          {{"Weight that moved", "total variation, mean of rows", {{N::MovedB, H::B}}, false, 0, 1},
           {"Change of the output", "‖o′ − o‖ / ‖o‖", {{N::OutputB, H::B}}, true, 1e-17, 1},
           {"Entropy of a row", "H / ln 24", {{N::EntropyB, H::B}, {N::EntropyA, H::A}}, false, 0, 1},
           {"Largest weight in a row", "mean of rows", {{N::LargestB, H::B}, {N::LargestA, H::A}}, false, 0}},
      .columns = {{"moved", "", N::MovedB, H::B},
                  {"Δo", "", N::OutputB, H::B},
                  {"H", "", N::EntropyB, H::B},
                  {"max", "", N::LargestB, H::B},
                  {"other key", "", N::StrongestB, H::B, NumberForm::Share}},
      .picture_a = softmax_title,
      .picture_b = moved_title,
      .headline = {"largest weight", N::LargestA, N::LargestB},
      .sentences = same_sentences,
      .thumb_a = {0.05f, 0.05f, 0.05f, 0.05f, 0.05f},
      .thumb_b = {0.05f, 0.28f, 0.5f, 0.72f, 0.95f}};
}

ExperimentWords contribution_words() {
  using N = experiments::ContributionNumbers;
  using H = SeriesHue;
  return {
      .name = "contribution",
      .number = 10,
      .title = "Weight ≠ contribution",
      .subtitle = "α beside ‖α v W_O‖",
      .about =
          "48 queries and keys, 4 added to the logits of key 0, whose value has the chosen length, in "
          "lengths "
          "of the others; 12 seeds, lines are means of rows.",
      .symbol = "length",
      .axis = "length of key 0's value, log",
      .value = fraction_words,
      .legend = {{"without the next key", H::Fourth},
                 {"without key 0", H::Third},
                 {"contribution", H::B},
                 {"weight", H::A}},
      .plots = {{"Share of key 0", "of its row", {{N::ShareB, H::B}, {N::WeightA, H::A}}, false, 0, 1},
                {"Keys that hold half", "the largest first", {{N::HalfB, H::B}, {N::HalfA, H::A}}, false, 0},
                {"Weight and contribution agree",
                 "correlation over a row",
                 {{N::Correlation, H::B}},
                 false,
                 -1,
                 1},
                {"Change of the output without",
                 "key 0, and the next key",
                 {{N::RemovedB, H::Third}, {N::RemovedA, H::Fourth}},
                 false,
                 0}},
      .columns = {{"α", "key 0", N::WeightA, H::A},
                  {"share", "key 0", N::ShareB, H::B},
                  {"corr.", "", N::Correlation, H::B},
                  {"without", "key 0", N::RemovedB, H::Third},
                  {"without", "next key", N::RemovedA, H::Fourth}},
      .picture_title = "Weights, contributions",
      .picture_a = alpha_title,
      .picture_b = adds_title,
      .picture_high = 0.5f,
      .headline = {"share of key 0", N::WeightA, N::ShareB},
      .sentences = contribution_sentences,
      .thumb_a = {0.7f, 0.7f, 0.7f, 0.7f, 0.7f},
      .thumb_b = {0.03f, 0.1f, 0.2f, 0.45f, 0.8f}};
}

}  // namespace attnscope
