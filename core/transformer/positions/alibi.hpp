// core/transformer/positions: ALiBi, a penalty for distance (Press et al. 2022).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/transformer/positions/schemes.hpp"

namespace attnscope {

/// Slopes of ALiBi (Press et al. 2022, section 3): 2^(-8 i / n) for i = 1 … n when n is a power of two; else
/// those of the next lower power of two, then every second one of the next higher.
std::vector<double> alibi_slopes(std::int64_t heads);

/// -slope · |key - query|. Without a causal mask, keys after the query are seen, too: the bias falls with
/// distance on both sides.
template <class T>
std::unique_ptr<const PositionBias<T>> alibi_bias(const BiasSource<T>&);

}  // namespace attnscope
