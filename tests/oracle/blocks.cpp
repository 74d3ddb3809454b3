#include "oracle/blocks.hpp"

#include <cmath>
#include <numbers>

namespace oracle {

std::vector<double> layer_norm(const std::vector<double>& x, const std::vector<double>& weight,
                               const std::vector<double>& bias, double epsilon) {
  double sum = 0, squares = 0;
  for (const double value : x) sum += value;
  const double mean = sum / static_cast<double>(x.size());
  for (const double value : x) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  std::vector<double> y;
  for (std::size_t i = 0; i < x.size(); ++i)
    y.push_back((x[i] - mean) / deviation * (weight.empty() ? 1 : weight[i]) + (bias.empty() ? 0 : bias[i]));
  return y;
}

std::vector<double> root_mean_square_norm(const std::vector<double>& x, const std::vector<double>& weight,
                                          double epsilon) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  const double length = std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  std::vector<double> y;
  for (std::size_t i = 0; i < x.size(); ++i) y.push_back(x[i] / length * (weight.empty() ? 1 : weight[i]));
  return y;
}

double gelu(double x) { return x * std::erfc(-x / std::sqrt(2.0)) / 2; }

double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * std::pow(x, 3))));
}

double silu(double x) { return x / (1 + std::exp(-x)); }

}  // namespace oracle
