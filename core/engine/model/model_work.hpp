// core/engine: all computations for one model, in the order in which the user waits for them; results are
// kept as long as they can be reused.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/engine/model/model_effects.hpp"
#include "core/engine/model/model_engine.hpp"
#include "core/engine/model/model_generation.hpp"
#include "core/engine/model/model_lens.hpp"
#include "core/engine/model/model_patching.hpp"
#include "core/engine/model/model_rollout.hpp"
#include "core/engine/model/model_runs.hpp"
#include "core/engine/model/model_values.hpp"
#include "core/engine/model/model_why.hpp"

namespace attnscope {

/// The row whose prediction is shown: `wanted` if the model predicts something in that row; by default the
/// last row of decoders, the first masked token, the first token that is not special for token classes, else
/// the row that the head reads. nullopt if there is none.
std::optional<std::int64_t> prediction_row(const OpenedModel&, const ModelTokens&,
                                           std::optional<std::int64_t> wanted);

/// One thread at a time.
class ModelWork {
 public:
  explicit ModelWork(OpenedModelPtr model) : opened_(std::move(model)) {}
  const OpenedModelPtr& model() const { return opened_; }

  /// Sets what runs the model from now on; the CPU if `make` is empty or throws Error. Earlier runs are
  /// dropped.
  void compute_with(const MakeRowOperators& make);
  /// All members of ModelReading above "Later results", and those of the others that are already known.
  /// Throws Error or Cancelled.
  ModelReading first(const ModelContext&, const ModelWants&, const Work&);

  /// The stages of more(), in order.
  enum class Stage : std::uint8_t {
    Why,
    Path,
    Generation,
    Rollout,
    Lens,
    Values,
    Scores,
    Alone,
    Patching,
    Battery,
    Effects,
    Pruning,
    Done
  };
  /// Computes the next piece of what first() was asked for; fill() copies it. Returns the stage of the piece
  /// after it. Throws Cancelled.
  Stage more(const Work&);
  Stage stage() const { return stage_; }
  /// The progress of the stage.
  double share() const;
  /// Fills in the later results that are known.
  void fill(ModelReading&);

 private:
  std::shared_ptr<const ModelTokens> tokens_of_text(const ModelText&);
  std::shared_ptr<const BlockTensors> block(AttentionOf, int block);
  void look_at_block(ModelReading&);
  std::shared_ptr<const ModelPrediction> predict(const Work&) const;
  /// Of prediction_, as wants_ says; the known one if it is still right.
  std::shared_ptr<const NextToken> next_token() const;
  /// A run with its RunNumbers.
  struct Counted {
    ModelRunPtr run;
    std::shared_ptr<const RunNumbers> numbers;
  };
  Counted count(const ModelRunPtr&, const Work&) const;
  bool is_done(Stage) const;
  void step(const Work&);
  bool wants_generation() const;
  bool has_pruning() const;
  Stage skip_done();

  ModelReading first_by(const ModelContext&, const ModelWants&, const Work&);
  Work with_operators(const Work& work) const {
    return {work.pool, work.stop, operators_.get(), work.most_threads};
  }
  void give_up_operators(const std::string& why);

  const OpenedModelPtr opened_;
  std::shared_ptr<RowOperators> operators_;  // null: the CPU runs the model;
  std::string backend_note_;                 // then the reason, if others were requested
  // The last request and its runs.
  ModelContext within_;
  ModelWants wants_;
  std::shared_ptr<const ModelTokens> tokens_;  // of within_.input
  ModelRunPtr run_, clean_;
  Counted counted_, clean_counted_;  // of run_ and clean_
  std::optional<std::int64_t> row_;
  std::shared_ptr<const ModelPrediction> prediction_;
  std::shared_ptr<const NextToken> next_;  // of prediction_
  std::string not_finite_;                 // of run_
  Stage stage_ = Stage::Done;
  int pieces_ = 0;  // computed since first()

  using Scores = std::shared_ptr<const std::vector<std::vector<HeadScores>>>;
  ModelRuns runs_;
  std::list<std::shared_ptr<const BlockTensors>> blocks_;  // most recently used first
  ModelWhy why_;
  ModelGeneration generation_;
  ModelLens lens_;
  ModelValues values_;
  ModelRollout rollout_;
  Scores scores_, battery_;
  ModelRunPtr scored_;  // the run of scores_,
  AttentionOf scored_of_ = AttentionOf::Decoder;
  bool has_battery_ = false;  // battery_ is known, or there is none
  ChangeEffects alone_;
  HeadEffects effects_;
  HeadPruning pruning_;
  ModelPatching patching_;
};

/// The name of a stage for the status line: "logit lens".
const char* words_of(ModelWork::Stage);

}  // namespace attnscope
