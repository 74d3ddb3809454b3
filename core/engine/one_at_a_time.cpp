#include "core/engine/one_at_a_time.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/base/error.hpp"
#include "core/streaming/tile.hpp"

namespace attnscope {

namespace {

class OneAtATime final : public Backend {
 public:
  explicit OneAtATime(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}

  std::string_view name() const override { return backend_->name(); }  // never changes

  TensorPtr run(Stage stage, const Document& document, const Trace& so_far, std::stop_token stop) override {
    const Turn turn(*this, stop);
    return backend_->run(stage, document, so_far, std::move(stop));
  }
  Measures measure(const Document& document, const Trace& trace, MaskFactsPtr facts,
                   std::stop_token stop) override {
    const Turn turn(*this, stop);
    return backend_->measure(document, trace, std::move(facts), std::move(stop));
  }
  TensorPtr overview(const TensorPtr& weights, std::stop_token stop) override {
    const Turn turn(*this, stop);
    return backend_->overview(weights, std::move(stop));
  }
  std::string remark() const override { return backend_->remark(); }
  std::int64_t pairs_in_a_moment() const override { return backend_->pairs_in_a_moment(); }
  void rest() override {
    const Turn turn(*this, {});
    backend_->rest();
  }
  void on_cpu(std::stop_token stop, const std::function<void(const Work&)>& fn) override {
    const Turn turn(*this, stop);
    backend_->on_cpu(std::move(stop), fn);
  }
  Sweep sweep(const AttentionProblem& problem, const SweepRequest& request, std::stop_token stop,
              SweepProgress* progress) override {
    const Turn turn(*this, stop);
    return backend_->sweep(problem, request, std::move(stop), progress);
  }
  Tensor tile(const AttentionProblem& problem, const TileRequest& request, const Sweep* known,
              std::stop_token stop) override {
    const Turn turn(*this, stop);
    return backend_->tile(problem, request, known, std::move(stop));
  }
  PooledTile pooled_tile(const AttentionProblem& problem, const TileRequest& request,
                         const PooledCells& cells, const Sweep* known, std::stop_token stop) override {
    const Turn turn(*this, stop);
    return backend_->pooled_tile(problem, request, cells, known, std::move(stop));
  }

 private:
  class Turn {
   public:
    Turn(OneAtATime& of, const std::stop_token& stop) : of_(of) {
      std::unique_lock lock(of_.mutex_);
      if (!of_.free_.wait(lock, stop, [this] { return !of_.taken_; })) throw Cancelled();
      of_.taken_ = true;
    }
    ~Turn() {
      {
        const std::lock_guard lock(of_.mutex_);
        of_.taken_ = false;
      }
      of_.free_.notify_one();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    OneAtATime& of_;
  };

  std::shared_ptr<Backend> backend_;
  std::mutex mutex_;
  std::condition_variable_any free_;
  bool taken_ = false;  // guarded by mutex_
};

}  // namespace

std::shared_ptr<Backend> one_at_a_time(std::shared_ptr<Backend> backend) {
  return std::make_shared<OneAtATime>(std::move(backend));
}

}  // namespace attnscope
