// core/engine: from a Document to a Result: the order of the stages, reuse of tensors, cancelling and timing,
// for all backends.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "core/engine/backend.hpp"
#include "core/engine/result.hpp"
#include "core/streaming/sweep.hpp"

namespace attnscope {

/// The progress of a run, readable from any thread.
struct Progress {
  std::atomic<int> done{0};   // stages finished
  std::atomic<int> total{0};  // stages to compute; 0 when nothing runs
  SweepProgress sweep;        // of a long Document: the level being swept
};

class Pipeline {
 public:
  explicit Pipeline(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}

  /// Switches to another backend. Nothing is shared with earlier results, since a backend reads only tensors
  /// that it made itself. Every result carries `note`.
  void use(std::shared_ptr<Backend> backend, std::string note = {});
  const std::shared_ptr<Backend>& backend() const { return backend_; }
  /// The next run shares nothing with the last.
  void forget() { last_ = nullptr; }

  /// Computes the stages that differ from the last successful run and shares the others; for a long Document
  /// only the first look, which refine() continues. Throws Error (the Document fails check()) or Cancelled;
  /// the last successful run is kept in both cases. `refinement` is the number of the first look. Not
  /// thread-safe.
  ResultPtr run(const Document&, std::stop_token stop = {}, Progress* progress = nullptr,
                std::uint64_t ticket = 0, std::uint64_t refinement = 0);

  /// Whether the last result is of a long Document whose rows are not all known.
  bool can_refine() const { return last_ && !last_->layer().is_complete(); }
  /// The last result with twice as many rows; can_refine() must hold. Throws Error or Cancelled; the last
  /// result is kept then. Not thread-safe.
  ResultPtr refine(std::stop_token stop = {}, Progress* progress = nullptr);

 private:
  /// Runs the stages that may have changed; for a long Document the first look replaces most of them.
  void run_stages(LayerResult& result, const Stages& possible, const Fields& changed,
                  const std::stop_token& stop, Progress* progress) const;
  void look(LayerResult& result, const std::stop_token& stop, Progress* progress) const;
  /// Runs a stage that may have changed and notes whether it did.
  void run_stage(Stage stage, LayerResult& result, const std::stop_token& stop) const;
  /// Computes the gradients of a Document with a loss, or takes those of the last run if nothing they read
  /// has changed.
  void differentiate(LayerResult& result, const std::stop_token& stop) const;

  /// The LayerResult of the last successful run; null before the first.
  const LayerResult* last() const { return last_ ? &last_->layer() : nullptr; }
  /// Wraps the layer's result in the Result of one run.
  ResultPtr published(std::shared_ptr<LayerResult> layer, double milliseconds);

  std::shared_ptr<Backend> backend_;
  std::string note_;
  std::uint64_t runs_ = 0;
  ResultPtr last_;  // null before the first success
};

}  // namespace attnscope
