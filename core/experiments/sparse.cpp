// core/experiments: attention to w of all earlier keys: the last w (Beltagy et al. 2020), every stride-th
// (Child et al. 2019), the own block and the first four (of Zaheer et al. 2020), and the w keys of the
// largest weights, an upper bound of the weight kept; and linear attention (Katharopoulos et al. 2020,
// equation 7), which sees every key but has no softmax.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"

namespace attnscope::experiments {
namespace {

constexpr Eigen::Index few_tokens = 256, few_width = 32, few_globals = 4;
constexpr std::size_t few_seeds = 6;
constexpr double few_slope = 1. / 16;

struct FewDraw {
  Matrix q, k, v;
};
FewDraw few_draw(std::uint64_t seed) {
  return {normals(seed, "queries", few_tokens, few_width), normals(seed, "keys", few_tokens, few_width),
          normals(seed, "values", few_tokens, few_width)};
}

/// q·k/√d − slope · distance: a distance penalty, as in ALiBi; later keys are hidden.
Matrix few_logits(const FewDraw& draw) {
  Matrix logits = draw.q * draw.k.transpose() / std::sqrt(double{few_width});
  for (Eigen::Index i = 0; i < few_tokens; ++i)
    for (Eigen::Index j = 0; j < i; ++j) logits(i, j) -= few_slope * static_cast<double>(i - j);
  hide_later(logits);
  return logits;
}

/// Whether query i keeps key j ≤ i: by window, by stride, and by block plus the first keys.
std::array<bool, 3> few_kept(Eigen::Index i, Eigen::Index j, Eigen::Index keys) {
  const Eigen::Index stride = few_tokens / keys, block = std::max<Eigen::Index>(1, keys - few_globals);
  return {i - j < keys, (i - j) % stride == 0, i / block == j / block || j < few_globals};
}

/// φ(q)·φ(k) / Σ φ(q)·φ(k), φ = elu + 1.
Matrix linear_weights(const FewDraw& draw) {
  const auto features = [](const Matrix& x) {
    return Matrix(x.unaryExpr([](double v) { return v > 0 ? v + 1 : std::exp(v); }));
  };
  Matrix products = features(draw.q) * features(draw.k).transpose();
  for (Eigen::Index i = 0; i < few_tokens; ++i) {
    products.row(i).tail(few_tokens - 1 - i).setZero();
    products.row(i) /= products.row(i).sum();
  }
  return products;
}

double mean_row_error(const Matrix& other, const Matrix& whole) {
  double sum = 0;
  for (Eigen::Index i = 0; i < whole.rows(); ++i)
    sum += (other.row(i) - whole.row(i)).norm() / whole.row(i).norm();
  return sum / static_cast<double>(whole.rows());
}

/// The largest `keys` weights of every row, renormalised; adds the kept weight to `mass`.
Matrix best_weights(const Matrix& weights, Eigen::Index keys, double& mass) {
  Matrix out = Matrix::Zero(few_tokens, few_tokens);
  for (Eigen::Index i = 0; i < few_tokens; ++i) {
    std::vector<Eigen::Index> order(static_cast<std::size_t>(i) + 1);
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    const auto most = std::min<std::ptrdiff_t>(keys, std::ssize(order));
    std::partial_sort(order.begin(), order.begin() + most, order.end(),
                      [&](Eigen::Index a, Eigen::Index b) { return weights(i, a) > weights(i, b); });
    for (std::ptrdiff_t at = 0; at < most; ++at) {
      const Eigen::Index j = order[static_cast<std::size_t>(at)];
      out(i, j) = weights(i, j);
    }
    mass += out.row(i).sum() / few_tokens;
    out.row(i) /= out.row(i).sum();
  }
  return out;
}

void measure_pattern(Seeds& seeds, const Matrix& weights, const FewDraw& draw, const Matrix& whole,
                     Eigen::Index keys, std::size_t pattern) {
  using N = SparseNumbers;
  Matrix kept = weights;
  double mass = 0, found = 0, pairs = 0;
  for (Eigen::Index i = 0; i < few_tokens; ++i) {
    Eigen::Index best = 0;
    weights.row(i).maxCoeff(&best);
    for (Eigen::Index j = 0; j <= i; ++j) {
      if (few_kept(i, j, keys)[pattern])
        pairs += 1;
      else
        kept(i, j) = 0;
    }
    mass += kept.row(i).sum() / few_tokens;
    found += kept(i, best) > 0 ? 1. / few_tokens : 0;
    kept.row(i) /= kept.row(i).sum();
  }
  seeds.add(N::MassWindow + pattern, mass);
  seeds.add(N::ErrorWindow + pattern, mean_row_error(kept * draw.v, whole));
  seeds.add(N::FoundWindow + pattern, found);
  if (pattern == 0) seeds.add(N::PairsB, pairs);
}

Measured measure_sparse(double budget, const std::stop_token& stop) {
  using N = SparseNumbers;
  Seeds seeds(N::Count);
  const auto keys = static_cast<Eigen::Index>(budget);
  for (std::uint64_t seed = 1; seed <= few_seeds; ++seed) {
    stop_when_asked(stop);
    const FewDraw draw = few_draw(seed);
    const Matrix weights = softmax_rows(few_logits(draw)), whole = weights * draw.v;
    for (std::size_t pattern = 0; pattern < 3; ++pattern)
      measure_pattern(seeds, weights, draw, whole, keys, pattern);
    double mass = 0;
    const Matrix best = best_weights(weights, keys, mass);
    seeds.add(N::MassBest, mass);
    seeds.add(N::ErrorBest, mean_row_error(best * draw.v, whole));
    seeds.add(N::ErrorLinear, mean_row_error(linear_weights(draw) * draw.v, whole));
    seeds.add(N::PairsA, few_tokens * (few_tokens + 1) / 2.);
  }
  return seeds.bands();
}

States sparse_states(double budget) {
  const FewDraw draw = few_draw(1);
  States states{given_document({&draw.q, 1}, {&draw.k, 1}, {&draw.v, 1}), {}};
  LayerSpec& layer = states.a.layer();
  layer.masking.causal = true;
  Tensor bias({1, 1, few_tokens, few_tokens});
  for (Eigen::Index i = 0; i < few_tokens; ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      bias.matrix()(i, j) = static_cast<float>(-few_slope * static_cast<double>(i - j));
  layer.masking.additive = std::make_shared<const Tensor>(std::move(bias));
  states.b = states.a;
  states.b->layer().masking.window.left = static_cast<int>(budget) - 1;
  return states;
}

}  // namespace

Experiment sparse_experiment() {
  return {.name = "sparse",
          .values = {2, 4, 8, 16, 32, 64, 128, 256},
          .rest = 4,
          .seeds = few_seeds,
          .quantities = {"kept_window", "kept_strided", "kept_blocks", "kept_best", "error_window",
                         "error_strided", "error_blocks", "error_best", "error_linear", "pairs_full",
                         "pairs_window", "strongest_kept_window", "strongest_kept_strided",
                         "strongest_kept_blocks"},
          .measure = measure_sparse,
          .states = sparse_states};
}

}  // namespace attnscope::experiments
