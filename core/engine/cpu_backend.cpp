#include <utility>

#include <fmt/format.h>

#include "core/attention/run_stage.hpp"
#include "core/base/parallel.hpp"
#include "core/engine/backend.hpp"
#include "core/streaming/tile.hpp"

namespace attnscope {

namespace {

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(SharedPool pool) : pool_(std::move(pool)) {
    name_ = fmt::format("CPU · {} thread{}", pool_->threads(), pool_->threads() == 1 ? "" : "s");
  }

  std::string_view name() const override { return name_; }

  TensorPtr run(Stage stage, const Document& document, const Trace& so_far, std::stop_token stop) override {
    return run_stage(Work{*pool_, std::move(stop)}, stage, document, sources_of<float>(document), so_far);
  }

  void on_cpu(std::stop_token stop, const std::function<void(const Work&)>& fn) override {
    fn(Work{*pool_, std::move(stop)});
  }

  Sweep sweep(const AttentionProblem& problem, const SweepRequest& request, std::stop_token stop,
              SweepProgress* progress) override {
    return attnscope::sweep(problem, request, Work{*pool_, std::move(stop)}, progress);
  }

  Tensor tile(const AttentionProblem& problem, const TileRequest& request, const Sweep* known,
              std::stop_token stop) override {
    return attnscope::tile(problem, request, known, Work{*pool_, std::move(stop)});
  }

  PooledTile pooled_tile(const AttentionProblem& problem, const TileRequest& request,
                         const PooledCells& cells, const Sweep* known, std::stop_token stop) override {
    return attnscope::pooled_tile(problem, request, cells, known, Work{*pool_, std::move(stop)});
  }

 private:
  SharedPool pool_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(SharedPool pool) {
  return std::make_unique<CpuBackend>(std::move(pool));
}

}  // namespace attnscope
