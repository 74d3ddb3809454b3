// core/experiments: different weights with the same output: w + z with zᵀ[V, 1] = 0 gives the same output and
// sums to 1 (Brunner et al. 2020, section 3: attention is not identifiable when n > d_v + 1).
#include <cmath>
#include <numeric>

#include "core/base/orthonormal.hpp"
#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"

namespace attnscope::experiments {
namespace {

constexpr Eigen::Index same_tokens = 24, same_width = 32, same_value_width = 4;
constexpr std::size_t same_seeds = 12;

struct SameDraw {
  Matrix q, k, v, weights;
};
SameDraw same_draw(std::uint64_t seed) {
  SameDraw draw{normals(seed, "queries", same_tokens, same_width),
                normals(seed, "keys", same_tokens, same_width),
                normals(seed, "values", same_tokens, same_value_width),
                {}};
  draw.weights = softmax_rows(draw.q * draw.k.transpose() / std::sqrt(double{same_width}));
  return draw;
}

/// A direction in the null space of [V, 1]ᵀ of these keys: the projection of `pick` onto it.
Eigen::VectorXd same_direction(const Matrix& v, const std::vector<Eigen::Index>& keys,
                               const Eigen::VectorXd& pick) {
  const auto count = static_cast<Eigen::Index>(keys.size());
  Matrix constraints(count, v.cols() + 1);
  Eigen::VectorXd direction(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    constraints.row(i) << v.row(keys[static_cast<std::size_t>(i)]), 1;
    direction(i) = pick(keys[static_cast<std::size_t>(i)]);
  }
  const Matrix held = orthonormal(constraints);
  direction -= held * (held.transpose() * direction);
  return direction - held * (held.transpose() * direction);  // again, against rounding
}

/// Weights on at most d_v + 1 keys with the same output (Carathéodory's theorem): moves along a random
/// direction until a weight is 0, then along its projection for the remaining keys.
Eigen::RowVectorXd same_corner(const Matrix& v, Eigen::RowVectorXd weights, const Eigen::VectorXd& pick) {
  std::vector<Eigen::Index> keys(static_cast<std::size_t>(weights.size()));
  std::iota(keys.begin(), keys.end(), Eigen::Index{0});
  while (std::ssize(keys) > v.cols() + 1) {
    const Eigen::VectorXd direction = same_direction(v, keys, pick);
    double most = INFINITY;
    std::size_t first = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const double slope = direction(static_cast<Eigen::Index>(i));
      if (slope >= 0 || -weights(keys[i]) / slope >= most) continue;
      most = -weights(keys[i]) / slope;
      first = i;
    }
    if (!std::isfinite(most)) break;
    for (std::size_t i = 0; i < keys.size(); ++i)
      weights(keys[i]) += most * direction(static_cast<Eigen::Index>(i));
    weights(keys[first]) = 0;
    keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return weights;
}

/// Moves every row by `share` towards its same_corner().
Matrix same_moved(std::uint64_t seed, const SameDraw& draw, double share) {
  const Matrix pick = normals(seed, "directions", same_tokens, same_tokens);
  Matrix moved = draw.weights;
  for (Eigen::Index i = 0; i < same_tokens; ++i)
    moved.row(i) = (1 - share) * draw.weights.row(i) +
                   share * same_corner(draw.v, draw.weights.row(i), pick.row(i).transpose());
  return moved;
}

Measured measure_same(double share, const std::stop_token& stop) {
  using N = SameNumbers;
  Seeds seeds(N::Count);
  for (std::uint64_t seed = 1; seed <= same_seeds; ++seed) {
    stop_when_asked(stop);
    const SameDraw draw = same_draw(seed);
    const Matrix moved = same_moved(seed, draw, share);
    const Matrix output = draw.weights * draw.v;
    double other = 0;
    for (Eigen::Index i = 0; i < same_tokens; ++i) {
      Eigen::Index before = 0, after = 0;
      draw.weights.row(i).maxCoeff(&before);
      moved.row(i).maxCoeff(&after);
      other += before != after ? 1. / same_tokens : 0;
    }
    seeds.add(N::MovedB, mean_variation(moved, draw.weights));
    seeds.add(N::OutputB, (moved * draw.v - output).norm() / output.norm());
    seeds.add(N::EntropyA, mean_entropy(draw.weights));
    seeds.add(N::EntropyB, mean_entropy(moved));
    seeds.add(N::LargestA, mean_largest(draw.weights));
    seeds.add(N::LargestB, mean_largest(moved));
    seeds.add(N::StrongestB, other);
  }
  return seeds.bands();
}

/// B has its weights as a frozen pattern.
States same_states(double share) {
  const SameDraw draw = same_draw(1);
  States states{given_document({&draw.q, 1}, {&draw.k, 1}, {&draw.v, 1}), {}};
  states.b = states.a;
  const Matrix moved = same_moved(1, draw, share);
  Tensor frozen({1, same_tokens, same_tokens});
  frozen.matrix(0) = moved.cast<float>();
  states.b->layer().interventions = {
      {Intervention::Kind::Frozen, std::make_shared<const Tensor>(std::move(frozen))}};
  return states;
}

}  // namespace

Experiment same_experiment() {
  return {.name = "same",
          .values = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1},
          .rest = 10,
          .seeds = same_seeds,
          .quantities = {"weights_moved", "output_change", "entropy", "entropy_moved", "largest",
                         "largest_moved", "strongest_other"},
          .measure = measure_same,
          .states = same_states};
}

}  // namespace attnscope::experiments
