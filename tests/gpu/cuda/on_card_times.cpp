#include <cmath>
#include <stop_token>
#include <thread>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "gpu/cuda/on_card_watch.hpp"

namespace attnscope::on_card {

namespace {

std::string size_of(std::int64_t d, std::int64_t n, bool causal) {
  return fmt::format("d={} n={} {}", d, n, causal ? "causal" : "full");
}

/// Pass 1 without and with what it may do besides, and pass 2, of as many heads as a model has.
void time_passes(Card& card, std::int64_t d, std::int64_t n, bool bfloat, bool causal, bool besides) {
  const std::string name = fmt::format("{} {}", bfloat ? "bf16" : "fp32", size_of(d, n, causal));
  if (card.skips("pass 1 " + name)) return;
  gpu::CardSettings settings;
  settings.bfloat_from = bfloat ? 0 : -1;
  Stopwatch watch(card, settings);
  const std::int64_t heads = card.emulated ? 1 : d == 64 ? 12 : 32;
  Numbers numbers(heads, n, d);
  numbers.problem.causal = causal;
  const Passes bare = watch.time(numbers.problem, {}, true);
  const double share = causal ? 0.5 : 1,
               floats = share * 4.0 * static_cast<double>(n) * static_cast<double>(n * d * heads);
  card.report("pass 1 " + name, bare.rows, "ms");
  card.report("pass 1 " + name + " wall", bare.rows_wall, "ms");
  card.report("rate pass 1 " + name, floats / bare.rows / 1e9, "TFLOP/s");
  if (!besides) return;
  SweepRequest picture;
  picture.picture = PooledCells{64, std::max<std::int64_t>(64, view_cells(n).keys_per_cell)};
  card.report("picture on/off " + name, watch.time(numbers.problem, picture, true).rows / bare.rows, "x");
  watch.settings().entropy = false;
  card.report("entropy on/off " + name, bare.rows / watch.time(numbers.problem, {}, true).rows, "x");
  watch.settings().entropy = true;
  SweepRequest received;
  received.output = false;
  received.received = true;
  received.picture = view_cells(n);
  card.report("pass 2 " + name, watch.time(numbers.problem, received, true).columns, "ms");
}

}  // namespace

void passes(Card& card) {
  if (card.emulated) return time_passes(card, 64, 130, true, false, true);
  for (const std::int64_t n : {4096, 16384})
    for (const std::int64_t d : {128, 64})
      for (const bool causal : {false, true}) time_passes(card, d, n, true, causal, !causal);
  for (const bool causal : {false, true}) time_passes(card, 64, 4096, false, causal, false);
}

void passes_more(Card& card) {
  if (card.emulated) return time_passes(card, 64, 70, false, true, false);
  for (const std::int64_t n : {1024, 16384})
    for (const bool causal : {false, true}) time_passes(card, 64, n, false, causal, false);
  for (const std::int64_t n : {8192, 32768})
    for (const std::int64_t d : {128, 64})
      for (const bool causal : {false, true}) time_passes(card, d, n, true, causal, !causal);
}

/// What the map asks for when it is zoomed: 128 x 128 cells, of single weights and of all of them.
void time_tiles(Card& card, std::int64_t n) {
  const auto device = card.open();
  gpu::CardCopies copies(*device);
  gpu::CardSweeps sweeps(*device, copies);
  const Numbers numbers(1, n, 64);
  for (const std::int64_t side : {std::int64_t{1}, n / 128}) {
    TileRequest request;
    request.rows = {n - 128 * side, n, 1};
    request.last_key = 128 * side;
    const Repeated all = repeat(card, *device, [&] {
      sweeps.pooled_tile(numbers.problem, request, {side, side}, {});
    });
    card.report(fmt::format("tile of cells of {} n={} wall", side, n), all.wall, "ms");
  }
}

void far_times(Card& card) {
  const std::int64_t n = card.emulated ? 256 : 131072;
  Stopwatch watch(card, {});
  {
    const Numbers numbers(card.emulated ? 1 : 12, n, 64);
    SweepRequest rows;
    rows.picture = view_cells(n);
    const Passes made = watch.time(numbers.problem, rows, false);
    card.report(fmt::format("update n={} full rows only", n), made.card, "ms");
    card.report(fmt::format("update n={} full rows only wall", n), made.all, "ms");
  }
  if (!card.skips("tiles")) time_tiles(card, card.emulated ? 256 : 32768);
}

void abort_time(Card& card) {
  const Numbers numbers(12, card.emulated ? 700 : 131072, 64);
  const auto device = card.open();
  gpu::CardCopies copies(*device);
  gpu::CardSettings settings;
  settings.bfloat_from = 0;
  gpu::CardSweeps sweeps(*device, copies, settings);
  SweepRequest few;
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
      SweepRequest request;
      request.received = true;
      sweeps.sweep(numbers.problem, request, source.get_token(), nullptr);
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
  card.report(fmt::format("abort, the slowest, n={}", numbers.problem.queries), worst, "ms");
  if (aborted == 0) card.check("abort", "no sweep was still running when it was stopped");
}

void memory(Card& card) {
  const std::int64_t n = card.emulated ? 500 : 131072;
  const Numbers numbers(12, n, 64);
  const auto device = card.open();
  gpu::CardCopies copies(*device);
  gpu::CardSettings settings;
  settings.bfloat_from = 0;
  SweepRequest request;
  request.received = request.strongest = true;
  request.picture = view_cells(n);
  gpu::CardSweeps(*device, copies, settings).sweep(numbers.problem, request, {}, nullptr);
  const double output = 12.0 * static_cast<double>(n) * 64 * 4;
  card.report(
      fmt::format("memory beyond Q, K, V and O, n={}", n),
      (static_cast<double>(device->most_allocated()) - static_cast<double>(device->allocated()) - output) /
          1e9,
      "GB");
}

}  // namespace attnscope::on_card
