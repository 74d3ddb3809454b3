#include "core/engine/model/model_engine.hpp"

#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/engine/model/model_work.hpp"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int work_lane = 0, memory_lane = 1;           // lanes of the worker
constexpr std::chrono::seconds run_patience{1};         // for a run that is superseded
constexpr std::chrono::milliseconds publish_pause{30};  // between two parts of the same stage

}  // namespace

class ModelEngine::State {
 public:
  State(std::function<void()> on_publish, SharedPool pool)
      : on_publish_(std::move(on_publish)), pool_(std::move(pool)) {}

  void compute_with(MakeRowOperators make) {
    const std::lock_guard lock(mutex_);
    make_.swap(make);  // the previous one is destroyed without the lock
    ++maker_;
  }
  std::uint64_t submit(ModelContext within, const ModelWants& wants);
  void forget();
  void cancel();

  ModelReadingPtr latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
  }
  ModelReadingPtr latest_good() const {
    const std::lock_guard lock(mutex_);
    return latest_good_;
  }
  bool busy() const { return worker_.is_busy(work_lane); }
  RunningTask running_task() const {
    return busy() ? RunningTask{what_, share_, worker_.running_for().count()} : RunningTask{};
  }
  void wait_idle() const { worker_.wait(work_lane); }

 private:
  class Run;
  bool first_step(Run& run);
  bool later_step(Run& run);
  std::shared_ptr<ModelWork> work_of(const Run& run);
  void say(const ModelWork& work);
  /// Runs `make` and turns an exception into a sentence. Returns false when stopped.
  bool guarded(Run& run, const std::function<void()>& make, std::string& error) const;
  void publish(Run& run, ModelReading reading);

  std::function<void()> on_publish_;
  SharedPool pool_;
  std::atomic<const char*> what_{""};
  std::atomic<double> share_{0};

  std::mutex submitting_;        // held while a ticket is assigned and its run submitted
  std::shared_ptr<Run> newest_;  // guarded by submitting_

  mutable std::mutex mutex_;  // guards the members below; held briefly
  std::uint64_t next_ticket_ = 1, forgotten_ = 0;
  std::shared_ptr<ModelWork> known_;  // the object is used by the worker only
  MakeRowOperators make_;
  std::uint64_t maker_ = 0;  // counts calls of compute_with()
  std::uint64_t told_ = 0;   // the maker_ that known_ computes with
  ModelReadingPtr latest_, latest_good_;
  Worker worker_;  // last member: it stops before the others are destroyed
};

/// The Job that runs one input.
class ModelEngine::State::Run final : public Job {
 public:
  Run(State& engine, std::uint64_t ticket, ModelContext within, const ModelWants& wants)
      : ticket(ticket), within(std::move(within)), wants(wants), engine_(engine) {}

  bool step() override {
    const bool has_more = is_published ? engine_.later_step(*this) : engine_.first_step(*this);
    if (has_more) tell();
    return has_more;
  }
  // The engine is idle now, so busy() is false for the code that this wakes.
  void finished() override { tell(); }

  const std::uint64_t ticket;
  const ModelContext within;
  const ModelWants wants;
  const Clock::time_point submitted = Clock::now();
  std::atomic<bool> is_cancelled{false};  // by the user, not by newer input
  std::atomic<bool> is_published{false};  // its first reading is
  // Used by the worker's thread only.
  std::shared_ptr<ModelWork> work;
  ModelReading reading;  // the last published one
  Clock::time_point published;
  bool is_untold = false;

 private:
  void tell() {
    if (std::exchange(is_untold, false) && engine_.on_publish_) engine_.on_publish_();
  }
  State& engine_;
};

std::uint64_t ModelEngine::State::submit(ModelContext within, const ModelWants& wants) {
  const std::lock_guard order(submitting_);
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    ticket = next_ticket_++;
  }
  // A model run in progress is finished, since stopping it at every keystroke would starve the picture. Later
  // stages are stopped at once.
  const bool is_later = newest_ && newest_->is_published;
  newest_ = std::make_shared<Run>(*this, ticket, std::move(within), wants);
  worker_.replace(newest_, work_lane, is_later ? Worker::at_once : run_patience);
  return ticket;
}

void ModelEngine::State::forget() {
  const std::lock_guard order(submitting_);
  worker_.replace(nullptr, work_lane);
  newest_.reset();
  // Freeing much memory can take longer than a frame, so the worker does it.
  struct Forgotten {
    std::shared_ptr<ModelWork> known;
    ModelReadingPtr latest, good;
  };
  const auto gone = std::make_shared<Forgotten>();
  {
    const std::lock_guard lock(mutex_);
    forgotten_ = next_ticket_ - 1;
    gone->known.swap(known_);
    gone->latest.swap(latest_);
    gone->good.swap(latest_good_);
  }
  worker_.add(make_errand([gone] { *gone = {}; }), memory_lane);
}

void ModelEngine::State::cancel() {
  const std::lock_guard order(submitting_);
  if (!newest_) return;
  newest_->is_cancelled = true;
  worker_.cancel(work_lane);
}

std::shared_ptr<ModelWork> ModelEngine::State::work_of(const Run& run) {
  std::shared_ptr<ModelWork> known, before;
  MakeRowOperators make;
  {
    const std::lock_guard lock(mutex_);
    if (run.ticket <= forgotten_) throw Cancelled();
    const bool is_new = !known_ || known_->model() != run.within.model;
    if (is_new) before = std::exchange(known_, std::make_shared<ModelWork>(run.within.model));
    known = known_;
    if (!is_new && told_ == maker_) return known;
    told_ = maker_;
    make = make_;
  }
  known->compute_with(make);  // outside the lock: a GPU may be slow to start
  return known;
}

void ModelEngine::State::say(const ModelWork& work) {
  what_ = words_of(work.stage());
  share_ = work.share();
}

bool ModelEngine::State::guarded(Run& run, const std::function<void()>& make, std::string& error) const {
  try {
    if (run.stop_token().stop_requested()) throw Cancelled();
    make();
  } catch (const Cancelled&) {
    return false;
  } catch (const std::bad_alloc&) {
    error = "There is not enough memory to run this; a shorter text needs less.";
  } catch (const std::exception& problem) {
    error = problem.what();
    if (error.empty()) error = "The model could not be run for an unknown reason.";
  }
  return true;
}

bool ModelEngine::State::first_step(Run& run) {
  what_ = "running the model";
  share_ = 0;
  ModelReading reading;
  std::string error;
  const bool ended = guarded(
      run,
      [&] {
        if (!run.within.model) throw Error("No model is open.");
        run.work = work_of(run);
        reading = run.work->first(run.within, run.wants, Work{*pool_, run.stop_token()});
        say(*run.work);
      },
      error);
  if (!ended && !run.is_cancelled) return false;
  if (!ended) error = "Cancelled";
  if (!error.empty()) {
    reading = {};
    reading.within = run.within;
    reading.error = error;
    reading.is_complete = true;
  }
  const std::chrono::duration<double, std::milli> took = Clock::now() - run.submitted;
  const ModelReadingPtr before = latest_good();
  const bool was_run = !before || before->run != reading.run;
  reading.milliseconds = was_run ? took.count() : before->milliseconds;
  const bool is_complete = reading.is_complete;
  publish(run, std::move(reading));
  return !is_complete;
}

bool ModelEngine::State::later_step(Run& run) {
  std::string error;
  const ModelWork::Stage before = run.work->stage();
  ModelWork::Stage now = before;
  const bool ended = guarded(
      run,
      [&] {
        now = run.work->more(Work{*pool_, run.stop_token()});
      },
      error);
  if (!ended) {
    if (run.is_cancelled) {
      ModelReading reading = run.reading;
      reading.is_stopped = true;  // tells waiting readers that nothing more comes
      publish(run, std::move(reading));
    }
    return false;
  }
  say(*run.work);
  // An error of a later stage (memory) keeps what is known.
  const bool is_complete = now == ModelWork::Stage::Done || !error.empty();
  // The first piece is always published: the user sees it while typing.
  const bool is_soon = run.reading.refinement > 0 && Clock::now() - run.published < publish_pause;
  if (now == before && !is_complete && is_soon) return true;
  ModelReading reading = run.reading;
  run.work->fill(reading);
  reading.is_complete = is_complete;
  publish(run, std::move(reading));
  return !is_complete;
}

void ModelEngine::State::publish(Run& run, ModelReading reading) {
  reading.ticket = run.ticket;
  reading.refinement = run.is_published ? run.reading.refinement + 1 : 0;
  run.reading = reading;
  run.published = Clock::now();
  const auto made = std::make_shared<const ModelReading>(std::move(reading));
  // The previous readings are destroyed without the lock.
  ModelReadingPtr before, good;
  const std::lock_guard lock(mutex_);
  if (run.ticket <= forgotten_) return;
  run.is_published = true;
  run.is_untold = true;
  before = std::exchange(latest_, made);
  if (made->error.empty()) good = std::exchange(latest_good_, made);
}

ModelEngine::ModelEngine(std::function<void()> on_publish, SharedPool pool)
    : state_(std::make_unique<State>(std::move(on_publish), std::move(pool))) {}
ModelEngine::~ModelEngine() = default;
void ModelEngine::compute_with(MakeRowOperators make) { state_->compute_with(std::move(make)); }
std::uint64_t ModelEngine::submit(ModelContext within, const ModelWants& wants) {
  return state_->submit(std::move(within), wants);
}
ModelReadingPtr ModelEngine::latest() const { return state_->latest(); }
ModelReadingPtr ModelEngine::latest_good() const { return state_->latest_good(); }
void ModelEngine::forget() { state_->forget(); }
void ModelEngine::cancel() { state_->cancel(); }
bool ModelEngine::busy() const { return state_->busy(); }
ModelEngine::RunningTask ModelEngine::running_task() const { return state_->running_task(); }
void ModelEngine::wait_idle() const { state_->wait_idle(); }

}  // namespace attnscope
