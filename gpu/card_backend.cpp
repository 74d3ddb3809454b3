#include "gpu/card_backend.hpp"

#include <utility>

#include "core/attention/run_stage.hpp"
#include "core/base/parallel.hpp"
#include "core/streaming/tile.hpp"
#include "gpu/card_stages.hpp"
#include "gpu/sweeps.hpp"

namespace attnscope::gpu {

namespace {

class CardBackend final : public Backend {
 public:
  CardBackend(std::unique_ptr<Device> device, CardSettings settings)
      : settings_(settings),
        device_(std::move(device)),
        residents_(*device_),
        sweeps_(*device_, residents_, settings),
        name_("CUDA · " + device_->facts().name) {}

  std::string_view name() const override { return name_; }

  TensorPtr run(Stage stage, const Document& document, const Trace& so_far, std::stop_token stop) override {
    residents_.begin();
    return run_stage(CardStages(cpu_work(std::move(stop)), *device_, residents_, settings_), stage, document,
                     sources_of<float>(document), so_far);
  }

  void on_cpu(std::stop_token stop, const std::function<void(const Work&)>& fn) override {
    fn(cpu_work(std::move(stop)));
  }

  Sweep sweep(const AttentionProblem& problem, const SweepRequest& request, std::stop_token stop,
              SweepProgress* progress) override {
    if (!sweeps_.why_not(problem).empty())
      return attnscope::sweep(problem, request, cpu_work(std::move(stop)), progress);
    return sweeps_.sweep(problem, request, std::move(stop), progress);
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
  /// For what the card has no kernel for.
  Work cpu_work(std::stop_token stop) { return {pool_, std::move(stop)}; }

  CardSettings settings_;
  std::unique_ptr<Device> device_;
  Residents residents_;
  CardSweeps sweeps_;
  ThreadPool pool_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Backend> make_card_backend(std::unique_ptr<Device> device, CardSettings settings) {
  return std::make_unique<CardBackend>(std::move(device), settings);
}

}  // namespace attnscope::gpu
