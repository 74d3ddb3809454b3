// core/engine: Documents are computed here, behind the window: one thread, and for each purpose a lane in
// which the latest Document wins; the results of a lane are published in the order of their tickets.
// Everything here may be called from any thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/worker.hpp"
#include "core/engine/pipeline.hpp"

namespace attnscope {

/// What a Document is computed for. What is shown comes before what is held beside it.
enum class Lane { Shown, Held };

class LiveEngine {
 public:
  /// `on_publish` is called on the worker after each published result: keep it short (the window posts an
  /// event). When the backend fails at a Document, `stand_in` computes it and goes on with the next ones,
  /// with the reason in Result::backend_note, unless it fails as well, so that the Document is at fault.
  /// Null: a failure is an error.
  explicit LiveEngine(std::shared_ptr<Backend> backend, std::function<void()> on_publish = {},
                      std::shared_ptr<Backend> stand_in = {});
  ~LiveEngine();
  LiveEngine(const LiveEngine&) = delete;
  LiveEngine& operator=(const LiveEngine&) = delete;

  /// Puts the Document into the lane's slot, replacing one that waits there, and returns its ticket (1, 2, 3,
  /// …, counted over all lanes). A run that is superseded normally finishes, since stopping on every drag
  /// event would starve the picture; once it is older than a second it is stopped. The refinement of a long
  /// Document is stopped at once: its first look is there already.
  std::uint64_t submit(Document document, Lane lane = Lane::Shown);

  /// From now on this backend computes. What runs is stopped at once and the newest Document that is shown is
  /// computed anew from its first stage on, as is what is on its way to be held; the results before stay
  /// until then. Returns the new ticket of what is shown, or 0 when there is none or this backend is the one
  /// that computes.
  std::uint64_t use(std::shared_ptr<Backend> backend);
  /// The backend that computes the next Document: what use() was given, or the stand-in once it took over.
  std::shared_ptr<Backend> backend() const;

  /// From now on a long Document that is shown is refined to every step-th query and no further. 1, which it
  /// is at first: to all of them.
  void refine_to(std::int64_t step) { finest_step_ = step; }

  /// The newest published result of the lane, good or with an error; null before the first.
  ResultPtr latest(Lane lane = Lane::Shown) const;
  /// The newest result without an error; null before the first.
  ResultPtr latest_good(Lane lane = Lane::Shown) const;
  /// What the lane has published is not kept any longer, and what it still computes or was to compute is
  /// dropped: nothing of it is published.
  void forget(Lane lane);

  /// Takes a result that its owner is done with: giving back the memory of a large one takes longer than a
  /// frame has, so that the worker does it where it holds the last share.
  void give_back(ResultPtr result);

  /// Stops the current run and drops what waits; a refinement leaves what is known by then. The newest
  /// Document of a lane is published, on the worker, as an error "Cancelled", unless it is superseded by then
  /// or its run was just done.
  void cancel();
  /// Whether anything runs or waits; a long Document runs until every row is known.
  bool busy() const;
  bool busy(Lane lane) const;
  /// How long the current run has taken; 0 when none runs.
  std::chrono::duration<double> running_for() const { return worker_.running_for(); }
  const Progress& progress() const { return progress_; }
  /// Blocks until nothing runs or waits. For tests, the command line and pictures without a window.
  void wait_idle() const;

 private:
  class Run;
  struct LaneState {
    explicit LaneState(std::shared_ptr<Backend> backend) : pipeline(std::move(backend)) {}
    Pipeline pipeline;            // touched by the worker only
    std::shared_ptr<Run> newest;  // submitted and not forgotten, or null; guarded by submitting_
    bool is_refining = false;     // its run's first look is published; guarded by mutex_, as the rest
    ResultPtr latest, latest_good;
    std::uint64_t forgotten = 0;  // tickets up to this one publish nothing
  };
  LaneState& state(Lane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  const LaneState& state(Lane lane) const { return lanes_[static_cast<std::size_t>(lane)]; }

  std::uint64_t submit_now(Document document, Lane lane, std::chrono::milliseconds patience);
  bool step(Run& run);
  bool first_step(Run& run);
  bool refining_step(Run& run);
  bool is_fine_enough(const Run& run) const;
  void adopt_backend(Pipeline& pipeline) const;
  /// The job done by the stand-in, which goes on computing from here unless it fails as well. `known`: what
  /// was published of the job, or null. Null when it was stopped.
  ResultPtr taken_over(const Run& run, const std::string& reason, const ResultPtr& known);
  bool may_be_taken_over(const Run& run, const ResultPtr& result) const;
  /// Runs `make` and turns what it throws into a result with an error; null when it was stopped.
  ResultPtr guarded(const Run& run, const std::function<ResultPtr()>& make) const;
  ResultPtr failure(const Run& run, std::string error) const;
  void publish(Run& run, const ResultPtr& result);

  const std::shared_ptr<Backend> stand_in_;
  std::function<void()> on_publish_;
  Progress progress_;
  std::atomic<std::int64_t> finest_step_{1};

  std::mutex submitting_;  // held while tickets are given out, so that their order is that of the slots

  mutable std::mutex mutex_;  // guards what follows, and of the lanes what they say; never held for long
  std::shared_ptr<Backend> backend_;  // for the next run
  std::string backend_note_;          // why it is the stand-in
  std::uint64_t next_ticket_ = 1;
  std::array<LaneState, 2> lanes_;
  Worker worker_;  // last: it stops before the rest goes
};

}  // namespace attnscope
