// core/streaming: what the drivers of sweep and tile share: scratch memory, and a problem's rule as the
// kernels take it.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/problem.hpp"
#include "core/streaming/sweep.hpp"

namespace attnscope::streaming {

/// Blocks of floats that the threads of one sweep take turns with: as many as there are threads, made when
/// first asked for.
class ScratchPool {
 public:
  explicit ScratchPool(std::int64_t floats) : floats_(floats) {}

  struct Free {
    void operator()(float* block) const { std::free(block); }
  };
  using Memory = std::unique_ptr<float, Free>;

  /// Aligned to 64 bytes, not initialised. Throws std::bad_alloc.
  Memory take();
  void give_back(Memory memory);

 private:
  std::int64_t floats_;
  std::mutex mutex_;
  std::vector<Memory> free_;
};

/// A block for as long as one piece of work takes.
class ScratchLease {
 public:
  explicit ScratchLease(ScratchPool& pool) : pool_(pool), memory_(pool.take()) {}
  ~ScratchLease() { pool_.give_back(std::move(memory_)); }
  ScratchLease(const ScratchLease&) = delete;
  ScratchLease& operator=(const ScratchLease&) = delete;
  float* data() const { return memory_.get(); }

 private:
  ScratchPool& pool_;
  ScratchPool::Memory memory_;
};

/// Some rows of one head: first, first + step, ….
struct RowPiece {
  std::int64_t head, first, step;
  int count;
};

/// Most rows of one kernel job.
inline constexpr int most_rows = 512;

/// The rule for a piece of rows, with the intervals it points to. Not to be moved.
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

/// `kernels`, or the fastest ones here.
const Kernels& chosen(const Kernels* kernels);

/// A rough guess at the nanoseconds of one cell, for the thread pool.
double cell_nanoseconds(const AttentionProblem& p, const Kernels& kernels);

/// A row's log-sum-exp as the kernels take it.
struct Shift {
  float shift, factor;
};
Shift shift_of(double log_sum_exp, double temperature);

}  // namespace attnscope::streaming
