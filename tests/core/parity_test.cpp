// Comparison of two backends: differences equal those of a naive search, planted changes are found at their
// places; infinities and NaN, long Documents, stopping.
#include "core/engine/parity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/random_documents.hpp"
#include "core/samples.hpp"
#include "support/second_backend.hpp"

namespace attnscope::parity_test {

using test::SecondBackend;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity(),
                nan_value = std::numeric_limits<float>::quiet_NaN();

Tensor tensor(const Shape& shape, std::vector<float> values) { return {shape, std::move(values)}; }

const ParityRow& row_of(const Parity& parity, std::string_view name) {
  const auto found = std::find_if(parity.rows.begin(), parity.rows.end(),
                                  [&](const ParityRow& row) { return row.name == name; });
  REQUIRE(found != parity.rows.end());
  return *found;
}

Document document_of(int batch = 1) {
  samples::Random random(3);
  Document document =
      samples::text_document(random, std::vector<std::int64_t>(static_cast<std::size_t>(batch), 5), 2, 8);
  document.loss.kind = Loss::Kind::Sum;
  document.layer().masking.causal = true;
  return document;
}

Document long_document(int batch = 1) {
  samples::Random random(4);
  Document document;
  document.layer().positions = Positions::None;
  const Shape shape{batch, 8, 2300, 4};
  document.input.numbers = Given{random.tensor(shape), random.tensor(shape), random.tensor(shape)};
  return document;
}

ResultPtr computed(const Document& document) {
  Pipeline pipeline(make_cpu_backend(2));
  ResultPtr result = pipeline.run(document);
  while (pipeline.can_refine()) result = pipeline.refine();
  return result;
}

}  // namespace

TEST_CASE("parity: the largest difference, its place and its share of the largest magnitude") {
  const Tensor a = tensor({2, 1, 3}, {1, -8, 3, 0, 5, 6}), b = tensor({2, 1, 3}, {1, -7.5f, 3, 0, 4, 6});
  const Difference d = difference_of(a, b);
  CHECK(d.comparable);
  CHECK(d.absolute == 1);
  CHECK(d.at == 4);
  CHECK((d.first == 5 && d.second == 4));
  CHECK(d.magnitude == 8);
  CHECK(d.relative() == 0.125);
  CHECK(d.misfits == 0);
  CHECK(place_in(d.shape, d.at) == "[1, 0, 1]");
  CHECK_FALSE(d.is_equal());
  CHECK(difference_of(a, a).is_equal());
  CHECK(difference_of(a, a).at == -1);
  CHECK(difference_of(tensor({2}, {0, 0}), tensor({2}, {0, 0.5f})).relative() == inf);
  CHECK(difference_of(tensor({1}, {0.f}), tensor({1}, {-0.f})).is_equal());
  CHECK_FALSE(difference_of(tensor({2, 1}, {1, 2}), tensor({1, 2}, {1, 2})).comparable);
  CHECK(difference_of(Tensor(Shape{0, 4}), Tensor(Shape{0, 4})).is_equal());
  CHECK(place_in(Shape{}, 0) == "[]");
}

TEST_CASE("parity: infinities and NaN fit only the same ones, and stay out of the difference") {
  const Tensor a = tensor({6}, {-inf, inf, nan_value, 2, -inf, 1}),
               b = tensor({6}, {-inf, -inf, nan_value, inf, 3, 1.25f});
  const Difference d = difference_of(a, b);
  CHECK(d.misfits == 3);  // +inf and -inf, 2 and inf, -inf and 3
  CHECK(d.misfit_at == 1);
  CHECK(d.absolute == 0.25);
  CHECK(d.at == 5);
  CHECK(d.magnitude == 2);
  CHECK(difference_of(tensor({2}, {nan_value, -inf}), tensor({2}, {nan_value, -inf})).is_equal());
  CHECK(difference_of(tensor({1}, {nan_value}), tensor({1}, {0.f})).misfits == 1);
}

TEST_CASE("parity: tensors of any numbers, beside a naive search") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    samples::Random random(seed);
    const Shape shape{random.between(1, 3), random.between(1, 4), random.between(1, 9)};
    Tensor a = *random.tensor(shape), b = a;
    for (float& value : b.values())
      if (random.coin()) value += static_cast<float>(random.normal()) * 1e-3f;
    if (random.coin()) b.values()[0] = inf;
    const Difference d = difference_of(a, b);
    long double largest = 0, magnitude = 0;
    std::int64_t at = -1, misfits = 0;
    for (std::int64_t i = 0; i < shape[0]; ++i)
      for (std::int64_t j = 0; j < shape[1]; ++j)
        for (std::int64_t k = 0; k < shape[2]; ++k) {
          const long double x = a.matrix(i)(j, k), y = b.matrix(i)(j, k);
          magnitude = std::max(magnitude, std::abs(x));
          if (std::isinf(y)) {
            ++misfits;
          } else if (std::abs(y - x) > largest) {
            largest = std::abs(y - x);
            at = (i * shape[1] + j) * shape[2] + k;
          }
        }
    INFO("seed " << seed);
    CHECK(d.absolute == static_cast<double>(largest));
    CHECK(d.magnitude == static_cast<double>(magnitude));
    CHECK(d.at == at);
    CHECK(d.misfits == misfits);
    if (at >= 0) CHECK(d.relative() == static_cast<double>(largest) / static_cast<double>(magnitude));
  }
}

TEST_CASE("parity: a backend that computes the same differs nowhere, whatever the Document") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    samples::Random random(seed);
    const ResultPtr result = computed(samples::any_document(random));
    INFO("seed " << seed);
    const auto second = std::make_shared<SecondBackend>();
    ParityProgress progress;
    const Parity parity = compare_backends(*result, second, {}, &progress);
    CHECK(parity.rows.size() > 6);
    for (const ParityRow& row : parity.rows) {
      INFO(row.name);
      CHECK(row.difference.is_equal());
    }
    CHECK_FALSE(second->was_mixed());
    CHECK(parity.times.total() > 0);
    CHECK(progress.share() == 0);  // nothing runs any more
  }
}

TEST_CASE("parity: what one backend changes is found in its stage, and in those that read it") {
  const ResultPtr result = computed(document_of(2));
  const auto second = std::make_shared<SecondBackend>();
  const std::int64_t at = 1 * 2 * 25 + 1 * 25 + 3 * 5 + 2;  // sequence 1, head 1, query 3, key 2
  second->change({{Stage::Scale, at, 0.25f}});
  const Parity parity = compare_backends(*result, second, {});
  CHECK(parity.first == "CPU · 2 threads");
  CHECK(parity.second == "Second");
  CHECK(row_of(parity, "Scores").difference.is_equal());
  const Difference& scaled = row_of(parity, info(Stage::Scale).name).difference;
  CHECK(std::abs(scaled.absolute - 0.25) < 1e-6);  // a float that 0.25 was added to
  CHECK(place_in(scaled.shape, scaled.at) == "[1, 1, 3, 2]");
  CHECK(scaled.first == static_cast<double>(result->layer().trace[Stage::Scale]->matrix(1, 1)(3, 2)));
  double largest = 0;
  for (const float value : result->layer().trace[Stage::Scale]->values())
    largest = std::max(largest, static_cast<double>(std::abs(value)));
  CHECK(scaled.magnitude == largest);
  for (const Stage stage : {Stage::Mask, Stage::Softmax, Stage::Mix, Stage::Concat, Stage::Output})
    CHECK(row_of(parity, info(stage).name).difference.absolute > 0);
  CHECK(place_in(row_of(parity, "entropy").difference.shape, row_of(parity, "entropy").difference.at) ==
        "[1, 1, 3]");
  CHECK(row_of(parity, "log-sum-exp").difference.absolute > 0);
  CHECK(row_of(parity, "∂W_Q").difference.absolute > 0);
  CHECK(row_of(parity, "∂Y").difference.is_equal());  // the loss is a sum
  // Stages that only pass a difference on are not listed again.
  CHECK(std::none_of(parity.rows.begin(), parity.rows.end(),
                     [](const ParityRow& row) { return row.name == info(Stage::Cap).name; }));
}

TEST_CASE("parity: every parameter that has a gradient is compared") {
  samples::Random random(5);
  Document document = document_of();
  document.layer().positions = Positions::RelativeBuckets;
  document.layer().weights[Parameter::RelativeBias] =
      random.tensor({document.layer().position_settings.buckets, 2});
  document.layer().weights[Parameter::BiasK] = random.tensor({8});
  document.layer().weights[Parameter::BiasV] = random.tensor({8});
  const ResultPtr result = computed(document);
  const auto second = std::make_shared<SecondBackend>();
  const auto gradients = [](const Parity& parity) {
    return std::count_if(parity.rows.begin(), parity.rows.end(),
                         [](const ParityRow& row) { return row.name.starts_with("∂"); });
  };
  const Parity same = compare_backends(*result, second, {});
  constexpr int tensors = 8;               // ∂Y, ∂A, ∂M, ∂S, ∂Q, ∂K, ∂V, ∂X
  CHECK(gradients(same) == tensors + 11);  // all parameters but the table of positions
  second->change({{Stage::Score, 0, 0.5f}});
  const Parity other = compare_backends(*result, second, {});
  for (const char* name : {"∂learned key", "∂learned value", "∂relative position bias"}) {
    INFO(name);
    CHECK(row_of(same, name).difference.is_equal());
    CHECK(row_of(other, name).difference.absolute > 0);
  }
}

TEST_CASE("parity: a key that only one backend hides is told as such") {
  const ResultPtr result = computed(document_of());
  const auto second = std::make_shared<SecondBackend>();
  second->change({{Stage::Mask, 1 * 5 + 4, 0, 1.0f}});  // head 0, query 1, key 4: hidden by the causal mask
  const Difference mask = row_of(compare_backends(*result, second, {}), info(Stage::Mask).name).difference;
  CHECK(mask.misfits == 1);
  CHECK(place_in(mask.shape, mask.misfit_at) == "[0, 0, 1, 4]");
  CHECK(mask.absolute == 0);
}

TEST_CASE("parity: of a long Document what is swept is compared, at the step that is known") {
  const ResultPtr result = computed(long_document(2));
  const auto second = std::make_shared<SecondBackend>();
  const Parity same = compare_backends(*result, second, {});
  CHECK(same.is_complete);
  for (const char* name : {"Queries", "log-sum-exp", "entropy", "largest weight", "attention received",
                           "means of the picture", "maxima of the picture"}) {
    INFO(name);
    CHECK(row_of(same, name).difference.is_equal());
  }
  CHECK(row_of(same, info(Stage::Mix).name).difference.is_equal());
  second->change_entropy(0.5f);
  const Difference entropy = row_of(compare_backends(*result, second, {}), "entropy").difference;
  CHECK(std::abs(entropy.absolute - 0.5) < 1e-5);
  // The first number of one of the two sequences' sweeps: which of the two differs more depends on rounding.
  const std::string place = place_in(entropy.shape, entropy.at);
  CHECK((place == "[0, 0, 0]" || place == "[1, 0, 0]"));

  Pipeline early(make_cpu_backend(2));  // the first look, which has no output
  const ResultPtr look = early.run(long_document());
  REQUIRE_FALSE(look->layer().is_complete());
  ParityProgress progress;
  const Parity coarse = compare_backends(*look, std::make_shared<SecondBackend>(), {}, &progress);
  CHECK_FALSE(coarse.is_complete);
  CHECK(row_of(coarse, "log-sum-exp").difference.is_equal());
  CHECK(row_of(coarse, "log-sum-exp").difference.shape[2] ==
        look->layer().surveys[0]->known.entropy.shape()[1]);
}

TEST_CASE("parity: it can be stopped, and what fails is told") {
  const ResultPtr result = computed(document_of());
  const auto second = std::make_shared<SecondBackend>();
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(compare_backends(*result, second, stop.get_token()), Cancelled);
  second->fail_at(Stage::Mix, "It broke.");
  CHECK_THROWS_AS(compare_backends(*result, second, {}), Error);
  CHECK(parity_bytes(result->layer()) >= 4 * result->layer().trace[Stage::Score]->size());
}

}  // namespace attnscope::parity_test
