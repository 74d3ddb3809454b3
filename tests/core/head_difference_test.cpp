// Two runs compared head by head: against a naive decoder in double, and by properties of any comparison.
#include "core/readouts/pairs/head_difference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/analysis/total_variation.hpp"
#include "core/engine/model/difference_work.hpp"
#include "core/engine/model/model_difference.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/opened_models.hpp"
#include "core/readouts/text/prediction.hpp"
#include "core/small_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::head_difference_test {
namespace {

using Ids = std::vector<std::int64_t>;

TokenMatch all_rows(std::int64_t rows) { return {TokenMatch::Kind::Same, rows, rows, rows, 0}; }

/// From the definition: ½ Σ |a − b| over the pairs of keys, mean over the pairs of rows with a choice.
struct Naive {
  double distance = 0, uniform = 0, largest = 0;
  std::vector<double> rows;
};
Naive naive(const oracle::GptRows& a, const oracle::GptRows& b,
            const std::vector<std::pair<int, int>>& pairs) {
  Naive made;
  int counted = 0;
  for (const auto& [i, k] : pairs) {
    double sum = 0, from_uniform = 0;
    for (const auto& [j, l] : pairs) {
      const double own = a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      const double change = own - b[static_cast<std::size_t>(k)][static_cast<std::size_t>(l)];
      sum += std::abs(change);
      from_uniform += std::abs(own - (j <= i ? 1.0 / (i + 1) : 0.0));
      if (std::abs(change) > std::abs(made.largest)) made.largest = change;
    }
    made.rows.push_back(i == 0 && k == 0 ? NAN : sum / 2);
    if (i == 0 && k == 0) continue;
    made.distance += sum / 2;
    made.uniform += from_uniform / 2;
    ++counted;
  }
  made.distance /= counted;
  made.uniform /= counted;
  return made;
}

std::vector<std::pair<int, int>> pairs_of(const TokenMatch& match) {
  std::vector<std::pair<int, int>> pairs;
  for (std::int64_t i = 0; i < match.count(); ++i)
    pairs.emplace_back(static_cast<int>(match.in_a(i)), static_cast<int>(match.in_b(i)));
  return pairs;
}

struct Opened {
  test::TemporaryDirectory directory;
  oracle::GptWeights weights = small_models::gpt_weights();
  ThreadPool pool{2};
  Work work{pool, {}};
  ModelPtr model;

  Opened() {
    small_models::write_gpt(directory / "gpt", weights);
    model = open_model(directory / "gpt");
  }
  ModelRun run(const Ids& ids) const {
    ModelInput input;
    input.ids = ids;
    return run_model(*model, std::move(input), {}, work);
  }
  oracle::GptRun expected(const Ids& ids) const { return oracle::run_gpt(weights, {ids.begin(), ids.end()}); }
};

void check_texts(const Opened& o, const Ids& a, const Ids& b, int shift) {
  const TokenMatch match = match_tokens(a, b);
  const std::vector<std::pair<int, int>> pairs = pairs_of(match);
  const ModelRun x = o.run(a), y = o.run(b);
  const oracle::GptRun p = o.expected(a), q = o.expected(b);
  for (std::size_t layer = 0; layer + static_cast<std::size_t>(shift) < 3; ++layer) {
    const std::size_t other = layer + static_cast<std::size_t>(shift);
    for (std::int64_t h = 0; h < small_models::gpt_heads; ++h) {
      CAPTURE(layer, h, a, b);
      const auto head = static_cast<std::size_t>(h);
      const HeadDifference found =
          head_difference({*o.model, x, AttentionOf::Decoder, layer, h},
                          {*o.model, y, AttentionOf::Decoder, other, h}, match, match, o.work);
      const Naive wanted = naive(p.weights[layer][head], q.weights[other][head], pairs);
      CHECK(std::abs(found.distance - wanted.distance) < 1e-6);
      CHECK(std::abs(found.uniform - wanted.uniform) < 1e-6);
      CHECK(std::abs(static_cast<double>(found.largest) - wanted.largest) < 1e-6);
      REQUIRE(found.rows.size() == wanted.rows.size());
      for (std::size_t i = 0; i < wanted.rows.size(); ++i) {
        CHECK(std::isnan(found.rows[i]) == std::isnan(wanted.rows[i]));
        if (!std::isnan(wanted.rows[i]))
          CHECK(std::abs(static_cast<double>(found.rows[i]) - wanted.rows[i]) < 1e-6);
      }
      const std::int64_t query = *match.b_of(found.query), key = *match.b_of(found.key);
      const double change =
          p.weights[layer][head][static_cast<std::size_t>(found.query)][static_cast<std::size_t>(found.key)] -
          q.weights[other][head][static_cast<std::size_t>(query)][static_cast<std::size_t>(key)];
      CHECK(std::abs(change - wanted.largest) < 1e-6);
    }
    const std::vector<double> stream =
        relative_change(x.decoder.hidden[layer + 1], y.decoder.hidden[other + 1], match);
    REQUIRE(stream.size() == pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const oracle::GptRow& u = p.hidden[layer + 1][static_cast<std::size_t>(pairs[i].first)];
      const oracle::GptRow& v = q.hidden[other + 1][static_cast<std::size_t>(pairs[i].second)];
      double squares = 0, own = 0;
      for (std::size_t c = 0; c < u.size(); ++c) {
        squares += (u[c] - v[c]) * (u[c] - v[c]);
        own += u[c] * u[c];
      }
      CHECK(std::abs(stream[i] - std::sqrt(squares / own)) < 1e-5);
    }
  }
}

/// KL(p ‖ q) of two rows of logits.
double naive_divergence(const oracle::GptRow& a, const oracle::GptRow& b) {
  double sum_a = 0, sum_b = 0, found = 0;
  for (const double x : a) sum_a += std::exp(x);
  for (const double x : b) sum_b += std::exp(x);
  for (std::size_t i = 0; i < a.size(); ++i)
    found += std::exp(a[i]) / sum_a * (a[i] - b[i] + std::log(sum_b / sum_a));
  return found;
}

ModelReadingPtr reading_of(const ModelContext& within) {
  ModelEngine engine({}, 1);
  engine.submit(within, {.lens = false, .scores = false, .effects = false});
  engine.wait_idle();
  return engine.latest_good();
}

}  // namespace

TEST_CASE("tokens of two texts correspond by what they say", "[difference]") {
  const Ids text{1, 2, 3, 4, 5};
  CHECK(match_tokens(text, text) == all_rows(5));
  CHECK(match_tokens(text, Ids{1, 9, 3, 4, 5}) == TokenMatch{TokenMatch::Kind::Position, 5, 5, 5, 0});
  const TokenMatch longer = match_tokens(text, Ids{1, 2, 8, 9, 4, 5});
  CHECK(longer == TokenMatch{TokenMatch::Kind::Ends, 5, 6, 2, 2});
  CHECK(pairs_of(longer) == std::vector<std::pair<int, int>>{{0, 0}, {1, 1}, {3, 4}, {4, 5}});
  CHECK(longer.b_of(3) == 4);
  CHECK_FALSE(longer.b_of(2));
  CHECK(longer.a_of(4) == 3);
  CHECK_FALSE(longer.a_of(3));
  CHECK_FALSE(longer.a_of(6));
  // The common beginning is not counted again at the end.
  CHECK(match_tokens(Ids{1, 1}, Ids{1, 1, 1}) == TokenMatch{TokenMatch::Kind::Ends, 2, 3, 2, 0});
  CHECK(match_tokens(Ids{1, 2}, Ids{3, 4, 5}).count() == 0);
}

TEST_CASE("the distance of two rows of weights is half of what lies elsewhere", "[difference]") {
  const std::vector<float> a{0.5f, 0.5f, 0}, b{1, 0, 0}, c{0, 0, 1};
  CHECK(total_variation(a, b) == 0.5);
  CHECK(total_variation(a, c) == 1);
  CHECK(total_variation(a, a) == 0);
}

TEST_CASE("heads are compared as naive doubles compare them", "[difference]") {
  const Opened o;
  const Ids text{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
  Ids other = text, longer = text;
  std::ranges::reverse(other);
  longer.insert(longer.begin() + 4, {7, 8});
  check_texts(o, text, other, 0);   // by position
  check_texts(o, text, longer, 0);  // both ends
  check_texts(o, longer, text, 0);
  check_texts(o, text, text, 1);  // two layers
}

oracle::GptRows rows_of(const Tensor& weights) {
  oracle::GptRows rows;
  const auto matrix = weights.matrix();
  for (std::int64_t i = 0; i < matrix.rows(); ++i) {
    oracle::GptRow& row = rows.emplace_back();
    for (std::int64_t j = 0; j < matrix.cols(); ++j) row.push_back(static_cast<double>(matrix(i, j)));
  }
  return rows;
}

TEST_CASE("of long texts all rows are compared, a part at a time", "[difference]") {
  const test::TemporaryDirectory directory;
  small_models::write_other(directory / "bloom", "bloom");
  const ModelPtr model = open_model(directory / "bloom");
  ThreadPool pool(2);
  const Work work{pool, {}};
  ModelInput a, b;
  for (int i = 0; i < 300; ++i) a.ids.push_back((i * i + i / 7) % small_models::other_tokens);
  b.ids = a.ids;
  b.ids.erase(b.ids.begin() + 140, b.ids.begin() + 143);
  b.ids[139] = (b.ids[139] + 1) % small_models::other_tokens;
  const TokenMatch match = match_tokens(a.ids, b.ids);
  CHECK(match.kind == TokenMatch::Kind::Ends);
  CHECK(match.count() >= 290);
  const ModelRun x = run_model(*model, a, {}, work), y = run_model(*model, b, {}, work);
  for (std::int64_t h = 0; h < 4; ++h) {
    const HeadDifference found = head_difference({*model, x, AttentionOf::Decoder, 1, h},
                                                 {*model, y, AttentionOf::Decoder, 1, h}, match, match, work);
    const Naive wanted =
        naive(rows_of(head_weights(*model, x, AttentionOf::Decoder, 1, h, work)),
              rows_of(head_weights(*model, y, AttentionOf::Decoder, 1, h, work)), pairs_of(match));
    CHECK(found.distance > 0);
    CHECK(std::abs(found.distance - wanted.distance) < 1e-12);
    CHECK(std::abs(found.uniform - wanted.uniform) < 1e-12);
    CHECK(found.largest == static_cast<float>(wanted.largest));
    CHECK(std::ranges::count_if(found.rows, [](float row) { return std::isnan(row); }) == 1);
  }
}

TEST_CASE("a run compared with itself differs nowhere, and with a change from there on", "[difference]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  ModelContext within = opened_models::within_of(model, "abcabcab");
  const ModelReadingPtr a = reading_of(within);
  ModelDifferences differences({}, 1);
  CHECK_FALSE(differences.latest());
  differences.submit({compared_run(*a), compared_run(*a), 0, a->prediction->row});
  differences.wait_idle();
  ModelDifferencePtr found = differences.latest();
  REQUIRE(found);
  CHECK(found->is_complete);
  CHECK(found->error.empty());
  for (int layer = 0; layer < 3; ++layer)
    for (int h = 0; h < 4; ++h) CHECK(found->head(AttentionOf::Decoder, layer, h)->distance == 0);
  CHECK(found->divergences == std::vector<double>(8, 0.0));
  CHECK_FALSE(found->head(AttentionOf::Decoder, 3, 0));
  CHECK_FALSE(found->head(AttentionOf::Encoder, 0, 0));

  within.changes.blocks = {{.block = 1, .scale = 1}};
  const ModelReadingPtr b = reading_of(within);
  differences.submit({compared_run(*a), compared_run(*b), 0, a->prediction->row});
  differences.wait_idle();
  found = differences.latest();
  for (int h = 0; h < 4; ++h) {
    CHECK(found->head(AttentionOf::Decoder, 0, h)->distance == 0);
    CHECK(found->head(AttentionOf::Decoder, 1, h)->distance > 0);
    CHECK(found->head(AttentionOf::Decoder, 2, h)->distance > 0);
  }
  const ModelDifference::Attention& attention = found->attentions.front();
  REQUIRE(attention.stream.size() == 4);
  CHECK(*std::ranges::max_element(*attention.stream[1]) == 0);
  CHECK(*std::ranges::max_element(*attention.stream[2]) > 0);
  REQUIRE(found->divergences.size() == 8);
  CHECK(found->divergences[0] == 0);  // the first token sees itself alone
  CHECK(found->divergences.back() == divergence(a->prediction->after, b->prediction->after));
  REQUIRE(found->prediction);
  CHECK(found->prediction->a == a->prediction->after);
  CHECK(found->prediction->b == b->prediction->after);
  CHECK(found->prediction->top_b == b->prediction->top_after);
  CHECK(found->prediction->divergence == found->divergences.back());
  CHECK(found->prediction->log_sum_a == log_sum_exp(found->prediction->a));
  CHECK(found->prediction->log_sum_b == log_sum_exp(found->prediction->b));

  // Another row of the same runs: their heads are kept.
  differences.submit({compared_run(*a), compared_run(*b), 0, 3});
  differences.wait_idle();
  const ModelDifferencePtr row = differences.latest();
  CHECK(row->is_complete);
  CHECK(row->attentions.front().layers[1] == found->attentions.front().layers[1]);
  CHECK(row->prediction->row_a == 3);
  CHECK(row->prediction->divergence == found->divergences[3]);
}

TEST_CASE("predictions of two texts are apart as naive doubles say", "[difference]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  const oracle::GptWeights weights = small_models::gpt_weights();
  const ModelReadingPtr a = reading_of(opened_models::within_of(model, "abcdefgh")),
                        b = reading_of(opened_models::within_of(model, "abcabefgh"));
  const oracle::GptRun p = oracle::run_gpt(weights, {0, 1, 2, 3, 4, 5, 6, 7}),
                       q = oracle::run_gpt(weights, {0, 1, 2, 0, 1, 4, 5, 6, 7});
  ModelDifferences differences({}, 1);
  differences.submit({compared_run(*a), compared_run(*b), 0, a->prediction->row});
  differences.wait_idle();
  const ModelDifferencePtr found = differences.latest();
  const TokenMatch& rows = found->attentions.front().queries;
  REQUIRE(rows == TokenMatch{TokenMatch::Kind::Ends, 8, 9, 3, 4});
  REQUIRE(found->divergences.size() == 7);
  for (std::int64_t i = 0; i < 7; ++i) {
    const double wanted = naive_divergence(p.logits[static_cast<std::size_t>(rows.in_a(i))],
                                           q.logits[static_cast<std::size_t>(rows.in_b(i))]);
    CHECK(std::abs(found->divergences[static_cast<std::size_t>(i)] - wanted) < 1e-5);
  }
  CHECK(found->prediction->row_b == 8);
  CHECK(found->prediction->divergence == found->divergences.back());
}

TEST_CASE("what was stopped goes on where it was", "[difference]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  const ModelReadingPtr a = reading_of(opened_models::within_of(model, "abcdefgh")),
                        b = reading_of(opened_models::within_of(model, "abcabefgh"));
  ThreadPool pool(1);
  const Work work{pool, {}};
  DifferenceWork whole({compared_run(*a), compared_run(*b), 0, 7});
  whole.begin(nullptr);
  while (!whole.known().is_complete) whole.step(work);
  for (std::int64_t steps = 0; steps < whole.known().count; ++steps) {
    DifferenceWork begun(whole.known().asked);
    begun.begin(nullptr);
    for (std::int64_t i = 0; i < steps; ++i) begun.step(work);
    const auto known = std::make_shared<const ModelDifference>(begun.known());
    DifferenceWork rest(whole.known().asked);
    rest.begin(known);
    CHECK(rest.known().known == std::max<std::int64_t>(0, steps - 1));  // the prediction is computed again
    while (!rest.known().is_complete) rest.step(work);
    CHECK(rest.known().known == whole.known().known);
    CHECK(rest.known().divergences == whole.known().divergences);
    for (std::size_t layer = 0; layer < 3; ++layer)
      CHECK(rest.known().attentions.front().layers[layer]->at(1).distance ==
            whole.known().attentions.front().layers[layer]->at(1).distance);
  }
}

TEST_CASE("what B has no counterpart of is not compared", "[difference]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr gpt = opened_models::small_gpt(directory / "gpt");
  small_models::write_other(directory / "llama", "llama");
  const OpenedModelPtr llama = opened_models::with_letters(directory / "llama");
  const ModelReadingPtr a = reading_of(opened_models::within_of(gpt, "abcabcab")),
                        b = reading_of(opened_models::within_of(llama, "abcab"));
  ModelDifferences differences({}, 1);
  differences.submit({compared_run(*a), compared_run(*b), 0, a->prediction->row});
  differences.wait_idle();
  ModelDifferencePtr found = differences.latest();
  REQUIRE(found);
  CHECK(found->is_complete);
  const ModelDifference::Attention& attention = found->attentions.front();
  CHECK(attention.queries == TokenMatch{TokenMatch::Kind::Ends, 8, 5, 5, 0});
  CHECK(found->head(AttentionOf::Decoder, 1, 3));
  REQUIRE(attention.layers[2]);  // the model of two layers has no third
  CHECK(attention.layers[2]->empty());
  CHECK_FALSE(found->no_divergence.empty());
  REQUIRE(found->prediction);  // of the last tokens of both
  CHECK(found->prediction->row_a == 7);
  CHECK(found->prediction->row_b == 4);
  CHECK(std::isnan(found->prediction->divergence));
  CHECK(found->divergences.empty());

  // Two layers of one model: the last one has no counterpart.
  differences.submit({compared_run(*a), compared_run(*a), 1, a->prediction->row});
  differences.wait_idle();
  found = differences.latest();
  CHECK(found->head(AttentionOf::Decoder, 0, 0)->distance > 0);
  CHECK_FALSE(found->head(AttentionOf::Decoder, 2, 0));
  CHECK(found->divergences == std::vector<double>(8, 0.0));

  differences.forget();
  CHECK_FALSE(differences.latest());
  differences.submit({compared_run(*a), compared_run(*b), 0, a->prediction->row});
  differences.wait_idle();
  CHECK(differences.latest());
}

}  // namespace attnscope::head_difference_test
