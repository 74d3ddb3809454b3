// core/experiments: why scores are divided by √dₖ (Vaswani et al. 2017, section 3.2.1, footnote 4): q·k of
// independent standard normal entries has the variance dₖ.
#include <cmath>

#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"

namespace attnscope::experiments {
namespace {

constexpr Eigen::Index scaling_tokens = 64;
constexpr std::size_t scaling_seeds = 24;
constexpr double still_gradient = 1e-6;

struct ScalingDraw {
  Matrix q, k;
};
ScalingDraw scaling_draw(std::uint64_t seed, double d_k) {
  const auto width = static_cast<Eigen::Index>(d_k);
  return {normals(seed, "queries", scaling_tokens, width), normals(seed, "keys", scaling_tokens, width)};
}

struct ScalingSide {
  double spread, largest, entropy, gradient, query_gradient, still;
};
/// `factor` multiplies the scores. `upstream` is the gradient of the weights, standard normal numbers.
ScalingSide scaling_side(const Matrix& scores, const Matrix& k, const Matrix& upstream, double factor) {
  const Matrix logits = scores * factor, weights = softmax_rows(logits);
  const Matrix gradient = softmax_gradient(weights, upstream);
  const std::vector<double> norms = row_norms(gradient);
  double still = 0;
  for (const double norm : norms) still += norm < still_gradient ? 1 : 0;
  return {deviation(logits), mean_largest(weights),          mean_entropy(weights),
          median(norms),     (gradient * k).norm() * factor, still / static_cast<double>(norms.size())};
}

Measured measure_scaling(double d_k, const std::stop_token& stop) {
  using N = ScalingNumbers;
  Seeds seeds(N::Count);
  seeds.take_median(N::GradientA);
  seeds.take_median(N::GradientB);
  for (std::uint64_t seed = 1; seed <= scaling_seeds; ++seed) {
    stop_when_asked(stop);
    const ScalingDraw draw = scaling_draw(seed, d_k);
    const Matrix scores = draw.q * draw.k.transpose();
    const Matrix upstream = normals(seed, "upstream", scaling_tokens, scaling_tokens);
    const ScalingSide a = scaling_side(scores, draw.k, upstream, 1 / std::sqrt(d_k));
    const ScalingSide b = scaling_side(scores, draw.k, upstream, 1);
    seeds.add(N::SpreadA, a.spread);
    seeds.add(N::SpreadB, b.spread);
    seeds.add(N::LargestA, a.largest);
    seeds.add(N::LargestB, b.largest);
    seeds.add(N::EntropyA, a.entropy);
    seeds.add(N::EntropyB, b.entropy);
    seeds.add(N::GradientA, a.gradient);
    seeds.add(N::GradientB, b.gradient);
    seeds.add(N::QueryGradientA, a.query_gradient);
    seeds.add(N::QueryGradientB, b.query_gradient);
    seeds.add(N::StillA, a.still);
    seeds.add(N::StillB, b.still);
    seeds.add(N::Root, std::sqrt(d_k));
  }
  return seeds.bands();
}

States scaling_states(double d_k) {
  const ScalingDraw draw = scaling_draw(1, d_k);
  const Matrix v = normals(1, "values", scaling_tokens, 16);
  States states{given_document({&draw.q, 1}, {&draw.k, 1}, {&v, 1}), {}};
  states.b = states.a;
  states.b->layer().scaling.kind = Scaling::Kind::Off;
  return states;
}

}  // namespace

Experiment scaling_experiment() {
  return {.name = "scaling",
          .values = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024},
          .rest = 6,
          .seeds = scaling_seeds,
          .quantities = {"spread_divided", "spread_not_divided", "largest_divided", "largest_not_divided",
                         "entropy_divided", "entropy_not_divided", "score_gradient_divided",
                         "score_gradient_not_divided", "query_gradient_divided", "query_gradient_not_divided",
                         "still_rows_divided", "still_rows_not_divided", "root"},
          .measure = measure_scaling,
          .states = scaling_states};
}

}  // namespace attnscope::experiments
