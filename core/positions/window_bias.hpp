// core/positions: a bias for two patches of an image by the rows and the columns that they are apart, as in
// Swin (Liu et al. 2021, section 3.2, equation 4). The image and the side of a window are those of the mask's
// pattern of windows (Sparsity::grid, side); shifted windows have the same bias.
#pragma once

#include <cstdint>
#include <optional>

#include "core/document/document.hpp"

namespace attnscope {

/// The row of the table for a query and a key at these places among the tokens, side M: (Δrow + M - 1) · (2M
/// - 1) + Δcolumn + M - 1 with Δ = query - key, as in Swin's code. Nothing where they are M or more apart, so
/// that no window holds both, and where the query stands before the first token.
std::optional<std::int64_t> window_offset(const Sparsity&, std::int64_t query, std::int64_t key);

/// Positions::RelativeWindows: a number for each head and offset from `table` [(2M - 1)²][heads], without one
/// N(0, 1) from the seed; 0 without an offset. `document` and `table` must outlive it.
template <class T>
class WindowBias {
 public:
  WindowBias(const Document& document, const TensorOf<T>* table) : document_(document), table_(table) {}
  T at(std::int64_t head, std::int64_t query, std::int64_t key) const;

 private:
  const Document& document_;
  const TensorOf<T>* table_;
};

/// Bias: those numbers for every query and key, [1 or batch][heads][queries][keys], 0 for keys that belong to
/// no token.
template <class T>
TensorOf<T> window_bias(const Document&, const Dimensions&, const TensorOf<T>* table);

/// Backward of window_bias(): the gradients of all cells of an offset add up, over the batch too. d_bias
/// [batch][heads][queries][keys]; the result is [(2M - 1)²][heads].
template <class T>
TensorOf<T> window_bias_backward(const Document&, const Dimensions&, const TensorOf<T>& d_bias);

}  // namespace attnscope
