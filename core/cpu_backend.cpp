#include <utility>

#include <fmt/format.h>

#include "core/backend.hpp"
#include "core/mask.hpp"
#include "core/parallel.hpp"
#include "core/stages/embed.hpp"
#include "core/stages/projections.hpp"
#include "core/stages/scores.hpp"
#include "core/stages/softmax.hpp"

namespace attnscope {

namespace {

TensorPtr shared(Tensor&& tensor) { return std::make_shared<const Tensor>(std::move(tensor)); }

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads) : pool_(threads) {
    name_ = fmt::format("CPU · {} thread{}", pool_.threads(), pool_.threads() == 1 ? "" : "s");
  }

  std::string_view name() const override { return name_; }

  TensorPtr run(Stage stage, const Document& document, const Trace& so_far, std::stop_token stop) override {
    const Work work{pool_, std::move(stop)};
    switch (stage) {
      case Stage::Embed:
      case Stage::Position:
      case Stage::Query:
      case Stage::Key:
      case Stage::Value:
      case Stage::Output: return outer_stage(work, stage, document, so_far);
      case Stage::Score: return shared(score(work, *so_far[Stage::Query], *so_far[Stage::Key]));
      case Stage::Scale: return shared(scale(work, *so_far[Stage::Score], factor(document)));
      case Stage::Cap:
        if (document.soft_cap == 0) return so_far[Stage::Scale];  // no cap: the very same tensor
        return shared(cap(work, *so_far[Stage::Scale], document.soft_cap));
      case Stage::Mask: return shared(mask(work, *so_far[Stage::Cap], MaskRule(document)));
      case Stage::Softmax: return shared(softmax(work, *so_far[Stage::Mask], document.temperature));
      case Stage::Mix: return shared(mix(work, *so_far[Stage::Softmax], *so_far[Stage::Value]));
      case Stage::Concat: return shared(concat(work, *so_far[Stage::Mix]));
    }
    return nullptr;
  }

 private:
  /// The stages around the attention itself, which given Q, K and V replace.
  static TensorPtr outer_stage(const Work& work, Stage stage, const Document& document, const Trace& so_far) {
    const Given& given = document.input.given;
    if (given) {
      if (stage == Stage::Query) return given.query;
      if (stage == Stage::Key) return given.key;
      if (stage == Stage::Value) return given.value;
      return nullptr;
    }
    const Weights& weights = document.weights;
    const auto projected = [&](const TensorPtr& w, const TensorPtr& bias) {
      return shared(project(work, *so_far[Stage::Position], *w, bias.get(), document.heads));
    };
    switch (stage) {
      case Stage::Embed: return shared(embed<float>(document));
      case Stage::Position: return shared(add_positions<float>(document, *so_far[Stage::Embed]));
      case Stage::Query: return projected(weights.w_query, weights.b_query);
      case Stage::Key: return projected(weights.w_key, weights.b_key);
      case Stage::Value: return projected(weights.w_value, weights.b_value);
      default: return shared(output(work, *so_far[Stage::Concat], *weights.w_output, weights.b_output.get()));
    }
  }

  /// d_k comes from the Document, since the stage table does not list Query among what Scale reads.
  static double factor(const Document& document) {
    const Given& given = document.input.given;
    return scale_factor(document.scaling,
                        given ? given.query->shape()[3] : document.d_model / document.heads);
  }

  ThreadPool pool_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int threads) { return std::make_unique<CpuBackend>(threads); }

}  // namespace attnscope
