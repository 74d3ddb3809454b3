#include "core/engine/live_engine.hpp"

#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope {

namespace {
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds patience{1};  // for a run that is superseded
}  // namespace

LiveEngine::LiveEngine(std::shared_ptr<Backend> backend, std::function<void()> on_publish,
                       std::shared_ptr<Backend> stand_in)
    : computing_(std::move(backend)),
      pipeline_(computing_),
      stand_in_(std::move(stand_in)),
      on_publish_(std::move(on_publish)),
      backend_(computing_),
      worker_([this](const std::stop_token& quit) { work(quit); }),
      watchdog_([this](const std::stop_token& quit) { watch(quit); }) {}

LiveEngine::~LiveEngine() {
  worker_.request_stop();  // before the run stops, so that the worker finds nothing to publish
  watchdog_.request_stop();
  std::stop_source run;
  {
    const std::lock_guard lock(mutex_);
    waiting_.reset();
    run = run_stop_;
  }
  run.request_stop();
}

std::uint64_t LiveEngine::submit(Document document) {
  std::uint64_t ticket = 0;
  std::stop_source refinement(std::nostopstate);
  {
    const std::lock_guard lock(mutex_);
    ticket = next_ticket_++;
    waiting_ = Job{ticket, std::move(document)};
    if (refining_) refinement = run_stop_;
  }
  refinement.request_stop();
  changed_.notify_all();
  return ticket;
}

std::uint64_t LiveEngine::use(std::shared_ptr<Backend> backend) {
  std::uint64_t ticket = 0;
  std::stop_source run;
  {
    const std::lock_guard lock(mutex_);
    if (backend == backend_) return 0;
    backend_ = std::move(backend);
    const Document* newest = waiting_   ? &waiting_->document
                             : running_ ? &running_->document
                             : latest_  ? &latest_->document
                                        : nullptr;
    if (newest == nullptr) return 0;
    ticket = next_ticket_++;
    waiting_ = Job{ticket, Document(*newest)};
    run = run_stop_;
  }
  run.request_stop();
  changed_.notify_all();
  return ticket;
}

std::shared_ptr<Backend> LiveEngine::backend() const {
  const std::lock_guard lock(mutex_);
  return backend_;
}

ResultPtr LiveEngine::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

ResultPtr LiveEngine::latest_good() const {
  const std::lock_guard lock(mutex_);
  return latest_good_;
}

void LiveEngine::let_go(ResultPtr result) {
  {
    const std::lock_guard lock(mutex_);
    spent_.push_back(std::move(result));
  }
  changed_.notify_all();
}

void LiveEngine::cancel() {
  std::stop_source run;
  {
    const std::lock_guard lock(mutex_);
    // The worker publishes for both: it takes a cancelled Document that waits without computing it.
    if (waiting_) {
      waiting_->cancelled = true;
    } else if (running_) {
      running_->cancelled = true;
    }
    run = run_stop_;
  }
  run.request_stop();
}

bool LiveEngine::busy() const {
  const std::lock_guard lock(mutex_);
  return waiting_ || running_;
}

std::chrono::duration<double> LiveEngine::running_for() const {
  const std::lock_guard lock(mutex_);
  if (!running_) return {};
  return Clock::now() - started_;
}

void LiveEngine::wait_idle() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !waiting_ && !running_; });
}

void LiveEngine::work(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, quit, [this] { return waiting_.has_value() || !spent_.empty(); })) {
    if (quit.stop_requested()) return;
    if (!spent_.empty()) {
      std::vector<ResultPtr> spent = std::exchange(spent_, {});
      lock.unlock();
      spent.clear();
      lock.lock();
      continue;
    }
    running_ = std::exchange(waiting_, std::nullopt);
    started_ = Clock::now();
    run_stop_ = std::stop_source();
    const Job& job = *running_;
    const std::stop_token stop = run_stop_.get_token();
    const std::shared_ptr<Backend> backend = backend_;
    ResultPtr result;
    if (!job.cancelled) {
      lock.unlock();
      changed_.notify_all();
      if (backend != computing_) {
        computing_ = backend;
        pipeline_.use(backend);
      }
      result = first_result(job, stop);
      lock.lock();
    }
    if (!result && job.cancelled) result = failure(job, "Cancelled");
    const bool published = result && !quit.stop_requested();
    const bool coarse = published && !result->is_complete();
    if (published) keep(result);
    if (coarse) {
      refining_ = true;
      lock.unlock();
      refine(job, std::exchange(result, nullptr), stop, quit);
      lock.lock();
      refining_ = false;
    }
    running_.reset();
    lock.unlock();
    changed_.notify_all();
    // After the engine is idle: whoever is woken by this and asks busy() hears the truth.
    if (published && on_publish_) on_publish_();
    lock.lock();
  }
}

ResultPtr LiveEngine::first_result(const Job& job, const std::stop_token& stop) {
  const ResultPtr result =
      guarded(job, [&] { return pipeline_.run(job.document, stop, &progress_, job.ticket); });
  if (!may_be_taken_over(result)) return result;
  return taken_over(job, result->error, nullptr, stop);
}

bool LiveEngine::may_be_taken_over(const ResultPtr& result) const {
  return result && !result->error.empty() && stand_in_ && computing_ != stand_in_;
}

ResultPtr LiveEngine::taken_over(const Job& job, const std::string& reason, const ResultPtr& known,
                                 const std::stop_token& stop) {
  Pipeline next = pipeline_;
  next.use(stand_in_, fmt::format("The backend \"{}\" failed and \"{}\" took over. {}", computing_->name(),
                                  stand_in_->name(), reason));
  // Behind the results of the one that failed, and as fine, so that the picture never gets worse.
  const std::uint64_t refinement = known ? known->refinement + 1 : 0;
  const std::int64_t step =
      known ? known->layer().surveys.back()->known.rows.step : std::numeric_limits<std::int64_t>::max();
  const ResultPtr result = guarded(job, [&] {
    ResultPtr made = next.run(job.document, stop, &progress_, job.ticket, refinement);
    while (next.can_refine() && made->layer().surveys.back()->known.rows.step > step)
      made = next.refine(stop, &progress_);
    return made;
  });
  if (!result || !result->error.empty()) return result;
  pipeline_ = std::move(next);
  const std::lock_guard lock(mutex_);
  if (backend_ == computing_) backend_ = stand_in_;
  computing_ = stand_in_;
  return result;
}

void LiveEngine::refine(const Job& job, ResultPtr known, const std::stop_token& stop,
                        const std::stop_token& quit) {
  while (pipeline_.can_refine() && !stop.stop_requested()) {
    if (on_publish_) on_publish_();  // what came before; the last one is told when the engine is idle
    ResultPtr finer = guarded(job, [&] { return pipeline_.refine(stop, &progress_); });
    if (may_be_taken_over(finer)) finer = taken_over(job, finer->error, known, stop);
    if (!finer || quit.stop_requested()) return;
    const bool failed = !finer->error.empty();
    known = finer;
    const std::lock_guard lock(mutex_);
    keep(std::move(finer));
    if (failed) return;
  }
}

ResultPtr LiveEngine::guarded(const Job& job, const std::function<ResultPtr()>& step) const {
  try {
    return step();
  } catch (const Cancelled&) {
    return nullptr;
  } catch (const std::bad_alloc&) {
    return failure(job,
                   "There is not enough memory to compute this; a shorter text or fewer heads need less.");
  } catch (const std::exception& error) {
    return failure(job, error.what());
  } catch (...) {
    return failure(job, "");
  }
}

ResultPtr LiveEngine::failure(const Job& job, std::string error) const {
  auto result = std::make_shared<Result>();
  result->ticket = job.ticket;
  result->document = job.document;
  result->backend = computing_->name();
  result->error = error.empty() ? "The computation failed for an unknown reason." : std::move(error);
  result->refinement = std::numeric_limits<std::uint64_t>::max();  // the last word of its ticket
  return result;
}

void LiveEngine::keep(ResultPtr result) {
  const auto order = [](const Result& r) { return std::pair(r.ticket, r.refinement); };
  if (latest_ && order(*latest_) >= order(*result)) return;
  latest_ = std::move(result);
  if (latest_->error.empty()) latest_good_ = latest_;
}

void LiveEngine::watch(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  const auto superseded = [this] { return running_ && waiting_ && !run_stop_.stop_requested(); };
  while (changed_.wait(lock, quit, superseded)) {
    if (quit.stop_requested()) return;
    const std::uint64_t ticket = running_->ticket;
    const auto moved_on = [&] { return !superseded() || running_->ticket != ticket; };
    if (changed_.wait_until(lock, quit, started_ + patience, moved_on) || quit.stop_requested()) continue;
    std::stop_source run = run_stop_;
    lock.unlock();  // what is called back on a stop must not find the engine locked
    run.request_stop();
    lock.lock();
  }
}

}  // namespace attnscope
