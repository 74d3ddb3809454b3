#include "app/state/oscilloscope.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

/// Equality of values in which NaN equals NaN.
bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same_values(const Moment& a, const Moment& b) {
  return same(a.entropy, b.entropy) && same(a.weight, b.weight) && same(a.scale, b.scale) &&
         a.ceiling == b.ceiling;
}

bool crosses(const Trigger& trigger, float was, float is) {
  return trigger.edge == Edge::Rising ? was < trigger.level && is >= trigger.level
                                      : was > trigger.level && is <= trigger.level;
}

}  // namespace

void MomentRing::push(const Moment& moment) {
  if (size_ < slots_.size()) {
    slots_[(first_ + size_++) % slots_.size()] = moment;
  } else {
    slots_[first_] = moment;
    first_ = (first_ + 1) % slots_.size();
  }
}

void Oscilloscope::observe(const TracedCell& cell, const Moment& moment, const Trigger& trigger,
                           double time_base) {
  if (frozen()) return;
  if (state_ == State::Triggered) {
    const double full = crossing_ + time_base / 2;
    if (moment.seconds >= full) return freeze(full);
    if (cell != cell_) return freeze(moment.seconds);  // the triggered trace is not mixed with another cell's
  }
  if (cell != cell_) moments_.clear();
  cell_ = cell;
  if (!moments_.empty()) {
    const Moment& last = moments_.back();
    if (same_values(last, moment)) return;
    if (state_ == State::Armed && crosses(trigger, last.entropy, moment.entropy)) {
      state_ = State::Triggered;
      crossing_ = moment.seconds;
    }
  }
  moments_.push(moment);
}

void Oscilloscope::clear() {
  moments_.clear();
  frozen_at_.reset();
  if (state_ == State::Triggered) state_ = State::Off;
}

void Oscilloscope::freeze(double now) { frozen_at_ = now; }

void Oscilloscope::run() {
  if (frozen_at_ && !moments_.empty()) moments_.push({*frozen_at_, NAN, NAN, NAN, 0});
  frozen_at_.reset();
  if (state_ == State::Triggered) state_ = State::Off;
}

void Oscilloscope::arm() {
  run();
  state_ = State::Armed;
}

std::optional<double> Oscilloscope::crossing() const {
  return state_ == State::Triggered ? std::optional(crossing_) : std::nullopt;
}

double Oscilloscope::axis_end(double now, double time_base) const {
  return state_ == State::Triggered ? crossing_ + time_base / 2 : trace_end(now);
}

std::optional<Moment> Oscilloscope::at(double seconds) const {
  std::size_t low = 0, high = moments_.size();  // low ends at the first moment after `seconds`
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (moments_[middle].seconds <= seconds) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 || moments_[low - 1].is_gap() ? std::nullopt : std::optional(moments_[low - 1]);
}

}  // namespace attnscope
