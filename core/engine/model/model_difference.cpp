#include "core/engine/model/model_difference.hpp"

#include <chrono>
#include <mutex>
#include <new>
#include <utility>

#include "core/base/worker.hpp"
#include "core/engine/model/difference_work.hpp"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int pairs_lane = 0, forget_lane = 1;           // lanes of the worker
constexpr std::chrono::milliseconds pair_patience{300};  // for a pair that is superseded while the user types
constexpr std::chrono::milliseconds part_pause{30};      // between two parts

}  // namespace

ComparedRun compared_run(const ModelReading& reading) {
  return {reading.within.model, reading.tokens, reading.run, reading.numbers};
}

class ModelDifferences::State {
 public:
  State(std::function<void()> on_publish, SharedPool pool)
      : on_publish_(std::move(on_publish)), pool_(std::move(pool)) {}

  void submit(const DifferenceQuestion& asked);
  void forget();
  void cancel();
  ModelDifferencePtr latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
  }
  bool busy() const { return worker_.is_busy(pairs_lane); }
  void wait_idle() const { worker_.wait(pairs_lane); }

 private:
  class Run;
  bool step(Run&);
  void publish(Run&, const ModelDifference&);

  std::function<void()> on_publish_;
  SharedPool pool_;
  mutable std::mutex mutex_;  // guards the members below
  std::shared_ptr<Run> newest_;
  std::uint64_t next_ = 1, forgotten_ = 0;
  ModelDifferencePtr latest_;
  Worker worker_;  // last member: it stops before the others are destroyed
};

/// The Job that compares one pair.
class ModelDifferences::State::Run final : public Job {
 public:
  Run(State& engine, std::uint64_t number, const DifferenceQuestion& asked)
      : number(number), asked(asked), work(asked), engine_(engine) {}
  bool step() override {
    const bool has_more = engine_.step(*this);
    if (has_more) tell();
    return has_more;
  }
  void finished() override { tell(); }

  const std::uint64_t number;
  const DifferenceQuestion asked;
  // Used by the worker's thread only.
  DifferenceWork work;
  bool has_begun = false, is_untold = false;
  Clock::time_point published;

 private:
  void tell() {
    if (std::exchange(is_untold, false) && engine_.on_publish_) engine_.on_publish_();
  }
  State& engine_;
};

void ModelDifferences::State::submit(const DifferenceQuestion& asked) {
  std::shared_ptr<Run> next;
  {
    const std::lock_guard lock(mutex_);
    if (newest_ && newest_->asked == asked) return;
    next = newest_ = std::make_shared<Run>(*this, next_++, asked);
  }
  worker_.replace(std::move(next), pairs_lane, pair_patience);
}

void ModelDifferences::State::forget() {
  worker_.replace(nullptr, pairs_lane);
  struct Forgotten {
    std::shared_ptr<Run> run;
    ModelDifferencePtr latest;
  };
  // Freeing runs can take longer than a frame, so the worker does it.
  const auto gone = std::make_shared<Forgotten>();
  {
    const std::lock_guard lock(mutex_);
    forgotten_ = next_ - 1;
    gone->run.swap(newest_);
    gone->latest.swap(latest_);
  }
  worker_.add(make_errand([gone] { *gone = {}; }), forget_lane);
}

void ModelDifferences::State::cancel() {
  {
    const std::lock_guard lock(mutex_);
    newest_.reset();
  }
  worker_.cancel(pairs_lane);
}

bool ModelDifferences::State::step(Run& run) {
  std::string error;
  try {
    if (run.stop_token().stop_requested()) throw Cancelled();
    if (!std::exchange(run.has_begun, true))
      run.work.begin(latest());
    else
      run.work.step(Work{*pool_, run.stop_token()});
  } catch (const Cancelled&) {
    return false;
  } catch (const std::bad_alloc&) {
    error = "There is not enough memory to compare the two; shorter texts need less.";
  } catch (const std::exception& problem) {
    error = problem.what();
  }
  if (!error.empty()) {
    ModelDifference failed;
    failed.asked = run.asked;
    failed.problem = error;
    failed.is_complete = true;
    publish(run, failed);
    return false;
  }
  const bool is_done = run.work.known().is_complete;
  if (!is_done && Clock::now() - run.published < part_pause) return true;
  publish(run, run.work.known());
  return !is_done;
}

void ModelDifferences::State::publish(Run& run, const ModelDifference& known) {
  run.published = Clock::now();
  ModelDifferencePtr made = std::make_shared<const ModelDifference>(known);
  const std::lock_guard lock(mutex_);
  if (run.number <= forgotten_) return;
  run.is_untold = true;
  latest_.swap(made);
}

ModelDifferences::ModelDifferences(std::function<void()> on_publish, SharedPool pool)
    : state_(std::make_unique<State>(std::move(on_publish), std::move(pool))) {}
ModelDifferences::~ModelDifferences() = default;
void ModelDifferences::submit(const DifferenceQuestion& asked) { state_->submit(asked); }
ModelDifferencePtr ModelDifferences::latest() const { return state_->latest(); }
void ModelDifferences::forget() { state_->forget(); }
void ModelDifferences::cancel() { state_->cancel(); }
bool ModelDifferences::busy() const { return state_->busy(); }
void ModelDifferences::wait_idle() const { state_->wait_idle(); }

}  // namespace attnscope
