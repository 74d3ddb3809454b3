// core/experiments: the effect of temperature on a row of weights, softmax(s/τ) (Hinton et al. 2015, section
// 2), and of a soft-cap c·tanh(s/c) before it (Gemma Team 2024, section 2), which keeps logits within ±c.
#include <cmath>

#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"

namespace attnscope::experiments {
namespace {

constexpr Eigen::Index warm_tokens = 64, warm_width = 64;
constexpr std::size_t warm_seeds = 24;
constexpr double warm_cap = 1;

Matrix warm_scores(std::uint64_t seed) {
  return normals(seed, "queries", warm_tokens, warm_width) *
         normals(seed, "keys", warm_tokens, warm_width).transpose() / std::sqrt(double{warm_width});
}

/// ln of a row's largest weight over its least, mean over rows.
double log_ratio(const Matrix& logits) {
  return (logits.rowwise().maxCoeff() - logits.rowwise().minCoeff()).mean();
}

double mean_keys(const Matrix& weights) {
  double sum = 0;
  for (Eigen::Index i = 0; i < weights.rows(); ++i) sum += std::exp(entropy_of(weights.row(i)));
  return sum / static_cast<double>(weights.rows());
}

Measured measure_temperature(double tau, const std::stop_token& stop) {
  using N = TemperatureNumbers;
  Seeds seeds(N::Count);
  seeds.take_median(N::GradientA);
  seeds.take_median(N::GradientB);
  for (std::uint64_t seed = 1; seed <= warm_seeds; ++seed) {
    stop_when_asked(stop);
    const Matrix scores = warm_scores(seed);
    const Matrix capped = warm_cap * (scores.array() / warm_cap).tanh();
    const Matrix upstream = normals(seed, "upstream", warm_tokens, warm_tokens);
    const auto side = [&](const Matrix& logits, std::size_t of_b) {
      const Matrix weights = softmax_rows(logits);
      seeds.add(N::EntropyA + of_b, mean_entropy(weights));
      seeds.add(N::LargestA + of_b, mean_largest(weights));
      seeds.add(N::KeysA + of_b, mean_keys(weights));
      seeds.add(N::RatioA + of_b, std::exp(log_ratio(logits)));
      seeds.add(N::GradientA + of_b, median(row_norms(softmax_gradient(weights, upstream))));
    };
    side(scores / tau, 0);
    side(capped / tau, 1);
    seeds.add(N::BoundB, std::exp(2 * warm_cap / tau));
  }
  return seeds.bands();
}

States temperature_states(double tau) {
  const Matrix q = normals(1, "queries", warm_tokens, warm_width),
               k = normals(1, "keys", warm_tokens, warm_width), v = normals(1, "values", warm_tokens, 16);
  States states{given_document({&q, 1}, {&k, 1}, {&v, 1}), {}};
  states.a.layer().temperature = static_cast<float>(tau);
  states.b = states.a;
  states.b->layer().soft_cap = static_cast<float>(warm_cap);
  return states;
}

}  // namespace

Experiment temperature_experiment() {
  return {.name = "temperature",
          .values = {1. / 16, 1. / 8, 1. / 4, 1. / 2, 1, 2, 4, 8, 16},
          .rest = 4,
          .seeds = warm_seeds,
          .quantities = {"entropy", "entropy_capped", "largest", "largest_capped", "effective_keys",
                         "effective_keys_capped", "largest_over_least", "largest_over_least_capped",
                         "bound_capped", "score_gradient", "score_gradient_capped"},
          .measure = measure_temperature,
          .states = temperature_states};
}

}  // namespace attnscope::experiments
