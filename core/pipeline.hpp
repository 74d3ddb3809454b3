// core: from a Document to a Result: order of the stages, what can be kept, cancelling and timing, once for
// all backends.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/measures.hpp"
#include "core/survey.hpp"

namespace attnscope {

/// What a whole Document costs on a backend: milliseconds of every part when it was computed last, also where
/// it was kept in the last run.
struct WholeTimes {
  PerStage<double> stages;
  double measures = 0;  // of a long Document: its sweeps
  double gradients = 0;
  double total() const;
};

/// Everything a view needs, immutable and shared. It carries the Document it was computed from, so labels and
/// numbers can never disagree.
struct Result {
  std::uint64_t ticket = 0;
  std::uint64_t refinement = 0;  // of a long Document: counts the results of one ticket, from coarse to fine
  Document document;
  Dimensions dimensions;
  Trace trace;  // of a long Document: no stage that holds scores, and those after them once it is complete
  Measures measures;  // empty for a long Document
  /// [batch], of a long Document (see is_long()): what is known of its weights; empty for others.
  std::vector<SurveyPtr> surveys;
  GradientsPtr gradients;                     // null unless the Document asks for a loss
  std::vector<HeadGradients> head_gradients;  // [heads], empty without gradients
  PerStage<double> milliseconds;              // per stage; 0 where the stage was kept
  double total_milliseconds = 0;              // stages and measures
  WholeTimes whole;
  PerStage<std::uint64_t> made_in;  // run of the Pipeline that computed each tensor: tells tensors
                                    // apart where an address may have been used before
  Stages computed;                  // the stages whose tensor is another one than in the run before
  std::string backend;
  std::string backend_note;  // why it is not the backend that was chosen, see LiveEngine; empty when it is
  std::string error;         // one sentence; when it is not empty there is no trace

  bool is_long() const { return !surveys.empty(); }
  bool is_complete() const { return surveys.empty() || surveys.back()->is_complete(); }
};
using ResultPtr = std::shared_ptr<const Result>;

/// How far a run is, readable from any thread.
struct Progress {
  std::atomic<int> done{0};   // stages finished
  std::atomic<int> total{0};  // stages to compute; 0 when nothing runs
  SweepProgress sweep;        // of a long Document: the level that is being swept
};

class Pipeline {
 public:
  explicit Pipeline(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}

  /// Another backend from here on. Nothing is shared with the results before, since a backend reads only
  /// what it made itself. Every result carries `note`.
  void use(std::shared_ptr<Backend> backend, std::string note = {});

  /// Computes what differs from the last successful run and shares the rest; of a long Document only the
  /// first look, which refine() goes on from. Throws Error (a Document that does not fit) or Cancelled; the
  /// last successful run is kept in both cases. `refinement` is the number of the first look. Not
  /// thread-safe.
  ResultPtr run(const Document&, std::stop_token stop = {}, Progress* progress = nullptr,
                std::uint64_t ticket = 0, std::uint64_t refinement = 0);

  /// The last result was of a long Document and not every row is known yet.
  bool can_refine() const { return last_ && !last_->is_complete(); }
  /// The last result with twice as many rows; can_refine() must hold. Throws Error or Cancelled, and the last
  /// result stays. Not thread-safe.
  ResultPtr refine(std::stop_token stop = {}, Progress* progress = nullptr);

 private:
  /// Runs the stages that may have changed; of a long Document the first look stands in the place of most.
  void run_stages(Result& result, const Stages& possible, const Fields& changed, const std::stop_token& stop,
                  Progress* progress) const;
  void look(Result& result, const std::stop_token& stop, Progress* progress) const;
  /// Runs a stage that may have changed and notes whether it did.
  void run_stage(Stage stage, Result& result, const std::stop_token& stop) const;
  /// The gradients of a Document that asks for a loss; those of the last run when nothing they read has
  /// changed.
  void differentiate(Result& result, const std::stop_token& stop) const;

  std::shared_ptr<Backend> backend_;
  std::string note_;
  std::uint64_t runs_ = 0;
  ResultPtr last_;  // null before the first success
};

}  // namespace attnscope
