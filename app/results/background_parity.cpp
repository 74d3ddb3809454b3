#include "app/results/background_parity.hpp"

#include <utility>

#include "app/ui/number_format.hpp"
#include "core/base/error.hpp"

namespace attnscope {

void ParityJob::run() {
  try {
    if (const std::int64_t needed = parity_bytes(result_->layer()); needed > most_bytes)
      throw Error("Comparing would hold all stages a second time, which takes " + bytes(needed) + "; up to " +
                  bytes(most_bytes) + " are used.");
    parity_ = compare_backends(*result_, with_, stop_.get_token(), &progress_);
  } catch (const Cancelled&) {
    refusal_ = "Stopped.";
  } catch (const std::exception& error) {
    refusal_ = error.what();
  }
  done_ = true;
}

BackgroundParity::BackgroundParity() : worker_([this](const std::stop_token& quit) { work(quit); }) {}

BackgroundParity::~BackgroundParity() {
  worker_.request_stop();
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  if (running_) running_->let_go();
}

void BackgroundParity::start(std::shared_ptr<ParityJob> job) {
  {
    const std::lock_guard lock(mutex_);
    if (running_) running_->let_go();
    waiting_ = std::move(job);
  }
  wake_.notify_one();
}

void BackgroundParity::work(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, quit, [this] { return waiting_ != nullptr; })) {
    if (quit.stop_requested()) return;
    running_ = std::exchange(waiting_, nullptr);
    const std::shared_ptr<ParityJob> job = running_;
    lock.unlock();
    job->run();
    lock.lock();
    running_.reset();
  }
}

}  // namespace attnscope
