#include "gpu/card_backend.hpp"

#include <utility>

#include "core/parallel.hpp"
#include "core/stages/run_stage.hpp"
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
        cpu_(make_cpu_backend()),
        name_("CUDA · " + device_->facts().name) {}

  std::string_view name() const override { return name_; }

  TensorPtr run(Stage stage, const Document& document, const Trace& so_far, std::stop_token stop) override {
    residents_.begin();
    const Work work{pool_, std::move(stop)};
    return run_stage(CardStages(work, *device_, residents_, settings_), stage, document,
                     sources_of<float>(document), so_far);
  }

  Measures measure(const Document& document, const Trace& trace, std::stop_token stop) override {
    return cpu_->measure(document, trace, std::move(stop));
  }

  GradientsPtr backward(const Document& document, const Trace& trace, std::stop_token stop) override {
    return cpu_->backward(document, trace, std::move(stop));
  }

  Sweep sweep(const AttentionProblem& problem, const SweepWish& wish, std::stop_token stop,
              SweepProgress* progress) override {
    if (!sweeps_.why_not(problem).empty()) return cpu_->sweep(problem, wish, std::move(stop), progress);
    return sweeps_.sweep(problem, wish, std::move(stop), progress);
  }

  Tensor tile(const AttentionProblem& problem, const TileWish& wish, const Sweep* known,
              std::stop_token stop) override {
    if (!sweeps_.why_not(problem).empty()) return cpu_->tile(problem, wish, known, std::move(stop));
    return sweeps_.tile(problem, wish, std::move(stop));
  }

 private:
  CardSettings settings_;
  std::unique_ptr<Device> device_;
  Residents residents_;
  CardSweeps sweeps_;
  ThreadPool pool_;
  std::unique_ptr<Backend> cpu_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Backend> make_card_backend(std::unique_ptr<Device> device, CardSettings settings) {
  return std::make_unique<CardBackend>(std::move(device), settings);
}

}  // namespace attnscope::gpu
