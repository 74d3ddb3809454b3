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
  /// [groups of the task][layers · heads]: accuracy that the group loses when this head is muted as well;
  /// empty where the network has too many heads to mute each.
  std::vector<std::vector<double>> costs;
  std::vector<std::uint8_t> muted;  // [layers · heads], 1: gives zeros by the knobs; empty: none does
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
  std::vector<std::shared_ptr<const LabPoint>> points;    // by step; two where it branches, see is_cut()
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

/// Whether a run that stands where it branches computes in another way than its parent did there: then it is
/// measured once more at that step, so that what the change does at once is seen. An earlier such measurement
/// is taken away.
bool is_cut(LabRun&, const Operation& now);

/// Words of the first measured sequence; none where patches come in.
std::vector<std::string> probe_tokens(const Trainer&);

/// Accuracy that muting a head alone costs at least where the task needs it.
inline constexpr double least_cost = 0.05;
/// The score that gives a head its name: halfway from what even weights give to 1.
constexpr double least_score(double even) { return (1 + even) / 2; }

/// What muting a head alone costs, in a word. A score does not tell: two heads that do the same cost little
/// each.
enum class Need : std::uint8_t {
  Unknown,  // it was not measured, or the head has no name and costs little
  Muted,    // the knobs mute it: it has nothing to lose
  Needed,   // least_cost at least
  Shared,   // less, and another head that is not muted has the score as well
  Spare,    // less, and no other head has it
};

/// What a head does, and what it is needed for.
struct HeadJob {
  int score = -1;              // place among the task's scores of its largest; −1: the head has no name
  double value = 0, even = 0;  // of that score: the head's, and what even weights give
  std::size_t group = 0;       // that loses `cost`: the score's; without a name the one that loses most
  double cost = 0;             // accuracy; 0 where it was not measured
  Need need = Need::Unknown;
  bool operator==(const HeadJob&) const = default;
};
HeadJob job_of_head(const TaskRow&, const LabPoint&, std::size_t head);

/// The most accuracy that muting the head costs, of the groups that the task's scores are about; NaN where it
/// was not measured.
double largest_cost(const TaskRow&, const LabPoint&, std::size_t head);

/// What every head costs when it is muted besides what the knobs mute, see LabPoint::costs; empty beyond
/// `most` heads.
std::vector<std::vector<double>> muting_costs(Trainer&, const Metrics& now, std::size_t most = 16);
/// The network as it is now.
LabPoint lab_point(Trainer&, bool score_gradients, std::size_t most = 16);

}  // namespace attnscope::training
