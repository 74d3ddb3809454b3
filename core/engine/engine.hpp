// core/engine: the one engine that computes in the background: one thread, and a lane for each purpose, in
// which the latest question replaces waiting ones; the answers of a lane are published in the order of their
// tickets. What a lane computes is a LaneWork. All members of an engine may be called from any thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/worker.hpp"

namespace attnscope {

/// The purpose of a question. Shown comes before Held, the one compared with it.
enum class Lane { Shown, Held };

/// The sentences for failures that have none of their own.
struct FailureWords {
  const char* no_memory;
  const char* unknown = "The computation failed for an unknown reason.";
  /// What the exception that is being handled says; rethrows Cancelled.
  std::string of_exception() const;
};

/// What one lane computes: an answer in steps, each of which may publish what is known so far. Called on the
/// worker's thread only; a step may throw Cancelled, or an exception whose text is a sentence.
template <class Question, class Answer>
class LaneWork {
 public:
  using AnswerPtr = std::shared_ptr<const Answer>;
  using Clock = std::chrono::steady_clock;

  struct Asked {
    const std::uint64_t ticket;
    const Question question;
    std::stop_token stop = {};
    Clock::time_point submitted = Clock::now(), published = {};
    AnswerPtr known = {};  // the answer published last; null: none yet
    /// Whether a small piece more should wait for the next: each publication draws a frame.
    bool is_just_published() const { return Clock::now() - published < std::chrono::milliseconds(30); }
  };
  struct Made {
    AnswerPtr answer;  // to be published; null: nothing yet
    bool has_more = false;
  };

  explicit LaneWork(FailureWords failures) : failures(failures) {}
  virtual ~LaneWork() = default;
  LaneWork(const LaneWork&) = delete;
  LaneWork& operator=(const LaneWork&) = delete;

  /// `before`: the lane's newest answer without an error, or null.
  virtual Made first(const Asked&, const AnswerPtr& before) = 0;
  /// The step after one that had more.
  virtual Made next(const Asked&) = 0;
  /// The last answer after a step has failed.
  virtual AnswerPtr failed(const Asked&, std::string error) = 0;
  /// The last answer after cancel(); null: none.
  virtual AnswerPtr stopped(const Asked&) = 0;
  /// The question has had its last step.
  virtual void ended() {}
  /// Releases what is kept for the next question.
  virtual void forget() = 0;

  const FailureWords failures;
};

/// The age at which a superseded run is stopped, before and after its first answer.
struct EnginePatience {
  std::chrono::milliseconds before_first{1000}, after_first = Worker::at_once;
};

/// Its members are defined in engine_runs.hpp, for the files that instantiate it.
template <class Question, class Answer>
class Engine {
 public:
  using AnswerPtr = std::shared_ptr<const Answer>;
  using Computes = LaneWork<Question, Answer>;

  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Puts the question into the lane's slot, replacing one that waits there, and returns its ticket (1, 2, 3,
  /// …, counted over all lanes). A superseded run normally finishes its first step, since stopping on every
  /// drag event would starve the picture; it is stopped once it is older than a second. Later steps are
  /// stopped at once, since a first answer is already published.
  std::uint64_t submit(Question, Lane = Lane::Shown);

  /// The newest published answer of the lane, good or with an error; null before the first.
  AnswerPtr latest(Lane lane = Lane::Shown) const {
    const std::lock_guard lock(mutex_);
    return state(lane).latest;
  }
  /// The newest answer without an error; null before the first.
  AnswerPtr latest_good(Lane lane = Lane::Shown) const {
    const std::lock_guard lock(mutex_);
    return state(lane).latest_good;
  }
  /// Drops the lane's answers and its running and waiting questions: nothing more of them is published. The
  /// worker releases their memory.
  void forget(Lane = Lane::Shown);
  /// Takes an answer that is no longer needed and releases it on the worker: freeing the memory of a large
  /// one takes longer than a frame.
  void give_back(AnswerPtr answer) {
    worker_.add(make_errand([answer = std::move(answer)] {}), memory_lane);
  }

  /// Stops running and waiting questions; what is known is kept. The newest question of a lane may publish on
  /// the worker that it was stopped, unless it was just finished.
  void cancel();
  /// Whether anything runs or waits; a question runs until its last step has ended.
  bool busy() const {
    return std::ranges::any_of(lanes_, [this](const auto& lane) { return worker_.is_busy(lane.at_worker); });
  }
  bool busy(Lane lane) const { return worker_.is_busy(state(lane).at_worker); }
  /// How long the current run has taken; 0 when none runs.
  std::chrono::duration<double> running_for() const { return worker_.running_for(); }
  /// Blocks until nothing runs or waits. For tests, the command line and pictures without a window.
  void wait_idle() const {
    while (busy())
      for (const LaneState& lane : lanes_) worker_.wait(lane.at_worker);
  }

 protected:
  /// `lanes`: what each computes. `on_publish` is called on the worker after each published answer, and when
  /// a run that published one has ended: keep it short (the window posts an event).
  Engine(const std::vector<std::shared_ptr<Computes>>& lanes, std::function<void()> on_publish,
         EnginePatience = {});
  ~Engine() = default;

  /// submit(), unless the lane's newest question is equal and was not cancelled.
  void submit_another(Question, Lane = Lane::Shown);
  /// Stops running work at once and submits each lane's newest question again; in lanes after the first only
  /// if it is not finished. Returns the first lane's new ticket, or 0 if it has no question.
  std::uint64_t submit_again();

 private:
  class Run;
  static constexpr int memory_lane = 0;  // the worker's first: memory is freed before more is allocated
  struct LaneState {
    std::shared_ptr<Computes> computes;  // used by the worker only
    int at_worker = 0;                   // its lane of the worker
    std::shared_ptr<Run> newest = {};    // last submitted and not forgotten, or null; guarded by submitting_
    AnswerPtr latest = {}, latest_good = {};  // guarded by mutex_, as the next
    std::uint64_t forgotten = 0;              // tickets up to this one publish nothing
  };
  LaneState& state(Lane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  const LaneState& state(Lane lane) const { return lanes_[static_cast<std::size_t>(lane)]; }
  /// With submitting_ held. Work of the lane that was submitted before is stopped as patience_ says.
  std::uint64_t submit_now(Question, LaneState& to, bool at_once = false);
  bool step(Run&);
  void publish(Run&, const AnswerPtr&);

  const std::function<void()> on_publish_;
  const EnginePatience patience_;

  std::mutex submitting_;  // held while a ticket is assigned and its run submitted, to keep their order
  std::uint64_t next_ticket_ = 1;  // guarded by submitting_

  mutable std::mutex mutex_;  // guards members of lanes that say so; held briefly
  std::vector<LaneState> lanes_;
  Worker worker_;  // last member: it stops before the others are destroyed
};

}  // namespace attnscope
