// core/engine: models are run here, behind the window: one thread, the latest input wins. What is in sight
// comes first (all heads, prediction, the block that is looked at), then lens, scores, effects of each
// change, effects of each head. Everything here may be called from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/parallel.hpp"
#include "core/base/worker.hpp"
#include "core/blocks/row_operators.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {

/// What is wanted of a model beyond its heads and its prediction. No part of the Document: how it is looked
/// at.
struct ModelWants {
  /// Whose prediction; nothing: of decoders the last one, the first masked token, …
  std::optional<std::int64_t> row = {};
  int picture_side = 64;  // cells of a head's picture at most
  bool lens = true;
  bool scores = true;
  bool effects = true;
  bool contributions = false;  // value_norms
  bool rollout = false;        // attention rollout of the stack that gives the output
  bool pruning = false;        // the curve, behind the effects
  bool generation = false;     // what the appended tokens were chosen from, and the cache
  /// Patching of the text (which is the clean one) and this corrupted one; nothing: none.
  std::optional<ModelText> corrupted = {};
  /// What is asked of both; nothing: the likeliest tokens of the clean and of the corrupted text.
  std::optional<std::int64_t> answer = {}, other_answer = {};
  std::optional<WhyQuestion> why = {};  // what is split into parts, before all that comes later
  bool operator==(const ModelWants&) const = default;
};

class ModelEngine {
 public:
  /// `on_publish` is called on the worker after each published reading: keep it short.
  explicit ModelEngine(std::function<void()> on_publish = {}, SharedPool pool = {});
  ~ModelEngine();
  ModelEngine(const ModelEngine&) = delete;
  ModelEngine& operator=(const ModelEngine&) = delete;

  /// What runs models from now on, what is submitted next included; empty: the CPU. `make` is called on the
  /// worker.
  void compute_with(MakeRowOperators make);
  /// Takes the place of what waits; returns its ticket. Of a text that was edited, rows before the first
  /// token that changed are kept. Only another block to look at, or other wants, run nothing again.
  std::uint64_t submit(ModelContext, const ModelWants& = {});
  /// The newest reading, good or with an error; null before the first.
  ModelReadingPtr latest() const;
  ModelReadingPtr latest_good() const;
  /// Forgets what was computed and stops what runs: the model is closed.
  void forget();
  /// Stops what runs; what is known stays and is published once more, as stopped.
  void cancel();
  bool busy() const;
  /// What is being worked out now, for the status line: "effects of heads", how far, 0 where that is not
  /// known, and for how long something has run; empty when nothing runs.
  struct RunningTask {
    const char* what = "";
    double share = 0, seconds = 0;
  };
  RunningTask running_task() const;
  /// Blocks until nothing runs or waits. For tests, the command line and pictures without a window.
  void wait_idle() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace attnscope
