#include "core/engine/live_engine.hpp"

#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope {

namespace {

constexpr std::chrono::seconds patience{1};  // for a run that is superseded
constexpr int giving_back = 0;  // the worker's first lane: memory is freed before more is allocated

int lane_of_worker(Lane lane) { return 1 + static_cast<int>(lane); }

}  // namespace

/// The Job that computes one Document.
class LiveEngine::Run final : public Job {
 public:
  Run(LiveEngine& engine, std::uint64_t ticket, Document document, Lane lane)
      : ticket(ticket), document(std::move(document)), lane(lane), engine_(engine) {}

  bool step() override { return engine_.step(*this); }
  void finished() override {
    // The engine is idle now, so busy() is false for the code that this wakes.
    if (is_published && engine_.on_publish_) engine_.on_publish_();
  }

  const std::uint64_t ticket;
  const Document document;
  const Lane lane;
  std::atomic<bool> is_cancelled{false};  // by the user, not by a newer Document
  bool is_published = false;              // a result was published; worker's thread only, as the next
  ResultPtr known;                        // the last published result, while more will follow

 private:
  LiveEngine& engine_;
};

LiveEngine::LiveEngine(std::shared_ptr<Backend> backend, std::function<void()> on_publish,
                       std::shared_ptr<Backend> stand_in)
    : stand_in_(std::move(stand_in)),
      on_publish_(std::move(on_publish)),
      backend_(std::move(backend)),
      lanes_{LaneState(backend_), LaneState(backend_)} {}

LiveEngine::~LiveEngine() = default;

std::uint64_t LiveEngine::submit_now(Document document, Lane lane, std::chrono::milliseconds patience) {
  LaneState& to = state(lane);
  to.newest = std::make_shared<Run>(*this, next_ticket_++, std::move(document), lane);
  worker_.replace(to.newest, lane_of_worker(lane), patience);
  return to.newest->ticket;
}

std::uint64_t LiveEngine::submit(Document document, Lane lane) {
  const std::lock_guard order(submitting_);
  bool is_refining = false;
  {
    const std::lock_guard lock(mutex_);
    is_refining = state(lane).is_refining;
  }
  return submit_now(std::move(document), lane, is_refining ? Worker::at_once : patience);
}

std::uint64_t LiveEngine::use(std::shared_ptr<Backend> backend) {
  const std::lock_guard order(submitting_);
  {
    const std::lock_guard lock(mutex_);
    if (backend == backend_) return 0;
    backend_.swap(backend);  // the previous backend is destroyed without the lock
    backend_note_.clear();
  }
  const std::shared_ptr<Run> held = state(Lane::Held).newest;
  if (held && busy(Lane::Held)) submit_now(Document(held->document), Lane::Held, Worker::at_once);
  const std::shared_ptr<Run> shown = state(Lane::Shown).newest;
  return shown ? submit_now(Document(shown->document), Lane::Shown, Worker::at_once) : 0;
}

std::shared_ptr<Backend> LiveEngine::backend() const {
  const std::lock_guard lock(mutex_);
  return backend_;
}

ResultPtr LiveEngine::latest(Lane lane) const {
  const std::lock_guard lock(mutex_);
  return state(lane).latest;
}

ResultPtr LiveEngine::latest_good(Lane lane) const {
  const std::lock_guard lock(mutex_);
  return state(lane).latest_good;
}

void LiveEngine::forget(Lane lane) {
  ResultPtr latest, good;
  const std::lock_guard order(submitting_);
  LaneState& of = state(lane);
  worker_.replace(nullptr, lane_of_worker(lane));
  of.newest.reset();
  const std::lock_guard lock(mutex_);
  of.forgotten = next_ticket_ - 1;
  latest.swap(of.latest);
  good.swap(of.latest_good);
}

void LiveEngine::give_back(ResultPtr result) {
  worker_.add(std::make_shared<Task<ResultPtr>>(
                  [result = std::move(result)](const std::stop_token&, NoProgress&) { return nullptr; }),
              giving_back);
}

void LiveEngine::cancel() {
  const std::lock_guard order(submitting_);
  for (const Lane lane : {Lane::Shown, Lane::Held}) {
    if (!state(lane).newest) continue;
    state(lane).newest->is_cancelled = true;
    worker_.cancel(lane_of_worker(lane));
  }
}

bool LiveEngine::busy(Lane lane) const { return worker_.is_busy(lane_of_worker(lane)); }

bool LiveEngine::busy() const { return busy(Lane::Shown) || busy(Lane::Held); }

void LiveEngine::wait_idle() const {
  while (busy())
    for (const Lane lane : {Lane::Shown, Lane::Held}) worker_.wait(lane_of_worker(lane));
}

bool LiveEngine::step(Run& run) {
  const bool has_more = run.is_published ? refining_step(run) : first_step(run);
  if (has_more) return true;
  run.known.reset();
  if (run.lane == Lane::Held) state(run.lane).pipeline.forget();  // held runs are rare: reuse nothing
  const std::lock_guard lock(mutex_);
  state(run.lane).is_refining = false;
  return false;
}

void LiveEngine::adopt_backend(Pipeline& pipeline) const {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Backend> backend = backend_;
  const std::string note = backend_note_;
  lock.unlock();
  const std::shared_ptr<Backend> before = pipeline.backend();
  if (before == backend) return;
  pipeline.use(backend, note);
  before->rest();
}

bool LiveEngine::first_step(Run& run) {
  Pipeline& pipeline = state(run.lane).pipeline;
  {
    const std::lock_guard lock(mutex_);
    state(run.lane).is_refining = false;  // the previous run may have been replaced between two steps
  }
  ResultPtr result;
  if (!run.stop_token().stop_requested()) {
    adopt_backend(pipeline);
    result =
        guarded(run, [&] { return pipeline.run(run.document, run.stop_token(), &progress_, run.ticket); });
    if (may_be_taken_over(run, result)) result = taken_over(run, result->error, nullptr);
  }
  if (!result && run.is_cancelled) result = failure(run, "Cancelled");
  if (!result) return false;
  publish(run, result);
  return !result->is_complete();
}

bool LiveEngine::refining_step(Run& run) {
  Pipeline& pipeline = state(run.lane).pipeline;
  if (run.stop_token().stop_requested() || !pipeline.can_refine() || is_fine_enough(run)) return false;
  if (on_publish_) on_publish_();  // for the previous result; finished() calls it for the last one
  ResultPtr finer = guarded(run, [&] { return pipeline.refine(run.stop_token(), &progress_); });
  if (may_be_taken_over(run, finer)) finer = taken_over(run, finer->error, run.known);
  if (!finer) return false;
  publish(run, finer);
  return finer->error.empty() && pipeline.can_refine();
}

bool LiveEngine::is_fine_enough(const Run& run) const {
  return run.lane == Lane::Shown && run.known &&
         run.known->layer().surveys.back()->known.rows.step <= finest_step_;
}

bool LiveEngine::may_be_taken_over(const Run& run, const ResultPtr& result) const {
  return result && !result->error.empty() && stand_in_ && state(run.lane).pipeline.backend() != stand_in_;
}

ResultPtr LiveEngine::taken_over(const Run& run, const std::string& reason, const ResultPtr& known) {
  Pipeline& pipeline = state(run.lane).pipeline;
  const std::shared_ptr<Backend> failed = pipeline.backend();
  const std::string note = fmt::format("The backend \"{}\" failed and \"{}\" took over. {}", failed->name(),
                                       stand_in_->name(), reason);
  Pipeline next = pipeline;
  next.use(stand_in_, note);
  // Continues the refinement numbers and the step of the failed backend's results, so that the picture never
  // gets coarser.
  const std::uint64_t refinement = known ? known->refinement + 1 : 0;
  const std::int64_t step =
      known ? known->layer().surveys.back()->known.rows.step : std::numeric_limits<std::int64_t>::max();
  const ResultPtr result = guarded(run, [&] {
    ResultPtr made = next.run(run.document, run.stop_token(), &progress_, run.ticket, refinement);
    while (next.can_refine() && made->layer().surveys.back()->known.rows.step > step)
      made = next.refine(run.stop_token(), &progress_);
    return made;
  });
  if (!result || !result->error.empty()) return result;
  pipeline = std::move(next);
  const std::lock_guard lock(mutex_);
  if (backend_ == failed) {
    backend_ = stand_in_;
    backend_note_ = note;
  }
  return result;
}

ResultPtr LiveEngine::guarded(const Run& run, const std::function<ResultPtr()>& make) const {
  try {
    return make();
  } catch (const Cancelled&) {
    return nullptr;
  } catch (const std::bad_alloc&) {
    return failure(run,
                   "There is not enough memory to compute this; a shorter text or fewer heads need less.");
  } catch (const std::exception& error) {
    return failure(run, error.what());
  } catch (...) {
    return failure(run, "");
  }
}

ResultPtr LiveEngine::failure(const Run& run, std::string error) const {
  auto result = std::make_shared<Result>();
  result->ticket = run.ticket;
  result->document = run.document;
  result->backend = state(run.lane).pipeline.backend()->name();
  result->error = error.empty() ? "The computation failed for an unknown reason." : std::move(error);
  result->refinement = std::numeric_limits<std::uint64_t>::max();  // the last result of its ticket
  return result;
}

void LiveEngine::publish(Run& run, const ResultPtr& result) {
  ResultPtr known, latest, good;  // the previous results, destroyed without the lock: they may be large
  const std::lock_guard lock(mutex_);
  LaneState& to = state(run.lane);
  if (run.ticket <= to.forgotten) return;
  run.is_published = true;
  known = std::exchange(run.known, result);
  to.is_refining = !result->is_complete();
  latest = std::exchange(to.latest, result);
  if (result->error.empty()) good = std::exchange(to.latest_good, result);
}

}  // namespace attnscope
