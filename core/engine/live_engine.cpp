#include "core/engine/live_engine.hpp"

#include <atomic>
#include <limits>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/engine/engine_runs.hpp"

namespace attnscope {

template class Engine<Document, Result>;

/// What the lanes compute with.
struct LiveEngine::Chosen {
  Chosen(std::shared_ptr<Backend> backend, std::shared_ptr<Backend> stand_in)
      : stand_in(std::move(stand_in)), backend(std::move(backend)) {}

  const std::shared_ptr<Backend> stand_in;
  Progress progress;
  std::atomic<std::int64_t> finest_step{1};

  std::mutex mutex;                  // guards the members below; held briefly
  std::shared_ptr<Backend> backend;  // for the next run
  std::string note;                  // why it is the stand-in
};

/// One lane: the stages of a Document, and the refinement of a long one.
class LiveEngine::Layers final : public LaneWork<Document, Result> {
 public:
  Layers(Lane lane, std::shared_ptr<Chosen> chosen)
      : LaneWork(FailureWords{
            "There is not enough memory to compute this; a shorter text or fewer heads need less."}),
        lane_(lane),
        chosen_(std::move(chosen)),
        pipeline_(chosen_->backend) {}

  Made first(const Asked& asked, const ResultPtr&) override {
    adopt_backend();
    return made(asked,
                [&] { return pipeline_.run(asked.question, asked.stop, &chosen_->progress, asked.ticket); });
  }
  Made next(const Asked& asked) override {
    return made(asked, [&] { return pipeline_.refine(asked.stop, &chosen_->progress); });
  }
  ResultPtr failed(const Asked& asked, std::string error) override {
    auto result = std::make_shared<Result>();
    result->ticket = asked.ticket;
    result->document = asked.question;
    result->backend = pipeline_.backend()->name();
    result->error = std::move(error);
    result->refinement = std::numeric_limits<std::uint64_t>::max();  // the last result of its ticket
    return result;
  }
  ResultPtr stopped(const Asked& asked) override {
    return asked.known ? nullptr : failed(asked, "Cancelled");
  }
  void ended() override {
    if (lane_ == Lane::Held) pipeline_.forget();  // held runs are rare: reuse nothing
  }
  void forget() override { pipeline_.forget(); }

 private:
  void adopt_backend();
  Made made(const Asked&, const std::function<ResultPtr()>& make);
  bool is_fine_enough(const Result&) const;
  /// Runs the Document on the stand-in, which computes later ones, too, unless it fails.
  ResultPtr taken_over(const Asked&, const std::string& reason);

  const Lane lane_;
  const std::shared_ptr<Chosen> chosen_;
  Pipeline pipeline_;
};

void LiveEngine::Layers::adopt_backend() {
  std::unique_lock lock(chosen_->mutex);
  const std::shared_ptr<Backend> backend = chosen_->backend;
  const std::string note = chosen_->note;
  lock.unlock();
  const std::shared_ptr<Backend> before = pipeline_.backend();
  if (before == backend) return;
  pipeline_.use(backend, note);
  before->rest();
}

LiveEngine::Layers::Made LiveEngine::Layers::made(const Asked& asked,
                                                  const std::function<ResultPtr()>& make) {
  ResultPtr result;
  std::string reason;
  try {
    result = make();
  } catch (...) {
    reason = failures.of_exception();
    if (!chosen_->stand_in || pipeline_.backend() == chosen_->stand_in) throw;
  }
  if (!result) result = taken_over(asked, reason);
  return {result, !result->is_complete() && pipeline_.can_refine() && !is_fine_enough(*result)};
}

bool LiveEngine::Layers::is_fine_enough(const Result& result) const {
  return lane_ == Lane::Shown && result.layer().surveys.back()->known.rows.step <= chosen_->finest_step;
}

ResultPtr LiveEngine::Layers::taken_over(const Asked& asked, const std::string& reason) {
  const std::shared_ptr<Backend> failed = pipeline_.backend(), stand_in = chosen_->stand_in;
  const std::string note = fmt::format("The backend \"{}\" failed and \"{}\" took over. {}", failed->name(),
                                       stand_in->name(), reason);
  Pipeline next = pipeline_;
  next.use(stand_in, note);
  // Continues the refinement numbers and the step of the failed backend's results, so that the picture never
  // gets coarser.
  const ResultPtr& known = asked.known;
  const std::uint64_t refinement = known ? known->refinement + 1 : 0;
  const std::int64_t step =
      known ? known->layer().surveys.back()->known.rows.step : std::numeric_limits<std::int64_t>::max();
  ResultPtr result = next.run(asked.question, asked.stop, &chosen_->progress, asked.ticket, refinement);
  while (next.can_refine() && result->layer().surveys.back()->known.rows.step > step)
    result = next.refine(asked.stop, &chosen_->progress);
  pipeline_ = std::move(next);
  const std::lock_guard lock(chosen_->mutex);
  if (chosen_->backend == failed) {
    chosen_->backend = stand_in;
    chosen_->note = note;
  }
  return result;
}

LiveEngine::LiveEngine(std::shared_ptr<Backend> backend, std::function<void()> on_publish,
                       std::shared_ptr<Backend> stand_in)
    : LiveEngine(std::make_shared<Chosen>(std::move(backend), std::move(stand_in)), std::move(on_publish)) {}

LiveEngine::LiveEngine(std::shared_ptr<Chosen> chosen, std::function<void()> on_publish)
    : Engine({std::make_shared<Layers>(Lane::Shown, chosen), std::make_shared<Layers>(Lane::Held, chosen)},
             std::move(on_publish)),
      chosen_(std::move(chosen)) {}

std::uint64_t LiveEngine::use(std::shared_ptr<Backend> backend) {
  {
    const std::lock_guard lock(chosen_->mutex);
    if (backend == chosen_->backend) return 0;
    chosen_->backend.swap(backend);  // the previous backend is destroyed without the lock
    chosen_->note.clear();
  }
  return submit_again();
}

std::shared_ptr<Backend> LiveEngine::backend() const {
  const std::lock_guard lock(chosen_->mutex);
  return chosen_->backend;
}

void LiveEngine::refine_to(std::int64_t step) { chosen_->finest_step = step; }

const Progress& LiveEngine::progress() const { return chosen_->progress; }

}  // namespace attnscope
