#include "app/results/background_errors.hpp"

#include "app/ui/number_format.hpp"
#include "core/base/error.hpp"

namespace attnscope {
namespace {

constexpr double quick = 2e6;  // multiplications: a few milliseconds

std::string too_large(const LayerResult& result, std::int64_t needed) {
  const Dimensions& d = result.dimensions;
  return "The float64 error of " + std::to_string(d.batch * d.heads) + " heads of " + grouped(d.queries) +
         " × " + grouped(d.keys) + " would take " + bytes(needed) + "; up to " +
         bytes(BackgroundErrors::most_bytes) + " are used.";
}

}  // namespace

void ErrorJob::run() {
  try {
    if (const std::int64_t needed = float64_error_bytes(result_->document);
        needed > BackgroundErrors::most_bytes)
      throw Error(too_large(result_->layer(), needed));
    ThreadPool caller_only(1);
    errors_ =
        float64_error({caller_only, stop_.get_token()}, result_->document, result_->layer().trace, &stages_);
  } catch (const std::exception& error) {
    errors_ = {};
    refusal_ = error.what();
  }
  done_ = true;
}

BackgroundErrors::BackgroundErrors() : worker_([this](const std::stop_token& quit) { work(quit); }) {}

BackgroundErrors::~BackgroundErrors() {
  const std::lock_guard lock(mutex_);
  for (const auto& job : jobs_) job->let_go();
  if (running_) running_->let_go();
}

std::shared_ptr<ErrorJob> BackgroundErrors::start(const ResultPtr& result) {
  auto job = std::make_shared<ErrorJob>(result);
  if (float64_error_work(result->document) < quick) {
    job->run();
    return job;
  }
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
  }
  wake_.notify_one();
  return job;
}

void BackgroundErrors::work(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, quit, [this] { return !jobs_.empty(); })) {
    running_ = std::move(jobs_.front());
    jobs_.pop_front();
    const std::shared_ptr<ErrorJob> job = running_;
    lock.unlock();
    job->run();
    lock.lock();
    running_.reset();
  }
}

}  // namespace attnscope
