// core/experiments: the path length from a token to the output that depends on it (Vaswani et al. 2017,
// section 4, table 1): the number of steps, and the size of the gradient that arrives. RNN: h ← tanh(W h + x)
// (Pascanu et al. 2013, section 2); CNN: causal tanh layers of width 3, as many as the distance needs;
// attention: one layer.
#include <cmath>

#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"

namespace attnscope::experiments {
namespace {

constexpr Eigen::Index path_width = 32, path_context = 257, path_shown = 64;
constexpr std::size_t path_seeds = 8;
constexpr Eigen::Index path_taps = 3;

Matrix path_matrix(std::uint64_t seed, const std::string& what, double variance) {
  return normals(seed, what, path_width, path_width) * std::sqrt(variance / path_width);
}

/// ‖∂h_t/∂h_{t−d}‖: the product of diag(1 − h²) W over d steps, after 16 steps that settle the state.
double rnn_gradient(std::uint64_t seed, Eigen::Index distance) {
  constexpr Eigen::Index settle = 16;
  const Matrix w = path_matrix(seed, "recurrent", 1);
  const Matrix x = normals(seed, "inputs", settle + distance, path_width) * 0.5;
  Eigen::VectorXd h = Eigen::VectorXd::Zero(path_width);
  Matrix jacobian = Matrix::Identity(path_width, path_width);
  for (Eigen::Index t = 0; t < settle + distance; ++t) {
    h = (w * h + x.row(t).transpose()).array().tanh().matrix();
    if (t >= settle) jacobian = (1 - h.array().square()).matrix().asDiagonal() * (w * jacobian);
  }
  return jacobian.norm() / std::sqrt(double{path_width});
}

Eigen::Index cnn_layers(Eigen::Index distance) { return (distance + path_taps - 2) / (path_taps - 1); }

/// The gradient of the farthest token that the layers reach: one path, through every layer's farthest tap;
/// for a distance of 1 through the middle tap.
double cnn_gradient(std::uint64_t seed, Eigen::Index distance) {
  const Eigen::Index layers = cnn_layers(distance);
  Matrix x = normals(seed, "inputs", (path_taps - 1) * layers + 1, path_width) * 0.5;
  Matrix jacobian = Matrix::Identity(path_width, path_width);
  for (Eigen::Index layer = 0; layer < layers; ++layer) {
    std::vector<Matrix> taps;
    for (Eigen::Index tap = 0; tap < path_taps; ++tap)
      taps.push_back(path_matrix(seed, "layer " + std::to_string(layer) + " tap " + std::to_string(tap),
                                 1. / path_taps));
    Matrix next(x.rows() - (path_taps - 1), path_width);
    for (Eigen::Index t = 0; t < next.rows(); ++t) {
      Eigen::VectorXd sum = Eigen::VectorXd::Zero(path_width);
      for (Eigen::Index tap = 0; tap < path_taps; ++tap)
        sum += taps[static_cast<std::size_t>(tap)] * x.row(t + tap).transpose();
      next.row(t) = sum.array().tanh().matrix().transpose();
    }
    // Row 0 of `next` reads the farthest token with tap 0, and the token before the last with tap 1.
    const std::size_t through = distance == 1 ? 1 : 0;
    jacobian =
        (1 - next.row(0).transpose().array().square()).matrix().asDiagonal() * (taps[through] * jacobian);
    x = next;
  }
  return jacobian.norm() / std::sqrt(double{path_width});
}

/// ‖α V‖ of the last query for the key at this distance: queries and keys are constants, so the gradient
/// passes through the value only.
double attention_gradient(std::uint64_t seed, Eigen::Index distance) {
  const Matrix q = normals(seed, "query", 1, path_width), k = normals(seed, "keys", path_context, path_width);
  const Matrix weights = softmax_rows(q * k.transpose() / std::sqrt(double{path_width}));
  const Matrix v = path_matrix(seed, "values", 1);
  return weights(0, path_context - 1 - distance) * v.norm() / std::sqrt(double{path_width});
}

Measured measure_path(double distance, const std::stop_token& stop) {
  using N = PathNumbers;
  Seeds seeds(N::Count);
  for (const std::size_t quantity : {N::GradientA, N::GradientB, N::GradientCnn}) seeds.take_median(quantity);
  const auto d = static_cast<Eigen::Index>(distance);
  const double n = distance, layers = static_cast<double>(cnn_layers(d)), w = path_width;
  for (std::uint64_t seed = 1; seed <= path_seeds; ++seed) {
    stop_when_asked(stop);
    seeds.add(N::GradientA, attention_gradient(seed, d));
    seeds.add(N::GradientB, rnn_gradient(seed, d));
    seeds.add(N::GradientCnn, cnn_gradient(seed, d));
  }
  seeds.add(N::StepsA, 1);
  seeds.add(N::StepsB, n);
  seeds.add(N::StepsCnn, layers);
  seeds.add(N::SerialA, 2);  // q·k, then the mix
  seeds.add(N::SerialB, n);
  seeds.add(N::SerialCnn, layers);
  seeds.add(N::WorkA, 2 * n * n * w);
  seeds.add(N::WorkB, n * w * w);
  seeds.add(N::WorkCnn, layers * path_taps * n * w * w);
  return seeds.bands();
}

States path_states(double) {
  const Matrix q = normals(1, "queries", path_shown, path_width),
               k = normals(1, "keys", path_shown, path_width),
               v = normals(1, "values of tokens", path_shown, path_width);
  States states{given_document({&q, 1}, {&k, 1}, {&v, 1}), {}};
  states.a.layer().masking.causal = true;
  return states;
}

/// The influence of token j ≤ i on output i: weights, and ‖∂h_i/∂h_j‖ / √width of an RNN.
Pictures path_pictures(double distance, const std::stop_token& stop) {
  const States states = path_states(distance);
  const Given& given = states.a.input.given();
  Matrix logits = given.query->matrix(0, 0).cast<double>() *
                  given.key->matrix(0, 0).cast<double>().transpose() / std::sqrt(double{path_width});
  hide_later(logits);
  Pictures out{Tensor({path_shown, path_shown}), Tensor({path_shown, path_shown})};
  out.a.matrix() = softmax_rows(logits).cast<float>();
  const Matrix w = path_matrix(1, "recurrent", 1), x = normals(1, "inputs", path_shown, path_width) * 0.5;
  Eigen::VectorXd h = Eigen::VectorXd::Zero(path_width);
  std::vector<Matrix> jacobians;  // ∂h_i/∂h_j
  for (Eigen::Index i = 0; i < path_shown; ++i) {
    stop_when_asked(stop);
    h = (w * h + x.row(i).transpose()).array().tanh().matrix();
    for (Matrix& jacobian : jacobians)
      jacobian = (1 - h.array().square()).matrix().asDiagonal() * (w * jacobian);
    jacobians.push_back(Matrix::Identity(path_width, path_width));
    for (Eigen::Index j = 0; j <= i; ++j)
      out.b.matrix()(i, j) =
          static_cast<float>(jacobians[static_cast<std::size_t>(j)].norm() / std::sqrt(double{path_width}));
  }
  return out;
}

}  // namespace

Experiment path_experiment() {
  return {.name = "path",
          .values = {1, 2, 4, 8, 16, 32, 64, 128, 256},
          .rest = 5,
          .seeds = path_seeds,
          .quantities = {"steps_attention", "steps_rnn", "steps_cnn", "gradient_attention", "gradient_rnn",
                         "gradient_cnn", "serial_attention", "serial_rnn", "serial_cnn", "work_attention",
                         "work_rnn", "work_cnn"},
          .measure = measure_path,
          .states = path_states,
          .pictures = path_pictures};
}

}  // namespace attnscope::experiments
