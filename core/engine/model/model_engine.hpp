// core/engine: the engine of models. What is on screen comes first (all heads, the prediction, the shown
// block), then the stages of ModelWork::Stage in their order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/parallel.hpp"
#include "core/blocks/row_operators.hpp"
#include "core/engine/engine.hpp"
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

struct ModelQuestion {
  ModelContext within;
  ModelWants wants;
  bool operator==(const ModelQuestion&) const = default;
};

/// Cancelled input keeps what is known of it, which is published again as stopped.
class ModelEngine final : public Engine<ModelQuestion, ModelReading> {
 public:
  explicit ModelEngine(std::function<void()> on_publish = {}, SharedPool pool = {});

  /// Sets what runs models from the next submit() on; empty: the CPU. `make` is called on the worker.
  void compute_with(MakeRowOperators make);
  /// Returns the input's ticket. For an edited text, rows before the first changed token are kept. Another
  /// block on screen, or other wants, do not run the model again.
  std::uint64_t submit(ModelContext, const ModelWants& = {});
  /// The running task for the status line: its name ("effects of heads"), its progress (0 if unknown) and its
  /// running time; empty when nothing runs.
  struct RunningTask {
    const char* what = "";
    double share = 0, seconds = 0;
  };
  RunningTask running_task() const;

 private:
  class Readings;
  ModelEngine(std::shared_ptr<Readings> readings, std::function<void()> on_publish);

  std::shared_ptr<Readings> readings_;
};

}  // namespace attnscope
