// The online softmax of the cost experiment and the phasors of the rotary one, against loops written from the
// formulas.
#include <array>
#include <cmath>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/experiments/experiment.hpp"
#include "core/experiments/online.hpp"
#include "core/experiments/quantities.hpp"
#include "naive_experiments.hpp"

namespace attnscope::online_softmax_test {
namespace {

using namespace experiments;
using namespace naive;
using Catch::Approx;

/// Of the first `keys`: their largest score, Σ e^(s − largest), and softmax(s) V of them alone.
struct Prefix {
  double largest = -INFINITY, sum = 0;
  std::vector<double> mixed;
};
Prefix prefix_of(const std::vector<double>& scores, const Numbers& values, std::size_t width,
                 std::size_t keys) {
  Prefix out;
  for (std::size_t j = 0; j < keys; ++j) out.largest = std::max(out.largest, scores[j]);
  for (std::size_t j = 0; j < keys; ++j) out.sum += std::exp(scores[j] - out.largest);
  out.mixed.assign(width, 0);
  for (std::size_t j = 0; j < keys; ++j)
    for (std::size_t c = 0; c < width; ++c)
      out.mixed[c] += std::exp(scores[j] - out.largest) / out.sum * values[j * width + c];
  return out;
}

}  // namespace

TEST_CASE("experiments: every tile of the online softmax is the softmax of the keys so far",
          "[experiments]") {
  constexpr std::size_t n = 256, width = 64, tile = 64;
  const Numbers q = drawn(1, "queries", n * width), k = drawn(1, "keys", n * width),
                v = drawn(1, "values", n * width);
  std::vector<double> scores;
  for (std::size_t j = 0; j < n; ++j) scores.push_back(dot(q, n - 1, k, j, width) / std::sqrt(64.));
  const Prefix whole = prefix_of(scores, v, width, n);
  const OnlineRow row = find("cost")->online(n);
  REQUIRE(row.scores.size() == n);
  REQUIRE(row.tiles.size() == n / tile);
  double before = -INFINITY;
  for (std::size_t t = 0; t < row.tiles.size(); ++t) {
    CAPTURE(t);
    const OnlineTile& at = row.tiles[t];
    CHECK(at.first == t * tile);
    CHECK(at.last == (t + 1) * tile);
    const Prefix so_far = prefix_of(scores, v, width, at.last);
    CHECK(at.maximum == Approx(so_far.largest).epsilon(1e-12));
    CHECK(at.sum == Approx(so_far.sum).epsilon(1e-12));
    CHECK(at.factor == Approx(std::exp(before - so_far.largest)).epsilon(1e-12));
    double off = 0, length_of_whole = 0, largest = -INFINITY;
    for (std::size_t c = 0; c < width; ++c) {
      off += std::pow(so_far.mixed[c] - whole.mixed[c], 2);
      length_of_whole += std::pow(whole.mixed[c], 2);
    }
    for (std::size_t j = at.first; j < at.last; ++j) largest = std::max(largest, scores[j]);
    CHECK(at.largest == Approx(largest).epsilon(1e-12));
    CHECK(at.error == Approx(std::sqrt(off / length_of_whole)).epsilon(1e-9).margin(1e-12));
    before = so_far.largest;
  }
  for (std::size_t j = 0; j < n; ++j) CHECK(row.scores[j] == Approx(scores[j]).epsilon(1e-12));
  CHECK(row.tiles.back().error < 1e-14);
}

TEST_CASE("experiments: the last tile of an online softmax may be short, and nothing is no row",
          "[experiments]") {
  const Eigen::RowVectorXd scores = (Eigen::RowVectorXd(5) << 1, 3, 2, 700, -700).finished();
  const Eigen::MatrixXd values = Eigen::MatrixXd::Identity(5, 5);
  const OnlineRow row = online_row(scores, values, 2);
  REQUIRE(row.tiles.size() == 3);
  CHECK(row.tiles[2].last == 5);
  CHECK(row.tiles[1].factor == Approx(std::exp(-697.)));
  CHECK(row.tiles[2].factor == 1);
  CHECK(row.tiles[2].sum == Approx(1));
  CHECK_THROWS_AS(online_row(Eigen::RowVectorXd(), Eigen::MatrixXd(), 2), Error);
  CHECK_THROWS_AS(online_row(scores, values.topRows(4), 2), Error);
  CHECK_THROWS_AS(online_row(scores, values, 0), Error);
}

TEST_CASE("experiments: phasors against loops over rotated vectors", "[experiments]") {
  using N = PhasorNumbers;
  const Experiment& experiment = *find("phasors");
  struct Kind {
    double base, divisor;
  };
  constexpr std::array<Kind, 3> kinds{{{10'000, 1}, {10'000, 8}, {500'000, 1}}};
  for (const double distance : {0., 1., 6., 44., 256.}) {
    CAPTURE(distance);
    const Measured out = experiment.measure(distance, {});
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      CAPTURE(kind);
      const auto angle = [&](std::size_t i, double delta) {
        return delta / kinds[kind].divisor / std::pow(kinds[kind].base, 2. * static_cast<double>(i) / 64);
      };
      std::vector<double> sums;
      for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        const Numbers q = drawn(seed, "query", 64);
        double score = 0, plain = 0;
        for (std::size_t i = 0; i < 32; ++i) {  // the key is rotated, then multiplied
          const double x = q[i], y = q[32 + i], c = std::cos(angle(i, distance)),
                       s = std::sin(angle(i, distance));
          score += x * (x * c - y * s) + y * (x * s + y * c);
          plain += x * x + y * y;
        }
        sums.push_back(score / plain);
      }
      CHECK(out[N::SumA + kind].typical == Approx(mean(sums)).epsilon(1e-10).margin(1e-12));
      CHECK(out[N::SumA + kind].least ==
            Approx(*std::ranges::min_element(sums)).epsilon(1e-10).margin(1e-12));
      double turned = 0;
      for (std::size_t i = 0; i < 32; ++i) turned += angle(i, distance) >= 2 * M_PI ? 1 : 0;
      CHECK(out[N::TurnedA + kind].typical == turned);
      const auto nearest = [&](std::size_t pairs) {
        double least = INFINITY;
        for (double other = 0; other < distance; ++other) {
          double sum = 0;
          for (std::size_t i = 0; i < pairs; ++i)
            sum += std::pow(std::cos(angle(i, distance)) - std::cos(angle(i, other)), 2) +
                   std::pow(std::sin(angle(i, distance)) - std::sin(angle(i, other)), 2);
          least = std::min(least, std::sqrt(sum / static_cast<double>(pairs)));
        }
        return least;
      };
      if (distance == 0) {
        CHECK(std::isnan(out[N::NearestA + kind].typical));
        continue;
      }
      CHECK(out[N::NearestA + kind].typical == Approx(nearest(32)).epsilon(1e-9));
      if (kind == 0) CHECK(out[N::NearestFastest].typical == Approx(nearest(1)).epsilon(1e-9));
    }
  }
  CHECK(experiment.measure(0, {})[N::SumA].typical == 1);
  CHECK(phasor_angles(44, false).front() == 44);
  CHECK(phasor_angles(44, true).front() == 5.5);
}

TEST_CASE("experiments: the engine's own rotary scores are the sum of the phasors", "[experiments]") {
  const Experiment& experiment = *find("phasors");
  const Look look = experiments::look(experiment, 0, {});
  const Numbers q = drawn(1, "query", 64);
  for (const bool is_interpolated : {false, true}) {
    const Tensor& picture = is_interpolated ? look.pictures.b : look.pictures.a;
    REQUIRE(picture.shape() == Shape{64, 64});
    for (const std::size_t query : {0u, 5u, 63u}) {
      std::vector<double> scores;
      for (std::size_t key = 0; key < 64; ++key) {
        const double distance = static_cast<double>(query) - static_cast<double>(key);
        const std::vector<double> angles = phasor_angles(distance, is_interpolated);
        double score = 0;
        for (std::size_t i = 0; i < 32; ++i)
          score += (q[i] * q[i] + q[32 + i] * q[32 + i]) * std::cos(angles[i]);
        scores.push_back(score / 8);
      }
      const Numbers weights = softmax(scores);
      for (std::size_t key = 0; key < 64; ++key)
        CHECK(static_cast<double>(
                  picture.matrix()(static_cast<Eigen::Index>(query), static_cast<Eigen::Index>(key))) ==
              Approx(weights[key]).margin(2e-6));
    }
  }
}

}  // namespace attnscope::online_softmax_test
