#include "app/results/background_errors.hpp"

#include "app/kit/ui/number_format.hpp"

namespace attnscope {
namespace {

constexpr double quick = 2e6;  // multiplications: a few milliseconds

std::string too_large(const LayerResult& result, std::int64_t needed) {
  const Dimensions& d = result.dimensions;
  return "The float64 error of " + counted(d.batch * d.heads, "head of ", "heads of ") + grouped(d.queries) +
         " × " + grouped(d.keys) + " would take " + bytes(needed) + "; up to " +
         bytes(BackgroundErrors::most_bytes) + " are used.";
}

Trace errors_of(const Work& work, const Result& result, std::atomic<int>& stages) {
  if (const std::int64_t needed = float64_error_bytes(result.document); needed > BackgroundErrors::most_bytes)
    throw Error(too_large(result.layer(), needed));
  return float64_error(work, result.document, result.layer().trace, &stages);
}

}  // namespace

std::shared_ptr<ErrorTask> BackgroundErrors::start(const ResultPtr& result) {
  auto task = std::make_shared<ErrorTask>(
      [result, pool = pool_](const std::stop_token& stop, std::atomic<int>& stages) {
        return errors_of(Work{.pool = *pool, .stop = stop, .most_threads = 1}, *result, stages);
      });
  if (float64_error_work(result->document) < quick)
    task->step();
  else
    worker_.add(task);
  return task;
}

}  // namespace attnscope
