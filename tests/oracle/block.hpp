// tests/oracle: a block of a transformer around an attention layer, naively in float64: rows and loops,
// written from the papers' formulas, sharing nothing with the product.
#pragma once

#include <cstddef>
#include <functional>

#include "oracle/oracle.hpp"

namespace oracle {

/// Where the norms are. Beside: before, in parallel; Added: on what attention and the MLP add.
enum class Around { Nothing, Before, After, Both, Beside, Added };
enum class RowNorm { Layer, RootMeanSquare, OnePlus, None };

struct BlockProblem {
  Around around = Around::Nothing;
  RowNorm norm = RowNorm::Layer;
  double epsilon = 1e-5;
  bool attention_residual = true, mlp_residual = true, mlp = true, gated = false;
  std::function<double(double)> f;  // the activation
  std::size_t rows = 1, d_model = 1, d_inner = 1;
  // Weights [in][out] and biases; empty norms are 1 and 0, empty biases 0.
  Numbers first, first_bias, after, after_bias, second, second_bias, after_mlp, after_mlp_bias;
  Numbers up, up_bias, gate, gate_bias, down, down_bias;
};

/// Each row normed, or the rows as they are without a norm.
Numbers normed_rows(const BlockProblem&, const Numbers& x, const Numbers& weight, const Numbers& bias);
/// The attention's input, of any number of rows.
Numbers attention_input(const BlockProblem&, const Numbers& x);

struct BlockAnswer {
  Numbers attended, sum, stream;  // attention's output as added, its sum with x, the stream after it
  Numbers mlp_input, gate, up, middle, down, mlp_output, mlp_sum;
  Numbers output;
};
/// x: the token vectors of the rows [rows][d_model], y: the attention's output for them.
BlockAnswer around_attention(const BlockProblem&, const Numbers& x, const Numbers& y);

}  // namespace oracle
