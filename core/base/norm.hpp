// core/base: the norms of a transformer, around attention and of queries and keys, forward and backward side
// by side.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// The norms of layers, models and networks that are trained; for names see core/document/enum_names.hpp.
enum class NormKind : std::uint8_t {
  LayerNorm,       // Ba et al. 2016: weight and bias
  RmsNorm,         // Zhang and Sennrich 2019: weight
  RmsNormOnePlus,  // the same, times 1 + weight: Gemma
  None,            // no norm: rows are unchanged
};

/// Whether the mean of a row is subtracted. Throws Error for None, so that code that norms rows refuses it.
bool is_centred(NormKind);
/// Whether rows are multiplied by 1 + weight.
inline bool adds_one(NormKind kind) { return kind == NormKind::RmsNormOnePlus; }

struct NormSettings {
  NormKind kind = NormKind::LayerNorm;  // not None
  double epsilon = 1e-5;                // > 0 and finite
  bool operator==(const NormSettings&) const = default;
};

/// What a norm does to a row before its parameters: u = (x − mean) · inverse. As they are here they change
/// nothing.
struct RowStatistics {
  double mean = 0, inverse = 1;
};
/// Of a row x of d numbers: mean is 0 unless the norm is centred, inverse = 1 / √(Σ (x − mean)² / d + ε).
/// Sums run in double.
template <class T>
RowStatistics row_statistics(const NormSettings&, std::span<const T> x);

/// [width of a row] each; an empty weight multiplies by 1, an empty bias adds nothing.
template <class T>
struct NormParameters {
  std::span<const T> weight, bias;
};

/// Norms each row x of d numbers. LayerNorm: y = (x − mean) / √(Σ (x − mean)² / d + ε) · w + b. RmsNorm: y
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

/// Backward of normalise(). With r = 1 / √(… + ε), u = (x − mean)·r or x·r, and g = dy·w: LayerNorm: dx =
/// r·(g − mean(g) − u·mean(g·u)); RmsNorm: dx = r·(g − u·mean(g·u)); both: dw = Σ dy·u, db = Σ dy over the
/// rows.
template <class T>
NormGradients<T> normalise_backward(const Work&, const NormSettings&, const NormParameters<T>&,
                                    ConstMatrixMap<T> x, ConstMatrixMap<T> d_y);

}  // namespace attnscope
