// tests/oracle: attention in float64, written the naive way: plain loops over plain vectors, one formula a
// line. It shares nothing with the product, so that both being wrong in the same way is unlikely.
#pragma once

#include <cstddef>
#include <vector>

namespace oracle {

using Numbers = std::vector<double>;

struct Problem {
  std::size_t batch = 1, heads = 1, kv_heads = 1, queries = 1, keys = 1, d_k = 1, d_v = 1;
  Numbers q;         // [batch][heads][queries][d_k]
  Numbers k;         // [batch][kv_heads][keys][d_k]
  Numbers v;         // [batch][kv_heads][keys][d_v]
  double scale = 1;  // multiplies the scores
  bool causal = false;
  std::vector<std::size_t> lengths;  // [batch]: keys from here on are hidden; empty = none
  Numbers additive;                  // [batch][heads][queries][keys] or empty; -inf hides
  double temperature = 1;
  double soft_cap = 0;  // 0 = none
};

struct Answer {
  Numbers score, scaled, capped, masked, weights;  // [batch][heads][queries][keys]
  Numbers mixed;                                   // [batch][heads][queries][d_v]
  Numbers concatenated;                            // [batch][queries][heads * d_v]
  Numbers entropy, log_sum_exp;                    // [batch][heads][queries]
  std::vector<std::size_t> allowed;                // [batch][heads][queries]
};

Answer attend(const Problem&);

/// x [batch][tokens][d_in] times w [d_in][heads * d] plus b (or empty), as [batch][heads][tokens][d].
Numbers project(const Numbers& x, const Numbers& w, const Numbers& b, std::size_t batch, std::size_t tokens,
                std::size_t d_in, std::size_t heads, std::size_t d);

/// x [rows][d_in] times w [d_in][d_out] plus b (or empty).
Numbers linear(const Numbers& x, const Numbers& w, const Numbers& b, std::size_t rows, std::size_t d_in,
               std::size_t d_out);

/// P(t, 2i) = sin(t / 10000^(2i/d)), P(t, 2i+1) = cos(the same), as [tokens][d].
Numbers sinusoidal(std::size_t tokens, std::size_t d);

}  // namespace oracle
