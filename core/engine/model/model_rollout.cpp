#include "core/engine/model/model_rollout.hpp"

#include <utility>

#include "core/models/changes.hpp"
#include "core/models/run_heads.hpp"
#include "core/readouts/rollout.hpp"

namespace attnscope {

void ModelRollout::begin(const Model& model, ModelRunPtr run) {
  if (run == run_) return;
  run_ = std::move(run);
  of_ = output_attention(model.spec);
  layers_ = stack_of(model, *run_, of_).spec.blocks.size();
  known_ = 0;
  behind_ = {};
  reading_.reset();
}

double ModelRollout::share() const {
  return layers_ == 0 ? 0 : static_cast<double>(known_) / static_cast<double>(layers_);
}

void ModelRollout::step(const Model& model, const Work& work) {
  const TensorOf<double> step = rollout_step(model, *run_, of_, known_, work);
  behind_ = rollout_behind(behind_, step, work);
  if (++known_ < layers_) return;
  reading_ = std::make_shared<const TensorOf<double>>(std::move(behind_));
  behind_ = {};
}

}  // namespace attnscope
