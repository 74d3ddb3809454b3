#include "oracle/rows.hpp"

#include <algorithm>
#include <cmath>

namespace oracle {

RowAnswer attend_row(const RowProblem& p, std::size_t h, std::size_t i) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::size_t kv = h / (p.heads / p.kv_heads);
  RowAnswer row;
  double largest = -infinity;
  for (std::size_t j = 0; j < p.keys; ++j) {
    double dot = 0;
    for (std::size_t d = 0; d < p.d_k; ++d)
      dot += p.q[(h * p.queries + i) * p.d_k + d] * p.k[(kv * p.keys + j) * p.d_k + d];
    double x = dot * p.scale;
    row.scaled.push_back(x);
    if (p.soft_cap > 0) x = p.soft_cap * std::tanh(x / p.soft_cap);
    if (p.added) x += p.added(h, i, j);
    if (p.sees && !p.sees(h, i, j)) x = -infinity;
    row.masked.push_back(x);
    largest = std::max(largest, x);
  }
  row.output.assign(p.d_v, 0);
  row.weights.assign(p.keys, 0);
  const double sink = p.sinks.empty() ? -infinity : p.sinks[h];
  row.log_sum_exp = sink / p.temperature;
  if (largest == -infinity) return row;
  double to_keys = 0;
  largest = std::max(largest, sink);
  for (const double x : row.masked) to_keys += std::exp((x - largest) / p.temperature);
  const double sum = to_keys + std::exp((sink - largest) / p.temperature);
  row.log_sum_exp = largest / p.temperature + std::log(sum);
  for (std::size_t j = 0; j < p.keys; ++j) {
    const double w = std::exp((row.masked[j] - largest) / p.temperature) / sum;
    row.weights[j] = w;
    row.largest = std::max(row.largest, w);
    const double share = w * sum / to_keys;
    if (share > 0) row.entropy -= share * std::log(share);
    for (std::size_t d = 0; d < p.d_v; ++d) row.output[d] += w * p.v[(kv * p.keys + j) * p.d_v + d];
  }
  return row;
}

}  // namespace oracle
