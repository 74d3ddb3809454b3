// core/training/kernels: the last line of each kernel's file: everything of one instruction set behind one
// table. What stands here are plain loops, which the compiler turns into vector code by itself.
#pragma once

#include "core/training/kernels/product.hpp"
#include "core/training/kernels/rows.hpp"

namespace attnscope::training::ATTNSCOPE_KERNEL {

template <class T>
static void add(T* __restrict to, const T* __restrict what, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] += what[i];
}

template <class T>
static void add_columns(const T* rows, int64_t stride, int count, int columns, T* to) {
  for (int r = 0; r < count; ++r) add(to, rows + r * stride, columns);
}

template <class T>
static double add_parts(const T* parts, int64_t part_stride, int count, T* to, int64_t numbers) {
  constexpr int piece = 64;  // stays in registers while the parts go by
  double total = 0;
  for (int64_t at = 0; at < numbers; at += piece) {
    const int width = numbers - at < piece ? static_cast<int>(numbers - at) : piece;
    T sum[piece] = {};
    for (int p = 0; p < count; ++p) {
      const T* const part = parts + p * part_stride + at;
      if (width == piece)
        for (int i = 0; i < piece; ++i) sum[i] += part[i];
      else
        for (int i = 0; i < width; ++i) sum[i] += part[i];
    }
    double squares = 0;
    for (int i = 0; i < width; ++i) {
      to[at + i] = sum[i];
      squares += static_cast<double>(sum[i]) * static_cast<double>(sum[i]);
    }
    total += squares;
  }
  return total;
}

template <class T>
static void update(const AdamW<T>& job, int64_t count) {
  T* __restrict const w = job.weights;
  T* __restrict const mean = job.mean;
  T* __restrict const square = job.square;
  const T* __restrict const gradient = job.gradient;
  const T keep = T(1) - job.rate * job.decay, rate = job.rate * job.mean_correction;
  const T root_correction = root(job.square_correction);
  const T beta_mean = job.beta_mean, beta_square = job.beta_square, epsilon = job.epsilon,
          factor = job.factor;
  for (int64_t i = 0; i < count; ++i) {
    const T g = gradient[i] * factor;
    const T m = beta_mean * mean[i] + (T(1) - beta_mean) * g;
    const T v = beta_square * square[i] + (T(1) - beta_square) * g * g;
    mean[i] = m;
    square[i] = v;
    w[i] = w[i] * keep - rate * m / (root(v) * root_correction + epsilon);
  }
}

template <class T>
constexpr Kernels<T> table(const char* name) {
  return {name,
          &multiply<T>,
          &transpose<T>,
          &softmax<T>,
          &softmax_backward<T>,
          &normalise<T>,
          &normalise_backward<T>,
          &activate<T>,
          &activate_backward<T>,
          &cross_entropy<T>,
          &rotate<T>,
          &add<T>,
          &add_columns<T>,
          &add_parts<T>,
          &update<T>};
}

}  // namespace attnscope::training::ATTNSCOPE_KERNEL
