#include "core/engine/model/model_engine.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/engine/engine_runs.hpp"
#include "core/engine/model/model_work.hpp"

namespace attnscope {

template class Engine<ModelQuestion, ModelReading>;

/// The lane: the work on one model, which is kept until another is asked for. What runs it and the running
/// task may be set and read from any thread.
class ModelEngine::Readings final : public LaneWork<ModelQuestion, ModelReading> {
 public:
  explicit Readings(SharedPool pool)
      : LaneWork(FailureWords{"There is not enough memory to run this; a shorter text needs less.",
                              "The model could not be run for an unknown reason."}),
        pool_(std::move(pool)) {}

  void compute_with(MakeRowOperators make) {
    const std::lock_guard lock(mutex_);
    make_.swap(make);  // the previous one is destroyed without the lock
    ++maker_;
  }
  const char* task() const { return what_; }
  double share() const { return share_; }

  Made first(const Asked& asked, const ModelReadingPtr& before) override {
    what_ = "running the model";
    share_ = 0;
    const auto& [within, wants] = asked.question;
    if (!within.model) throw Error("No model is open.");
    work_on(within.model);
    ModelReading reading = work_->first(within, wants, Work{*pool_, asked.stop});
    const std::chrono::duration<double, std::milli> took = Clock::now() - asked.submitted;
    const bool was_run = !before || before->run != reading.run;
    reading.milliseconds = was_run ? took.count() : before->milliseconds;
    return made(asked, std::move(reading));
  }
  Made next(const Asked& asked) override {
    const ModelWork::Stage before = work_->stage();
    const ModelWork::Stage now = work_->more(Work{*pool_, asked.stop});
    // The first piece is always published: the user sees it while typing.
    const bool is_soon = asked.known->refinement > 0 && asked.is_just_published();
    if (now != before || !is_soon) return made(asked, known_of(asked));
    say();
    return {nullptr, true};
  }
  ModelReadingPtr failed(const Asked& asked, std::string error) override {
    ModelReading reading;
    if (asked.known) {  // an error of a later stage (memory) keeps what is known
      reading = known_of(asked);
    } else {
      reading.within = asked.question.within;
      reading.error = std::move(error);
    }
    reading.is_complete = true;
    return numbered(asked, std::move(reading));
  }
  ModelReadingPtr stopped(const Asked& asked) override {
    if (!asked.known) return failed(asked, "Cancelled");
    ModelReading reading = *asked.known;
    reading.is_stopped = true;  // tells waiting readers that nothing more comes
    return numbered(asked, std::move(reading));
  }
  void forget() override { work_.reset(); }

 private:
  void work_on(const OpenedModelPtr& model);
  void say() {
    what_ = words_of(work_->stage());
    share_ = work_->share();
  }
  ModelReading known_of(const Asked& asked) {
    ModelReading reading = *asked.known;
    work_->fill(reading);
    return reading;
  }
  Made made(const Asked& asked, ModelReading reading) {
    say();
    const bool has_more = !reading.is_complete;
    return {numbered(asked, std::move(reading)), has_more};
  }
  static ModelReadingPtr numbered(const Asked& asked, ModelReading reading) {
    reading.ticket = asked.ticket;
    reading.refinement = asked.known ? asked.known->refinement + 1 : 0;
    return std::make_shared<const ModelReading>(std::move(reading));
  }

  const SharedPool pool_;
  std::atomic<const char*> what_{""};
  std::atomic<double> share_{0};
  std::unique_ptr<ModelWork> work_;  // worker's thread only, as the next
  std::uint64_t told_ = 0;           // the maker_ that work_ computes with

  std::mutex mutex_;  // guards the members below; held briefly
  MakeRowOperators make_;
  std::uint64_t maker_ = 0;  // counts calls of compute_with()
};

void ModelEngine::Readings::work_on(const OpenedModelPtr& model) {
  const bool is_new = !work_ || work_->model() != model;
  if (is_new) work_ = std::make_unique<ModelWork>(model);
  MakeRowOperators make;
  {
    const std::lock_guard lock(mutex_);
    if (!is_new && told_ == maker_) return;
    told_ = maker_;
    make = make_;
  }
  work_->compute_with(make);  // outside the lock: a GPU may be slow to start
}

ModelEngine::ModelEngine(std::function<void()> on_publish, SharedPool pool)
    : ModelEngine(std::make_shared<Readings>(std::move(pool)), std::move(on_publish)) {}

ModelEngine::ModelEngine(std::shared_ptr<Readings> readings, std::function<void()> on_publish)
    : Engine({readings}, std::move(on_publish)), readings_(std::move(readings)) {}

void ModelEngine::compute_with(MakeRowOperators make) { readings_->compute_with(std::move(make)); }

std::uint64_t ModelEngine::submit(ModelContext within, const ModelWants& wants) {
  return Engine::submit({std::move(within), wants});
}

ModelEngine::RunningTask ModelEngine::running_task() const {
  return busy() ? RunningTask{readings_->task(), readings_->share(), running_for().count()} : RunningTask{};
}

}  // namespace attnscope
