// Log-sum-exp, entropy and received weight of whole tensors against naive sums in float64.
#include "core/analysis/attention_sums.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/samples.hpp"

namespace attnscope::attention_sums_test {
namespace {

constexpr std::int64_t batch = 2, heads = 3, queries = 5, keys = 11;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Scores with a causal mask, an offset that would overflow e^x in float, and a row without any key.
template <class T>
TensorOf<T> masked_scores() {
  samples::Random random(3);
  const Tensor drawn = *random.tensor({batch, heads, queries, keys});
  TensorOf<T> masked(drawn.shape());
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t i = 0; i < queries; ++i)
        for (std::int64_t j = 0; j < keys; ++j) {
          const bool hidden = j > i + keys - queries || (b == 1 && h == 2 && i == 0);
          masked.matrix(b, h)(i, j) = hidden ? -std::numeric_limits<T>::infinity()
                                             : static_cast<T>(drawn.matrix(b, h)(i, j) * 3 + 200);
        }
  return masked;
}

template <class T>
void check_against_naive(double margin) {
  const TensorOf<T> masked = masked_scores<T>();
  TensorOf<T> weights(masked.shape());
  std::vector<double> lse, entropy, received(static_cast<std::size_t>(batch * heads * keys), 0.0);
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t i = 0; i < queries; ++i) {
        double sum = 0, mean = 0;
        const auto x = [&](std::int64_t j) { return static_cast<double>(masked.matrix(b, h)(i, j)); };
        for (std::int64_t j = 0; j < keys; ++j) sum += std::exp(x(j));
        for (std::int64_t j = 0; j < keys; ++j) {
          const double p = sum == 0 ? 0 : std::exp(x(j)) / sum;
          if (p > 0) mean -= p * std::log(p);
          weights.matrix(b, h)(i, j) = static_cast<T>(p);
          received[static_cast<std::size_t>((b * heads + h) * keys + j)] +=
              static_cast<double>(weights.matrix(b, h)(i, j));
        }
        lse.push_back(std::log(sum));
        entropy.push_back(mean);
      }
  const AttentionSums<T> sums = attention_sums(masked, weights);
  REQUIRE(sums.log_sum_exp.shape() == Shape{batch, heads, queries});
  REQUIRE(sums.entropy.shape() == Shape{batch, heads, queries});
  REQUIRE(sums.received.shape() == Shape{batch, heads, keys});
  for (std::size_t row = 0; row < lse.size(); ++row) {
    const auto of = [&](const TensorOf<T>& tensor) { return static_cast<double>(tensor.values()[row]); };
    if (lse[row] == -infinity) {
      CHECK(of(sums.log_sum_exp) == -infinity);
      CHECK(of(sums.entropy) == 0);
    } else {
      CHECK(of(sums.log_sum_exp) == Catch::Approx(lse[row]).epsilon(margin));
      CHECK(of(sums.entropy) == Catch::Approx(entropy[row]).epsilon(margin));
    }
  }
  CHECK(lse[static_cast<std::size_t>((1 * heads + 2) * queries)] == -infinity);
  for (std::size_t key = 0; key < received.size(); ++key)
    CHECK(static_cast<double>(sums.received.values()[key]) == Catch::Approx(received[key]).epsilon(margin));
}

}  // namespace

TEST_CASE("the sums of attention's rows and columns are those of naive float64", "[measures]") {
  check_against_naive<double>(1e-12);
  check_against_naive<float>(1e-6);  // the result is rounded once
}

TEST_CASE("a score that is NaN makes its row NaN and no other", "[measures]") {
  TensorOf<double> masked = masked_scores<double>();
  const TensorOf<double> weights(masked.shape());
  masked.matrix(0, 1)(2, 3) = std::numeric_limits<double>::quiet_NaN();
  const AttentionSums<double> sums = attention_sums(masked, weights);
  CHECK(std::isnan(sums.log_sum_exp.matrix(0)(1, 2)));
  CHECK(std::isnan(sums.entropy.matrix(0)(1, 2)));
  CHECK(std::isfinite(sums.log_sum_exp.matrix(0)(1, 1)));
  // Also where all other keys are hidden: the row has a key.
  masked.matrix(1, 2)(0, 4) = std::numeric_limits<double>::quiet_NaN();
  const AttentionSums<double> alone = attention_sums(masked, weights);
  CHECK(std::isnan(alone.log_sum_exp.matrix(1)(2, 0)));
  CHECK(std::isnan(alone.entropy.matrix(1)(2, 0)));
}

TEST_CASE("the means of a picture's columns have the bits of each column's own mean") {
  samples::Random random(9);
  const Tensor picture = *random.tensor({2, 33, 17});
  for (std::int64_t h = 0; h < 2; ++h) {
    const auto values = picture.matrix(h);
    const std::vector<float> means = column_means(values);
    REQUIRE(std::ssize(means) == 17);
    for (Eigen::Index j = 0; j < 17; ++j) {
      float sum = values(0, j);
      for (Eigen::Index i = 1; i < 33; ++i) sum += values(i, j);
      CHECK(means[static_cast<std::size_t>(j)] == sum / 33);
      CHECK(means[static_cast<std::size_t>(j)] == values.col(j).mean());
    }
  }
  const float number = 1;
  CHECK(column_means({&number, 0, 3}).empty());
}

}  // namespace attnscope::attention_sums_test
