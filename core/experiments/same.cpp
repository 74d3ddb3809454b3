// core/experiments: other weights, the same output: w + z with zᵀ[V, 1] = 0 mixes the same values and sums to
// 1 (Brunner et al. 2020, section 3: attention is not identifiable when n > d_v + 1).
#include <cmath>

#include <Eigen/QR>

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

/// A basis of what [V, 1]ᵀ takes to 0, in columns.
Matrix same_null_space(const Matrix& v) {
  Matrix constraints(v.rows(), v.cols() + 1);
  constraints << v, Eigen::VectorXd::Ones(v.rows());
  const Eigen::HouseholderQR<Matrix> qr(constraints);
  const Matrix q = qr.householderQ() * Matrix::Identity(v.rows(), v.rows());
  return q.rightCols(v.rows() - v.cols() - 1);
}

/// `share` of the way along a drawn direction to where the first weight becomes 0.
Matrix same_moved(std::uint64_t seed, const SameDraw& draw, double share) {
  const Matrix basis = same_null_space(draw.v);
  const Matrix pick = normals(seed, "directions", same_tokens, basis.cols());
  Matrix moved = draw.weights;
  for (Eigen::Index i = 0; i < same_tokens; ++i) {
    const Eigen::RowVectorXd direction = (basis * pick.row(i).transpose()).transpose();
    double most = INFINITY;
    for (Eigen::Index j = 0; j < same_tokens; ++j)
      if (direction(j) < 0) most = std::min(most, -moved(i, j) / direction(j));
    moved.row(i) += share * most * direction;
  }
  return moved.cwiseMax(0.0);  // rounding below 0 at the end of the way
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

/// The weights of B stand in the place of the head's own.
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
          .values = {0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1},
          .rest = 8,
          .seeds = same_seeds,
          .quantities = {"weights_moved", "output_change", "entropy", "entropy_moved", "largest",
                         "largest_moved", "strongest_other"},
          .measure = measure_same,
          .states = same_states};
}

}  // namespace attnscope::experiments
