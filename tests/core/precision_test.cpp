// The effect of the naive softmax and of 16-bit storage: the failures that AttnScope demonstrates.
#include "core/document/precision.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "core/analysis/reference.hpp"
#include "core/compare.hpp"
#include "core/engine/pipeline.hpp"
#include "core/random_documents.hpp"
#include "support/seeds.hpp"

namespace attnscope::precision_test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

ResultPtr compute(const Document& document) { return Pipeline(make_cpu_backend(1)).run(document); }

/// One query whose scores are the given numbers.
Document with_scores(std::vector<float> scores) {
  const auto n = static_cast<std::int64_t>(scores.size());
  const auto one = std::make_shared<Tensor>(Shape{1, 1, 1, 1}, std::vector<float>{1});
  const auto keys = std::make_shared<Tensor>(Shape{1, 1, n, 1}, std::move(scores));
  const auto values =
      std::make_shared<Tensor>(Shape{1, 1, n, 1}, std::vector<float>(static_cast<std::size_t>(n), 1));
  return samples::given_document(one, keys, values);
}

std::vector<float> weights_of(const Document& document) {
  const ResultPtr result = compute(document);
  return {result->layer().trace[Stage::Softmax]->values().begin(),
          result->layer().trace[Stage::Softmax]->values().end()};
}

float stored_as(Precision precision, float value) {
  return stored(precision, std::make_shared<Tensor>(Shape{1}, std::vector<float>{value}))->values()[0];
}

}  // namespace

TEST_CASE("The naive softmax overflows above 88.7 and the stable one does not") {
  Document document = with_scores({88.0f, 87.0f, 1.0f});
  const std::vector<float> stable = weights_of(document);
  document.layer().softmax = SoftmaxKind::Naive;
  const std::vector<float> naive = weights_of(document);
  for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(naive[i] - stable[i]) < 1e-6f);
  CHECK(compute(document)->layer().measures.head(0, 0).not_finite == 0);

  document = with_scores({88.8f, 87.0f, 1.0f});  // exp(88.8) > 3.4e38
  CHECK(std::isfinite(weights_of(document)[0]));
  document.layer().softmax = SoftmaxKind::Naive;
  const ResultPtr result = compute(document);
  const auto weights = result->layer().trace[Stage::Softmax]->values();
  CHECK(std::isnan(weights[0]));  // ∞ / ∞
  CHECK(weights[1] == 0);         // finite / ∞
  CHECK(result->layer().measures.head(0, 0).not_finite == 1);
  CHECK(result->layer().measures.row(0, 0, 0).strongest == -1);
  CHECK(std::isnan(result->layer().measures.row(0, 0, 0).entropy));
  CHECK(std::isnan(result->layer().trace[Stage::Mix]->values()[0]));

  Document sum = with_scores({88.5f, 88.5f});  // neither overflows, their sum does: 1 becomes 0
  sum.layer().softmax = SoftmaxKind::Naive;
  CHECK(weights_of(sum) == std::vector<float>{0, 0});
  Document under = with_scores({-104.0f, -110.0f});  // both are 0: 0 / 0
  CHECK(weights_of(under)[0] > 0.99f);
  under.layer().softmax = SoftmaxKind::Naive;
  CHECK(compute(under)->layer().measures.head(0, 0).not_finite == 2);
  Document hot = with_scores({200.0f, 100.0f});
  hot.layer().softmax = SoftmaxKind::Naive;
  hot.layer().temperature = 4;  // 50 and 25
  CHECK(weights_of(hot)[0] > 0.99f);
  Document capped = with_scores({200.0f, 100.0f});
  capped.layer().softmax = SoftmaxKind::Naive;
  capped.layer().soft_cap = 50;
  CHECK(std::isfinite(weights_of(capped)[0]));
}

TEST_CASE("Sixteen bits round to the nearest, ties to even") {
  CHECK(stored_as(Precision::BFloat16, 1 + 0x1p-8f) == 1);                // a tie
  CHECK(stored_as(Precision::BFloat16, 1 + 3 * 0x1p-8f) == 1 + 0x1p-6f);  // a tie, up to the even one
  CHECK(stored_as(Precision::BFloat16, 1 + 0x1.1p-8f) == 1 + 0x1p-7f);
  CHECK(stored_as(Precision::BFloat16, 1e38f) < infinity);
  CHECK(stored_as(Precision::BFloat16, std::numeric_limits<float>::max()) == infinity);
  CHECK(stored_as(Precision::Float16, 1 + 0x1p-11f) == 1);
  CHECK(stored_as(Precision::Float16, 1 + 3 * 0x1p-11f) == 1 + 0x1p-9f);
  CHECK(stored_as(Precision::Float16, 65504) == 65504);
  CHECK(stored_as(Precision::Float16, 65519) == 65504);
  CHECK(stored_as(Precision::Float16, 65520) == infinity);
  CHECK(stored_as(Precision::Float16, -1e9f) == -infinity);
  CHECK(stored_as(Precision::Float16, 0x1p-24f) == 0x1p-24f);  // the smallest
  CHECK(stored_as(Precision::Float16, 0x1p-26f) == 0);
  for (const Precision precision : {Precision::BFloat16, Precision::Float16}) {
    CHECK(std::isnan(stored_as(precision, std::numeric_limits<float>::quiet_NaN())));
    CHECK(stored_as(precision, infinity) == infinity);
    CHECK(std::signbit(stored_as(precision, -0.0f)));
  }
}

TEST_CASE("Every stage holds numbers of its storage type only") {
  for (std::uint64_t i = 0; i < 200; ++i) {
    samples::Random random(seeds::of_case("stored", i));
    Document document = samples::any_document(random);
    document.precision = random.coin() ? Precision::BFloat16 : Precision::Float16;
    const ResultPtr result = compute(document);
    const Trace& trace = result->layer().trace;
    for (const StageInfo& row : stage_table) {
      if (!trace[row.stage] || row.stage == Stage::Bucket) continue;
      const TensorPtr again = stored(document.precision, trace[row.stage]);
      bool same = true;
      for (std::size_t at = 0; at < again->values().size(); ++at) {
        const float was = trace[row.stage]->values()[at], now = again->values()[at];
        same = same && (was == now || (std::isnan(was) && std::isnan(now)));
      }
      INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of stored, " << row.name);
      REQUIRE(same);
    }
  }
}

TEST_CASE("Half precision turns -1e9 into -inf and overflows above 65504") {
  samples::Random random(4);
  Document document = samples::given_document(random.tensor({1, 1, 4, 2}), random.tensor({1, 1, 4, 2}),
                                              random.tensor({1, 1, 4, 2}));
  document.layer().masking.causal = true;
  document.layer().masking.mistake = MaskMistake::DiagonalToo;  // the first row sees nothing
  document.layer().masking.hidden = Masking::Hidden::MinusBillion;
  CHECK(compute(document)->layer().trace[Stage::Softmax]->matrix(0, 0)(0, 3) == 0.25f);
  document.precision = Precision::Float16;
  const ResultPtr half = compute(document);
  CHECK(half->layer().trace[Stage::Mask]->matrix(0, 0)(0, 3) == -infinity);
  CHECK(half->layer().trace[Stage::Softmax]->matrix(0, 0).row(0).isZero(0));
  document.precision = Precision::BFloat16;  // float's range: still an even mix
  CHECK(compute(document)->layer().trace[Stage::Softmax]->matrix(0, 0)(0, 3) == 0.25f);

  Document large = with_scores({65504, 300});
  large.layer().scaling.kind = Scaling::Kind::Factor;
  large.layer().scaling.factor = 2;
  CHECK(compute(large)->layer().measures.head(0, 0).not_finite == 0);
  large.precision = Precision::Float16;
  const ResultPtr result = compute(large);
  CHECK(result->layer().trace[Stage::Score]->values()[0] == 65504);
  CHECK(result->layer().trace[Stage::Scale]->values()[0] == infinity);
  CHECK(result->layer().measures.head(0, 0).not_finite == 2);
}

TEST_CASE("Storage errors are those of the significant bits") {
  struct Kind {
    Precision precision;
    double unit;  // half the distance of two neighbours, relative
  };
  for (const Kind kind : {Kind{Precision::BFloat16, 0x1p-8}, Kind{Precision::Float16, 0x1p-11}}) {
    double worst = 0, of = 0;
    for (std::uint64_t i = 0; i < 20; ++i) {
      samples::Random random(seeds::of_case("errors", i));
      Document document = samples::text_document(random, {8, 5}, 2, 16);
      document.precision = kind.precision;
      const ResultPtr result = compute(document);
      const Trace& trace = result->layer().trace;
      for (int trial = 0; trial < 10; ++trial) {
        const std::int64_t b = random.between(0, 1), h = random.between(0, 1);
        const std::int64_t q = random.between(0, 7), k = random.between(0, 7);
        const CellReference exact = reference_cell(document, trace, b, h, q, k);
        const auto found = static_cast<double>(trace[Stage::Score]->matrix(b, h)(q, k));
        worst = std::max(worst, std::abs(found - exact.score));
        of = std::max(of, std::abs(exact.score));
      }
    }
    INFO("unit " << kind.unit);
    // x, W, q and k are rounded once each, and S again: a few units, not fewer than half of one.
    CHECK(worst < 8 * kind.unit * of);
    CHECK(worst > kind.unit * of / 4);
  }
}

}  // namespace attnscope::precision_test
