// core/training/lab: what is known of a training run on screen: what was measured, pictures of its heads,
// states to go back to. All of it is immutable once it is published.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/training/trainer.hpp"

namespace attnscope::training {

/// At a step where the run was measured.
struct LabPoint {
  Metrics metrics;
  /// [layers · heads]: accuracy of the goal's group that is lost when this head is muted as well; empty where
  /// the network has too many heads to mute each.
  std::vector<double> cost;
};

struct LabMoment {
  std::int64_t step = 0;
  Probe probe;                               // of the first measured sequence
  std::shared_ptr<const Snapshot> snapshot;  // null: too many were kept; one before it has one
};

/// From this step on it trained with these.
struct LabChange {
  std::int64_t step = 0;
  Knobs knobs;
};

struct LabRun {
  int number = 0;  // 0: the first one, A
  int parent = -1;
  std::int64_t branch = 0;                                // step that it left its parent at
  Knobs knobs;                                            // now
  std::int64_t step = 0;                                  // steps done
  std::optional<std::int64_t> goal;                       // the first measured step that reached it
  std::vector<std::shared_ptr<const LabPoint>> points;    // by step
  std::vector<std::shared_ptr<const LabMoment>> moments;  // by step, those of the points
  std::vector<LabChange> changes;                         // by step, the first one what it began with
  bool is_at_end = false;

  /// The last that is not behind the step; null where there is none.
  const LabPoint* point_at(std::int64_t step) const;
  std::shared_ptr<const LabMoment> moment_at(std::int64_t step) const;
  /// The same with a state to go on from.
  const LabMoment* kept_at(std::int64_t step) const;
};
using LabRunPtr = std::shared_ptr<const LabRun>;

/// The run as it was at the last kept state that is not behind the step. Throws Error where none is.
LabRun cut_at(const LabRun&, std::int64_t step);

/// Every second kept state goes where all of them, of so many bytes each, take more than `most_bytes`; the
/// first and the last stay.
void thin_out(LabRun&, std::size_t bytes, std::size_t most_bytes);

/// Words of the first measured sequence; none where patches come in.
std::vector<std::string> probe_tokens(const Trainer&);

/// A head is called after a score only where its weights earn it and the task needs it.
inline constexpr double least_score = 0.5, least_cost = 0.05;
/// Place among the task's scores of the largest one, if it is least_score and muting the head costs
/// least_cost of accuracy; −1: the head has no name.
int job_of_head(const LabPoint&, std::size_t head);

/// What every head costs when it is muted besides what the knobs mute, see LabPoint::cost; empty beyond
/// `most` heads.
std::vector<double> muting_costs(Trainer&, const Metrics& now, std::size_t most = 16);

}  // namespace attnscope::training
