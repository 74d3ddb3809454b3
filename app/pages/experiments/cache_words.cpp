// app/pages/experiments: the cache, what attention costs, and sinks.
#include "app/kit/ui/number_format.hpp"
#include "app/pages/experiments/words.hpp"
#include "core/experiments/quantities.hpp"

namespace attnscope {
namespace {

std::string tokens_words(double value) { return grouped(std::llround(value)); }
std::string all_keys_title(double) { return "all keys"; }
std::string kept_keys_title(double) { return "4 first + 60 last"; }

std::vector<std::string> cache_sentences(const ExperimentNumbers& n) {
  using N = experiments::CacheNumbers;
  std::vector<std::string> all{"Cost: the token after " + own_number(tokens_words(n.value())) + " costs " +
                               n.say(N::FlopsB, NumberForm::Count) + " FLOPs with the cache and " +
                               n.say(N::FlopsA, NumberForm::Count) +
                               " when the layer computes all tokens again; the cache takes " +
                               n.say(N::BytesB, NumberForm::Bytes) + "."};
  if (n.value() <= 64) {
    all.emplace_back("Eviction: the budget of 64 keys holds all tokens so far, nothing is evicted.");
    return all;
  }
  all.push_back("Eviction to 64 keys: keeping the last ones changes the output by " +
                n.say(N::WindowError, NumberForm::Share) + " of its norm, 4 first and 60 last by " +
                n.say(N::SinkError, NumberForm::Share) + ", 32 last and the 32 heaviest by " +
                n.say(N::HeavyError, NumberForm::Share) + ".");
  all.push_back("Eviction: of the full weights the last keys hold " +
                n.say(N::WindowMass, NumberForm::Share) + ", with the first ones " +
                n.say(N::SinkMass, NumberForm::Share) + ", the heaviest " +
                n.say(N::HeavyMass, NumberForm::Share) + ": it matters which keys stay, not only how many.");
  return all;
}

std::string weights_title(double) { return "n × n weights"; }
std::string tiles_title(double) { return "tiles, in order"; }

std::vector<std::string> cost_sentences(const ExperimentNumbers& n) {
  using N = experiments::CostNumbers;
  const double staged = n[N::MillisecondsA], streaming = n[N::MillisecondsB];
  std::vector<std::string> all{
      "Both ways do the same " + n.say(N::Flops, NumberForm::Count) + " FLOPs at n " +
          own_number(tokens_words(n.value())) +
          ", four times as many for twice the tokens; stage by stage, they move " +
          n.say(N::BytesA, NumberForm::Bytes) + ", streaming " + n.say(N::BytesB, NumberForm::Bytes) + ".",
      "Between Q, K, V and the output the stages hold " + n.say(N::HeldA, NumberForm::Bytes) +
          ": four matrices of n × n numbers (scores, scaled, masked, weights), " +
          ExperimentNumbers::said(n[N::HeldA] / 4, NumberForm::Bytes) +
          " each. Streaming holds a maximum and a sum for each query: " + n.say(N::HeldB, NumberForm::Bytes) +
          "."};
  if (std::isnan(staged))
    all.push_back("Measured here: " + ExperimentNumbers::said(streaming) +
                  " ms streaming; stage by stage is measured up to 2,048 tokens.");
  else
    all.push_back("Measured here on one thread: " + ExperimentNumbers::said(staged) + " ms stage by stage, " +
                  ExperimentNumbers::said(streaming) + " ms streaming; the outputs differ by at most " +
                  n.say(N::Difference) + ", float32 rounding.");
  return all;
}

std::string bonus_words(double value) { return tokens_words(value); }
std::string as_is_sink_title(double) { return "key 0 as it is"; }
std::string hidden_sink_title(double) { return "key 0 hidden"; }

std::vector<std::string> sink_sentences(const ExperimentNumbers& n) {
  using N = experiments::SinkNumbers;
  return {
      "With + " + own_number(bonus_words(n.value())) + " on its logits key 0 takes " +
          n.say(N::NowhereA, NumberForm::Share) +
          " of a row's weight, and its value is a tenth as long as the others: the head adds little, ‖o‖ = " +
          n.say(N::LengthA) + ".",
      "With key 0 hidden the others take that weight: the largest of them grows from " + n.say(N::LargestA) +
          " to " + n.say(N::LargestB) + ", and the output changes by " +
          n.say(N::ChangeB, NumberForm::Share) + " of its norm.",
      "A learned logit of the same size takes " + n.say(N::NowhereSink, NumberForm::Share) +
          " and changes the output by " + n.say(N::ChangeSink, NumberForm::Share) +
          "; a key of zeros, whose logit is always 0, takes " + n.say(N::NowhereZero, NumberForm::Share) +
          "."};
}

}  // namespace

ExperimentWords cache_words() {
  using N = experiments::CacheNumbers;
  using H = SeriesHue;
  return {.name = "cache",
          .number = 8,
          .title = "KV cache",
          .subtitle = "cost; eviction",
          .about =
              "Cost: a layer of d_model 512, 8 heads, float16. Eviction: one head with a sink, near keys and "
              "some "
              "wanted keys, 64 keys kept, 6 seeds.",
          .symbol = "tokens",
          .axis = "tokens so far, log",
          .value = tokens_words,
          .legend = {{"with cache", H::B},
                     {"without", H::A},
                     {"window", H::Fourth},
                     {"first + window", H::Third},
                     {"heaviest", H::Fifth}},
          .plots = {{"Cost: work for the next token",
                     "FLOPs",
                     {{N::FlopsB, H::B}, {N::FlopsA, H::A}},
                     true,
                     std::numeric_limits<double>::quiet_NaN(),
                     std::numeric_limits<double>::quiet_NaN(),
                     NumberForm::Count},
                    {"Cost: memory of the cache",
                     "one layer",
                     {{N::BytesB, H::B}, {N::BytesKept, H::Baseline}},
                     false,
                     0,
                     4.0 * 1024 * 1024,
                     NumberForm::Bytes,
                     "64 keys kept"},
                    {"Eviction: change of the output",
                     "‖o′ − o‖ / ‖o‖, 64 keys kept",
                     {{N::WindowError, H::Fourth}, {N::SinkError, H::Third}, {N::HeavyError, H::Fifth}},
                     false,
                     0},
                    {"Eviction: weight on the kept keys",
                     "share of the full weights",
                     {{N::WindowMass, H::Fourth}, {N::SinkMass, H::Third}, {N::HeavyMass, H::Fifth}},
                     false,
                     0,
                     1}},
          .columns = {{"FLOPs", "cached", N::FlopsB, H::B, NumberForm::Count},
                      {"FLOPs", "anew", N::FlopsA, H::A, NumberForm::Count},
                      {"error", "window", N::WindowError, H::Fourth},
                      {"error", "first +", N::SinkError, H::Third},
                      {"error", "heavy", N::HeavyError, H::Fifth}},
          .picture_a = all_keys_title,
          .picture_b = kept_keys_title,
          .picture_high = 0.25f,
          .headline = {"FLOPs for a token", N::FlopsA, N::FlopsB, NumberForm::Count},
          .sentences = cache_sentences,
          .thumb_a = {0.05f, 0.12f, 0.3f, 0.6f, 0.98f},
          .thumb_b = {0.05f, 0.07f, 0.1f, 0.12f, 0.15f}};
}

ExperimentWords cost_words() {
  using N = experiments::CostNumbers;
  using H = SeriesHue;
  constexpr double open = std::numeric_limits<double>::quiet_NaN();
  return {
      .name = "cost",
      .number = 3,
      .title = "Cost",
      .subtitle = "n², streaming, tiles",
      .about =
          "One head, dₖ 64, float32: stage by stage with n × n weights in memory, and streaming with a "
          "running "
          "maximum and sum. Times: this machine, one thread, median of 5.",
      .symbol = "n",
      .axis = "n tokens, log",
      .value = tokens_words,
      .legend = {{"streaming", H::B}, {"stage by stage", H::A}},
      .plots =
          {{"Bytes moved", "", {{N::BytesB, H::B}, {N::BytesA, H::A}}, true, open, open, NumberForm::Bytes},
           {"Memory held",
            "four n × n stages",
            {{N::HeldB, H::B}, {N::HeldA, H::A}},
            true,
            open,
            open,
            NumberForm::Bytes},
           {"Measured time",
            "ms",
            {{N::MillisecondsB, H::B}, {N::MillisecondsA, H::A}},
            true,
            open,
            open,
            NumberForm::Milliseconds},
           {.title = "Online softmax", .unit = "the last query, tile by tile", .draw = draw_online_row}},
      .columns = {{"FLOPs", "", N::Flops, H::A, NumberForm::Count},
                  {"memory", "streamed", N::HeldB, H::B, NumberForm::Bytes},
                  {"memory", "staged", N::HeldA, H::A, NumberForm::Bytes},
                  {"ms", "streamed", N::MillisecondsB, H::B},
                  {"ms", "staged", N::MillisecondsA, H::A}},
      .picture_title = "Weights and tiles",
      .picture_a = weights_title,
      .picture_b = tiles_title,
      .picture_high = 0.02f,
      .headline = {"memory held", N::HeldA, N::HeldB, NumberForm::Bytes},
      .sentences = cost_sentences,
      .computed = "float32",
      .repeats = "runs",
      .thumb_a = {0.03f, 0.1f, 0.25f, 0.55f, 0.98f},
      .thumb_b = {0.03f, 0.05f, 0.1f, 0.2f, 0.38f}};
}

ExperimentWords sinks_words() {
  using N = experiments::SinkNumbers;
  using H = SeriesHue;
  return {
      .name = "sinks",
      .number = 12,
      .title = "Sinks",
      .subtitle = "where the mass goes",
      .about =
          "64 causal tokens, scores with σ = 1, a bonus on the logits of key 0, whose value is a tenth as "
          "long as "
          "the others; 12 seeds, lines are means of rows.",
      .symbol = "bonus",
      .axis = "bonus of key 0, logits",
      .value = bonus_words,
      .legend = {{"key 0 hidden", H::B},
                 {"as it is", H::A},
                 {"zero key instead", H::Fourth},
                 {"learned logit instead", H::Third}},
      .plots =
          {{"Weight that goes nowhere",
            "key 0, zero key or logit",
            {{N::NowhereB, H::B},
             {N::NowhereA, H::A},
             {N::NowhereZero, H::Fourth},
             {N::NowhereSink, H::Third}},
            false,
            0,
            1},
           {"Largest weight on another key",
            "mean of rows",
            {{N::LargestB, H::B},
             {N::LargestA, H::A},
             {N::LargestZero, H::Fourth},
             {N::LargestSink, H::Third}},
            false,
            0},
           {"Length of the output",
            "‖o‖, mean of rows",
            {{N::LengthB, H::B}, {N::LengthA, H::A}, {N::LengthZero, H::Fourth}, {N::LengthSink, H::Third}},
            false,
            0},
           {"Change of the output",
            "‖o′ − o‖ / ‖o‖",
            {{N::ChangeB, H::B}, {N::ChangeZero, H::Fourth}, {N::ChangeSink, H::Third}},
            true}},
      .columns = {{"weight", "key 0", N::NowhereA, H::A},
                  {"weight", "zero key", N::NowhereZero, H::Fourth},
                  {"weight", "logit", N::NowhereSink, H::Third},
                  {"Δo", "hidden", N::ChangeB, H::B},
                  {"Δo", "logit", N::ChangeSink, H::Third}},
      .picture_a = as_is_sink_title,
      .picture_b = hidden_sink_title,
      .headline = {"largest other weight", N::LargestA, N::LargestB},
      .sentences = sink_sentences,
      .thumb_a = {0.05f, 0.2f, 0.6f, 0.9f, 0.98f},
      .thumb_b = {0.05f, 0.05f, 0.05f, 0.05f, 0.05f}};
}

}  // namespace attnscope
