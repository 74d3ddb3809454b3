#include "core/base/worker.hpp"

#include <algorithm>

namespace attnscope {

Worker::~Worker() {
  thread_.request_stop();  // first, so that no further step begins
  watchdog_.request_stop();
  JobPtr job;
  std::array<std::deque<JobPtr>, most_lanes> dropped;  // destroyed without the lock: may call back
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(waiting_);
    if (running_) job = running_->job;
  }
  if (job) job->cancel();
}

void Worker::start() {
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& quit) { work(quit); });
}

void Worker::add(JobPtr job, int lane) {
  {
    const std::lock_guard lock(mutex_);
    waiting_[static_cast<std::size_t>(lane)].push_back(std::move(job));
    start();
  }
  changed_.notify_all();
}

void Worker::replace(JobPtr job, int lane, std::chrono::milliseconds patience) {
  std::deque<JobPtr> jobs;
  if (job) jobs.push_back(std::move(job));
  replace_all(std::move(jobs), lane, patience);
}

void Worker::replace_all(std::deque<JobPtr> jobs, int lane, std::chrono::milliseconds patience) {
  JobPtr stopped;
  {
    const std::lock_guard lock(mutex_);
    waiting_[static_cast<std::size_t>(lane)].swap(jobs);
    if (!waiting_[static_cast<std::size_t>(lane)].empty()) start();
    if (running_ && running_->lane == lane && patience != never) {
      running_->is_replaced = true;
      if (patience == at_once) {
        stopped = running_->job;
      } else {
        running_->deadline = *running_->job->begun_ + patience;
        if (!watchdog_.joinable())
          watchdog_ = std::jthread([this](const std::stop_token& quit) { watch(quit); });
      }
    }
  }
  // Without the lock: stop callbacks and destructors of the dropped Jobs may call the worker.
  if (stopped) stopped->cancel();
  changed_.notify_all();
}

void Worker::cancel(int lane) {
  std::deque<JobPtr> stopped;
  {
    const std::lock_guard lock(mutex_);
    stopped = waiting_[static_cast<std::size_t>(lane)];
    if (running_ && running_->lane == lane) stopped.push_back(running_->job);
  }
  for (const JobPtr& job : stopped) job->cancel();
}

bool Worker::is_busy_now(int lane) const {
  return (running_ && running_->lane == lane) || !waiting_[static_cast<std::size_t>(lane)].empty();
}

bool Worker::is_busy(int lane) const {
  const std::lock_guard lock(mutex_);
  return is_busy_now(lane);
}

std::chrono::duration<double> Worker::running_for() const {
  const std::lock_guard lock(mutex_);
  if (!running_) return {};
  return Clock::now() - *running_->job->begun_;
}

void Worker::wait(int lane) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !is_busy_now(lane); });
}

std::optional<int> Worker::next_lane() const {
  const auto first = std::find_if(waiting_.begin(), waiting_.end(),
                                  [](const std::deque<JobPtr>& lane) { return !lane.empty(); });
  if (first == waiting_.end()) return std::nullopt;
  return static_cast<int>(first - waiting_.begin());
}

void Worker::work(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, quit, [this] { return next_lane().has_value(); })) {
    if (quit.stop_requested()) return;
    const int lane = *next_lane();
    std::deque<JobPtr>& waiting = waiting_[static_cast<std::size_t>(lane)];
    JobPtr job = std::move(waiting.front());
    waiting.pop_front();
    if (!job->begun_) job->begun_ = Clock::now();
    running_ = Running{job, lane, false, {}};
    lock.unlock();
    changed_.notify_all();
    const bool has_more = job->step();
    lock.lock();
    const bool is_replaced = std::exchange(running_, std::nullopt)->is_replaced;
    if (quit.stop_requested()) return;
    if (has_more && !is_replaced) {
      waiting.push_front(std::move(job));
      continue;
    }
    lock.unlock();
    changed_.notify_all();
    job->finished();
    job.reset();  // destroyed without the lock
    lock.lock();
  }
}

void Worker::watch(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  const auto is_late = [this] { return running_ && running_->deadline; };
  while (changed_.wait(lock, quit, is_late)) {
    if (quit.stop_requested()) return;
    const JobPtr job = running_->job;
    const Clock::time_point deadline = *running_->deadline;
    const auto moved_on = [&] {
      return !is_late() || running_->job != job || *running_->deadline != deadline;
    };
    if (changed_.wait_until(lock, quit, deadline, moved_on) || quit.stop_requested()) continue;
    running_->deadline.reset();
    lock.unlock();  // stop callbacks may call the worker
    job->cancel();
    lock.lock();
  }
}

std::shared_ptr<Errand> make_errand(std::function<void()> run) {
  return std::make_shared<Errand>([run = std::move(run)](const std::stop_token&, NoProgress&) {
    run();
    return std::monostate();
  });
}

}  // namespace attnscope
