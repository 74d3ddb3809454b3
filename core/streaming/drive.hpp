// core/streaming: shared by the drivers of sweep and tile: a problem's masking rule in the kernels' form.
#pragma once

#include <array>
#include <cstdint>

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/problem.hpp"
#include "core/streaming/sweep.hpp"

namespace attnscope::streaming {

/// Some rows of one head: first, first + step, ….
struct RowPiece {
  std::int64_t head, first, step;
  int count;
};

/// The most rows of one kernel job.
inline constexpr int most_rows = 512;

/// The rule for a piece of rows, with the intervals that it points to. Must not be moved.
struct PieceRule {
  PieceRule(const AttentionProblem& p, const RowPiece& piece);
  PieceRule(const PieceRule&) = delete;
  PieceRule& operator=(const PieceRule&) = delete;

  ScoreRule rule{};
  std::array<std::int32_t, most_rows> begin, end;
};

Rows query_rows(const AttentionProblem& p, const RowPiece& piece);
Rows key_rows(const AttentionProblem& p, std::int64_t head);
Rows value_rows(const AttentionProblem& p, std::int64_t head);

/// `kernels`; if null, the fastest ones for this machine.
const Kernels& chosen(const Kernels* kernels);

/// A rough estimate of the nanoseconds for one cell, for the thread pool.
double cell_nanoseconds(const AttentionProblem& p, const Kernels& kernels);

/// A row's log-sum-exp in the kernels' form.
struct Shift {
  float shift, factor;
};
Shift shift_of(double log_sum_exp, double temperature);

}  // namespace attnscope::streaming
