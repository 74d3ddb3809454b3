// tests/bench: clocks of `attnscope_bench`: times of many runs, the machine's best matrix product beside
// them, memory, and what other programs took meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/streaming/border/instruction_sets.hpp"
#include "core/streaming/kernels/kernels.hpp"
#include "tests/bench/gemm.hpp"

namespace attnscope {

/// Numbers that look normal, the same on every machine, faster than a real normal distribution.
TensorPtr normal_like(const Shape&, std::uint64_t seed);

template <class Fn>
double seconds_of(Fn&& fn) {
  const auto start = std::chrono::steady_clock::now();
  fn();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Times {
  std::vector<double> seconds;
  /// The time that this share of the runs did not exceed; 0 without any run.
  double at(double share) const;
  double median() const { return at(0.5); }
};

/// Kernels of one instruction set and the matrix product to compare them with.
struct BenchIsa {
  std::string_view name;
  streaming::InstructionSet set;
  gemm::Product product;
};
/// By name; empty = the best here. Throws Error where this machine has none of it.
const BenchIsa& bench_isa(const std::string& name);

/// Eigen's matrix product of 1,024 × 1,024 numbers on all threads of a pool: the yardstick.
class GemmClock {
 public:
  explicit GemmClock(gemm::Product product) : product_(product) {}
  double seconds(ThreadPool&);
  static double flops() { return 2.0 * 1024 * 1024 * 1024; }

 private:
  gemm::Product product_;
  Tensor left_, right_, result_;
};

/// How many processors other programs kept busy since the clock was made.
class ForeignClock {
 public:
  ForeignClock();
  double processors() const;

 private:
  std::int64_t all_ = 0, own_ = 0;  // clock ticks
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The most memory that this process holds beyond what it held when the clock was made; NaN where the system
/// does not say.
class MemoryClock {
 public:
  MemoryClock();
  double megabytes() const;

 private:
  std::int64_t before_ = 0;  // KB
  bool counts_ = false;
};

/// Memory that is this process's own, not a file's, in MB; NaN where the system does not say.
double private_megabytes();

/// A number as JSON has it: null for NaN.
std::string json_number(double value);

}  // namespace attnscope
