// core/transformer/positions: a bias for two patches of an image that depends on their distance in rows and
// columns, as in Swin (Liu et al. 2021, section 3.2, equation 4). The image and the side of a window are
// those of the mask's window pattern (Sparsity::grid, side); shifted windows have the same bias.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/transformer/positions/schemes.hpp"

namespace attnscope {

/// The row of the table for a query and a key at these token positions, with side M: (Δrow + M - 1) · (2M -
/// 1) + Δcolumn + M - 1 and Δ = query - key, as in Swin's code. Nothing if they are M or more apart, so that
/// no window holds both, or if the query is before the first token.
std::optional<std::int64_t> window_offset(const ImageWindows&, std::int64_t query, std::int64_t key);

/// A number for each head and offset from the table [(2M - 1)²][heads], without one N(0, 1) from the seed; 0
/// without an offset.
template <class T>
std::unique_ptr<const PositionBias<T>> window_bias(const BiasSource<T>&);

}  // namespace attnscope
