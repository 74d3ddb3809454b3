// tests: medians of what a card is asked for again and again, by its own clock and by the computer's.
#pragma once

#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

#include "core/engine/survey.hpp"
#include "gpu/cuda/on_card.hpp"
#include "gpu/sweeps.hpp"

namespace attnscope::on_card {

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Cells of a picture as the window asks for it: at most survey_side columns.
inline PooledCells view_cells(std::int64_t n) {
  std::int64_t side = 1;
  while ((n + side - 1) / side > survey_side) side *= 2;
  return {side, side};
}

/// Calls `run` twice to warm up and then 20 times, five at least when they take seconds.
template <class Run>
void run_often(const Card& card, Run run) {
  constexpr double long_enough = 3000;  // milliseconds
  const int runs = card.emulated ? 3 : 22;
  Clock::time_point begin = Clock::now();
  for (int i = 0; i < runs; ++i) {
    if (i == 2) begin = Clock::now();
    run(i >= 2);
    if (i >= 6 && milliseconds_since(begin) > long_enough) break;
  }
}

/// Milliseconds from the first thing asked of the card to the last one done, by its clock (the computer's
/// where it has none), and of the whole call.
struct Repeated {
  double card, wall;
};

template <class Call>
Repeated repeat(const Card& card, TimedDevice& device, Call call) {
  std::vector<double> on_card, wall;
  run_often(card, [&](bool counts) {
    const Clock::time_point begin = Clock::now();
    device.start_clock();
    call();
    const double around = milliseconds_since(begin), clock = device.clock_milliseconds();
    if (!counts) return;
    on_card.push_back(clock < 0 ? around : clock);
    wall.push_back(around);
  });
  return {median(on_card), median(wall)};
}

/// Of a sweep: its two passes, by the card's clock and the first one by the computer's, and all of it by
/// both, with the picture of one head on the host, which is what a person looks at; the same with everything
/// there; megabytes that crossed for one and for everything.
struct Passes {
  double rows, rows_wall, columns, card, all, all_read, crossed, crossed_read;
};

class Stopwatch {
 public:
  Stopwatch(Card& card, gpu::CardSettings settings)
      : card_(card), device_(card.open()), copies_(*device_), settings_(settings) {}

  /// `passes`: each launch is waited for and timed; otherwise only the whole.
  Passes time(const AttentionProblem& problem, const SweepRequest& request, bool passes) {
    gpu::CardSweeps sweeps(*device_, copies_, settings_);
    std::vector<double> rows, rows_wall, columns, on_card, all, all_read;
    double crossed = 0, crossed_read = 0;
    const auto bytes = [&] { return static_cast<double>(device_->uploaded() + device_->downloaded()) / 1e6; };
    device_->times = passes;
    run_often(card_, [&](bool counts) {
      device_->clear_times();
      const Clock::time_point begin = Clock::now();
      if (!passes) device_->start_clock();
      const double before = bytes();
      const Sweep made = sweeps.sweep(problem, request, {}, nullptr);
      if (!passes && request.picture) made.largest_cells().matrix(0);
      const double wall = milliseconds_since(begin), clock = passes ? -1 : device_->clock_milliseconds();
      crossed = bytes() - before;
      if (!passes)
        for (const Tensor* tensor : {&made.output, &made.mean, &made.max}) tensor->values();
      const double read = milliseconds_since(begin);
      crossed_read = bytes() - before;
      if (!counts) return;
      all.push_back(wall);
      all_read.push_back(read);
      on_card.push_back(clock < 0 ? wall : clock);
      rows.push_back(device_->milliseconds[0]);
      rows_wall.push_back(device_->wall[0]);
      columns.push_back(device_->milliseconds[1]);
    });
    device_->times = false;
    return {median(rows), median(rows_wall), median(columns), median(on_card),
            median(all),  median(all_read),  crossed,         crossed_read};
  }
  static_assert(std::is_same_v<std::variant_alternative_t<0, gpu::AnyPass>, gpu::RowPass>);
  static_assert(std::is_same_v<std::variant_alternative_t<1, gpu::AnyPass>, gpu::ColumnPass>);

  gpu::CardSettings& settings() { return settings_; }

 private:
  Card& card_;
  std::unique_ptr<TimedDevice> device_;
  gpu::CardCopies copies_;
  gpu::CardSettings settings_;
};

}  // namespace attnscope::on_card
