// core/transformer/positions: T5's learned number for each head and bucket of distances.
#pragma once

#include <cstdint>
#include <memory>

#include "core/transformer/positions/schemes.hpp"

namespace attnscope {

/// T5's bucket of a distance key - query (Raffel et al. 2020, section 2.1, and its code): half of a side's
/// buckets are for single distances, the rest grow logarithmically up to `max_distance`. One-sided: all keys
/// after the query share bucket 0.
std::int64_t relative_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t max_distance,
                             bool two_sided);

/// Checks of settings that hang together. Throws Error.
void check_buckets(const PositionSettings&);
/// From the table [buckets][heads], without one N(0, 1) from the seed.
template <class T>
std::unique_ptr<const PositionBias<T>> bucket_bias(const BiasSource<T>&);

}  // namespace attnscope
