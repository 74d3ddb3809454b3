// tests: random problems for the streaming engine, each with the same problem for the float64 oracle.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/samples.hpp"
#include "core/streaming/border/instruction_sets.hpp"
#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/problem.hpp"
#include "oracle/rows.hpp"

namespace attnscope::streaming_cases {

/// A problem with the numbers that it points to.
struct Case {
  std::vector<float> q, k, v, additive, distance_bias, sinks;
  std::vector<std::uint8_t> allowed;
  AttentionProblem problem;

  Case() = default;
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  /// Points the problem at the numbers, `gap` unused ones behind each row (NaN, so that reading them is
  /// seen).
  void connect(std::int64_t gap = 0);
  /// The problem in float64; reads this Case when asked.
  oracle::RowProblem in_oracle() const;
  std::string description() const;
};

struct Sizes {
  std::int64_t heads = 1, kv_heads = 1, queries = 1, keys = 1, d_k = 1, d_v = 1;
};

/// Normal numbers, full attention, scale 1/sqrt(d_k).
std::unique_ptr<Case> plain_case(samples::Random& random, const Sizes& sizes, std::int64_t gap = 0);
/// Any sizes up to `most` queries and keys, any mask, cap, bias, temperature.
std::unique_ptr<Case> any_case(samples::Random& random, std::int64_t most);

/// Any sizes and intervals of keys, with d_k of 33 to 64 or 97 to 128, and no other change of scores.
std::unique_ptr<Case> interval_case(samples::Random& random, std::int64_t most);

/// A sink for each head, of the size of the scores. Not part of any_case(): graphics cards do not support
/// them.
void add_sinks(samples::Random& random, Case& c);

/// Every kernel that runs here: those of the product, and the one of sixteen lanes (all_kernels.cpp).
std::vector<const streaming::Kernels*> all_kernels();

}  // namespace attnscope::streaming_cases
