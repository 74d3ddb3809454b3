// app/state: the values of the chosen cell over time, recorded like on an oscilloscope: a ring of fixed
// capacity, a trace that can be frozen, and a trigger that freezes it around the moment at which the entropy
// crosses a level. The clock is that of the frames: while no frame is drawn it stops and nothing is recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace attnscope {

/// The values of the traced cell from `seconds` until the next moment.
struct Moment {
  double seconds = 0;                        // on the clock of the frames
  float entropy = 0, weight = 0, scale = 0;  // H of the row in nats; scale: the factor of the scores
  float ceiling = 0;                         // ln(allowed keys): the largest possible H
  /// Entropy, weight and scale are NaN: the trace was frozen from here to the next moment.
  bool is_gap() const { return scale != scale; }
};

/// The newest moments, oldest first. push() on a full ring drops the oldest.
class MomentRing {
 public:
  explicit MomentRing(std::size_t capacity) : slots_(capacity) {}
  void push(const Moment&);
  void clear() { first_ = size_ = 0; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return slots_.size(); }
  bool empty() const { return size_ == 0; }
  /// 0 is the oldest.
  const Moment& operator[](std::size_t i) const { return slots_[(first_ + i) % slots_.size()]; }
  const Moment& back() const { return (*this)[size_ - 1]; }

 private:
  std::vector<Moment> slots_;
  std::size_t first_ = 0, size_ = 0;
};

enum class Edge : std::uint8_t { Rising, Falling };

/// The trigger's condition: the entropy reaches the level from below (Rising) or from above (Falling).
struct Trigger {
  float level = 0.5f;  // nats
  Edge edge = Edge::Rising;
  bool operator==(const Trigger&) const = default;
};

/// One row and one of its keys in one head of one sequence.
struct TracedCell {
  std::int64_t sequence = 0, head = 0, query = 0, key = 0;
  bool operator==(const TracedCell&) const = default;
};

class Oscilloscope {
 public:
  static constexpr std::size_t capacity = 4096;  // half a minute at 120 changes a second

  /// Off: the trace runs until it is frozen by hand. Armed: the trace runs and waits for the level to be
  /// crossed. Triggered: the level was crossed; the trace runs on for half the time base and then freezes, so
  /// that the crossing is in the middle.
  enum class State : std::uint8_t { Off, Armed, Triggered };

  /// Called once a frame: records the cell's values if they changed. A frozen trace ignores them. Another
  /// cell starts a new trace, or freezes a triggered one. `time_base`: seconds in sight.
  void observe(const TracedCell&, const Moment&, const Trigger&, double time_base);
  /// Deletes the trace and runs; an armed trigger stays armed.
  void clear();

  /// Freezes the trace at this time.
  void freeze(double now);
  /// Runs again; a gap marks the frozen time.
  void run();
  /// Toggles between frozen and running.
  void turn(double now) { frozen() ? run() : freeze(now); }
  bool frozen() const { return frozen_at_.has_value(); }

  /// Runs and waits for the next crossing.
  void arm();
  void disarm() { state_ = State::Off; }
  State state() const { return state_; }
  /// The time at which the level was crossed; nothing unless triggered.
  std::optional<double> crossing() const;

  /// The right end of the time axis, and the end of the trace: now, or the time it was frozen at.
  double axis_end(double now, double time_base) const;
  double trace_end(double now) const { return frozen_at_.value_or(now); }
  /// The values at this time; nothing in a gap or before the trace begins. After the last moment: its values.
  std::optional<Moment> at(double seconds) const;

  const MomentRing& moments() const { return moments_; }
  const TracedCell& cell() const { return cell_; }

 private:
  MomentRing moments_{capacity};
  TracedCell cell_;
  std::optional<double> frozen_at_;
  double crossing_ = 0;
  State state_ = State::Off;
};

}  // namespace attnscope
