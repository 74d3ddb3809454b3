#include "oracle/oracle.hpp"

#include <cmath>
#include <limits>

namespace oracle {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The cells of one query: row `at` of the [rows][keys] arrays of the answer.
struct Row {
  std::size_t b, h, query, at;
};

void fill_scores(const Problem& p, const Row& row, Answer& answer) {
  const std::size_t kv_head = row.h / (p.heads / p.kv_heads);
  for (std::size_t key = 0; key < p.keys; ++key) {
    double dot = 0;
    for (std::size_t d = 0; d < p.d_k; ++d) {
      dot += p.q[((row.b * p.heads + row.h) * p.queries + row.query) * p.d_k + d] *
             p.k[((row.b * p.kv_heads + kv_head) * p.keys + key) * p.d_k + d];
    }
    const std::size_t cell = row.at * p.keys + key;
    const double bias = p.additive.empty() ? 0.0 : p.additive[cell];
    bool hidden = p.causal && key > row.query;
    if (!p.lengths.empty() && key >= p.lengths[row.b]) hidden = true;
    if (bias == -infinity) hidden = true;
    answer.score[cell] = dot;
    answer.scaled[cell] = dot * p.scale;
    answer.capped[cell] =
        p.soft_cap == 0 ? dot * p.scale : p.soft_cap * std::tanh(dot * p.scale / p.soft_cap);
    answer.masked[cell] = hidden ? -infinity : answer.capped[cell] + bias;
    if (!hidden) ++answer.allowed[row.at];
  }
}

void fill_weights(const Problem& p, const Row& row, Answer& answer) {
  const double* masked = &answer.masked[row.at * p.keys];
  double* weights = &answer.weights[row.at * p.keys];
  bool nothing = true;
  double largest = -infinity;
  for (std::size_t key = 0; key < p.keys; ++key) {
    if (masked[key] != -infinity) nothing = false;
    if (masked[key] > largest) largest = masked[key];
  }
  if (nothing) {
    for (std::size_t key = 0; key < p.keys; ++key) weights[key] = 0;
    answer.entropy[row.at] = 0;
    answer.log_sum_exp[row.at] = -infinity;
    return;
  }
  double sum = 0;
  for (std::size_t key = 0; key < p.keys; ++key) sum += std::exp((masked[key] - largest) / p.temperature);
  double entropy = 0;
  for (std::size_t key = 0; key < p.keys; ++key) {
    const double weight = std::exp((masked[key] - largest) / p.temperature) / sum;
    weights[key] = weight;
    if (weight != 0) entropy -= weight * std::log(weight);
  }
  answer.entropy[row.at] = entropy;
  answer.log_sum_exp[row.at] = largest / p.temperature + std::log(sum);
}

void fill_mixed(const Problem& p, const Row& row, Answer& answer) {
  const std::size_t kv_head = row.h / (p.heads / p.kv_heads);
  for (std::size_t d = 0; d < p.d_v; ++d) {
    double sum = 0;
    for (std::size_t key = 0; key < p.keys; ++key) {
      sum += answer.weights[row.at * p.keys + key] *
             p.v[((row.b * p.kv_heads + kv_head) * p.keys + key) * p.d_v + d];
    }
    answer.mixed[row.at * p.d_v + d] = sum;
    answer.concatenated[(row.b * p.queries + row.query) * p.heads * p.d_v + row.h * p.d_v + d] = sum;
  }
}

}  // namespace

Answer attend(const Problem& p) {
  const std::size_t rows = p.batch * p.heads * p.queries;
  Answer answer;
  answer.score = answer.scaled = answer.capped = answer.masked = answer.weights = Numbers(rows * p.keys);
  answer.mixed = answer.concatenated = Numbers(rows * p.d_v);
  answer.entropy = answer.log_sum_exp = Numbers(rows);
  answer.allowed.resize(rows);
  for (std::size_t b = 0; b < p.batch; ++b) {
    for (std::size_t h = 0; h < p.heads; ++h) {
      for (std::size_t query = 0; query < p.queries; ++query) {
        const Row row{b, h, query, (b * p.heads + h) * p.queries + query};
        fill_scores(p, row, answer);
        fill_weights(p, row, answer);
        fill_mixed(p, row, answer);
      }
    }
  }
  return answer;
}

Numbers linear(const Numbers& x, const Numbers& w, const Numbers& b, std::size_t rows, std::size_t d_in,
               std::size_t d_out) {
  Numbers y(rows * d_out);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < d_out; ++column) {
      double sum = b.empty() ? 0.0 : b[column];
      for (std::size_t d = 0; d < d_in; ++d) sum += x[row * d_in + d] * w[d * d_out + column];
      y[row * d_out + column] = sum;
    }
  }
  return y;
}

Numbers project(const Numbers& x, const Numbers& w, const Numbers& b, std::size_t batch, std::size_t tokens,
                std::size_t d_in, std::size_t heads, std::size_t d) {
  const Numbers flat = linear(x, w, b, batch * tokens, d_in, heads * d);
  Numbers split(flat.size());
  for (std::size_t s = 0; s < batch; ++s)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t i = 0; i < d; ++i)
          split[((s * heads + h) * tokens + t) * d + i] = flat[(s * tokens + t) * heads * d + h * d + i];
  return split;
}

Numbers sinusoidal(std::size_t tokens, std::size_t d) {
  Numbers p(tokens * d);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t column = 0; column < d; ++column) {
      const double pair = static_cast<double>(column - column % 2);
      const double angle = static_cast<double>(t) / std::pow(10000.0, pair / static_cast<double>(d));
      p[t * d + column] = column % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  }
  return p;
}

}  // namespace oracle
