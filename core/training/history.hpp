// core/training: what a run has behind it, for going back: all measurements, the changes of its knobs, and as
// many snapshots as a budget of memory holds. Any step can be gone back to, to the bit: from the snapshot
// before it the run is trained once more.
#pragma once

#include <cstdint>
#include <vector>

#include "core/training/trainer.hpp"

namespace attnscope::training {

/// Not for two threads at a time. Of one run: the Trainers that are given must have its recipe.
class History {
 public:
  /// Of snapshots, which are 12 bytes a weight; the first one and the last one are always kept.
  explicit History(std::int64_t most_bytes = std::int64_t{256} << 20) : most_bytes_(most_bytes) {}

  /// A measurement, and a snapshot where the last one is long enough ago. To be called first at step 0.
  void keep(const Trainer&, const Metrics&);
  /// Behind every Trainer::set_knobs().
  void note_knobs(const Trainer&);

  const std::vector<Metrics>& metrics() const { return metrics_; }
  std::size_t snapshots() const { return snapshots_.size(); }
  /// Steps that are to be trained again at most to reach one that was reached before.
  std::int64_t spacing() const { return spacing_; }

  /// Puts a Trainer where the run stood at `step`, knobs included. Throws Error for a step before the first
  /// one kept.
  void go_to(Trainer&, std::int64_t step) const;
  /// Forgets what lies behind `step`: a branch begins there.
  void cut(std::int64_t step);

 private:
  struct Turn {
    std::int64_t step;
    Knobs knobs;
  };
  void thin_out();

  std::int64_t most_bytes_, spacing_ = 1;
  std::vector<Metrics> metrics_;
  std::vector<Snapshot> snapshots_;  // in the order of their steps
  std::vector<Turn> turns_;
};

}  // namespace attnscope::training
