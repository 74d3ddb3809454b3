// core/engine: the engine that computes Documents in the background: one thread, and a lane for each purpose,
// in which the latest Document replaces waiting ones; the results of a lane are published in the order of
// their tickets. All members may be called from any thread.
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

/// The purpose of a Document. Shown comes before Held, the Document compared with it.
enum class Lane { Shown, Held };

class LiveEngine {
 public:
  /// `on_publish` is called on the worker after each published result: keep it short (the window posts an
  /// event). When the backend fails, `stand_in` computes this Document and all later ones, with the reason in
  /// Result::backend_note; if it fails, too, the Document is at fault and the result is an error. Null: a
  /// failure is an error.
  explicit LiveEngine(std::shared_ptr<Backend> backend, std::function<void()> on_publish = {},
                      std::shared_ptr<Backend> stand_in = {});
  ~LiveEngine();
  LiveEngine(const LiveEngine&) = delete;
  LiveEngine& operator=(const LiveEngine&) = delete;

  /// Puts the Document into the lane's slot, replacing one that waits there, and returns its ticket (1, 2, 3,
  /// …, counted over all lanes). A superseded run normally finishes, since stopping on every drag event would
  /// starve the picture; it is stopped once it is older than a second. The refinement of a long Document is
  /// stopped at once, since its first look is already published.
  std::uint64_t submit(Document document, Lane lane = Lane::Shown);

  /// Switches to this backend. Running work is stopped at once; the newest shown Document is computed again
  /// from its first stage on, and so is a held one that is not finished; earlier results are kept until then.
  /// Returns the new ticket of the shown Document, or 0 if there is none or the backend is already in use.
  std::uint64_t use(std::shared_ptr<Backend> backend);
  /// The backend for the next Document: that of use(), or the stand-in after it took over.
  std::shared_ptr<Backend> backend() const;

  /// Limits the refinement of a long shown Document to every step-th query. 1, the default: all queries.
  void refine_to(std::int64_t step) { finest_step_ = step; }

  /// The newest published result of the lane, good or with an error; null before the first.
  ResultPtr latest(Lane lane = Lane::Shown) const;
  /// The newest result without an error; null before the first.
  ResultPtr latest_good(Lane lane = Lane::Shown) const;
  /// Releases the lane's results and drops its running and waiting Documents: nothing more of them is
  /// published.
  void forget(Lane lane);

  /// Takes a result that is no longer needed and releases it on the worker: freeing the memory of a large one
  /// takes longer than a frame.
  void give_back(ResultPtr result);

  /// Stops running and waiting Documents; a refinement keeps the rows known so far. The newest Document of a
  /// lane is published on the worker as an error "Cancelled", unless it is superseded, has published a result
  /// or was just finished.
  void cancel();
  /// Whether anything runs or waits; a long Document runs until its refinement ends.
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
    Pipeline pipeline;            // used by the worker only
    std::shared_ptr<Run> newest;  // last submitted and not forgotten, or null; guarded by submitting_
    bool is_refining = false;  // the run's first look is published; guarded by mutex_, as the members below
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
  /// Runs the job on the stand-in, which computes later Documents, too, unless it fails. `known`: the job's
  /// last published result, or null. Returns null when stopped.
  ResultPtr taken_over(const Run& run, const std::string& reason, const ResultPtr& known);
  bool may_be_taken_over(const Run& run, const ResultPtr& result) const;
  /// Runs `make` and turns an exception into a result with an error; null when stopped.
  ResultPtr guarded(const Run& run, const std::function<ResultPtr()>& make) const;
  ResultPtr failure(const Run& run, std::string error) const;
  void publish(Run& run, const ResultPtr& result);

  const std::shared_ptr<Backend> stand_in_;
  std::function<void()> on_publish_;
  Progress progress_;
  std::atomic<std::int64_t> finest_step_{1};

  std::mutex submitting_;  // held while a ticket is assigned and its run submitted, to keep their order

  mutable std::mutex mutex_;  // guards the members below, and members of lanes that say so; held briefly
  std::shared_ptr<Backend> backend_;  // for the next run
  std::string backend_note_;          // why backend_ is the stand-in
  std::uint64_t next_ticket_ = 1;
  std::array<LaneState, 2> lanes_;
  Worker worker_;  // last member: it stops before the others are destroyed
};

}  // namespace attnscope
