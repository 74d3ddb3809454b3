// app/state: what the chosen cell did while a knob moved, kept as an oscilloscope keeps it: a ring of fixed
// capacity, a trace that can be frozen, a trigger that freezes it around the moment in which the entropy
// crosses a level. Time is the time in which frames came: while nothing moves, it stands still and costs
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace attnscope {

/// The values of the traced cell from one time on, until the next moment.
struct Moment {
  double seconds = 0;                        // on the clock of the frames
  float entropy = 0, weight = 0, scale = 0;  // H of the cell's row in nats; what scores are multiplied with
  float ceiling = 0;                         // ln(allowed keys): the most H could be
  /// All three NaN: no frame was drawn from here to the next moment.
  bool is_gap() const { return scale != scale; }
};

/// The newest moments, oldest first. A full ring forgets the oldest.
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

/// When the trace freezes: the entropy reaches the level from below or from above.
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

  /// Off: the trace runs until it is frozen by hand. Armed: it runs until the level is crossed. Triggered: it
  /// was; the trace goes on for half the time base, so that the crossing comes to stand in the middle.
  enum class State : std::uint8_t { Off, Armed, Triggered };

  /// Notes the cell's values if they changed; once a frame. A frozen trace ignores them. Another cell starts
  /// a new trace, or ends the one that has triggered. `time_base`: seconds in sight.
  void observe(const TracedCell&, const Moment&, const Trigger&, double time_base);
  /// Forgets the trace and goes on; an armed trigger stays armed.
  void clear();

  /// The trace stands still as it is at this time.
  void freeze(double now);
  /// It goes on, after a gap.
  void run();
  /// Freezes it, or lets it go on.
  void turn(double now) { frozen() ? run() : freeze(now); }
  bool frozen() const { return frozen_at_.has_value(); }

  /// Goes on and waits for the next crossing.
  void arm();
  void disarm() { state_ = State::Off; }
  State state() const { return state_; }
  /// Where the level was crossed; nothing unless triggered.
  std::optional<double> crossing() const;

  /// The right end of the time axis, and where the trace itself ends: now, or where it was frozen.
  double axis_end(double now, double time_base) const;
  double trace_end(double now) const { return frozen_at_.value_or(now); }
  /// What held at this time; nothing in a gap or before the trace begins. After the last moment: that one.
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
