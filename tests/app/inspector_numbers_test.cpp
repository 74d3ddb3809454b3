// The numbers of the inspector against naive float64 sums.
#include <cmath>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/inspector_robot.hpp"
#include "app/state/regions/inspector_state.hpp"

namespace attnscope::inspector_numbers_test {

using namespace attnscope::test;

namespace {

/// The row's weights by hand, in double: causal or not, scaled by 1/√dₖ.
std::vector<double> weights_of(const LayerResult& r, CellPlace at) {
  std::vector<double> weights;
  double sum = 0;
  for (std::int64_t j = 0; j < r.dimensions.keys; ++j) {
    at.key = j;
    const bool seen = !r.document.layer().masking.causal || j <= at.query;
    weights.push_back(seen ? std::exp(score_of(r, at) / std::sqrt(static_cast<double>(r.dimensions.d_k)))
                           : 0);
    sum += weights.back();
  }
  for (double& w : weights) w /= sum;
  return weights;
}

}  // namespace

TEST_CASE("products are those of q and k, in three orders, and sum to the score") {
  Robot robot(usual);
  const LayerResult& r = shown(robot);
  const CellPlace at = place_of(robot);
  for (const ProductOrder order : {ProductOrder::Size, ProductOrder::Dimension, ProductOrder::Sign}) {
    const Products p = products_of(r, at, order);
    CHECK(near(p.sum(), score_of(r, at), 1e-12));
    CHECK(near(p.sum(0, 3) + p.sum(3, std::ssize(p.order)), p.sum(), 1e-12));
    CHECK(std::set<std::int64_t>(p.order.begin(), p.order.end()).size() == 8);
    for (std::size_t i = 1; i < p.order.size(); ++i) {
      const double before = p.product[static_cast<std::size_t>(p.order[i - 1])];
      const double now = p.product[static_cast<std::size_t>(p.order[i])];
      if (order == ProductOrder::Size) CHECK(std::abs(before) >= std::abs(now));
      if (order == ProductOrder::Sign) CHECK(before >= now);
      if (order == ProductOrder::Dimension) CHECK(p.order[i] == p.order[i - 1] + 1);
    }
  }
  const std::vector<double> strange{1, NAN, -3, 2};
  CHECK(ordered(strange, ProductOrder::Size) == std::vector<std::int64_t>{2, 3, 0, 1});
  CHECK(ordered(strange, ProductOrder::Sign) == std::vector<std::int64_t>{3, 0, 2, 1});
}

TEST_CASE("the row has every key's score and weight, and the mass so far") {
  Robot robot(usual);
  const LayerResult& r = shown(robot);
  CellPlace at = place_of(robot);
  at.query = 4;  // "the", which sees five of six keys
  const std::vector<double> expected = weights_of(r, at);
  const MaskRule rule(r.document, r.trace);
  double sum = 0;
  for (const RowKey& key : keys_of_row(r, rule, at, false)) {
    const auto j = static_cast<std::size_t>(key.key);
    CellPlace cell = at;
    cell.key = key.key;
    sum += expected[j];
    CHECK(near(key.score, score_of(r, cell), 1e-5));
    CHECK(near(key.weight, expected[j], 1e-6));
    CHECK(near(key.cumulative, sum, 1e-6));
    CHECK(key.masked == (j == 5));
  }
  const std::vector<RowKey> sorted = keys_of_row(r, rule, at, true);
  for (std::size_t i = 1; i < sorted.size(); ++i) CHECK(sorted[i - 1].weight >= sorted[i].weight);
  CHECK(sorted.back().key == 5);
  CHECK(near(sorted[1].cumulative, sorted[0].weight + sorted[1].weight, 1e-12));

  // The numbers below the row, by hand.
  const RowMeasures& m = r.measures.row(at.b, at.h, at.query);
  double entropy = 0, distance = 0;
  for (std::size_t j = 0; j < 5; ++j) {
    entropy -= expected[j] * std::log(expected[j]);
    distance += expected[j] * std::abs(4.0 - static_cast<double>(j));
  }
  CHECK(near(m.entropy, entropy, 1e-6));
  CHECK(near(m.effective, std::exp(entropy), 1e-5));
  CHECK(near(m.distance, distance, 1e-5));
  CHECK(near(m.self, expected[4], 1e-6));
  CHECK(near(m.previous, expected[3], 1e-6));
  CHECK(near(m.first, expected[0], 1e-6));
}

TEST_CASE("norms and cosines are those of float64") {
  const std::vector<float> a{3, 4, 0}, b{0, 4, 3}, none{0, 0, 0};
  CHECK(norm(a) == 5);
  CHECK(near(cosine(a, b), 16.0 / 25, 1e-15));
  CHECK(near(cosine(a, a), 1, 1e-15));
  CHECK(std::isnan(cosine(a, none)));
  Robot robot(usual);
  const CellPlace at = place_of(robot);
  const Products p = products_of(shown(robot), at, ProductOrder::Size);
  CHECK(near(cosine(p.q, p.k) * norm(p.q) * norm(p.k), score_of(shown(robot), at), 1e-12));
}

TEST_CASE("vectors are looked up by stage, sequence, head and row") {
  Robot robot({.width = 1600,
               .height = 1000,
               .file = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "3-two-banks.json"});
  const LayerResult& r = shown(robot);
  for (const Stage stage :
       {Stage::Position, Stage::RotateQuery, Stage::RotateKey, Stage::Value, Stage::Mix, Stage::Output}) {
    const Tensor& tensor = *r.trace[stage];
    const bool heads = tensor.shape().rank() == 4;
    const std::span<const float> row = vector_of(r, stage, 1, heads ? 2 : 0, 3);
    const auto expected = heads ? tensor.matrix(1, 2) : tensor.matrix(1);
    REQUIRE(std::ssize(row) == expected.cols());
    for (std::size_t d = 0; d < row.size(); ++d) CHECK(row[d] == expected(3, static_cast<Eigen::Index>(d)));
  }
  CHECK(vector_of(r, Stage::Bias, 0, 0, 0).empty());  // not there
  CHECK(vector_of(r, Stage::Mix, 0, 0, 1000).empty());
}

}  // namespace attnscope::inspector_numbers_test
