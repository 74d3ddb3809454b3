#include <cmath>
#include <stop_token>
#include <thread>

#include <fmt/format.h>

#include "core/error.hpp"
#include "gpu/cuda/on_card.hpp"
#include "gpu/sweeps.hpp"

namespace attnscope::on_card {

namespace {

struct Passes {
  double rows, columns, all;  // milliseconds; all: of the sweep with its results on the host
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Medians of at least 20 runs after two that warm up.
class Stopwatch {
 public:
  Stopwatch(Card& card, gpu::CardSettings settings)
      : card_(card), device_(card.open()), residents_(*device_), settings_(settings) {}
  Passes time(const AttentionProblem& problem, const SweepWish& wish, bool passes) {
    gpu::CardSweeps sweeps(*device_, residents_, settings_);
    std::vector<double> rows, columns, all;
    device_->times = passes;
    const int runs = card_.emulated ? 1 : 22;
    for (int run = 0; run < runs; ++run) {
      device_->clear_times();
      const auto begin = Clock::now();
      sweeps.sweep(problem, wish, {}, nullptr);
      all.push_back(milliseconds_since(begin));
      rows.push_back(device_->milliseconds[0]);
      columns.push_back(device_->milliseconds[1]);
      if (run == 1) rows.clear(), columns.clear(), all.clear();
    }
    device_->times = false;
    return {median(rows), median(columns), median(all)};
  }
  static_assert(std::is_same_v<std::variant_alternative_t<0, gpu::AnyPass>, gpu::RowPass>);
  static_assert(std::is_same_v<std::variant_alternative_t<1, gpu::AnyPass>, gpu::ColumnPass>);

  gpu::CardSettings& settings() { return settings_; }

 private:
  Card& card_;
  std::unique_ptr<TimedDevice> device_;
  gpu::Residents residents_;
  gpu::CardSettings settings_;
};

/// Cells of a picture of at most 512 columns, as the view asks for.
PooledCells view_cells(std::int64_t n) {
  std::int64_t side = 1;
  while ((n + side - 1) / side > 512) side *= 2;
  return {side, side};
}

void time_pass1(Card& card, std::int64_t heads, std::int64_t d, std::int64_t n, bool bfloat) {
  gpu::CardSettings settings;
  settings.bfloat_from = bfloat ? 0 : -1;
  Stopwatch watch(card, settings);
  const Numbers numbers(heads, n, d);
  SweepWish bare, picture;
  picture.picture = PooledCells{64, std::max<std::int64_t>(64, view_cells(n).keys_per_cell)};
  const double without = watch.time(numbers.problem, bare, true).rows,
               with = watch.time(numbers.problem, picture, true).rows;
  const std::string name = fmt::format("{} d={} n={}", bfloat ? "bf16" : "fp32", d, n);
  const double floats = 4.0 * static_cast<double>(n) * static_cast<double>(n * d * heads);
  card.report("pass 1 " + name, without, "ms");
  card.report("pass 1 rate " + name, floats / without / 1e9, "TFLOP/s");
  card.report("picture on/off " + name, with / without, "x");
  watch.settings().entropy = false;
  card.report("entropy on/off " + name, without / watch.time(numbers.problem, bare, true).rows, "x");
  watch.settings().entropy = true;
  SweepWish received;
  received.output = false;
  received.received = true;
  received.picture = view_cells(n);
  card.report("pass 2 / pass 1 " + name, watch.time(numbers.problem, received, true).columns / without, "x");
}

/// In the arithmetic that the program chooses.
void time_update(Card& card, std::int64_t n, bool all_outputs) {
  Stopwatch watch(card, {});
  const Numbers numbers(12, n, 64);
  SweepWish wish;
  wish.picture = view_cells(n);
  wish.received = wish.strongest = all_outputs;
  card.report(fmt::format("update n={}{}", n, all_outputs ? "" : " rows only"),
              watch.time(numbers.problem, wish, false).all, "ms");
}

/// What the map asks for when it is zoomed: 128 x 128 cells, of single weights and of all of them.
void time_tiles(Card& card, std::int64_t n) {
  const auto device = card.open();
  gpu::Residents residents(*device);
  gpu::CardSweeps sweeps(*device, residents);
  const Numbers numbers(1, n, 64);
  for (const std::int64_t side : {std::int64_t{1}, n / 128}) {
    TileWish wish;
    wish.rows = {n - 128 * side, n, 1};
    wish.last_key = 128 * side;
    std::vector<double> all;
    for (int run = 0; run < (card.emulated ? 1 : 22); ++run) {
      const auto begin = Clock::now();
      sweeps.pooled_tile(numbers.problem, wish, {side, side}, {});
      all.push_back(milliseconds_since(begin));
      if (run == 1) all.clear();
    }
    card.report(fmt::format("tile of cells of {} n={}", side, n), median(all), "ms");
  }
}

}  // namespace

void times(Card& card) {
  if (card.emulated) {
    time_pass1(card, 1, 64, 130, true);
    time_update(card, 100, true);
    time_tiles(card, 256);
    return;
  }
  for (const std::int64_t d : {64, 128})
    for (const std::int64_t n : {4096, 8192, 16384, 32768}) time_pass1(card, d == 64 ? 12 : 32, d, n, true);
  time_pass1(card, 12, 64, 4096, false);
  for (const std::int64_t n : {256, 1024, 4096, 16384}) time_update(card, n, true);
  time_update(card, 131072, false);
  time_tiles(card, 32768);
}

void abort_time(Card& card) {
  const Numbers numbers(12, card.emulated ? 700 : 131072, 64);
  const auto device = card.open();
  gpu::Residents residents(*device);
  gpu::CardSettings settings;
  settings.bfloat_from = 0;
  gpu::CardSweeps sweeps(*device, residents, settings);
  SweepWish few;
  few.rows.end = 64;
  sweeps.sweep(numbers.problem, few, {}, nullptr);  // queries, keys and values are there from now on
  double worst = 0;
  int aborted = 0;
  for (int trial = 0; trial < (card.emulated ? 1 : 20); ++trial) {
    std::stop_source source;
    Clock::time_point stopped;
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5 + 7 * trial % 40));
      stopped = Clock::now();
      source.request_stop();
    });
    bool cancelled = false;
    Clock::time_point ended;
    try {
      SweepWish wish;
      wish.received = true;
      sweeps.sweep(numbers.problem, wish, source.get_token(), nullptr);
    } catch (const Cancelled&) {
      cancelled = true;
      ended = Clock::now();
    }
    stopper.join();
    if (!cancelled) continue;
    ++aborted;
    worst = std::max(worst, std::chrono::duration<double, std::milli>(ended - stopped).count());
  }
  card.report("aborted sweeps", aborted, "");
  card.report("abort, the slowest", worst, "ms");
  if (aborted == 0) card.check("abort", "no sweep was still running when it was stopped");
}

void memory(Card& card) {
  const std::int64_t n = card.emulated ? 500 : 131072;
  const Numbers numbers(12, n, 64);
  const auto device = card.open();
  gpu::Residents residents(*device);
  gpu::CardSettings settings;
  settings.bfloat_from = 0;
  SweepWish wish;
  wish.received = wish.strongest = true;
  wish.picture = view_cells(n);
  gpu::CardSweeps(*device, residents, settings).sweep(numbers.problem, wish, {}, nullptr);
  const double output = 12.0 * static_cast<double>(n) * 64 * 4;
  card.report(
      fmt::format("memory beyond Q, K, V and O, n={}", n),
      (static_cast<double>(device->most_allocated()) - static_cast<double>(device->allocated()) - output) /
          1e9,
      "GB");
}

}  // namespace attnscope::on_card
