// tests/oracle: single rows of attention in float64, for sequences too long to hold all their cells. Written
// from the formula; the mask is whatever the caller says it is.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "oracle/oracle.hpp"

namespace oracle {

struct RowProblem {
  std::size_t heads = 1, kv_heads = 1, queries = 1, keys = 1, d_k = 1, d_v = 1;
  Numbers q, k, v;  // [heads][queries][d_k], [kv_heads][keys][d_k], [kv_heads][keys][d_v]
  double scale = 1, soft_cap = 0, temperature = 1;
  Numbers sinks;  // [heads] or empty: a logit that takes weight and gives no value
  std::function<bool(std::size_t h, std::size_t i, std::size_t j)> sees;     // empty = all
  std::function<double(std::size_t h, std::size_t i, std::size_t j)> added;  // empty = nothing
};

struct RowAnswer {
  Numbers scaled, masked, weights;  // [keys]
  Numbers output;                   // [d_v]
  double log_sum_exp = 0, largest = 0;
  double entropy = 0;  // of the weights as shares of what goes to keys
};

RowAnswer attend_row(const RowProblem&, std::size_t h, std::size_t i);

}  // namespace oracle
