// core/engine: the thread that computes. One worker, one slot in which the latest Document wins; results are
// published in the order of their tickets. Everything here may be called from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/engine/pipeline.hpp"

namespace attnscope {

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

  /// Puts the Document into the slot, replacing one that waits there, and returns its ticket (1, 2, 3, …). A
  /// run that is superseded normally finishes, since stopping on every drag event would starve the picture;
  /// once it is older than a second it is stopped. The refinement of a long Document is stopped at once: its
  /// first look is there already.
  std::uint64_t submit(Document document);

  /// From now on this backend computes. What runs is stopped at once and the newest Document is computed
  /// anew from its first stage on; the results before stay until then. Returns its new ticket, or 0 when
  /// there is none to compute or this backend is the one that computes.
  std::uint64_t use(std::shared_ptr<Backend> backend);
  /// Who computes the next Document: what use() was given, or the stand-in once it took over.
  std::shared_ptr<Backend> backend() const;

  /// The newest published result, good or with an error; null before the first.
  ResultPtr latest() const;
  /// The newest result without an error; null before the first.
  ResultPtr latest_good() const;

  /// Takes a result that its owner is done with: giving back the memory of a large one takes longer than a
  /// frame has, so that the worker does it where it holds the last share.
  void let_go(ResultPtr result);

  /// Stops the current run and drops what waits; a refinement leaves what is known by then. The newest of
  /// their Documents is published, on the worker, as an error "Cancelled", unless it is superseded by then or
  /// its run was just done.
  void cancel();
  /// Whether anything runs or waits; a long Document runs until every row is known.
  bool busy() const;
  /// How long the current run has taken; 0 when none runs.
  std::chrono::duration<double> running_for() const;
  const Progress& progress() const { return progress_; }
  /// Blocks until nothing runs or waits. For tests, the command line and pictures without a window.
  void wait_idle() const;

 private:
  struct Job {
    std::uint64_t ticket = 0;
    Document document;
    bool cancelled = false;
  };
  void work(const std::stop_token& quit);
  void watch(const std::stop_token& quit);
  ResultPtr first_result(const Job& job, const std::stop_token& stop);
  /// The job done by the stand-in, which goes on computing from here unless it fails as well. `known`: what
  /// was published of the job, or null. Null when it was stopped.
  ResultPtr taken_over(const Job& job, const std::string& reason, const ResultPtr& known,
                       const std::stop_token& stop);
  bool may_be_taken_over(const ResultPtr& result) const;
  /// Runs `step` and turns what it throws into a result with an error; null when it was stopped.
  ResultPtr guarded(const Job& job, const std::function<ResultPtr()>& step) const;
  /// Publishes finer and finer results of the job, whose first look is `known`, until all is known or
  /// something stops it.
  void refine(const Job& job, ResultPtr known, const std::stop_token& stop, const std::stop_token& quit);
  ResultPtr failure(const Job& job, std::string error) const;
  void keep(ResultPtr result);  // with mutex_ held

  std::shared_ptr<Backend> computing_;  // these two are touched by the worker only
  Pipeline pipeline_;
  const std::shared_ptr<Backend> stand_in_;
  std::function<void()> on_publish_;
  Progress progress_;

  mutable std::mutex mutex_;  // guards all below
  mutable std::condition_variable_any changed_;
  std::shared_ptr<Backend> backend_;  // for the next run
  std::optional<Job> waiting_;
  std::optional<Job> running_;  // its Document is read by the worker without the lock and never changed
  std::uint64_t next_ticket_ = 1;
  std::chrono::steady_clock::time_point started_{};
  bool refining_ = false;  // the running job's first look is published
  std::stop_source run_stop_;
  ResultPtr latest_, latest_good_;
  std::vector<ResultPtr> spent_;  // to be given back between runs
  // Last: they start when all else is there and are joined first.
  std::jthread worker_;
  std::jthread watchdog_;  // stops superseded runs when they become older than a second
};

}  // namespace attnscope
