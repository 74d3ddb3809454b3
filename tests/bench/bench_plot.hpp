// tests/bench: what `attnscope_bench` measured, as a drawing: time and memory against the length.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace attnscope {

/// One length, measured.
struct BenchRow {
  std::int64_t n = 0;
  double median = 0, quarter = 0, three_quarters = 0, least = 0;  // seconds
  std::size_t runs = 0;
  double gflops = 0, gemm_gflops = 0, foreign = 0;
  /// Time over the time without the mask: of neighbouring runs, and of the shortest ones; NaN without one.
  double mask_ratio = std::numeric_limits<double>::quiet_NaN(), least_mask_ratio = mask_ratio;
  double extra_megabytes = std::numeric_limits<double>::quiet_NaN();
};

/// An SVG with two plots side by side, both over n in powers of two: the median time, with a line that grows
/// as n² through the last point, and the memory above inputs and results. `rows` are of at least two lengths,
/// in rising order; `caption` says what was measured.
std::string bench_plot(std::span<const BenchRow> rows, std::string_view caption);

}  // namespace attnscope
