// core/base: the norms of a transformer, around attention and of queries and keys, forward and backward side
// by side.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

enum class NormKind : std::uint8_t {
  Layer,           // Ba et al. 2016
  RootMeanSquare,  // Zhang and Sennrich 2019
};

struct NormSettings {
  NormKind kind = NormKind::Layer;
  double epsilon = 1e-5;  // > 0 and finite
  bool one_plus = false;  // the rows are multiplied by 1 + weight, as in Gemma
  bool operator==(const NormSettings&) const = default;
};

/// [width of a row] each; an empty weight multiplies by 1, an empty bias adds nothing.
template <class T>
struct NormParameters {
  std::span<const T> weight, bias;
};

/// Norms each row x of d numbers. Layer: y = (x − mean) / √(Σ (x − mean)² / d + ε) · w + b. RootMeanSquare: y
/// = x / √(Σ x² / d + ε) · w + b. Sums run in double, and each result is rounded once. y may be x. Throws
/// Cancelled.
template <class T>
void normalise(const Work&, const NormSettings&, const NormParameters<T>&, ConstMatrixMap<T> x,
               MatrixMap<T> y);

template <class T>
struct NormGradients {
  TensorOf<T> x;             // [rows][d]
  TensorOf<T> weight, bias;  // [d]; empty without one
};

/// Backward of normalise(). With r = 1 / √(… + ε), u = (x − mean)·r or x·r, and g = dy·w: Layer: dx = r·(g −
/// mean(g) − u·mean(g·u)); RootMeanSquare: dx = r·(g − u·mean(g·u)); both: dw = Σ dy·u, db = Σ dy over the
/// rows.
template <class T>
NormGradients<T> normalise_backward(const Work&, const NormSettings&, const NormParameters<T>&,
                                    ConstMatrixMap<T> x, ConstMatrixMap<T> d_y);

}  // namespace attnscope
