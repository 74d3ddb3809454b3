// core/streaming/border: the kernels that compute on rows of any kind, for norms, products and activations of
// blocks, which see no other part of a kernel. Only plain data crosses it, as in
// core/streaming/kernels/kernels.hpp, which includes this.
#pragma once

#include <stdint.h>

namespace attnscope {
enum class ElementType : uint8_t;
}

namespace attnscope::streaming {

/// Rows of numbers: row i begins at data + i * stride; the numbers of a row are contiguous.
struct Rows {
  const float* data;
  int64_t stride;
};

/// out [rows][columns] = x [rows][depth] · W + bias.
struct ProductJob {
  Rows x, weights;  // weights: rows of W or its columns, depending on the kernel
  int rows, columns, depth;
  const float* bias;  // null, or [columns]
  float* out;
  int64_t out_stride;
  /// For multiply_columns with weights whose rows are far apart: null, or a buffer aligned to 64 bytes. With
  /// more than few_beside rows: column_room() floats, to gather weights that all rows of x share; with fewer:
  /// rows · room_stride(columns), for the sums of all columns.
  float* room = nullptr;
  const float* coming = nullptr;  // with `room`: null, or the next weights to prefetch, same stride
};
/// How many numbers of the depth are summed at a time if lanes are columns.
inline constexpr int column_depth = 256;
/// The most columns that are gathered at once.
inline constexpr int column_strip = 48;
inline constexpr int few_beside = 8;
constexpr int64_t room_stride(int64_t columns) { return (columns + 15) / 16 * 16; }
constexpr int64_t column_room() { return static_cast<int64_t>(column_depth) * column_strip; }

/// The product for few rows of x, with the columns of W in their stored form: contiguous whole blocks.
struct StoredProductJob {
  Rows x;
  ElementType type;
  const uint8_t* weights;  // need not be aligned
  int rows, columns, depth;
  const float* bias;  // null, or [columns]
  float* out;
  int64_t out_stride;
};

/// As in core/base/activation.hpp.
enum class ActivationKind { Identity, Gelu, GeluTanh, QuickGelu, Relu, ReluSquared, Silu, Tanh };

/// x = f(x), times `factor` if there is one.
struct ActivationJob {
  ActivationKind kind;
  float* x;
  const float* factor;  // null, or [count]
  int64_t count;
};

/// out = (x - mean) / √(mean square + epsilon) · (weight + added_to_weight) + bias, row by row.
struct NormJob {
  Rows x;
  int rows, width;
  bool centred;  // false: the mean counts as 0
  double epsilon;
  const float* weight;  // null, or [width]
  double added_to_weight;
  const float* bias;  // null, or [width]
  float* out;         // may be x
  int64_t out_stride;
};

/// Always in float32. A result depends, to the bit, only on its own row of x and its own column of W.
struct RowKernels {
  /// `weights` holds the columns of W as rows.
  void (*multiply_weights)(const ProductJob&);
  /// `weights` holds the rows of W as rows.
  void (*multiply_columns)(const ProductJob&);
  void (*activate)(const ActivationJob&);
  void (*normalise)(const NormJob&);
  /// Converts `count` numbers, whole blocks, from bytes that need not be aligned.
  void (*widen)(ElementType, const uint8_t* bytes, int64_t count, float* to);
  /// The same bits as multiply_weights on the widened weights. Returns false without doing anything if it has
  /// no vector code for the type or the depth.
  bool (*multiply_stored)(const StoredProductJob&);
};

/// Those of the fastest float32 set that this machine can run.
const RowKernels& row_kernels();

}  // namespace attnscope::streaming
