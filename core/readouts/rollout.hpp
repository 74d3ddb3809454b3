// core/readouts: attention rollout (Abnar & Zuidema 2020): how much each input token contributes to a row
// behind a layer if layers only mixed rows by the mean of their heads' weights. A heuristic: values, MLPs and
// norms are left out.
#pragma once

#include <cstddef>

#include "core/models/run_model.hpp"

namespace attnscope {

/// Ā of one block, [rows][rows]: the mean of its heads' weights plus the identity, each row divided by its
/// sum. Includes the run's changes: a zeroed head counts as weights of 0; attention that is off leaves the
/// identity. Throws Cancelled.
TensorOf<double> rollout_step(const Model&, const ModelRun&, AttentionOf, std::size_t block, const Work&);
/// Ā_block · `before`, the rollout behind the previous block; an empty one is the identity.
TensorOf<double> rollout_behind(const TensorOf<double>& before, const TensorOf<double>& step, const Work&);

}  // namespace attnscope
