// core/experiments: a weight is not a contribution: what a key adds to the output has the norm ‖α·v·W_O‖
// (Kobayashi et al. 2020, section 3).
#include <algorithm>
#include <cmath>

#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"

namespace attnscope::experiments {
namespace {

constexpr Eigen::Index adds_tokens = 48, adds_width = 32;
constexpr std::size_t adds_seeds = 12;
constexpr double adds_bonus = 4;  // of key 0, in logits

struct AddsDraw {
  Matrix q, k, v, out;
};
AddsDraw adds_draw(std::uint64_t seed, double length) {
  AddsDraw draw{normals(seed, "queries", adds_tokens, adds_width),
                normals(seed, "keys", adds_tokens, adds_width),
                normals(seed, "values", adds_tokens, adds_width),
                normals(seed, "output", adds_width, adds_width) / std::sqrt(double{adds_width})};
  draw.v.row(0) *= length;
  return draw;
}

Matrix adds_weights(const AddsDraw& draw) {
  Matrix logits = draw.q * draw.k.transpose() / std::sqrt(double{adds_width});
  logits.col(0).array() += adds_bonus;
  return softmax_rows(logits);
}

/// α times the norm of each key's v·W_O.
Matrix adds_contributions(const AddsDraw& draw, const Matrix& weights) {
  const Eigen::RowVectorXd lengths = (draw.v * draw.out).rowwise().norm().transpose();
  return weights.cwiseProduct(lengths.replicate(weights.rows(), 1));
}

double keys_for_half(Eigen::RowVectorXd row) {
  std::sort(row.begin(), row.end(), std::greater<>());
  const double half = row.sum() / 2;
  double sum = 0;
  for (Eigen::Index j = 0; j < row.size(); ++j)
    if ((sum += row(j)) >= half) return static_cast<double>(j + 1);
  return static_cast<double>(row.size());
}

double row_correlation(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b) {
  const Eigen::ArrayXXd x = a.array() - a.mean(), y = b.array() - b.mean();
  return (x * y).sum() / std::sqrt(x.square().sum() * y.square().sum());
}

Measured measure_contribution(double length, const std::stop_token& stop) {
  using N = ContributionNumbers;
  Seeds seeds(N::Count);
  for (std::uint64_t seed = 1; seed <= adds_seeds; ++seed) {
    stop_when_asked(stop);
    const AddsDraw draw = adds_draw(seed, length);
    const Matrix weights = adds_weights(draw), adds = adds_contributions(draw, weights);
    const Matrix output = weights * draw.v * draw.out;
    std::vector<double> sums(N::Count, 0);
    for (Eigen::Index i = 0; i < adds_tokens; ++i) {
      Eigen::Index other = 0;
      weights.row(i).tail(adds_tokens - 1).maxCoeff(&other);
      sums[N::WeightA] += weights(i, 0);
      sums[N::ShareB] += adds(i, 0) / adds.row(i).sum();
      sums[N::HalfA] += keys_for_half(weights.row(i));
      sums[N::HalfB] += keys_for_half(adds.row(i));
      sums[N::Correlation] += row_correlation(weights.row(i), adds.row(i));
      sums[N::RemovedB] += adds(i, 0) / output.row(i).norm();
      sums[N::RemovedA] += adds(i, other + 1) / output.row(i).norm();
    }
    for (std::size_t quantity = 0; quantity < N::Count; ++quantity)
      seeds.add(quantity, sums[quantity] / adds_tokens);
  }
  return seeds.bands();
}

States contribution_states(double length) {
  const AddsDraw draw = adds_draw(1, length);
  States states{given_document({&draw.q, 1}, {&draw.k, 1}, {&draw.v, 1}), {}};
  LayerSpec& layer = states.a.layer();
  Tensor bonus({1, 1, adds_tokens, adds_tokens});
  bonus.matrix().col(0).setConstant(static_cast<float>(adds_bonus));
  layer.masking.additive = std::make_shared<const Tensor>(std::move(bonus));
  Tensor out({adds_width, adds_width});
  out.matrix() = draw.out.cast<float>();
  layer.weights.recipe = Recipe::Given;
  layer.weights[Parameter::WOutput] = std::make_shared<const Tensor>(std::move(out));
  return states;
}

Pictures contribution_pictures(double length, const std::stop_token& stop) {
  stop_when_asked(stop);
  const AddsDraw draw = adds_draw(1, length);
  const Matrix weights = adds_weights(draw), adds = adds_contributions(draw, weights);
  Pictures out{Tensor({adds_tokens, adds_tokens}), Tensor({adds_tokens, adds_tokens})};
  out.a.matrix() = weights.cast<float>();
  for (Eigen::Index i = 0; i < adds_tokens; ++i)  // normalised to shares of a row, like weights
    out.b.matrix().row(i) = (adds.row(i) / adds.row(i).sum()).cast<float>();
  return out;
}

}  // namespace

Experiment contribution_experiment() {
  return {.name = "contribution",
          .values = {0, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 1, 2},
          .rest = 2,
          .seeds = adds_seeds,
          .quantities = {"weight_key_0", "contribution_share_key_0", "keys_for_half_weight",
                         "keys_for_half_contribution", "correlation", "removed_key_0", "removed_next_key"},
          .measure = measure_contribution,
          .states = contribution_states,
          .pictures = contribution_pictures};
}

}  // namespace attnscope::experiments
