// core/engine: from a Document to a Result: order of the stages, what can be kept, cancelling and timing,
// once for all backends.
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
  const std::shared_ptr<Backend>& backend() const { return backend_; }
  /// The next run shares nothing with the last.
  void forget() { last_ = nullptr; }

  /// Computes what differs from the last successful run and shares the rest; of a long Document only the
  /// first look, which refine() goes on from. Throws Error (a Document that does not fit) or Cancelled; the
  /// last successful run is kept in both cases. `refinement` is the number of the first look. Not
  /// thread-safe.
  ResultPtr run(const Document&, std::stop_token stop = {}, Progress* progress = nullptr,
                std::uint64_t ticket = 0, std::uint64_t refinement = 0);

  /// The last result was of a long Document and not every row is known yet.
  bool can_refine() const { return last_ && !last_->layer().is_complete(); }
  /// The last result with twice as many rows; can_refine() must hold. Throws Error or Cancelled, and the last
  /// result stays. Not thread-safe.
  ResultPtr refine(std::stop_token stop = {}, Progress* progress = nullptr);

 private:
  /// Runs the stages that may have changed; of a long Document the first look stands in the place of most.
  void run_stages(LayerResult& result, const Stages& possible, const Fields& changed,
                  const std::stop_token& stop, Progress* progress) const;
  void look(LayerResult& result, const std::stop_token& stop, Progress* progress) const;
  /// Runs a stage that may have changed and notes whether it did.
  void run_stage(Stage stage, LayerResult& result, const std::stop_token& stop) const;
  /// The gradients of a Document that asks for a loss; those of the last run when nothing they read has
  /// changed.
  void differentiate(LayerResult& result, const std::stop_token& stop) const;

  /// The layer's part of the last successful run; null before it.
  const LayerResult* last() const { return last_ ? &last_->layer() : nullptr; }
  /// One run's result of what the layer has computed.
  ResultPtr published(std::shared_ptr<LayerResult> layer, double milliseconds);

  std::shared_ptr<Backend> backend_;
  std::string note_;
  std::uint64_t runs_ = 0;
  ResultPtr last_;  // null before the first success
};

}  // namespace attnscope
