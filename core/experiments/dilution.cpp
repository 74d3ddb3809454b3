// core/experiments: one matching key (the needle) among n − 1 others: its weight is e^Δ/(e^Δ + n − 1) if the
// others score 0, so it falls with n. Multiplying logits by ln n / ln n₀ compensates for this (Chiang and
// Cholak 2022, section 5.3; Nakanishi 2025, "Scalable-Softmax").
#include <cmath>

#include "core/base/random.hpp"
#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"

namespace attnscope::experiments {
namespace {

constexpr double needle_margin = 6, needle_first = 10;
constexpr std::size_t needle_seeds = 8;
constexpr Eigen::Index needle_queries = 16;
constexpr double needle_most_shown = 1000;

struct NeedleRow {
  double weight, entropy, log_next;
};

/// The row with all scores multiplied by `factor`; the needle comes first.
NeedleRow needle_row(const Eigen::ArrayXd& others, double factor) {
  const double needle = needle_margin * factor;
  const double largest = std::max(needle, others.maxCoeff() * factor);
  const Eigen::ArrayXd shifted = others * factor - largest;
  const Eigen::ArrayXd powers = shifted.exp();
  const double own = std::exp(needle - largest), sum = powers.sum() + own;
  // H = ln Σ e^x − Σ x e^x / Σ e^x.
  const double mean = ((shifted * powers).sum() + (needle - largest) * own) / sum;
  return {own / sum, (std::log(sum) - mean) / std::log(static_cast<double>(others.size() + 1)),
          needle - others.maxCoeff() * factor};
}

double needle_factor(double n) { return std::log(n) / std::log(needle_first); }

Measured measure_dilution(double n, const std::stop_token& stop) {
  using N = DilutionNumbers;
  Seeds seeds(N::Count);
  const std::uint64_t stream = stream_of("distractors");
  for (std::uint64_t seed = 1; seed <= needle_seeds; ++seed) {
    Eigen::ArrayXd others(static_cast<Eigen::Index>(n) - 1);
    for (Eigen::Index i = 0; i < others.size(); ++i) {
      if (i % 4096 == 0) stop_when_asked(stop);
      others(i) = random_normal(seed, stream, static_cast<std::uint64_t>(i));
    }
    const NeedleRow a = needle_row(others, 1), b = needle_row(others, needle_factor(n));
    seeds.add(N::NeedleA, a.weight);
    seeds.add(N::NeedleB, b.weight);
    seeds.add(N::EntropyA, a.entropy);
    seeds.add(N::EntropyB, b.entropy);
    seeds.add(N::NextA, std::exp(a.log_next));
    seeds.add(N::NextB, std::exp(b.log_next));
    seeds.add(N::Equal, 1 / (1 + (n - 1) * std::exp(-needle_margin)));
    seeds.add(N::MarginA, needle_margin);
    seeds.add(N::MarginB, needle_margin * needle_factor(n));
    seeds.add(N::Half, std::log(n - 1));
  }
  for (const std::size_t quantity : {N::NextA, N::NextB}) seeds.take_median(quantity);
  return seeds.bands();
}

/// Query i is the i-th unit vector, so that the keys' numbers are the scores; its needle is key i · n /
/// needle_queries.
States dilution_states(double n) {
  const auto keys = static_cast<Eigen::Index>(n);
  const Matrix q = Matrix::Identity(needle_queries, needle_queries);
  Matrix k = normals(1, "keys", keys, needle_queries);
  for (Eigen::Index i = 0; i < needle_queries; ++i) k(i * keys / needle_queries, i) = needle_margin;
  const Matrix v = normals(1, "values", keys, 8);
  States states{given_document({&q, 1}, {&k, 1}, {&v, 1}), {}};
  states.a.layer().scaling = {Scaling::Kind::Off, 1};
  states.b = states.a;
  states.b->layer().scaling = {Scaling::Kind::Factor, static_cast<float>(needle_factor(n))};
  return states;
}

}  // namespace

Experiment dilution_experiment() {
  return {.name = "dilution",
          .values = {10, 30, 100, 300, 1000, 3000, 1e4, 3e4, 1e5, 3e5, 1e6},
          .rest = 4,
          .seeds = needle_seeds,
          .quantities = {"needle", "needle_scaled", "needle_others_zero", "margin", "margin_scaled",
                         "margin_for_half", "entropy", "entropy_scaled", "needle_over_next",
                         "needle_over_next_scaled"},
          .measure = measure_dilution,
          .states = dilution_states,
          .most_shown = needle_most_shown};
}

}  // namespace attnscope::experiments
