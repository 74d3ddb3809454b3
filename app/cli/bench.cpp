#include "app/cli/bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <limits>
#include <malloc.h>
#include <numeric>
#include <sys/times.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/bench_plot.hpp"
#include "app/cli/gemm.hpp"
#include "app/cli/whole_text.hpp"
#include "core/error.hpp"
#include "core/files/atomic_write.hpp"
#include "core/pipeline.hpp"
#include "core/streaming/sweep.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::string_view part_names[] = {"output", "entropy", "picture", "received"};

/// Numbers that look normal, the same on every machine, faster than a real normal distribution.
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

struct Times {
  std::vector<double> seconds;
  double at(double share) const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
  }
};

template <class Fn>
double seconds_of(Fn&& fn) {
  const auto start = std::chrono::steady_clock::now();
  fn();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Isa {
  std::string_view name;
  streaming::InstructionSet set;
  gemm::Product product;
};

std::vector<Isa> all_isas() {
  using streaming::InstructionSet;
  std::vector<Isa> all{{"baseline", InstructionSet::Baseline, &gemm::baseline},
                       {"neon", InstructionSet::Neon, &gemm::baseline}};
#if defined(__x86_64__)
  all.push_back({"avx2", InstructionSet::Avx2, &gemm::avx2});
  all.push_back({"avx512", InstructionSet::Avx512, &gemm::avx512});
#endif
  std::erase_if(all, [](const Isa& isa) { return streaming::kernels_for(isa.set) == nullptr; });
  return all;
}

Isa chosen_isa(const std::string& name) {
  std::string here;
  for (const Isa& isa : all_isas()) {
    if (isa.name == name || (name.empty() && isa.set == streaming::best_instruction_set())) return isa;
    here += fmt::format("{}{}", here.empty() ? "" : ", ", isa.name);
  }
  throw Error(fmt::format("This machine has no kernels named {}; it has {}.", in_quotes(name), here));
}

/// Those that compute in what was asked for.
const streaming::Kernels* chosen_kernels(const BenchWish& wish, const Isa& isa) {
  if (wish.precision == "fp32") return streaming::kernels_for(isa.set);
  if (wish.path == BenchPath::Staged)
    throw Error(fmt::format("The staged path computes in fp32, not in {}.", wish.precision));
  using streaming::InstructionSet;
  const bool split = wish.precision == "split-bf16";
  const auto* kernels =
      streaming::kernels_for(split ? InstructionSet::AmxSplitBfloat : InstructionSet::AmxBfloat);
  if (kernels == nullptr)
    throw Error(
        fmt::format("{} needs a processor with a matrix unit (AMX); this machine has none.", wish.precision));
  return kernels;
}

/// Null: the CPU, with the kernels that were asked for.
std::shared_ptr<Backend> chosen_card(const BenchWish& wish) {
  if (wish.backend == BackendWish::Cpu) return nullptr;
  const std::vector<BackendChoice> all = list_backends();
  const BackendChoice& chosen = chosen_backend(all, wish.backend);
  if (&chosen == &all.front()) return nullptr;
  if (!wish.isa.empty() || wish.precision != "fp32")
    throw Error("--isa and --precision choose kernels of the CPU; " + chosen.name + " has its own.");
  return chosen.backend;
}

class Bench {
 public:
  explicit Bench(const BenchWish& wish)
      : wish_(wish),
        isa_(chosen_isa(wish.isa)),
        kernels_(chosen_kernels(wish, isa_)),
        pool_(wish.threads),
        card_(chosen_card(wish)),
        backend_(card_ ? card_ : make_cpu_backend(wish.threads)) {}

  BenchRow measure(std::int64_t n) {
    query_ = normal_like(Shape{1, wish_.heads, n, wish_.dim}, 1);
    key_ = normal_like(Shape{1, wish_.heads, n, wish_.dim}, 2);
    value_ = normal_like(Shape{1, wish_.heads, n, wish_.dim}, 3);
    BenchRow row;
    row.n = n;
    made_ = {};
    ::malloc_trim(0);  // or the run would live on memory that was counted before
    const std::int64_t before = status_kilobytes("VmRSS");
    const bool counted = reset_peak();
    const std::int64_t bytes = run_once();
    if (counted && before > 0)
      row.extra_megabytes = std::max(0.0, static_cast<double>(status_kilobytes("VmHWM") - before) / 1024 -
                                              static_cast<double>(bytes) / (1 << 20));
    time_runs(row);
    return row;
  }

  std::string_view isa() const { return card_ ? card_->name() : isa_.name; }
  int threads() const { return pool_.threads(); }

 private:
  bool has(BenchPart part) const { return wish_.emit.contains(part); }

  /// Multiply-adds that are asked for, times two; halved by a causal mask.
  double flops(std::int64_t n) const {
    const double cells = static_cast<double>(n) * static_cast<double>(wish_.causal ? n + 1 : 2 * n) / 2;
    const int products = 1 + (has(BenchPart::Output) ? 1 : 0) + (has(BenchPart::Received) ? 1 : 0);
    return 2.0 * products * cells * wish_.dim * wish_.heads;
  }

  /// Returns the bytes of the results.
  std::int64_t run_once() { return wish_.path == BenchPath::Streaming ? run_streaming() : run_staged(); }

  std::int64_t run_streaming() {
    const std::int64_t n = query_->shape()[2];
    AttentionProblem p;
    p.heads = p.kv_heads = wish_.heads;
    p.queries = p.keys = n;
    p.d_k = p.d_v = wish_.dim;
    p.query = {query_->data(), n * wish_.dim, wish_.dim};
    p.key = {key_->data(), n * wish_.dim, wish_.dim};
    p.value = {value_->data(), n * wish_.dim, wish_.dim};
    p.scale = scale_factor({}, wish_.dim);
    p.causal = wish_.causal;
    SweepWish wish;
    wish.output = has(BenchPart::Output);
    wish.received = has(BenchPart::Received);
    if (has(BenchPart::Picture)) {
      std::int64_t cell = 1;  // up to 512 cells a side
      while (cell * 512 < n) cell *= 2;
      wish.picture = PooledCells{cell, cell};
    }
    if (card_) {
      made_ = card_->sweep(p, wish, {}, nullptr);
    } else {
      sweep_into(made_, p, wish, Work{pool_, {}}, nullptr, kernels_);
    }
    const Sweep& made = made_;
    const std::int64_t floats = made.output.size() + made.entropy.size() + made.largest.size() +
                                made.received.size() + made.mean.size() + made.max.size();
    return 4 * floats + 8 * made.log_sum_exp.size();
  }

  std::int64_t run_staged() {
    Document document;
    document.input.given = {query_, key_, value_};
    document.masking.causal = wish_.causal;
    const ResultPtr result = Pipeline(backend_).run(document);
    std::set<const Tensor*> made;
    for (const StageInfo& stage : stage_table) made.insert(result->trace[stage.stage].get());
    for (const TensorPtr& given : {query_, key_, value_}) made.erase(given.get());
    made.erase(nullptr);
    return std::accumulate(made.begin(), made.end(), std::int64_t{0},
                           [](std::int64_t sum, const Tensor* tensor) { return sum + 4 * tensor->size(); });
  }

  double gemm_seconds() {
    constexpr std::int64_t n = 1024, rows = 64;
    if (left_.size() == 0) {
      left_ = *normal_like(Shape{n, n}, 4);
      right_ = *normal_like(Shape{n, n}, 5);
      product_ = Tensor(Shape{n, n});
    }
    // A share for each thread: Eigen packs the right side again for each.
    const std::int64_t pieces = std::min<std::int64_t>(pool_.threads(), n / rows);
    return seconds_of([&] {
      pool_.parallel_for(pieces, 1e7, {}, [&](std::int64_t i) {
        isa_.product(left_.data(), right_.data(), product_.data(), n, i * n / pieces, (i + 1) * n / pieces);
      });
    });
  }

  /// Attention and the matrix product take turns, so that both see the same machine; short attention several
  /// times at a turn, or it would always begin with a cache full of the product's numbers, as no peer does.
  void time_runs(BenchRow& row) {
    constexpr double least_turn = 0.01;  // seconds
    Times times, products;
    gemm_seconds();
    const Ticks before = Ticks::now();
    const auto start = std::chrono::steady_clock::now();
    const auto over = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > wish_.seconds;
    };
    while (times.seconds.size() < 5 || (!over() && times.seconds.size() < 1000)) {
      double turn = 0;
      while (turn < least_turn && times.seconds.size() < 1000) {
        times.seconds.push_back(seconds_of([&] { run_once(); }));
        turn += times.seconds.back();
      }
      products.seconds.push_back(gemm_seconds());
    }
    const double ticks = static_cast<double>(::sysconf(_SC_CLK_TCK)) *
                         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const Ticks after = Ticks::now();
    row.foreign =
        std::max(0.0, static_cast<double>(after.all - before.all - (after.own - before.own)) / ticks);
    row.median = times.at(0.5);
    row.quarter = times.at(0.25);
    row.three_quarters = times.at(0.75);
    row.least = times.at(0);
    row.runs = times.seconds.size();
    row.gflops = flops(row.n) / row.median / 1e9;
    row.gemm_gflops = 2.0 * 1024 * 1024 * 1024 / products.at(0.5) / 1e9;
  }

  BenchWish wish_;
  Isa isa_;
  const streaming::Kernels* kernels_;  // of the streaming path
  ThreadPool pool_;
  std::shared_ptr<Backend> card_;     // null: the CPU computes
  std::shared_ptr<Backend> backend_;  // of the staged path
  TensorPtr query_, key_, value_;
  Sweep made_;  // its memory serves again, as in the window
  Tensor left_, right_, product_;
};

std::string emit_of(const BenchWish& wish) {
  std::vector<std::string_view> names;
  for (const BenchPart part : wish.emit) names.push_back(part_names[static_cast<std::size_t>(part)]);
  return fmt::format("{}", fmt::join(names, ","));
}

/// A number as JSON has it: null for NaN.
std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "null"; }

std::string json_of(const BenchWish& wish, const Bench& bench, const std::vector<BenchRow>& rows) {
  std::string runs;
  for (const BenchRow& row : rows) {
    runs += fmt::format(
        "{}\n    {{\"n\": {}, \"median_ms\": {}, \"quarter_ms\": {}, \"three_quarters_ms\": {}, "
        "\"least_ms\": {}, "
        "\"runs\": {}, \"gflops\": {}, \"gemm_gflops\": {}, \"share_of_gemm\": {}, \"extra_megabytes\": {}, "
        "\"foreign_processors\": {}}}",
        runs.empty() ? "" : ",", row.n, number(row.median * 1e3), number(row.quarter * 1e3),
        number(row.three_quarters * 1e3), number(row.least * 1e3), row.runs, number(row.gflops),
        number(row.gemm_gflops), number(row.gflops / row.gemm_gflops), number(row.extra_megabytes),
        number(row.foreign));
  }
  return fmt::format(
      "{{\n  \"program\": \"attnscope {}\",\n  \"path\": \"{}\", \"isa\": \"{}\", \"precision\": \"{}\", "
      "\"emit\": \"{}\",\n"
      "  \"heads\": {}, \"dim\": {}, \"causal\": {}, \"threads\": {},\n  \"lengths\": [{}\n  ]\n}}\n",
      ATTNSCOPE_VERSION, wish.path == BenchPath::Staged ? "staged" : "streaming", bench.isa(), wish.precision,
      emit_of(wish), wish.heads, wish.dim, wish.causal, bench.threads(), runs);
}

/// Calls `take` with each word between commas; false as soon as one is refused.
bool for_each_word(std::string_view text, const std::function<bool(std::string_view)>& take) {
  while (true) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (!take(text.substr(0, end))) return false;
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

bool read_bench_lengths(std::string_view text, std::vector<std::int64_t>& lengths) {
  constexpr std::int64_t longest = 1 << 20;
  lengths.clear();
  return for_each_word(text, [&](std::string_view word) {
    const std::optional<std::int64_t> n = whole_text_as<std::int64_t>(word);
    if (!n || *n < 1 || *n > longest) return false;
    lengths.push_back(*n);
    return true;
  });
}

bool read_bench_parts(std::string_view text, std::set<BenchPart>& emit) {
  emit.clear();
  return for_each_word(text, [&](std::string_view word) {
    const auto found = std::find(std::begin(part_names), std::end(part_names), word);
    if (found == std::end(part_names)) return false;
    return emit.insert(static_cast<BenchPart>(found - std::begin(part_names))).second;
  });
}

void run_bench(const BenchWish& wish) {
  const auto& lengths = wish.lengths;
  const bool rising =
      std::adjacent_find(lengths.begin(), lengths.end(), std::greater_equal<>()) == lengths.end();
  if (!wish.plot.empty() && (lengths.size() < 2 || !rising))
    throw Error("A plot needs at least two lengths in rising order.");
  for (const std::int64_t n : wish.lengths)
    if (wish.path == BenchPath::Staged && is_long({.batch = 1, .heads = wish.heads, .queries = n, .keys = n}))
      throw Error(fmt::format("{} heads of {} x {} scores are more than the {} that the staged path keeps.",
                              wish.heads, n, n, max_cells));
  Bench bench(wish);
  const std::string what = fmt::format("{} · {} · {} · {} heads of {} · {} · {} thread{}",
                                       wish.path == BenchPath::Staged ? "staged" : "streaming", bench.isa(),
                                       emit_of(wish), wish.heads, wish.dim, wish.causal ? "causal" : "full",
                                       bench.threads(), bench.threads() == 1 ? "" : "s");
  fmt::print("{}\n", what);
  std::vector<BenchRow> rows;
  for (const std::int64_t n : wish.lengths) {
    rows.push_back(bench.measure(n));
    const BenchRow& row = rows.back();
    const std::string extra =
        std::isnan(row.extra_megabytes) ? "?" : fmt::format("{:.1f}", row.extra_megabytes);
    fmt::print(
        "n {:6}  {:9.3f} ms ({:.3f} to {:.3f}, {} runs)  {:6.1f} GFLOP/s  {:3.0f} % of GEMM {:.1f}  {} MB "
        "extra"
        "  others {:.2f} processors\n",
        n, row.median * 1e3, row.quarter * 1e3, row.three_quarters * 1e3, row.runs, row.gflops,
        100 * row.gflops / row.gemm_gflops, row.gemm_gflops, extra, row.foreign);
    std::fflush(stdout);
  }
  const auto write = [](const std::string& path, const std::string& text) {
    const std::string_view piece = text;
    write_atomically(path, {&piece, 1});
  };
  if (!wish.json.empty()) write(wish.json, json_of(wish, bench, rows));
  if (!wish.plot.empty()) write(wish.plot, bench_plot(rows, what));
}

}  // namespace attnscope
