#include "core/pipeline.hpp"

#include <bit>
#include <chrono>
#include <utility>

#include "core/dirty.hpp"
#include "core/error.hpp"

namespace attnscope {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Stages all_stages() {
  Stages all;
  for (const StageInfo& row : stage_table) all.insert(row.stage);
  return all;
}

/// Says "nothing runs" again however the run ends.
class ProgressScope {
 public:
  ProgressScope(Progress* progress, int total) : progress_(progress) { set(0, total); }
  ~ProgressScope() { set(0, 0); }
  ProgressScope(const ProgressScope&) = delete;
  ProgressScope& operator=(const ProgressScope&) = delete;
  void stage_done() {
    if (progress_ != nullptr) ++progress_->done;
  }

 private:
  void set(int done, int total) {
    if (progress_ == nullptr) return;
    progress_->done = done;
    progress_->total = total;
  }
  Progress* progress_;
};

}  // namespace

ResultPtr Pipeline::run(const Document& document, std::stop_token stop, Progress* progress,
                        std::uint64_t ticket) {
  const Clock::time_point start = Clock::now();
  const auto result = std::make_shared<Result>();
  result->ticket = ticket;
  result->document = document;
  result->dimensions = check(document);
  result->backend = backend_->name();
  result->computed = last_ ? dirty_stages(last_->document, document) : all_stages();
  ++runs_;
  if (last_) {
    result->trace = last_->trace;
    result->made_in = last_->made_in;
  }

  ProgressScope scope(progress, std::popcount(result->computed.bits));
  for (const StageInfo& row : stage_table) {
    if (!result->computed.has(row.stage)) continue;
    if (stop.stop_requested()) throw Cancelled();
    const Clock::time_point stage_start = Clock::now();
    result->trace[row.stage] = backend_->run(row.stage, document, result->trace, stop);
    result->made_in[static_cast<std::size_t>(row.stage)] = runs_;
    result->milliseconds[static_cast<std::size_t>(row.stage)] = milliseconds_since(stage_start);
    scope.stage_done();
  }
  // The measures read Mask and Softmax, and whatever changes the first changes the second.
  const bool measured = last_ && !result->computed.has(Stage::Softmax);
  result->measures = measured ? last_->measures : measure(document, result->trace, stop);
  result->total_milliseconds = milliseconds_since(start);
  last_ = result;
  return last_;
}

}  // namespace attnscope
