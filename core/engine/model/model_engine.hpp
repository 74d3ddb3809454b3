// core/engine: the engine that runs models in the background: one thread; the latest input replaces waiting
// ones. What is on screen comes first (all heads, the prediction, the shown block), then the stages of
// ModelWork::Stage in their order. All members may be called from any thread.
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
#include "core/readouts/text/sampling.hpp"

namespace attnscope {

/// The readouts wanted of a model besides its heads and its prediction. Not part of the Document: they depend
/// on the views.
struct ModelWants {
  /// The row whose prediction is wanted; nullopt: the default, see prediction_row().
  std::optional<std::int64_t> row = {};
  int picture_side = 64;  // the most cells on a side of a head's picture
  bool lens = true;
  bool scores = true;
  bool effects = true;
  bool contributions = false;  // value_norms
  bool rollout = false;        // attention rollout of the stack that gives the output
  bool pruning = false;        // the pruning curve, after the effects
  bool generation = false;     // the predictions that appended tokens were chosen from, and the cache
  /// How to draw the token that follows the predicted row; nullopt: none is drawn.
  std::optional<SamplingSettings> sampling = {};
  /// The corrupted text for activation patching, with the text as the clean one; nullopt: no patching.
  std::optional<ModelText> corrupted = {};
  /// The tokens whose logits are compared; nullopt: the likeliest of the clean and of the corrupted text.
  std::optional<std::int64_t> answer = {}, other_answer = {};
  std::optional<WhyQuestion> why = {};  // the score and logit to split, before all other stages
  bool operator==(const ModelWants&) const = default;
};

class ModelEngine {
 public:
  /// `on_publish` is called on the worker after each published reading: keep it short.
  explicit ModelEngine(std::function<void()> on_publish = {}, SharedPool pool = {});
  ~ModelEngine();
  ModelEngine(const ModelEngine&) = delete;
  ModelEngine& operator=(const ModelEngine&) = delete;

  /// Sets what runs models from the next submit() on; empty: the CPU. `make` is called on the worker.
  void compute_with(MakeRowOperators make);
  /// Replaces waiting input; returns its ticket. For an edited text, rows before the first changed token are
  /// kept. Another block on screen, or other wants, do not run the model again.
  std::uint64_t submit(ModelContext, const ModelWants& = {});
  /// The newest reading, good or with an error; null before the first.
  ModelReadingPtr latest() const;
  ModelReadingPtr latest_good() const;
  /// Drops results and stops running work: the model is closed.
  void forget();
  /// Stops running work; what is known is kept and published again as stopped.
  void cancel();
  bool busy() const;
  /// The running task for the status line: its name ("effects of heads"), its progress (0 if unknown) and its
  /// running time; empty when nothing runs.
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
