// Properties of any attention, whatever the numbers.
#include <limits>
#include <numeric>

#include <catch2/catch_test_macros.hpp>

#include "core/attention/row_math.hpp"
#include "core/compare.hpp"
#include "core/engine/pipeline.hpp"
#include "core/samples.hpp"

namespace attnscope::properties_test {
namespace {

using compare::difference;
using compare::in_double;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan_ = std::numeric_limits<float>::quiet_NaN();

ResultPtr compute(const Document& document, int threads = 1) {
  return Pipeline(make_cpu_backend(threads)).run(document);
}

/// The Document with one number of its given Q, K or V replaced.
TensorPtr with_value(const TensorPtr& tensor, std::size_t at, float value) {
  auto copy = std::make_shared<Tensor>(*tensor);
  copy->values()[at] = value;
  return copy;
}

Document small_given(std::uint64_t seed = 3) {
  samples::Random random(seed);
  return samples::given_document(random.tensor({1, 2, 4, 3}), random.tensor({1, 2, 4, 3}),
                                 random.tensor({1, 2, 4, 3}));
}

}  // namespace

TEST_CASE("Rows of the weights sum to one") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    samples::Random random(seed);
    Document document =
        samples::text_document(random, {random.between(1, 300), random.between(1, 40)}, 4, 32);
    document.layer().masking.causal = random.coin();
    document.layer().masking.padding = random.coin();
    document.layer().temperature = 0.1f * static_cast<float>(random.between(1, 40));
    const ResultPtr result = compute(document);
    const Tensor& weights = *result->layer().trace[Stage::Softmax];
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t h = 0; h < 4; ++h) {
        const auto sums = weights.matrix(b, h).cast<double>().rowwise().sum().eval();
        // Every weight is rounded to float once, some up and some down.
        CHECK((sums.array() - 1).abs().maxCoeff() < 1e-6);
        CHECK(weights.matrix(b, h).minCoeff() >= 0.0f);
      }
    }
  }
}

TEST_CASE("A causal row sees no future") {
  samples::Random random(5);
  Document document = samples::text_document(random, {9}, 2, 16);
  document.layer().masking.causal = true;
  Document other = document;
  other.input.sequences.change()[0].tokens[6] = "something else";
  const ResultPtr a = compute(document), b = compute(other);
  const auto before = [](const ResultPtr& result) {
    return result->layer().trace[Stage::Output]->matrix(0).topRows(6);
  };
  CHECK(before(a) == before(b));  // to the last bit
  CHECK(a->layer().trace[Stage::Output]->matrix(0).row(6) !=
        b->layer().trace[Stage::Output]->matrix(0).row(6));
  for (std::int64_t i = 0; i < 9; ++i)
    for (std::int64_t j = i + 1; j < 9; ++j)
      CHECK(a->layer().trace[Stage::Softmax]->matrix(0, 1)(i, j) == 0.0f);
}

TEST_CASE("Permuting the tokens permutes the output when there are no positions") {
  samples::Random random(6);
  Document document = samples::text_document(random, {7}, 2, 16);
  document.layer().positions = Positions::None;
  const std::vector<std::size_t> order{3, 0, 6, 1, 5, 2, 4};
  Document shuffled = document;
  for (std::size_t t = 0; t < order.size(); ++t)
    shuffled.input.sequences.change()[0].tokens[t] = document.input.sequences.change()[0].tokens[order[t]];
  const ResultPtr a = compute(document), b = compute(shuffled);
  for (std::size_t t = 0; t < order.size(); ++t) {
    const auto expected = a->layer().trace[Stage::Output]->matrix(0).row(static_cast<Eigen::Index>(order[t]));
    const auto found = b->layer().trace[Stage::Output]->matrix(0).row(static_cast<Eigen::Index>(t));
    CHECK((expected - found).cwiseAbs().maxCoeff() < 1e-5f);  // the sums run in another order
  }
  document.layer().positions = shuffled.layer().positions = Positions::Sinusoidal;
  const ResultPtr c = compute(document), d = compute(shuffled);
  CHECK(
      (c->layer().trace[Stage::Output]->matrix(0).row(3) - d->layer().trace[Stage::Output]->matrix(0).row(0))
          .norm() > 1e-3f);
}

TEST_CASE("Scaling with 1/sqrt(d_k) is a temperature of sqrt(d_k)") {
  samples::Random random(7);
  Document scaled = samples::text_document(random, {8}, 2, 24);
  Document cooled = scaled;
  cooled.layer().scaling.kind = Scaling::Kind::Off;
  cooled.layer().temperature = std::sqrt(12.0f);
  // One division differs: a few units in the last place of the exponent.
  CHECK(difference(*compute(scaled)->layer().trace[Stage::Softmax],
                   in_double(*compute(cooled)->layer().trace[Stage::Softmax]), 1e-5) == "");
}

TEST_CASE("A row without any allowed key is zero and says so") {
  Document document = small_given();
  auto additive = std::make_shared<Tensor>(Shape{1, 1, 4, 4});
  for (std::size_t key = 0; key < 4; ++key) additive->values()[2 * 4 + key] = -infinity;
  document.layer().masking.additive = additive;
  const ResultPtr result = compute(document);
  for (std::int64_t h = 0; h < 2; ++h) {
    CHECK(result->layer().trace[Stage::Softmax]->matrix(0, h).row(2).isZero(0));
    CHECK(result->layer().trace[Stage::Mix]->matrix(0, h).row(2).isZero(0));
    const RowMeasures& row = result->layer().measures.row(0, h, 2);
    CHECK(row.allowed == 0);
    CHECK(row.entropy == 0);
    CHECK(row.log_sum_exp == -std::numeric_limits<double>::infinity());
    CHECK(std::isnan(row.normalised));
    CHECK(row.strongest == -1);
    CHECK(result->layer().measures.head(0, h).rows_without_key == 1);
    CHECK(result->layer().measures.head(0, h).not_finite == 0);
    CHECK(result->layer().measures.row(0, h, 1).allowed == 4);
  }
}

TEST_CASE("NaN and infinities in the input are computed like the formula says") {
  const Document clean = small_given();
  for (const float bad : {nan_, infinity, -infinity}) {
    for (const bool causal : {false, true}) {
      INFO("value " << bad << ", causal " << causal);
      Document document = clean;
      document.layer().masking.causal = causal;
      document.input.change<Given>().key =
          with_value(clean.input.given().key, 3 * 3, bad);  // head 0, the last key
      const ResultPtr result = compute(document);
      const auto masked = result->layer().trace[Stage::Mask]->matrix(0, 0);
      const auto weights = result->layer().trace[Stage::Softmax]->matrix(0, 0);
      CHECK(!std::isfinite(result->layer().trace[Stage::Score]->matrix(0, 0)(0, 3)));
      if (causal) {
        CHECK(masked(0, 3) == -infinity);  // whatever the score was
        CHECK(weights.topRows(3).allFinite());
      }
      const bool poisons = std::isnan(masked(3, 3)) || masked(3, 3) == infinity;
      CHECK(weights.row(3).allFinite() == !poisons);
      CHECK((result->layer().measures.head(0, 0).not_finite > 0) == !weights.allFinite());
      CHECK(result->layer().trace[Stage::Softmax]->matrix(0, 1).allFinite());  // the other head is untouched
    }
  }
  Document all_bad = clean;
  auto query = std::make_shared<Tensor>(clean.input.given().query->shape());
  std::fill(query->values().begin(), query->values().end(), nan_);
  all_bad.input.change<Given>().query = query;
  const ResultPtr result = compute(all_bad);
  CHECK(result->layer().measures.head(0, 0).not_finite == 16);
  CHECK(result->layer().measures.row(0, 0, 0).strongest == -1);
  CHECK(std::isnan(result->layer().measures.row(0, 0, 0).entropy));
  CHECK(std::isnan(result->layer().measures.row(0, 0, 0).distance));
  CHECK(std::isnan(result->layer().measures.head(0, 0).distance));
}

TEST_CASE("One token attends to itself") {
  samples::Random random(8);
  const ResultPtr result = compute(samples::text_document(random, {1}, 2, 4));
  for (std::int64_t h = 0; h < 2; ++h) {
    CHECK(result->layer().trace[Stage::Softmax]->matrix(0, h)(0, 0) == 1.0f);
    CHECK(result->layer().measures.row(0, h, 0).entropy == 0);
    CHECK(std::isnan(result->layer().measures.row(0, h, 0).normalised));  // n/a: ln 1 = 0
    CHECK(std::isnan(result->layer().measures.head(0, h).normalised));
  }
}

TEST_CASE("Padding hides the end of short sequences and is left out of the means") {
  samples::Random random(9);
  Document document = samples::text_document(random, {5, 2}, 2, 8);
  document.layer().masking.padding = true;
  document.input.padded_length = 6;
  const ResultPtr result = compute(document);
  CHECK(result->layer().dimensions.keys == 6);
  const auto weights = result->layer().trace[Stage::Softmax]->matrix(1, 0);
  CHECK(weights.rightCols(4).isZero(0));
  CHECK(result->layer().measures.row(1, 0, 3).allowed == 2);
  CHECK(result->layer().measures.row(1, 0, 3).padding);
  CHECK(!result->layer().measures.row(1, 0, 1).padding);
  const HeadMeasures& head = result->layer().measures.head(1, 0);
  const double mean =
      (result->layer().measures.row(1, 0, 0).entropy + result->layer().measures.row(1, 0, 1).entropy) / 2;
  CHECK(std::abs(head.entropy - mean) < 1e-12);
  CHECK(std::abs(std::accumulate(head.received.begin(), head.received.end(), 0.0) - 2) < 1e-6);
}

TEST_CASE("Equal scores have the entropy ln n, at any offset") {
  // Every q·k is 3000, so the weights are uniform; the uncentred form would lose 3000's rounding.
  const std::int64_t n = 1000;
  const auto ones = std::make_shared<Tensor>(Shape{1, 1, n, 1}, std::vector<float>(1000, 1.0f));
  const auto large = std::make_shared<Tensor>(Shape{1, 1, n, 1}, std::vector<float>(1000, 3000.0f));
  Document document = samples::given_document(ones, large, ones);
  const RowMeasures row = compute(document)->layer().measures.row(0, 0, 17);
  CHECK(std::abs(row.entropy - std::log(1000.0)) < 1e-12);
  CHECK(row.normalised == 1);
  CHECK(std::abs(row.log_sum_exp - (3000 + std::log(1000.0))) < 1e-9);
}

TEST_CASE("Results are the same bits whatever the number of threads") {
  samples::Random random(10);
  const Document document = samples::text_document(random, {150, 70}, 3, 96);
  const ResultPtr one = compute(document, 1);
  for (const int threads : {2, 3, 8}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      const ResultPtr many = compute(document, threads);
      for (const StageInfo& row : stage_table) {
        REQUIRE(!one->layer().trace[row.stage] == !many->layer().trace[row.stage]);
        if (one->layer().trace[row.stage])
          CHECK(*one->layer().trace[row.stage] == *many->layer().trace[row.stage]);
      }
    }
  }
}

TEST_CASE("The exponential of the softmax is accurate and keeps its special values") {
  CHECK(exp_nonpositive(-infinity) == 0.0f);
  CHECK(exp_nonpositive(0.0f) == 1.0f);
  CHECK(exp_nonpositive(-std::numeric_limits<float>::max()) == 0.0f);
  CHECK(std::isnan(exp_nonpositive(nan_)));
  double worst = 0;
  for (float x = -87.3f; x <= 0; x += 0.00037f) {
    const double exact = std::exp(static_cast<double>(x));
    worst = std::max(worst, std::abs(static_cast<double>(exp_nonpositive(x)) - exact) / exact);
  }
  CHECK(worst < 1e-7);
  for (float x = -110; x < -87; x += 0.01f) {  // denormal results: exact to the spacing there
    CHECK(std::abs(static_cast<double>(exp_nonpositive(x)) - std::exp(static_cast<double>(x))) <= 1.5e-45);
  }
}

}  // namespace attnscope::properties_test
