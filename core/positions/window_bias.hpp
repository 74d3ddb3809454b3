// core/positions: a bias for two patches of an image that depends on their distance in rows and columns, as
// in Swin (Liu et al. 2021, section 3.2, equation 4). The image and the side of a window are those of the
// mask's window pattern (Sparsity::grid, side); shifted windows have the same bias.
#pragma once

#include <cstdint>
#include <optional>

#include "core/document/document.hpp"

namespace attnscope {

/// The row of the table for a query and a key at these token positions, with side M: (Δrow + M - 1) · (2M -
/// 1) + Δcolumn + M - 1 and Δ = query - key, as in Swin's code. Nothing if they are M or more apart, so that
/// no window holds both, or if the query is before the first token.
std::optional<std::int64_t> window_offset(const Sparsity&, std::int64_t query, std::int64_t key);

/// Positions::RelativeWindows: a number for each head and offset from `table` [(2M - 1)²][heads], or, if it
/// is null, N(0, 1) from the seed; 0 without an offset. `document` and `table` must outlive it.
template <class T>
class WindowBias {
 public:
  WindowBias(const Document& document, const TensorOf<T>* table) : document_(document), table_(table) {}
  T at(std::int64_t head, std::int64_t query, std::int64_t key) const;

 private:
  const Document& document_;
  const TensorOf<T>* table_;
};

/// Bias: these numbers for every query and key, [1 or batch][heads][queries][keys]; 0 for keys that belong to
/// no token.
template <class T>
TensorOf<T> window_bias(const Document&, const Dimensions&, const TensorOf<T>* table);

/// Backward of window_bias(): the sum of the gradients of all cells with the same offset, over the batch,
/// too. d_bias [batch][heads][queries][keys]; the result is [(2M - 1)²][heads].
template <class T>
TensorOf<T> window_bias_backward(const Document&, const Dimensions&, const TensorOf<T>& d_bias);

}  // namespace attnscope
