// core/training/kernels: the border between the trainer (any C++) and what it spends its time in, which is
// compiled once for each instruction set and chosen when the program runs. Only plain data crosses it: inline
// code of the standard library that both sides use could be merged by the linker and carry wide instructions
// into programs for narrow machines.
//
// T is float, or double for the tests of gradients, which is compiled for any machine alone. What a kernel
// computes depends on its job alone, to the bit; another instruction set sums in another order.
#pragma once

#include <stdint.h>

namespace attnscope::training {

/// Rows of every matrix that the trainer makes for itself begin at multiples of so many numbers.
inline constexpr int row_unit = 16;
constexpr int64_t padded(int64_t count) { return (count + row_unit - 1) / row_unit * row_unit; }

/// out(m, n) = plus(m, n) + bias(n) + Σk a(m, k) · b(k, n), where a(m, k) = a[m · a_row + k · a_step]: the
/// transpose of a matrix is a matter of its two strides.
template <class T>
struct Product {
  const T* a;
  int64_t a_row, a_step;
  const T* b;
  int64_t b_row;
  T* out;
  int64_t out_row;
  int rows, columns, depth;
  const T* bias = nullptr;  // null, or [columns]
  const T* plus = nullptr;  // null, or [rows][columns], rows plus_row apart; may be out
  int64_t plus_row = 0;
};

/// Scores of some queries of one head, which become weights where they lie, or weights and their gradients.
template <class T>
struct AttentionRows {
  T* rows;  // [count][stride], stride a multiple of row_unit
  int64_t stride;
  int count;
  int first_query;  // its place in the sequence
  int keys;         // of the sequence
  bool causal;      // query i sees the keys 0 … i, or else all
  T scale;          // multiplies the scores
  T slope;          // ALiBi: slope · |i − j| is taken off; 0 = none
};

/// Rows made normal, each by itself: out = (x − mean) · r · weight + bias, r = 1 / √(variance + epsilon).
template <class T>
struct NormRows {
  const T* x;
  int64_t x_row;
  int count, width;
  bool centred;  // or else the mean counts as 0: RMS norm
  T epsilon;
  const T *weight, *bias;  // [width]; bias: null = none
  T* moments;              // [count][2]: mean and r, written forward, read backward
};

template <class T>
struct AdamW {
  T* weights;
  T *mean, *square;  // moving averages of the gradient and of its square
  const T* gradient;
  T factor;  // the gradient is multiplied with it: clipping
  T rate, decay, beta_mean, beta_square, epsilon;
  T mean_correction, square_correction;  // 1 / (1 − βᵗ)
};

template <class T>
struct Kernels {
  const char* name;
  void (*multiply)(const Product<T>&);
  /// to(c, r) = from(r, c).
  void (*transpose)(const T* from, int64_t from_row, int rows, int columns, T* to, int64_t to_row);
  /// Weights behind the last key that a query sees become 0, to the end of the row.
  void (*softmax)(const AttentionRows<T>&);
  /// rows: dL/dA, which becomes dL/d(q·k); weights as softmax left them. norms: null, or [count]: of
  /// dL/d(scaled score).
  void (*softmax_backward)(const AttentionRows<T>&, const T* weights, T* norms);
  void (*normalise)(const NormRows<T>&, T* out, int64_t out_row);
  /// d_x is added to where `add`, or else written; d_weight and d_bias (null = none) are added to.
  void (*normalise_backward)(const NormRows<T>&, const T* d_out, int64_t d_row, T* d_x, int64_t d_x_row,
                             bool add, T* d_weight, T* d_bias);
  /// GELU with tanh. Backward: slope(x) · d, where d lies.
  void (*activate)(const T* x, T* out, int64_t count);
  void (*activate_backward)(const T* x, T* d, int64_t count);
  /// Row by row of [count][stride]: −ln softmax(logits)[target], summed up; the logits become (softmax − 1 at
  /// the target) · factor.
  double (*cross_entropy)(T* logits, int64_t stride, int count, int classes, const int32_t* targets,
                          T factor);
  /// Turns dimension d with dimension d + half of each row by the angle whose cosine and sine stand in
  /// tables [row][half]; by −angle where `back`.
  void (*rotate)(T* rows, int64_t stride, int count, int half, const T* cosines, const T* sines, bool back);
  void (*add)(T* to, const T* what, int64_t count);
  /// to(c) += Σ rows(r, c).
  void (*add_columns)(const T* rows, int64_t stride, int count, int columns, T* to);
  /// to = Σ parts in their order, `part_stride` apart; the sum of squares of the result.
  double (*add_parts)(const T* parts, int64_t part_stride, int count, T* to, int64_t numbers);
  void (*update)(const AdamW<T>&, int64_t count);
};

/// Those for the best instruction set of this machine.
template <class T>
const Kernels<T>& kernels();
/// By the name of their instruction set, "AVX2"; null where this program or this machine has none of it.
const Kernels<float>* kernels_named(const char* name);
/// Those for any machine.
template <class T>
const Kernels<T>& baseline_kernels();

}  // namespace attnscope::training
