// core/engine: all that is worked out of one model, in the order in which a person waits for it; what was
// worked out is kept as long as it may serve again.
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

/// Whose prediction is meant where a person did not say: of decoders the last row, of masked tokens the first
/// masked one, of classes of tokens the first that is no special one, else the row that the head looks at.
/// Nothing where there is none. `wanted` counts where the model predicts something in that row.
std::optional<std::int64_t> prediction_row(const OpenedModel&, const ModelTokens&,
                                           std::optional<std::int64_t> wanted);

/// One thread at a time.
class ModelWork {
 public:
  explicit ModelWork(OpenedModelPtr model) : opened_(std::move(model)) {}
  const OpenedModelPtr& model() const { return opened_; }

  /// What runs the model from now on; empty, and where `make` throws Error: the CPU. Runs that others made
  /// are forgotten.
  void compute_with(const MakeRowOperators& make);
  /// Everything that stands above "later" in ModelReading, and of the rest what is known already. Throws
  /// Error or Cancelled.
  ModelReading first(const ModelContext&, const ModelWants&, const Work&);

  /// What more() is at.
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
  /// One piece more of what first() was asked for; it lies here until fill(). Returns the stage that has to
  /// be gone on with. Throws Cancelled.
  Stage more(const Work&);
  Stage stage() const { return stage_; }
  /// Of the stage.
  double share() const;
  /// What is known of all that comes later.
  void fill(ModelReading&);

 private:
  std::shared_ptr<const ModelTokens> tokens_of_text(const ModelText&);
  std::shared_ptr<const BlockTensors> block(AttentionOf, int block);
  void look_at_block(ModelReading&);
  std::shared_ptr<const ModelPrediction> predict(const Work&) const;
  /// What is counted of a run.
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
  std::shared_ptr<RowOperators> operators_;  // null: the CPU runs the model,
  std::string backend_note_;                 // and why, where others were asked for
  // What was asked for last, and what it runs to.
  ModelContext within_;
  ModelWants wants_;
  std::shared_ptr<const ModelTokens> tokens_;  // of within_.input
  ModelRunPtr run_, clean_;
  Counted counted_, clean_counted_;  // of these
  std::optional<std::int64_t> row_;
  std::shared_ptr<const ModelPrediction> prediction_;
  std::string not_finite_;  // of run_
  Stage stage_ = Stage::Done;
  int pieces_ = 0;  // made since first()

  using Scores = std::shared_ptr<const std::vector<std::vector<HeadScores>>>;
  ModelRuns runs_;
  std::list<std::shared_ptr<const BlockTensors>> blocks_;  // the last looked at first
  ModelWhy why_;
  ModelGeneration generation_;
  ModelLens lens_;
  ModelValues values_;
  ModelRollout rollout_;
  Scores scores_, battery_;
  ModelRunPtr scored_;  // the run that scores_ are of,
  AttentionOf scored_of_ = AttentionOf::Decoder;
  bool has_battery_ = false;  // or it is known that there is none
  ChangeEffects alone_;
  HeadEffects effects_;
  HeadPruning pruning_;
  ModelPatching patching_;
};

/// "logit lens": what a stage makes, for the status line.
const char* words_of(ModelWork::Stage);

}  // namespace attnscope
