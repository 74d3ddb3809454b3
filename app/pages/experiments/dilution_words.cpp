// app/pages/experiments: one needle among n keys, and heads that share their keys.
#include "app/kit/ui/number_format.hpp"
#include "app/pages/experiments/words.hpp"
#include "core/experiments/quantities.hpp"

namespace attnscope {
namespace {

std::string count_words(double value) { return value < 10000 ? grouped(std::llround(value)) : metric(value); }
std::string as_it_is_title(double) { return "as it is"; }
std::string times_log_title(double) { return "× ln n / ln 10"; }

std::vector<std::string> dilution_sentences(const ExperimentNumbers& n) {
  using N = experiments::DilutionNumbers;
  return {"Among " + own_number(count_words(n.value())) +
              " keys with standard normal scores a needle with score 6 has the weight " + n.say(N::NeedleA) +
              "; among keys that all score 0 it would have " + n.say(N::Equal) + ".",
          "For half of the weight among keys that score 0 it has to score ln(n − 1) = " + n.say(N::Half) +
              " more than they do, which grows with n; its margin stays " + n.say(N::MarginA) + ".",
          "With logits times ln n / ln 10 the margin is " + n.say(N::MarginB) +
              " and the needle has the weight " + n.say(N::NeedleB) +
              ": the other scores grow as well, so this helps only a needle well above the largest of them."};
}

std::string grouped_title(double heads) {
  const std::string count = own_number(written_number(NumberForm::Whole, heads));
  if (heads == 1) return count + " key head";
  return count + " key heads";
}
std::string all_heads_title(double) { return "8 key heads"; }

std::vector<std::string> grouped_sentences(const ExperimentNumbers& n) {
  using N = experiments::GroupedNumbers;
  const bool same = n.value() == 8;
  std::vector<std::string> all{grouped_title(n.value()) + " for 8 query heads: the cache takes " +
                               n.say(N::BytesB, NumberForm::Bytes) + " a token instead of " +
                               n.say(N::BytesA, NumberForm::Bytes) + ", W_K and W_V have " +
                               n.say(N::ParametersB, NumberForm::Count) + " parameters instead of " +
                               n.say(N::ParametersA, NumberForm::Count) + "."};
  if (same) {
    all.emplace_back("Every query head has a key head of its own: nothing is shared, and nothing is lost.");
    return all;
  }
  all.push_back(
      "Heads that were drawn independently have nothing in common: with the mean of each group in their "
      "place the output is off by " +
      n.say(N::ErrorB, NumberForm::Share) + " of its norm, before any training.");
  all.push_back("Heads whose matrices correlate by 0.9 lose less, " +
                n.say(N::ErrorAlike, NumberForm::Share) +
                ": converting depends on how alike the heads are, and training afterwards makes up for most "
                "of it: this "
                "is no measure of a model that was trained with groups.");
  return all;
}

}  // namespace

ExperimentWords dilution_words() {
  using N = experiments::DilutionNumbers;
  using H = SeriesHue;
  return {
      .name = "dilution",
      .number = 11,
      .title = "Dilution",
      .subtitle = "one needle in n",
      .about =
          "One key, the needle, scores 6, n − 1 others are standard normal, 8 seeds: its weight as it is, "
          "and "
          "with "
          "logits multiplied by ln n / ln 10.",
      .symbol = "n",
      .axis = "n keys, log",
      .value = count_words,
      .legend = {{"× ln n / ln 10", H::B}, {"as it is", H::A}, {"others score 0", H::Formula}},
      .plots = {{"Weight on the needle",
                 "",
                 {{N::NeedleB, H::B}, {N::NeedleA, H::A}, {N::Equal, H::Formula}},
                 false,
                 0,
                 1,
                 NumberForm::Small,
                 "e^Δ/(e^Δ + n − 1)"},
                {"Margin of the needle",
                 "logits",
                 {{N::MarginB, H::B}, {N::MarginA, H::A}, {N::Half, H::Baseline}},
                 false,
                 0,
                 40,
                 NumberForm::Small,
                 "for half: ln(n − 1)"},
                {"Entropy of the row", "H / ln n", {{N::EntropyB, H::B}, {N::EntropyA, H::A}}, false, 0, 1},
                {"Needle over the next weight", "median", {{N::NextB, H::B}, {N::NextA, H::A}}, true}},
      .columns = {{"needle", "× ln n", N::NeedleB, H::B},
                  {"needle", "as it is", N::NeedleA, H::A},
                  {"Δ", "× ln n", N::MarginB, H::B},
                  {"Δ", "for half", N::Half, H::Baseline},
                  {"H", "× ln n", N::EntropyB, H::B},
                  {"H", "as it is", N::EntropyA, H::A}},
      .picture_a = as_it_is_title,
      .picture_b = times_log_title,
      .headline = {"weight on the needle", N::NeedleA, N::NeedleB},
      .sentences = dilution_sentences,
      .thumb_a = {0.95f, 0.9f, 0.5f, 0.12f, 0.05f},
      .thumb_b = {0.95f, 0.95f, 0.94f, 0.93f, 0.9f}};
}

ExperimentWords grouped_words() {
  using N = experiments::GroupedNumbers;
  using H = SeriesHue;
  return {
      .name = "grouped",
      .number = 13,
      .title = "Grouped heads",
      .subtitle = "converted without training",
      .about =
          "Converting without training: 8 query heads, causal, 64 tokens, d_model 64; each group of them "
          "shares the mean of its key and value heads, and nothing learns to live with that. Models are "
          "trained with groups, or trained further after this step (Ainslie et al. 2023). 12 seeds: lines "
          "are means.",
      .symbol = "key heads",
      .axis = "key heads",
      .value = count_words,
      .legend = {{"grouped", H::B}, {"8 key heads", H::A}, {"grouped, heads alike", H::Third}},
      .plots = {{"Cache for a token",
                 "float16, one layer",
                 {{N::BytesB, H::B}, {N::BytesA, H::A}},
                 false,
                 0,
                 300,
                 NumberForm::Bytes},
                {"Parameters",
                 "W_K and W_V",
                 {{N::ParametersB, H::B}, {N::ParametersA, H::A}},
                 false,
                 0,
                 10000,
                 NumberForm::Count},
                {"Error without training",
                 "‖C − C₈‖ / ‖C₈‖",
                 {{N::ErrorB, H::B}, {N::ErrorAlike, H::Third}},
                 false,
                 0,
                 1},
                {"Weight that moved",
                 "total variation, mean of rows",
                 {{N::DistanceB, H::B}, {N::DistanceAlike, H::Third}},
                 false,
                 0,
                 0.5}},
      .columns = {{"cache", "", N::BytesB, H::B, NumberForm::Bytes},
                  {"params", "", N::ParametersB, H::B, NumberForm::Count},
                  {"error", "unlike", N::ErrorB, H::B},
                  {"error", "alike", N::ErrorAlike, H::Third},
                  {"moved", "unlike", N::DistanceB, H::B}},
      .picture_a = all_heads_title,
      .picture_b = grouped_title,
      .picture_high = 0.25f,
      .headline = {"a token's cache", N::BytesA, N::BytesB, NumberForm::Bytes},
      .sentences = grouped_sentences,
      .thumb_a = {0.1f, 0.1f, 0.1f, 0.1f},
      .thumb_b = {0.1f, 0.55f, 0.75f, 0.85f}};
}

}  // namespace attnscope
