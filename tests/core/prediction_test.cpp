// Predictions, likelihoods and sampled tokens against sums by hand.
#include "core/readouts/text/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/readouts/likelihood.hpp"
#include "core/readouts/text/sampling.hpp"
#include "core/small_models.hpp"
#include "oracle/rows.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::prediction_test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

float log_of(double p) { return static_cast<float>(std::log(p)); }

}  // namespace

TEST_CASE("single probabilities of logits are those of the oracle's softmax", "[readouts]") {
  const std::vector<float> logits{0.25f, -3.5f, 88, 90.5f, -1000, 12, 90.5f};
  oracle::RowProblem row{
      .keys = logits.size(), .q = {1}, .k = {}, .v = {}, .sinks = {}, .sees = {}, .added = {}};
  row.k.assign(logits.begin(), logits.end());  // one query of one number: the scores are the logits
  row.v.assign(logits.size(), 0);
  const oracle::RowAnswer expected = oracle::attend_row(row, 0, 0);
  const Softmax p(logits);
  const std::vector<double> logs = log_softmax(logits);
  CHECK(std::abs(log_sum_exp(logits) - expected.log_sum_exp) <= 1e-12 * std::abs(expected.log_sum_exp));
  for (std::size_t i = 0; i < logits.size(); ++i) {
    CHECK(std::abs(p[i] - expected.weights[i]) <= 1e-12 * expected.weights[i]);
    CHECK(p[i] == std::exp(logs[i]));
    CHECK(p[i] == Softmax(logits, log_sum_exp(logits))[i]);
  }
  CHECK(log_sum_exp({}) == -INFINITY);
}

TEST_CASE("a distribution is read: order, ranks, entropy, divergence", "[readouts]") {
  const std::vector<float> p{log_of(0.25), log_of(0.5), log_of(0.25), -infinity};
  const std::vector<float> q{3 + log_of(0.5), 3 + log_of(0.25), 3 + log_of(0.125), 3 + log_of(0.125)};
  const std::vector<double> logs = log_softmax(q);
  CHECK(std::abs(logs[0] - std::log(0.5)) < 1e-6);
  CHECK(std::abs(logs[3] - std::log(0.125)) < 1e-6);
  const std::vector<PredictedToken> top = likeliest(p, 3);
  REQUIRE(top.size() == 3);
  CHECK(top[0].id == 1);
  CHECK(top[1].id == 0);  // of equal ones the smaller id
  CHECK(top[2].id == 2);
  CHECK(std::abs(top[0].log_probability - std::log(0.5)) < 1e-6);
  CHECK(top[0].probability() == std::exp(top[0].log_probability));
  CHECK(likeliest(p, 10).size() == 4);
  CHECK(rank_of(p, 1) == 1);
  CHECK(rank_of(p, 0) == 2);
  CHECK(rank_of(p, 2) == 3);
  CHECK(rank_of(p, 3) == 4);
  CHECK(ranks_of(p) == std::vector<std::int64_t>{2, 1, 3, 4});
  CHECK(ranks_of(q) == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(ranks_of({}).empty());
  CHECK(std::abs(prediction_entropy(p) - 1.5 * std::log(2)) < 1e-6);
  // .25 ln .5 + .5 ln 2 + .25 ln 2
  CHECK(std::abs(divergence(p, q) - 0.5 * std::log(2)) < 1e-6);
  CHECK(divergence(p, p) == 0);
  CHECK(divergence(q, p) == std::numeric_limits<double>::infinity());
  const PredictionChange change = prediction_change(p, q, 2);
  CHECK(change.divergence == divergence(p, q));
  CHECK(change.top_before == 1);
  CHECK(change.top_after == 0);
  CHECK(std::abs(change.top_logit_change - (3 - std::log(2))) < 1e-6);
  CHECK(std::abs(change.difference_change) < 1e-6);  // both fell by as much
}

TEST_CASE("where logits hold NaN no token is likelier than another", "[readouts]") {
  const std::vector<float> numbers{1, 0, 2, 0.5f};
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    std::vector<float> logits = numbers;
    logits[at] = std::nanf("");
    INFO(at);
    const std::vector<PredictedToken> top = likeliest(logits, 3);
    REQUIRE(top.size() == 1);
    CHECK(top[0].id == not_a_token);
    CHECK(std::isnan(top[0].logit));
    CHECK(std::isnan(top[0].log_probability));
    CHECK(std::isnan(divergence(logits, numbers)));
    CHECK(std::isnan(divergence(numbers, logits)));
    const PredictionChange change = prediction_change(numbers, logits, 0);
    CHECK(change.top_before == 2);
    CHECK(change.top_after == not_a_token);
    CHECK(std::isnan(change.top_logit_change));
    CHECK(std::isnan(change.difference_change));
    CHECK(prediction_change(logits, numbers, 0).top_before == not_a_token);
  }
}

TEST_CASE("a text's likelihood is that of its tokens", "[readouts]") {
  const test::TemporaryDirectory directory;
  const oracle::GptWeights weights = small_models::gpt_weights();
  small_models::write_gpt(directory / "gpt", weights);
  const ModelPtr model = open_model(directory / "gpt");
  ThreadPool pool(2);
  const Work work{pool, {}};
  ModelInput input;
  input.ids = small_models::some_ids(14, small_models::gpt_tokens);
  const oracle::GptRun expected = oracle::run_gpt(weights, {input.ids.begin(), input.ids.end()});
  std::vector<double> losses;
  double sum = 0;
  for (std::size_t i = 1; i < input.ids.size(); ++i) {
    double all = 0;
    for (const double x : expected.logits[i - 1]) all += std::exp(x);
    losses.push_back(std::log(all) - expected.logits[i - 1][static_cast<std::size_t>(input.ids[i])]);
    sum += losses.back();
  }
  // With the run's logits, and from the stream alone.
  for (const LogitRows logits : {LogitRows::All, LogitRows::None}) {
    const TextLikelihood text =
        likelihood_of(*model, run_model(*model, input, {.logits = logits}, work), work);
    REQUIRE(text.tokens.size() == 14);
    CHECK(std::isnan(text.tokens[0]));
    for (std::size_t i = 1; i < 14; ++i) CHECK(std::abs(text.tokens[i] - losses[i - 1]) < 1e-5);
    CHECK(std::abs(text.mean - sum / 13) < 1e-5);
    CHECK(std::abs(text.perplexity / std::exp(sum / 13) - 1) < 1e-5);
    const std::vector<ContextBin> bins = likelihood_by_context(text);
    REQUIRE(bins.size() == 4);  // 1, 2–3, 4–7, 8–13
    CHECK(bins[1].from == 2);
    CHECK(bins[1].tokens == 2);
    CHECK(std::abs(bins[1].mean - (losses[1] + losses[2]) / 2) < 1e-5);
    CHECK(bins[3].tokens == 6);
  }
  const auto masked = masked_predictions(*model, run_model(*model, input, {}, work), input.ids[3], 2, work);
  REQUIRE(masked.size() == static_cast<std::size_t>(std::ranges::count(input.ids, input.ids[3])));
  const auto& row = expected.logits[static_cast<std::size_t>(masked[0].row)];
  CHECK(masked[0].tokens[0].id == std::ranges::max_element(row) - row.begin());
}

TEST_CASE("a rank is the number of logits before it, by size and then by id", "[readouts]") {
  std::mt19937 random(4);
  for (int round = 0; round < 50; ++round) {
    std::vector<float> logits(1 + random() % 60);
    for (float& logit : logits)
      logit = random() % 9 == 0 ? std::nanf("") : static_cast<float>(random() % 8);  // many are equal
    for (std::size_t id = 0; id < logits.size(); ++id) {
      std::int64_t before = 0;
      for (std::size_t i = 0; i < logits.size(); ++i)
        before += logits[i] > logits[id] || (logits[i] == logits[id] && i < id);
      CHECK(rank_of(logits, static_cast<std::int64_t>(id)) == before + 1);
    }
  }
}

TEST_CASE("tokens are drawn as often as their probabilities say", "[readouts][sampling]") {
  const std::vector<float> logits{log_of(0.1), log_of(0.4), log_of(0.3), log_of(0.2), std::nanf("")};
  const auto shares = [&](const SamplingSettings& settings) {
    std::array<double, 5> counts{};
    constexpr int draws = 20'000;
    for (std::uint64_t i = 0; i < draws; ++i)
      counts[static_cast<std::size_t>(sample(logits, settings, i))] += 1.0 / draws;
    return counts;
  };
  const auto near = [](const std::array<double, 5>& found, const std::array<double, 5>& expected) {
    for (std::size_t i = 0; i < 5; ++i)
      CHECK(std::abs(found[i] - expected[i]) < 0.015);  // four standard errors
  };
  near(shares({.temperature = 1, .seed = 3}), {0.1, 0.4, 0.3, 0.2, 0});
  const double half = 0.1 * 0.1 + 0.4 * 0.4 + 0.3 * 0.3 + 0.2 * 0.2;
  near(shares({.temperature = 0.5, .seed = 3}), {0.01 / half, 0.16 / half, 0.09 / half, 0.04 / half, 0});
  near(shares({.temperature = 1, .top_k = 2}), {0, 4.0 / 7, 3.0 / 7, 0, 0});
  near(shares({.temperature = 1, .top_p = 0.75}), {0, 4.0 / 9, 3.0 / 9, 2.0 / 9, 0});
  near(shares({.temperature = 1, .top_p = 0.01}), {0, 1, 0, 0, 0});
  near(shares({.temperature = 0}), {0, 1, 0, 0, 0});
}

TEST_CASE("a seed gives the same tokens for ever", "[readouts][sampling]") {
  std::vector<float> logits;
  for (int i = 0; i < 1'000; ++i) logits.push_back(static_cast<float>(i * 7919 % 1'000) / 100);
  std::vector<std::int64_t> drawn;
  for (std::uint64_t i = 0; i < 8; ++i) drawn.push_back(sample(logits, {.temperature = 0.8, .seed = 42}, i));
  CHECK(drawn == std::vector<std::int64_t>{373, 422, 556, 742, 877, 372, 877, 113});
  CHECK_THROWS_AS(sample(logits, {.temperature = -1}, 0), Error);
  CHECK_THROWS_AS(sample(logits, {.temperature = 1, .top_k = -1}, 0), Error);
  CHECK_THROWS_AS(sample(logits, {.temperature = 1, .top_p = 0}, 0), Error);
  CHECK_THROWS_AS(sample(std::vector<float>{std::nanf("")}, {}, 0), Error);
}

}  // namespace attnscope::prediction_test
