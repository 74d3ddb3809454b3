// core/engine: runs of one model that were made lately: what was run is not run again, and an edited text
// goes on from the run before it.
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
  /// What run_again() gives from the newest run that serves it. The same pointer for the same input
  /// and request as lately. Throws as run_model().
  ModelRunPtr get(const Model&, const ModelInput&, const RunRequest&, const Work&);
  /// Copies from which the next text goes on: made while no result is waited for. Throws nothing.
  void make_spares();

 private:
  struct Kept {
    ModelRunPtr run;
    RunRequest request;
    std::optional<ModelRun> spare;  // a copy of `run`
  };
  ModelRun begin_from(const Model&, const ModelInput&, const RunRequest&);
  void drop_old();

  std::deque<Kept> kept_;  // the newest first
};

}  // namespace attnscope
