#include "gpu/card_backend.hpp"

#include <atomic>
#include <chrono>
#include <utility>

#include "core/attention/run_stage.hpp"
#include "core/base/parallel.hpp"
#include "core/streaming/tile.hpp"
#include "gpu/card_measures.hpp"
#include "gpu/card_stages.hpp"
#include "gpu/sweeps.hpp"

namespace attnscope::gpu {

namespace {

class CardBackend final : public Backend {
 public:
  CardBackend(std::unique_ptr<Device> device, CardSettings settings, SharedPool pool)
      : settings_(settings),
        device_(std::move(device)),
        copies_(device_),
        sweeps_(*device_, copies_, settings),
        pool_(std::move(pool)),
        name_("CUDA · " + device_->facts().name) {}

  std::string_view name() const override { return name_; }

  TensorPtr run(Stage stage, const Document& document, const Trace& so_far, std::stop_token stop) override {
    copies_.begin();
    return run_stage(CardStages(cpu_work(std::move(stop)), *device_, copies_, settings_), stage, document,
                     sources_of<float>(document), so_far);
  }

  Measures measure(const Document& document, const Trace& trace, MaskFactsPtr facts,
                   std::stop_token stop) override {
    copies_.begin();
    const Work work = cpu_work(std::move(stop));
    if (auto made = card_measures(work, *device_, copies_, document, trace, facts)) return *std::move(made);
    return attnscope::measure(work, document, trace, std::move(facts));
  }

  TensorPtr overview(const TensorPtr& weights, std::stop_token) override {
    copies_.begin();
    return card_overview(*device_, copies_, weights);
  }

  std::string remark() const override { return remark_; }

  void rest() override {
    copies_.forget();
    try {
      device_->trim();
    } catch (const Error&) {
      // A failed card cannot free memory; the next call of it reports the failure.
    }
  }

  void on_cpu(std::stop_token stop, const std::function<void(const Work&)>& fn) override {
    fn(cpu_work(std::move(stop)));
  }

  Sweep sweep(const AttentionProblem& problem, const SweepRequest& request, std::stop_token stop,
              SweepProgress* progress) override {
    if (const std::string why = sweeps_.why_not(problem); !why.empty()) {
      remark_ = why + " The CPU swept them.";
      return attnscope::sweep(problem, request, cpu_work(std::move(stop)), progress);
    }
    remark_.clear();
    const Clock::time_point begin = Clock::now();
    Sweep made = sweeps_.sweep(problem, request, std::move(stop), progress);
    learn_speed(problem, made, Clock::now() - begin);
    return made;
  }

  std::int64_t pairs_in_a_moment() const override {
    return settings_.moment_pairs >= 0 ? settings_.moment_pairs
                                       : static_cast<std::int64_t>(pairs_a_second_ * moment.count());
  }

  Tensor tile(const AttentionProblem& problem, const TileRequest& request, const Sweep* known,
              std::stop_token stop) override {
    if (!sweeps_.why_not(problem).empty())
      return attnscope::tile(problem, request, known, cpu_work(std::move(stop)));
    return sweeps_.tile(problem, request, std::move(stop));
  }

  PooledTile pooled_tile(const AttentionProblem& problem, const TileRequest& request,
                         const PooledCells& cells, const Sweep* known, std::stop_token stop) override {
    if (!sweeps_.why_not(problem).empty())
      return attnscope::pooled_tile(problem, request, cells, known, cpu_work(std::move(stop)));
    return sweeps_.pooled_tile(problem, request, cells, std::move(stop));
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  static constexpr Seconds moment{0.02};

  /// The time of a sweep of few pairs is that of a launch, and does not tell the speed of larger ones.
  void learn_speed(const AttentionProblem& problem, const Sweep& made, Seconds took) {
    constexpr double enough = 1e7;
    const double pairs = static_cast<double>(made.log_sum_exp.size()) * static_cast<double>(problem.keys);
    if (pairs >= enough && took.count() > 0) pairs_a_second_ = pairs / took.count();
  }

  /// For what the card has no kernel for.
  Work cpu_work(std::stop_token stop) { return {*pool_, std::move(stop)}; }

  CardSettings settings_;
  std::shared_ptr<Device> device_;  // results that are not read yet own it, too
  CardCopies copies_;
  CardSweeps sweeps_;
  SharedPool pool_;
  std::string name_, remark_;
  std::atomic<double> pairs_a_second_{0};  // of the last sweep
};

}  // namespace

std::unique_ptr<Backend> make_card_backend(std::unique_ptr<Device> device, CardSettings settings,
                                           SharedPool pool) {
  return std::make_unique<CardBackend>(std::move(device), settings, std::move(pool));
}

}  // namespace attnscope::gpu
