#include "core/engine/model/model_difference.hpp"

#include <chrono>
#include <utility>

#include "core/engine/engine_runs.hpp"
#include "core/engine/model/difference_work.hpp"

namespace attnscope {

template class Engine<DifferenceQuestion, ModelDifference>;

namespace {

constexpr std::chrono::milliseconds pair_patience{300};  // for a pair that is superseded while the user types

class PairsLane final : public LaneWork<DifferenceQuestion, ModelDifference> {
 public:
  explicit PairsLane(SharedPool pool)
      : LaneWork(FailureWords{"There is not enough memory to compare the two; shorter texts need less."}),
        pool_(std::move(pool)) {}

  Made first(const Asked& asked, const ModelDifferencePtr& before) override {
    work_ = std::make_unique<DifferenceWork>(asked.question);
    work_->begin(before);
    return made();
  }
  Made next(const Asked& asked) override {
    work_->step(Work{*pool_, asked.stop});
    if (!work_->known().is_complete && asked.is_just_published()) return {nullptr, true};
    return made();
  }
  ModelDifferencePtr failed(const Asked& asked, std::string error) override {
    ModelDifference difference;
    difference.asked = asked.question;
    difference.error = std::move(error);
    difference.is_complete = true;
    return std::make_shared<const ModelDifference>(std::move(difference));
  }
  ModelDifferencePtr stopped(const Asked&) override { return nullptr; }
  void ended() override { work_.reset(); }
  void forget() override { work_.reset(); }

 private:
  Made made() const {
    return {std::make_shared<const ModelDifference>(work_->known()), !work_->known().is_complete};
  }

  const SharedPool pool_;
  std::unique_ptr<DifferenceWork> work_;  // null: no pair is being compared
};

}  // namespace

ComparedRun compared_run(const ModelReading& reading) {
  return {reading.within.model, reading.tokens, reading.run, reading.numbers};
}

ModelDifferences::ModelDifferences(std::function<void()> on_publish, SharedPool pool)
    : Engine({std::make_shared<PairsLane>(std::move(pool))}, std::move(on_publish),
             {pair_patience, pair_patience}) {}

}  // namespace attnscope
