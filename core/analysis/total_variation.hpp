// core/analysis: how much two patterns of attention differ.
#pragma once

#include <span>

namespace attnscope {

/// The total variation distance of two rows of weights over the same keys, ½ Σ_j |a_j − b_j|, summed in
/// double: 0 where they are the same, 1 where all weight lies on other keys.
double total_variation(std::span<const float> a, std::span<const float> b);

}  // namespace attnscope
