#include "tests/bench/timing.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <malloc.h>
#include <sys/times.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

std::vector<BenchIsa> all_isas() {
  using streaming::InstructionSet;
  std::vector<BenchIsa> all{{"baseline", InstructionSet::Baseline, gemm::baseline},
                            {"neon", InstructionSet::Neon, gemm::baseline}};
#if defined(__x86_64__)
  all.push_back({"avx2", InstructionSet::Avx2, gemm::avx2});
  all.push_back({"avx512", InstructionSet::Avx512, gemm::avx512});
#endif
  std::erase_if(all, [](const BenchIsa& isa) { return streaming::kernels_for(isa.set) == nullptr; });
  return all;
}

/// Whether its kernels were compiled to be fast: "all", or those with spaces round them. What app/run builds
/// first is for its own machine; there the others compute the same, slowly.
bool is_fast(const BenchIsa& isa) {
  constexpr std::string_view fast = ATTNSCOPE_FAST_KERNELS;
  const std::string_view file = isa.name == "neon" ? "baseline" : std::string_view(isa.name);
  return fast == " all " || fast.find(fmt::format(" {} ", file)) != fast.npos;
}

/// Kilobytes of a line of /proc/self/status; 0 where there is none.
std::int64_t status_kilobytes(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return std::stoll(line.substr(name.size() + 1));
  return 0;
}

/// Makes the highest memory so far count from now on. Whether the system lets us.
bool reset_peak() {
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5" << std::flush;
  return clear.good();
}

/// What all programs and this one have used of the machine's processors, in clock ticks.
struct Ticks {
  std::int64_t all = 0, own = 0;
  static Ticks now() {
    Ticks ticks;
    std::ifstream stat("/proc/stat");
    std::string cpu;
    std::int64_t part = 0;
    stat >> cpu;
    for (int i = 0; i < 8 && stat >> part; ++i)
      if (i != 3 && i != 4) ticks.all += part;  // neither idle nor waiting
    struct tms used {};
    ::times(&used);
    ticks.own = used.tms_utime + used.tms_stime;
    return ticks;
  }
};

}  // namespace

TensorPtr normal_like(const Shape& shape, std::uint64_t seed) {
  auto made = std::make_shared<Tensor>(shape);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (float& value : made->values()) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    std::int64_t sum = 0;  // of four 16-bit numbers: variance 4 · 65536² / 12
    for (int part = 0; part < 4; ++part) sum += static_cast<std::int64_t>(state >> (16 * part) & 0xFFFF);
    value = static_cast<float>(static_cast<double>(sum - 2 * 65535) / 37837.0);
  }
  return made;
}

double Times::at(double share) const {
  if (seconds.empty()) return 0;
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

const BenchIsa& bench_isa(const std::string& name) {
  static const std::vector<BenchIsa> all = all_isas();
  std::string here;
  for (const BenchIsa& isa : all) {
    if (isa.name == name || (name.empty() && isa.set == streaming::best_instruction_set())) {
      if (is_fast(isa)) return isa;
      throw Error(
          fmt::format("This program was built for one machine: its kernels named {} are not fast. What "
                      "tests/run builds (-DATTNSCOPE_FAST_KERNELS=all) measures them.",
                      in_quotes(isa.name)));
    }
    here += fmt::format("{}{}", here.empty() ? "" : ", ", isa.name);
  }
  throw Error(fmt::format("This machine has no kernels named {}; it has {}.", in_quotes(name), here));
}

double GemmClock::seconds(ThreadPool& pool) {
  constexpr std::int64_t n = 1024, rows = 64;
  if (left_.size() == 0) {
    left_ = *normal_like(Shape{n, n}, 4);
    right_ = *normal_like(Shape{n, n}, 5);
    result_ = Tensor(Shape{n, n});
  }
  // A share for each thread: Eigen packs the right side again for each.
  const std::int64_t pieces = std::min<std::int64_t>(pool.threads(), n / rows);
  return seconds_of([&] {
    pool.parallel_for(pieces, 1e7, {}, [&](std::int64_t i) {
      product_(left_.data(), right_.data(), result_.data(), n, i * n / pieces, (i + 1) * n / pieces);
    });
  });
}

ForeignClock::ForeignClock() {
  const Ticks now = Ticks::now();
  all_ = now.all;
  own_ = now.own;
}

double ForeignClock::processors() const {
  const double ticks = static_cast<double>(::sysconf(_SC_CLK_TCK)) *
                       std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const Ticks now = Ticks::now();
  return std::max(0.0, static_cast<double>(now.all - all_ - (now.own - own_)) / ticks);
}

MemoryClock::MemoryClock() {
  ::malloc_trim(0);  // or the run would live on memory that was counted before
  before_ = status_kilobytes("VmRSS");
  counts_ = reset_peak();
}

double MemoryClock::megabytes() const {
  if (!counts_ || before_ <= 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(status_kilobytes("VmHWM") - before_) / 1024;
}

double private_megabytes() {
  const std::int64_t kilobytes = status_kilobytes("RssAnon");
  return kilobytes > 0 ? static_cast<double>(kilobytes) / 1024 : std::numeric_limits<double>::quiet_NaN();
}

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "null"; }

}  // namespace attnscope
