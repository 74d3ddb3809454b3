// The errors of float32 against attention computed naively in float64.
#include "core/analysis/float64_error.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "core/against_oracle.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/engine/pipeline.hpp"
#include "core/random_documents.hpp"

namespace attnscope::float64_error_test {

namespace {

Trace errors_of(const Result& result, std::stop_token stop = {}) {
  ThreadPool pool(2);
  return float64_error({pool, std::move(stop)}, result.document, result.layer().trace);
}

ResultPtr computed(const Document& document) { return Pipeline(make_cpu_backend(1)).run(document); }

/// The stages of the oracle, from the token vectors in double and the result's buckets.
oracle::Answer naive(const Result& result) {
  ThreadPool pool(1);
  const Work work{pool, {}};
  Document exact = result.document;
  exact.precision = Precision::Float32;
  TraceOf<double> data = run_stages(work, exact, sources_of<double>(exact));
  if (const TensorPtr& buckets = result.layer().trace[Stage::Bucket])
    data[Stage::Bucket] = std::make_shared<const TensorOf<double>>(
        buckets->shape(), std::vector<double>(buckets->values().begin(), buckets->values().end()));
  return against_oracle::expected(exact, data).answer;
}

void check_stage(const Tensor& computed, const Tensor& error, const oracle::Numbers& exact) {
  REQUIRE(error.shape() == computed.shape());
  REQUIRE(exact.size() == computed.values().size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double x = static_cast<double>(computed.values()[i]), wanted = x == exact[i] ? 0 : x - exact[i];
    const double got = static_cast<double>(error.values()[i]);
    if (std::isnan(wanted) || std::isinf(wanted)) {
      CHECK(std::isnan(wanted) == std::isnan(got));
      if (std::isinf(wanted)) CHECK(got == wanted);
      continue;
    }
    // Both are float64 that was rounded on the way, and the error itself is stored as float.
    CHECK(std::abs(got - wanted) <= 1e-12 * (1 + std::abs(exact[i])) + 1e-7 * std::abs(wanted));
  }
}

}  // namespace

TEST_CASE("the float64 error of every stage is the difference to the oracle") {
  int with_error = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    samples::Random random(seed);
    Document document = samples::any_document(random);
    document.layer().softmax = SoftmaxKind::Stable;  // the reference always uses it
    INFO("seed " << seed);
    const ResultPtr result = computed(document);
    const Trace errors = errors_of(*result);
    const oracle::Answer exact = naive(*result);
    for (const auto& [stage, numbers] : {std::pair{Stage::Score, &exact.score},
                                         {Stage::Scale, &exact.scaled},
                                         {Stage::Cap, &exact.capped},
                                         {Stage::Mask, &exact.masked},
                                         {Stage::Softmax, &exact.weights},
                                         {Stage::Linear, &exact.linear},
                                         {Stage::Intervention, &exact.replaced},
                                         {Stage::Drop, &exact.dropped}}) {
      INFO("stage " << info(stage).name);
      REQUIRE(has_float64_error(stage));
      REQUIRE((errors[stage] != nullptr) == (result->layer().trace[stage] != nullptr));
      if (!errors[stage] || numbers->empty()) continue;
      check_stage(*result->layer().trace[stage], *errors[stage], *numbers);
      for (const float e : errors[stage]->values()) with_error += e != 0 && std::isfinite(e);
    }
  }
  CHECK(with_error > 1000);  // float32 does round
}

TEST_CASE("fewer bits make larger errors, and stages that share a tensor share their error") {
  samples::Random random(7);
  Document document = samples::text_document(random, {9}, 2, 16);
  const auto largest = [&](Precision precision) {
    document.precision = precision;
    const ResultPtr result = computed(document);
    const Trace errors = errors_of(*result);
    CHECK(errors[Stage::Cap] == errors[Stage::Scale]);     // no cap
    CHECK(errors[Stage::Drop] == errors[Stage::Softmax]);  // neither intervention nor dropout
    float most = 0;
    for (const float e : errors[Stage::Score]->values()) most = std::max(most, std::abs(e));
    return most;
  };
  const float fine = largest(Precision::Float32), coarse = largest(Precision::BFloat16);
  CHECK(fine > 0);
  CHECK(fine < 1e-5f);
  CHECK(coarse > 1e-3f);
}

TEST_CASE("a naive softmax that overflows is compared with what it should have been") {
  Document document =
      samples::given_document(std::make_shared<Tensor>(Shape{1, 1, 1, 1}, std::vector<float>{100}),
                              std::make_shared<Tensor>(Shape{1, 1, 2, 1}, std::vector<float>{1, 2}),
                              std::make_shared<Tensor>(Shape{1, 1, 2, 1}, std::vector<float>{1, 2}));
  document.layer().softmax = SoftmaxKind::Naive;
  const ResultPtr result = computed(document);
  REQUIRE(std::isnan(result->layer().trace[Stage::Softmax]->values()[1]));
  const Trace errors = errors_of(*result);
  CHECK(std::isnan(errors[Stage::Softmax]->values()[1]));
  CHECK(errors[Stage::Score]->values()[1] == 0);  // 200 is exact
}

TEST_CASE("the float64 errors can be stopped, count their stages and say what they need") {
  samples::Random random(3);
  const Document document = samples::text_document(random, {40}, 4, 32);
  const ResultPtr result = computed(document);
  std::stop_source source;
  source.request_stop();
  CHECK_THROWS_AS(errors_of(*result, source.get_token()), Cancelled);

  ThreadPool pool(1);
  std::atomic<int> done{0};
  float64_error({pool, {}}, document, result->layer().trace, &done);
  CHECK(done == float64_error_steps);
  // Four float planes and two double ones of 4 heads.
  CHECK(float64_error_bytes(document) == 4 * 40 * 40 * (4 * 4 + 2 * 8));
  CHECK(float64_error_work(document) > 4.0 * 40 * 40 * 8);
}

}  // namespace attnscope::float64_error_test
