// tests: a second backend where the machine has only one. It computes with one thread of the CPU, and on a
// test's request makes numbers wrong by a known amount, fails in the middle, or halts until it is released or
// stopped. It checks the contract that a backend reads only stages that it made itself.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/blocks/row_operators.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/overview.hpp"
#include "core/streaming/tile.hpp"

namespace attnscope::test {

/// Values as on a card: counts each plane of [planes] that is copied to the host.
class CountedValues final : public RemoteValues<float> {
 public:
  CountedValues(std::vector<float> values, std::int64_t plane, std::shared_ptr<std::atomic<int>> brought)
      : values_(std::move(values)),
        plane_(static_cast<std::size_t>(plane)),
        is_here_(values_.size() / plane_ + 1),
        brought_(std::move(brought)) {}
  const float* bring(std::int64_t begin, std::int64_t count) const override {
    const std::lock_guard lock(mutex_);
    for (auto at = static_cast<std::size_t>(begin) / plane_;
         at * plane_ < static_cast<std::size_t>(begin + count); ++at) {
      if (is_here_[at] == 0) ++*brought_;
      is_here_[at] = 1;
    }
    return values_.data();
  }
  /// Forgets which planes were read.
  void forget() const {
    const std::lock_guard lock(mutex_);
    std::ranges::fill(is_here_, std::uint8_t{0});
    *brought_ = 0;
  }

 private:
  std::vector<float> values_;
  std::size_t plane_;
  mutable std::mutex mutex_;
  mutable std::vector<std::uint8_t> is_here_;
  std::shared_ptr<std::atomic<int>> brought_;
};

class SecondBackend final : public Backend {
 public:
  explicit SecondBackend(std::string name = "Second") : name_(std::move(name)) {}

  /// Adds `amount` to the number `at` of the stage, or makes it `instead`.
  struct Change {
    Stage stage = Stage::Score;
    std::int64_t at = 0;
    float amount = 0;
    std::optional<float> instead = {};
  };
  void change(std::vector<Change> changes) {
    set([&] { changes_ = std::move(changes); });
  }
  /// Added to the first entropy of every sweep.
  void change_entropy(float amount) {
    set([&] { entropy_ = amount; });
  }
  /// Throws Error with this sentence in the stage; empty: no longer.
  void fail_at(std::optional<Stage> stage, std::string reason = "Out of device memory: 12 GiB are needed.") {
    set([&] { fail_ = stage, reason_ = std::move(reason); });
  }
  /// Throws in every sweep after the first `sweeps`.
  void fail_after_sweeps(std::optional<int> sweeps) {
    set([&] { sweeps_left_ = sweeps; });
  }
  /// Throws in every pooled tile after the first `tiles`.
  void fail_after_tiles(std::optional<int> tiles) {
    set([&] { tiles_left_ = tiles; });
  }
  /// The number of pooled tiles it has made.
  int tiles() {
    const std::lock_guard lock(mutex_);
    return tiles_;
  }
  /// Halts in the stage until it is released (by a call without a stage) or its stop token fires.
  void halt_at(std::optional<Stage> stage) {
    set([&] { halt_ = stage; });
  }
  /// Blocks until it has reached the stage where it halts.
  void await_halt() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return halted_; });
  }
  /// From now on results stay in another memory, as on a card, and overviews of weights are made there.
  void leave_elsewhere() {
    set([&] { leaves_ = true; });
  }
  /// The number of planes of softmax weights that were copied to the host.
  int brought() const { return *brought_; }
  /// Whether it ever read a stage that another backend made.
  bool was_mixed() {
    const std::lock_guard lock(mutex_);
    return mixed_;
  }
  int stopped() {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }

  std::string_view name() const override { return name_; }
  TensorPtr run(Stage stage, const Document& document, const Trace& so_far, std::stop_token stop) override {
    enter(stage, so_far, stop);
    TensorPtr made = real_->run(stage, document, so_far, stop);
    const std::lock_guard lock(mutex_);
    for (const Change& change : changes_) {
      if (change.stage != stage || !made || change.at >= made->size()) continue;
      auto other = std::make_shared<Tensor>(*made);
      float& value = other->values()[static_cast<std::size_t>(change.at)];
      value = change.instead.value_or(value + change.amount);
      made = std::move(other);
    }
    if (made && leaves_ && stage == Stage::Softmax && made->shape().rank() == 4) {
      const std::span<const float> values = made->values();
      made = std::make_shared<const Tensor>(
          Tensor::of(made->shape(),
                     std::make_shared<const CountedValues>(std::vector<float>(values.begin(), values.end()),
                                                           made->shape()[2] * made->shape()[3], brought_)));
    }
    if (made) made_.insert(made);
    return made;
  }
  TensorPtr overview(const TensorPtr& weights, std::stop_token) override {
    if (!leaves_) return nullptr;
    auto made = std::make_shared<const Tensor>(
        overview_of(Tensor(weights->shape(), {weights->values().begin(), weights->values().end()})));
    if (const auto* of = dynamic_cast<const CountedValues*>(weights->remote().get()))
      of->forget();  // a card would not have copied what the CPU has read here
    return made;
  }
  void on_cpu(std::stop_token stop, const std::function<void(const Work&)>& fn) override {
    real_->on_cpu(stop, fn);
  }
  Sweep sweep(const AttentionProblem& problem, const SweepRequest& request, std::stop_token stop,
              SweepProgress* progress) override {
    Sweep made = real_->sweep(problem, request, stop, progress);
    const std::lock_guard lock(mutex_);
    if (sweeps_left_ && (*sweeps_left_)-- <= 0) throw Error(reason_);
    made.entropy.values()[0] += entropy_;
    return made;
  }
  Tensor tile(const AttentionProblem& problem, const TileRequest& request, const Sweep* known,
              std::stop_token stop) override {
    return real_->tile(problem, request, known, stop);
  }
  PooledTile pooled_tile(const AttentionProblem& problem, const TileRequest& request,
                         const PooledCells& cells, const Sweep* known, std::stop_token stop) override {
    PooledTile made = real_->pooled_tile(problem, request, cells, known, stop);
    const std::lock_guard lock(mutex_);
    if (tiles_left_ && (*tiles_left_)-- <= 0) throw Error(reason_);
    ++tiles_;
    return made;
  }

 private:
  template <class Fn>
  void set(Fn&& fn) {
    const std::lock_guard lock(mutex_);
    fn();
    changed_.notify_all();
  }

  void enter(Stage stage, const Trace& so_far, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const StageInfo& row = info(stage);
    for (const StageInfo& read : stage_table)
      if (row.inputs.has(read.stage) && so_far[read.stage] && !made_.contains(so_far[read.stage]))
        mixed_ = true;
    if (halt_ == stage) {
      halted_ = true;
      changed_.notify_all();
      changed_.wait(lock, stop, [&] { return halt_ != stage; });
      halted_ = false;
      if (stop.stop_requested()) {
        ++stopped_;
        throw Cancelled();
      }
    }
    if (fail_ == stage) throw Error(reason_);
  }

  std::string name_;
  std::unique_ptr<Backend> real_ = make_cpu_backend(1);
  std::mutex mutex_;  // guards all below
  std::condition_variable_any changed_;
  std::vector<Change> changes_;
  std::set<TensorPtr> made_;  // kept, so that no address is used again
  std::optional<Stage> fail_, halt_;
  std::optional<int> sweeps_left_, tiles_left_;
  std::string reason_ = "Out of device memory: 12 GiB are needed.";
  float entropy_ = 0;
  bool mixed_ = false, halted_ = false, leaves_ = false;
  std::shared_ptr<std::atomic<int>> brought_ = std::make_shared<std::atomic<int>>(0);
  int stopped_ = 0, tiles_ = 0;
};

/// Runs models as the CPU does, under another name.
class SecondRows final : public CpuRows {
 public:
  SecondRows(std::string_view name, std::string_view remark) : name_(name), remark_(remark) {}
  std::string_view name() const override { return name_; }
  std::string_view remark() const override { return remark_; }

 private:
  std::string name_, remark_;
};

}  // namespace attnscope::test
