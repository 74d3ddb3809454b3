// Every stage against the float64 oracle, over many seeded shapes and masks, in float through the CPU backend
// and in double through the stage functions.
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "core/compare.hpp"
#include "core/pipeline.hpp"
#include "core/reference.hpp"
#include "core/samples.hpp"
#include "core/stages/projections.hpp"
#include "core/stages/scores.hpp"
#include "core/stages/softmax.hpp"
#include "oracle/oracle.hpp"

namespace attnscope {
namespace {

using compare::difference;
using compare::in_double;

// A stage in float rounds each of up to some hundred terms: 1e-5 of the largest value is far above that and
// far below what any mistake in a formula would leave.
constexpr double float_tolerance = 1e-5;
constexpr double double_tolerance = 1e-13;

std::size_t unsigned_(std::int64_t value) { return static_cast<std::size_t>(value); }

/// A random additive mask: some finite values, some -inf, sometimes a whole row hidden.
TensorPtr random_additive(samples::Random& random, const Dimensions& size) {
  auto made = std::make_shared<Tensor>(
      Shape{random.coin() ? size.batch : 1, random.coin() ? size.heads : 1, size.queries, size.keys});
  for (std::int64_t row = 0; row < made->size() / size.keys; ++row) {
    const bool dead = random.between(0, 9) == 0;
    for (std::int64_t key = 0; key < size.keys; ++key) {
      float& value = made->values()[unsigned_(row * size.keys + key)];
      value = dead || random.between(0, 3) == 0 ? -std::numeric_limits<float>::infinity()
                                                : static_cast<float>(random.normal());
    }
  }
  return made;
}

void randomise_settings(samples::Random& random, Document& document) {
  document.scaling.kind = static_cast<Scaling::Kind>(random.between(0, 2));
  document.scaling.factor = static_cast<float>(random.normal());
  if (random.coin()) document.soft_cap = 0.5f + static_cast<float>(random.between(0, 40)) * 0.5f;
  document.masking.causal = random.coin();
  document.masking.padding = random.coin();
  document.temperature = random.coin() ? 1.0f : 0.3f + static_cast<float>(random.between(0, 30)) * 0.1f;
  if (random.between(0, 2) == 0) document.masking.additive = random_additive(random, check(document));
}

/// The settings of a Document and the sizes of its tensors, as the oracle reads them; q, k and v are still to
/// come.
oracle::Problem problem_of(const Document& document) {
  const Dimensions size = check(document);
  oracle::Problem problem{.batch = unsigned_(size.batch),
                          .heads = unsigned_(size.heads),
                          .kv_heads = unsigned_(size.kv_heads),
                          .queries = unsigned_(size.queries),
                          .keys = unsigned_(size.keys),
                          .d_k = unsigned_(size.d_k),
                          .d_v = unsigned_(size.d_v),
                          .q = {},
                          .k = {},
                          .v = {},
                          .scale = 1,
                          .causal = document.masking.causal,
                          .lengths = {},
                          .additive = {},
                          .temperature = static_cast<double>(document.temperature),
                          .soft_cap = static_cast<double>(document.soft_cap)};
  if (document.scaling.kind == Scaling::Kind::InverseSqrtDk)
    problem.scale = 1 / std::sqrt(static_cast<double>(size.d_k));
  if (document.scaling.kind == Scaling::Kind::Factor)
    problem.scale = static_cast<double>(document.scaling.factor);
  if (document.masking.padding && !document.input.given) {
    for (const Sequence& sequence : document.input.sequences)
      problem.lengths.push_back(sequence.tokens.size());
  }
  if (const TensorPtr& additive = document.masking.additive) {
    for (std::int64_t b = 0; b < size.batch; ++b)
      for (std::int64_t h = 0; h < size.heads; ++h) {
        const auto block =
            additive->matrix(additive->shape()[0] == 1 ? 0 : b, additive->shape()[1] == 1 ? 0 : h);
        for (std::int64_t i = 0; i < size.queries; ++i)
          for (std::int64_t j = 0; j < size.keys; ++j)
            problem.additive.push_back(static_cast<double>(block(i, j)));
      }
  }
  return problem;
}

void check_attention(const Trace& trace, const Measures& measures, const oracle::Answer& expected) {
  CHECK(difference(*trace[Stage::Score], expected.score, float_tolerance) == "");
  CHECK(difference(*trace[Stage::Scale], expected.scaled, float_tolerance) == "");
  CHECK(difference(*trace[Stage::Cap], expected.capped, float_tolerance) == "");
  CHECK(difference(*trace[Stage::Mask], expected.masked, float_tolerance) == "");
  // A score off by 1e-5 at a temperature of 0.3 moves a weight by some 3e-5 of itself.
  CHECK(difference(*trace[Stage::Softmax], expected.weights, 1e-4) == "");
  CHECK(difference(*trace[Stage::Mix], expected.mixed, 1e-4) == "");
  CHECK(difference(*trace[Stage::Concat], expected.concatenated, 1e-4) == "");
  REQUIRE(measures.rows.size() == expected.entropy.size());
  std::vector<double> entropy, log_sum_exp;
  for (std::size_t row = 0; row < measures.rows.size(); ++row) {
    entropy.push_back(measures.rows[row].entropy);
    log_sum_exp.push_back(measures.rows[row].log_sum_exp);
    CHECK(unsigned_(measures.rows[row].allowed) == expected.allowed[row]);
  }
  CHECK(difference(std::span<const double>(entropy), expected.entropy, 1e-4) == "");
  CHECK(difference(std::span<const double>(log_sum_exp), expected.log_sum_exp, 1e-4) == "");
}

}  // namespace

TEST_CASE("Stages from text agree with the oracle") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    samples::Random random(seed);
    std::vector<std::int64_t> lengths(unsigned_(random.between(1, 3)));
    for (std::int64_t& length : lengths) length = random.between(1, seed % 10 == 0 ? 90 : 12);
    const int heads = static_cast<int>(random.between(1, 5));
    const int d_model = heads * static_cast<int>(random.between(1, 9));
    Document document = samples::text_document(random, lengths, heads, d_model, random.coin());
    if (random.coin()) document.positions = Positions::None;
    randomise_settings(random, document);
    const ResultPtr result = Pipeline(make_cpu_backend(2)).run(document);
    const Trace& trace = result->trace;
    oracle::Problem problem = problem_of(document);

    const std::size_t tokens = problem.keys, width = unsigned_(d_model);
    oracle::Numbers x = in_double(*trace[Stage::Embed]);
    if (document.positions == Positions::Sinusoidal) {
      const oracle::Numbers p = oracle::sinusoidal(tokens, width);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += p[i % p.size()];
    }
    REQUIRE(difference(*trace[Stage::Position], x, float_tolerance) == "");
    const Weights& weights = document.weights;
    const auto projected = [&](const TensorPtr& w, const TensorPtr& b) {
      return oracle::project(x, in_double(*w), b ? in_double(*b) : oracle::Numbers{}, problem.batch, tokens,
                             width, problem.heads, problem.d_k);
    };
    problem.q = projected(weights.w_query, weights.b_query);
    problem.k = projected(weights.w_key, weights.b_key);
    problem.v = projected(weights.w_value, weights.b_value);
    CHECK(difference(*trace[Stage::Query], problem.q, float_tolerance) == "");
    CHECK(difference(*trace[Stage::Key], problem.k, float_tolerance) == "");
    CHECK(difference(*trace[Stage::Value], problem.v, float_tolerance) == "");
    const oracle::Answer expected = oracle::attend(problem);
    check_attention(trace, result->measures, expected);
    const oracle::Numbers y =
        oracle::linear(expected.concatenated, in_double(*weights.w_output),
                       weights.b_output ? in_double(*weights.b_output) : oracle::Numbers{},
                       problem.batch * tokens, width, width);
    CHECK(difference(*trace[Stage::Output], y, 1e-4) == "");
  }
}

TEST_CASE("Stages from given Q, K and V agree with the oracle") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    samples::Random random(seed);
    const std::int64_t batch = random.between(1, 2), kv_heads = random.between(1, 3);
    const std::int64_t heads = kv_heads * random.between(1, 3);
    const std::int64_t queries = random.between(1, 80), keys = random.between(1, 80);
    const std::int64_t d_k = random.between(1, 9), d_v = random.between(1, 9);
    Document document = samples::given_document(random.tensor({batch, heads, queries, d_k}),
                                                random.tensor({batch, kv_heads, keys, d_k}),
                                                random.tensor({batch, kv_heads, keys, d_v}));
    randomise_settings(random, document);
    oracle::Problem problem = problem_of(document);
    problem.q = in_double(*document.input.given.query);
    problem.k = in_double(*document.input.given.key);
    problem.v = in_double(*document.input.given.value);
    const oracle::Answer expected = oracle::attend(problem);
    const ResultPtr result = Pipeline(make_cpu_backend(2)).run(document);
    check_attention(result->trace, result->measures, expected);
    CHECK(result->trace[Stage::Query] == document.input.given.query);
    CHECK(result->trace[Stage::Key] == document.input.given.key);
    CHECK(result->trace[Stage::Value] == document.input.given.value);
    for (const Stage stage : {Stage::Embed, Stage::Position, Stage::Output}) CHECK(!result->trace[stage]);
    CHECK(result->dimensions.d_model == heads * d_v);
  }
}

TEST_CASE("The stage functions in double agree with the oracle to the last digits") {
  ThreadPool pool(2);
  const Work work{pool, {}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    samples::Random random(seed);
    Document document = samples::given_document(random.tensor({2, 4, 7, 5}), random.tensor({2, 2, 9, 5}),
                                                random.tensor({2, 2, 9, 3}));
    randomise_settings(random, document);
    oracle::Problem problem = problem_of(document);
    const Given& given = document.input.given;
    const auto wide = [](const TensorPtr& tensor) {
      return TensorOf<double>(tensor->shape(), in_double(*tensor));
    };
    problem.q = in_double(*given.query);
    problem.k = in_double(*given.key);
    problem.v = in_double(*given.value);
    const oracle::Answer expected = oracle::attend(problem);
    const TensorOf<double> scores = score(work, wide(given.query), wide(given.key));
    const TensorOf<double> scaled = scale(work, scores, scale_factor(document.scaling, 5));
    const auto c = static_cast<double>(document.soft_cap);
    const TensorOf<double> masked = mask(work, c > 0 ? cap(work, scaled, c) : scaled, MaskRule(document));
    const TensorOf<double> weights = softmax(work, masked, static_cast<double>(document.temperature));
    CHECK(difference(scores, expected.score, double_tolerance) == "");
    CHECK(difference(masked, expected.masked, double_tolerance) == "");
    CHECK(difference(weights, expected.weights, double_tolerance) == "");
    CHECK(difference(concat(work, mix(work, weights, wide(given.value))), expected.concatenated,
                     double_tolerance) == "");
  }
}

TEST_CASE("The reference cell is the float cell, more exactly") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    samples::Random random(seed);
    Document document = samples::text_document(random, {7, 5}, 2, 8);
    randomise_settings(random, document);
    const ResultPtr result = Pipeline(make_cpu_backend(1)).run(document);
    const auto at = [&](Stage stage, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
      return std::vector{static_cast<double>(result->trace[stage]->matrix(b, h)(i, j))};
    };
    for (int trial = 0; trial < 20; ++trial) {
      const std::int64_t b = random.between(0, 1), h = random.between(0, 1);
      const std::int64_t i = random.between(0, 6), j = random.between(0, 6);
      const CellReference cell = reference_cell(document, b, h, i, j);
      const auto near = [&](double value, Stage stage) {
        return difference(std::span<const double>(&value, 1), at(stage, b, h, i, j), 1e-4);
      };
      CHECK(near(cell.score, Stage::Score) == "");
      CHECK(near(cell.scaled, Stage::Scale) == "");
      CHECK(near(cell.capped, Stage::Cap) == "");
      CHECK(near(cell.masked, Stage::Mask) == "");
      CHECK(near(cell.weight, Stage::Softmax) == "");
      const double log_sum =
          cell.row_max / static_cast<double>(document.temperature) + std::log(cell.row_sum);
      CHECK(difference(std::span<const double>(&log_sum, 1), {result->measures.row(b, h, i).log_sum_exp},
                       1e-4) == "");
    }
  }
}

}  // namespace attnscope
