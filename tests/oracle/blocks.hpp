// tests/oracle: the rest of a transformer's block, naively in double: loops over the formulas of the papers,
// sharing nothing with core/blocks.
#pragma once

#include <vector>

namespace oracle {

/// (x − mean) / √(variance + ε) · weight + bias; empty weight: 1, empty bias: 0.
std::vector<double> layer_norm(const std::vector<double>& x, const std::vector<double>& weight,
                               const std::vector<double>& bias, double epsilon);
/// x / √(mean of squares + ε) · weight.
std::vector<double> root_mean_square_norm(const std::vector<double>& x, const std::vector<double>& weight,
                                          double epsilon);

double gelu(double x);       // x·Φ(x)
double gelu_tanh(double x);  // its approximation
double silu(double x);

}  // namespace oracle
