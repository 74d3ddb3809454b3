#include "tests/bench/bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "tests/bench/bench_plot.hpp"
#include "tests/bench/bench_subject.hpp"
#include "tests/bench/timing.hpp"

namespace attnscope {
namespace {

class Bench {
 public:
  explicit Bench(const BenchOptions& options)
      : options_(options), pool_(options.threads), subject_(options_, pool_), gemm_(subject_.isa().product) {}

  BenchRow measure(std::int64_t n) {
    subject_.prepare(n);
    BenchRow row;
    row.n = n;
    const MemoryClock memory;
    const std::int64_t bytes = subject_.run();
    row.extra_megabytes = memory.megabytes() - static_cast<double>(bytes) / (1 << 20);
    if (row.extra_megabytes < 0) row.extra_megabytes = 0;
    time_runs(row);
    return row;
  }

  const BenchSubject& subject() const { return subject_; }
  int threads() const { return pool_->threads(); }

 private:
  /// Attention and the matrix product take turns, so that both see the same machine; short attention several
  /// times at a turn, or it would always begin with a cache full of the product's numbers, as no peer does.
  void time_runs(BenchRow& row) {
    constexpr double least_turn = 0.01;  // seconds
    Times times, products, unmasked, ratios;
    const bool masked = options_.mask != BenchMask::None;
    gemm_.seconds(*pool_);
    const ForeignClock foreign;
    const auto start = std::chrono::steady_clock::now();
    const auto over = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >
             options_.seconds;
    };
    while (times.seconds.size() < 5 || (!over() && times.seconds.size() < 1000)) {
      double turn = 0;
      do {
        times.seconds.push_back(seconds_of([&] { subject_.run(); }));
        turn += times.seconds.back();
        if (!masked) continue;
        unmasked.seconds.push_back(seconds_of([&] { subject_.run_unmasked(); }));
        ratios.seconds.push_back(times.seconds.back() / unmasked.seconds.back());
      } while (turn < least_turn && !over() && times.seconds.size() < 1000);
      products.seconds.push_back(gemm_.seconds(*pool_));
    }
    row.foreign = foreign.processors();
    row.median = times.at(0.5);
    row.quarter = times.at(0.25);
    row.three_quarters = times.at(0.75);
    row.least = times.at(0);
    row.runs = times.seconds.size();
    if (masked) {
      row.mask_ratio = ratios.at(0.5);
      row.least_mask_ratio = row.least / unmasked.at(0);
    }
    row.gflops = subject_.flops() / row.median / 1e9;
    row.gemm_gflops = GemmClock::flops() / products.at(0.5) / 1e9;
  }

  BenchOptions options_;
  SharedPool pool_;
  BenchSubject subject_;
  GemmClock gemm_;
};

std::string json_of(const BenchOptions& options, const Bench& bench, const std::vector<BenchRow>& rows) {
  std::string runs;
  for (const BenchRow& row : rows) {
    runs += fmt::format(
        "{}\n    {{\"n\": {}, \"median_ms\": {}, \"quarter_ms\": {}, \"three_quarters_ms\": {}, "
        "\"least_ms\": {}, "
        "\"runs\": {}, \"gflops\": {}, \"gemm_gflops\": {}, \"share_of_gemm\": {}, \"extra_megabytes\": {}, "
        "\"foreign_processors\": {}, \"mask_ratio\": {}, \"least_mask_ratio\": {}}}",
        runs.empty() ? "" : ",", row.n, json_number(row.median * 1e3), json_number(row.quarter * 1e3),
        json_number(row.three_quarters * 1e3), json_number(row.least * 1e3), row.runs,
        json_number(row.gflops), json_number(row.gemm_gflops), json_number(row.gflops / row.gemm_gflops),
        json_number(row.extra_megabytes), json_number(row.foreign), json_number(row.mask_ratio),
        json_number(row.least_mask_ratio));
  }
  return fmt::format(
      "{{\n  \"program\": \"attnscope {}\",\n  \"path\": \"{}\", \"isa\": \"{}\", "
      "\"emit\": \"{}\",\n"
      "  \"heads\": {}, \"dim\": {}, \"causal\": {}, \"threads\": {},\n"
      "  \"mask\": \"{}\", \"mask_per_head\": {},\n  \"lengths\": [{}\n  ]\n}}\n",
      ATTNSCOPE_VERSION, name_of(options.path), bench.subject().computes(), bench.subject().emitted(),
      options.heads, options.dim, options.causal, bench.threads(), name_of(options.mask),
      options.mask_per_head, runs);
}

}  // namespace

void run_bench(const BenchOptions& options) {
  const std::vector<std::int64_t> lengths =
      options.lengths.empty() ? std::vector<std::int64_t>{1024} : options.lengths;
  const bool rising =
      std::adjacent_find(lengths.begin(), lengths.end(), std::greater_equal<>()) == lengths.end();
  if (!options.plot.empty() && (lengths.size() < 2 || !rising))
    throw Error("A plot needs at least two lengths in rising order.");
  Bench bench(options);
  std::string mask = options.causal ? "causal" : "full";
  if (options.mask != BenchMask::None)
    mask += fmt::format(" · {} mask{}", name_of(options.mask), options.mask_per_head ? " per head" : "");
  const std::string what = fmt::format(
      "{} · {} · {} · {} head{} of {} · {} · {} thread{}", name_of(options.path), bench.subject().computes(),
      bench.subject().emitted(), options.heads, options.heads == 1 ? "" : "s", options.dim, mask,
      bench.threads(), bench.threads() == 1 ? "" : "s");
  fmt::print("{}\n", what);
  std::vector<BenchRow> rows;
  for (const std::int64_t n : lengths) {
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
    if (options.mask != BenchMask::None)
      fmt::print("n {:6}  {:9.3f} times as long as without the mask ({:.3f} by the shortest runs)\n", n,
                 row.mask_ratio, row.least_mask_ratio);
    std::fflush(stdout);
  }
  const auto write = [](const std::string& path, const std::string& text) {
    const std::string_view piece = text;
    write_atomically(path, {&piece, 1});
  };
  if (!options.json.empty()) write(options.json, json_of(options, bench, rows));
  if (!options.plot.empty()) write(options.plot, bench_plot(rows, what));
}

}  // namespace attnscope
