// core/engine: a cache of recent runs of one model: equal runs are reused, and an edited text continues from
// an earlier run.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "core/models/run_again.hpp"

namespace attnscope {

using ModelRunPtr = std::shared_ptr<const ModelRun>;

/// One thread at a time.
class ModelRuns {
 public:
  /// A cached run of the same input and request, or run_again() from the cached run that leaves least to
  /// compute. Throws as run_model().
  ModelRunPtr get(const Model&, const ModelInput&, const RunRequest&, const Work&);
  /// Makes copies that the next run can continue from; called while no result is awaited. Does not throw.
  void make_spares();

 private:
  struct Kept {
    ModelRunPtr run;
    RunRequest request;
    std::optional<ModelRun> spare;  // a copy of `run`
  };
  ModelRun begin_from(const Model&, const ModelInput&, const RunRequest&);
  void drop_old();

  std::deque<Kept> kept_;  // most recently used first
};

}  // namespace attnscope
