// core/training/lab: runs that were trained before and may be wanted again: a lesson that goes back and forth
// between two recipes trains each of them once.
#pragma once

#include <vector>

#include "core/training/lab/lab.hpp"

namespace attnscope::training {

/// Belongs to the lab's thread.
class LabShelf {
 public:
  /// Keeps those of its runs that one of its recipe's stands can begin with; of the same kind the one that
  /// went furthest.
  void keep(const ShownLab&);

  /// The first run of the recipe with its usual knobs, as far as it is wanted, or not as far; null: none was
  /// trained.
  LabRunPtr first_run(const Recipe&, std::int64_t steps);
  /// The same of a branch; it is numbered 1, of run 0.
  LabRunPtr branch(const Recipe&, const LabStand::Branch&);

 private:
  struct Kept {
    Recipe recipe;
    LabRunPtr run;
  };
  LabRunPtr found(const Recipe&, bool is_first, std::int64_t at, const Knobs&, std::int64_t steps);

  std::vector<Kept> kept_;  // the last one was asked for last
};

}  // namespace attnscope::training
