#include "oracle/block.hpp"

#include <cmath>

#include "oracle/blocks.hpp"

namespace oracle {
namespace {

Numbers added(const Numbers& a, const Numbers& b) {
  Numbers sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum.push_back(a[i] + b[i]);
  return sum;
}

}  // namespace

Numbers normed_rows(const BlockProblem& p, const Numbers& x, const Numbers& weight, const Numbers& bias) {
  if (p.norm == RowNorm::None) return x;
  Numbers factors = weight;
  if (p.norm == RowNorm::OnePlus)
    for (double& w : factors) w += 1;
  Numbers y;
  for (std::size_t row = 0; row < x.size() / p.d_model; ++row) {
    const Numbers one(x.data() + row * p.d_model, x.data() + (row + 1) * p.d_model);
    const Numbers made = p.norm == RowNorm::Layer ? layer_norm(one, factors, bias, p.epsilon)
                                                  : root_mean_square_norm(one, factors, p.epsilon);
    y.insert(y.end(), made.begin(), made.end());
  }
  return y;
}

Numbers attention_input(const BlockProblem& p, const Numbers& x) {
  if (p.around == Around::Nothing || p.around == Around::After || p.around == Around::Added) return x;
  return normed_rows(p, x, p.first, p.first_bias);
}

BlockAnswer around_attention(const BlockProblem& p, const Numbers& x, const Numbers& y) {
  BlockAnswer a;
  const bool norms_added = p.around == Around::Both || p.around == Around::Added;
  a.attended = norms_added ? normed_rows(p, y, p.after, p.after_bias) : y;
  a.sum = p.attention_residual ? added(x, a.attended) : a.attended;
  a.stream = p.around == Around::After ? normed_rows(p, a.sum, p.after, p.after_bias) : a.sum;
  a.output = a.stream;
  if (!p.mlp) return a;
  if (p.around == Around::Beside) {
    a.mlp_input = normed_rows(p, x, p.second, p.second_bias);
  } else {
    const bool as_it_is = p.around == Around::After || p.around == Around::Added;
    a.mlp_input = as_it_is ? a.stream : normed_rows(p, a.stream, p.second, p.second_bias);
  }
  a.up = linear(a.mlp_input, p.up, p.up_bias, p.rows, p.d_model, p.d_inner);
  if (p.gated) a.gate = linear(a.mlp_input, p.gate, p.gate_bias, p.rows, p.d_model, p.d_inner);
  for (std::size_t i = 0; i < a.up.size(); ++i)
    a.middle.push_back(p.gated ? p.f(a.gate[i]) * a.up[i] : p.f(a.up[i]));
  a.down = linear(a.middle, p.down, p.down_bias, p.rows, p.d_inner, p.d_model);
  a.mlp_output = norms_added ? normed_rows(p, a.down, p.after_mlp, p.after_mlp_bias) : a.down;
  const bool adds = p.mlp_residual || p.around == Around::Beside;
  a.mlp_sum = adds ? added(a.stream, a.mlp_output) : a.mlp_output;
  a.output = p.around == Around::After ? normed_rows(p, a.mlp_sum, p.after_mlp, p.after_mlp_bias) : a.mlp_sum;
  return a;
}

}  // namespace oracle
