// core/transformer/positions: rotary positions of models: queries and keys are rotated in place. For the
// frequencies see core/transformer/positions/rope_frequencies.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/parallel.hpp"
#include "core/transformer/positions/rope_frequencies.hpp"

namespace attnscope {

/// Rows of heads in memory of another owner: head h of row i begins at data + i * row_stride + h
/// * head_stride.
struct HeadsInRows {
  float* data = nullptr;
  std::int64_t rows = 0, heads = 0, row_stride = 0, head_stride = 0;
};

/// Rotates the heads in place by the pairs of RopeHalf or RopeInterleaved; row i has position positions[i].
/// Angles are float, as in transformers. Throws Cancelled.
void rotate_in_place(const Work&, Positions, const RopeFrequencies&, std::span<const std::int64_t> positions,
                     const HeadsInRows&);

}  // namespace attnscope
