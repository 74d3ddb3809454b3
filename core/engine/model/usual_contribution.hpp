// core/engine: contributions ‖α·v·W_O‖ in the pictures of heads, from the weights in the pictures and the
// norms of the values.
#pragma once

#include <cstdint>
#include <vector>

#include "core/engine/model/model_reading.hpp"

namespace attnscope {

/// What the weights of a head's picture are multiplied with, for each of its columns: the mean of its keys'
/// norms. Ones if the head has no norms.
void take_column_norms(const ValueNorms&, AttentionOf, std::size_t block, std::size_t head,
                       const PooledCells&, std::int64_t columns, std::vector<float>& norms);

/// The 75th percentile, over the heads, of the largest α·‖v·W_O‖ in their pictures: a few heads of the last
/// layers are so large that the others would be black beside them. 1 if the run has no pictures. Goes through
/// the pictures of all heads, up to 4,096 cells each.
float usual_contribution(const ModelRun&, const ValueNorms&);

}  // namespace attnscope
