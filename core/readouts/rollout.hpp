// core/readouts: attention rollout (Abnar & Zuidema 2020): how much of each input token is in a row behind a
// layer if all that a layer does were to mix rows by the mean of its heads' weights. A heuristic: values,
// MLPs and norms are left out.
#pragma once

#include <cstddef>

#include "core/models/run_model.hpp"

namespace attnscope {

/// Ā of one block, [rows][rows]: the mean of its heads' weights plus the identity, each row divided by its
/// sum. With the run's changes: a head that is zeroed counts as weights of 0, attention that is off as none.
/// Throws Cancelled.
TensorOf<double> rollout_step(const Model&, const ModelRun&, AttentionOf, std::size_t block, const Work&);
/// Ā_block · `before`, which is the rollout behind the block before; empty: the identity.
TensorOf<double> rollout_behind(const TensorOf<double>& before, const TensorOf<double>& step, const Work&);

}  // namespace attnscope
