// Intermediate numbers of stages, against the oracle and against sums by hand in float64.
#include "core/engine/intermediates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "core/against_oracle.hpp"
#include "core/engine/pipeline.hpp"
#include "core/random_documents.hpp"
#include "support/seeds.hpp"

namespace attnscope::intermediates_test {
namespace {

double real(float x) { return static_cast<double>(x); }

/// A head of a result, and the same of the oracle.
struct Head {
  const LayerResult& result;
  const against_oracle::Expected& exact;
  std::int64_t b, h;

  const Dimensions& d() const { return result.dimensions; }
  std::int64_t kv() const { return h * d().kv_heads / d().heads; }
  std::size_t row(std::int64_t query) const {
    return static_cast<std::size_t>((b * d().heads + h) * d().queries + query);
  }
  std::size_t cell(std::int64_t query, std::int64_t key) const {
    return row(query) * static_cast<std::size_t>(d().keys) + static_cast<std::size_t>(key);
  }
  ConstMatrixMap<float> plane(Stage stage) const {
    const Tensor& tensor = *result.trace[stage];
    return tensor.matrix(tensor.shape()[0] == 1 ? 0 : b, h);
  }
  /// φ(q)·φ(k) of [batch][heads][queries][d_k] and [batch][kv heads][keys][d_k], and Σ |φ(q) φ(k)|.
  std::pair<double, double> product(const oracle::Numbers& q, const oracle::Numbers& k, std::int64_t query,
                                    std::int64_t key) const {
    const auto width = static_cast<std::size_t>(d().d_k);
    const std::size_t of_query = row(query) * width,
                      of_key = static_cast<std::size_t>((b * d().kv_heads + kv()) * d().keys + key) * width;
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < width; ++i) {
      sum += q[of_query + i] * k[of_key + i];
      size += std::abs(q[of_query + i] * k[of_key + i]);
    }
    return {sum, size};
  }
};

/// How far apart a weight of float32 and one of float64 may be: errors of the scores are in its exponent.
double tolerance_of(const against_oracle::Expected& exact, double temperature) {
  double largest = 0;
  for (const oracle::Numbers* stage : {&exact.answer.scaled, &exact.answer.capped, &exact.answer.masked})
    for (const double x : *stage)
      if (std::abs(x) < 1e6) largest = std::max(largest, std::abs(x));
  return 2e-5 * (1 + largest / temperature);
}

void compare_softmax(const Head& head, Intermediates& numbers, std::int64_t query, std::int64_t key) {
  const LayerSpec& layer = head.result.document.layer();
  const double tau = real(layer.temperature);
  const RowSum row = numbers.softmax_of(query);
  const double shifted = numbers.shifted(query, key), x = real(head.plane(Stage::Mask)(query, key));
  if (layer.softmax == SoftmaxKind::Naive)
    CHECK(shifted == x / tau);
  else if (std::isfinite(x))
    CHECK(shifted <= 0);
  if (std::isfinite(shifted) && shifted < 80) {
    const double wanted = std::exp(shifted), is = real(numbers.exponential(query, key));
    CHECK(std::abs(is - wanted) <= 1e-5 * wanted * (1 + std::abs(shifted)) + 1e-37);
  }
  const bool is_number =
      row.sum > 1e-30 && std::isfinite(row.sum) && !std::isnan(head.plane(Stage::Softmax)(query, key));
  const bool hides_later = layer.masking.mistake == MaskMistake::AfterSoftmax;
  if (is_number && !hides_later)
    CHECK(std::abs(real(numbers.weight_share(query, key)) -
                   head.exact.answer.weights[head.cell(query, key)]) <= tolerance_of(head.exact, tau));
}

void compare_linear(const Head& head, Intermediates& numbers, std::int64_t query, std::int64_t key) {
  const oracle::Problem& p = head.exact.problem;
  const bool turned = !p.above_q.empty();
  const oracle::Numbers q = turned ? p.below_q : oracle::features(p.q),
                        k = turned ? p.below_k : oracle::features(p.k);
  const auto [above, above_size] = head.product(turned ? p.above_q : q, turned ? p.above_k : k, query, key);
  CHECK(std::abs(real(numbers.product(query, key)) - above) <= 1e-4 * (above_size + 1e-6));
  const auto [below, below_size] = head.product(q, k, query, key);
  CHECK(std::abs(real(numbers.share_of_sum(query, key)) - below) <= 1e-4 * (below_size + 1e-6));
  double sum = 0;
  for (std::int64_t j = 0; j < head.d().keys; ++j)
    if (head.exact.answer.seen[head.cell(query, j)]) sum += head.product(q, k, query, j).first;
  CHECK(std::abs(numbers.linear_sum(query) - sum) <= 1e-4 * (sum + 1e-6));
}

/// Compares sums over the result's own numbers.
void compare_mix(const Head& head, const Intermediates& numbers, std::int64_t query, std::int64_t keys) {
  const std::int64_t column = (query + keys) % head.d().d_v;
  const auto weights = head.plane(Stage::Drop);
  const auto values = head.result.trace[Stage::Value]->matrix(head.b, head.kv());
  double sum = 0, size = 0;
  for (std::int64_t j = 0; j < keys; ++j) {
    sum += real(weights(query, j)) * real(values(j, column));
    size += std::abs(real(weights(query, j)) * real(values(j, column)));
  }
  if (!std::isnan(sum))
    CHECK(std::abs(real(numbers.partial_mix(query, column, keys)) - sum) <= 1e-5 * (size + 1e-6));

  const TensorPtr& output = head.result.document.layer().weights[Parameter::WOutput];
  if (!output || head.result.document.input.is_given()) return;
  const auto mixed = head.result.trace[Stage::Mix]->matrix(head.b, head.h).row(query);
  const std::int64_t to = query % output->matrix().cols();
  sum = size = 0;
  for (Eigen::Index i = 0; i < mixed.size(); ++i) {
    const double part = real(mixed(i)) * real(output->matrix()(head.h * mixed.size() + i, to));
    sum += part;
    size += std::abs(part);
  }
  if (!std::isnan(sum)) CHECK(std::abs(real(numbers.own_part(query, to)) - sum) <= 1e-5 * (size + 1e-6));
}

}  // namespace

TEST_CASE("Numbers on the way through a stage are the oracle's, whatever the settings") {
  int linear = 0, turned = 0, outputs = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of intermediates");
    samples::Random random(seeds::of_case("intermediates", i));
    const Document document = samples::any_document(random);
    Pipeline pipeline(make_cpu_backend(1));
    const ResultPtr run = pipeline.run(document, {}, nullptr, 1);
    REQUIRE(run->error.empty());
    const LayerResult& result = run->layer();
    REQUIRE_FALSE(result.is_long());
    const against_oracle::Expected exact = against_oracle::expected(document, result.trace);
    const MaskRule rule(document, result.trace);
    // The shared part of a latent key is rotated alone; a mask mistake may hide other keys than the mask.
    const LayerSpec& layer = document.layer();
    const bool is_linear =
        layer.linear && layer.latent.width == 0 && layer.masking.mistake == MaskMistake::None;
    const Dimensions& d = result.dimensions;
    if (is_linear) ++linear;
    if (is_linear && !exact.problem.above_q.empty()) ++turned;
    if (layer.weights[Parameter::WOutput] && !document.input.is_given()) ++outputs;
    for (std::int64_t b = 0; b < d.batch; ++b)
      for (std::int64_t h = 0; h < d.heads; ++h) {
        const Head head{result, exact, b, h};
        Intermediates numbers(result, rule, b, h);
        for (std::int64_t query = 0; query < d.queries; ++query) {
          const std::int64_t key = (h + 2 * query) % d.keys;
          INFO("entry " << b << ", head " << h << ", query " << query << ", key " << key);
          CHECK(numbers.sees(query, key) == rule.allows(b, h, query, key));
          compare_softmax(head, numbers, query, key);
          if (is_linear) compare_linear(head, numbers, query, key);
          compare_mix(head, numbers, query, key + 1);
        }
      }
  }
  CHECK(linear > 5);
  CHECK(turned > 0);
  CHECK(outputs > 50);
}

}  // namespace attnscope::intermediates_test
