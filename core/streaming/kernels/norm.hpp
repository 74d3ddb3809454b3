// core/streaming/kernels: normalises rows, with sums in double. Included by the kernels only.
#pragma once

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/lanes.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr int doubles = W / 2;
typedef double Doubles __attribute__((vector_size(8 * doubles), aligned(8 * doubles)));
typedef float FewFloats __attribute__((vector_size(4 * doubles), aligned(4 * doubles)));

ATTNSCOPE_INLINE Doubles load_doubles(const float* p) {
  FewFloats few;
  memcpy(&few, p, sizeof few);
  return __builtin_convertvector(few, Doubles);
}
/// Loads `count` numbers; the remaining lanes are 0.
ATTNSCOPE_INLINE Doubles load_doubles(const float* p, int count) {
  FewFloats few{};
  for (int i = 0; i < count; ++i) few[i] = p[i];
  return __builtin_convertvector(few, Doubles);
}

ATTNSCOPE_INLINE double sum_of(Doubles x) {
  double sum = 0;
  for (int i = 0; i < doubles; ++i) sum += x[i];
  return sum;
}

/// (x - mean) in lanes below `count`, 0 in the others: missing numbers must not count as -mean.
ATTNSCOPE_INLINE Doubles shifted(const float* p, int count, double mean) {
  Doubles x = load_doubles(p, count) - mean;
  for (int i = count; i < doubles; ++i) x[i] = 0;
  return x;
}

/// Normalises numbers [at, …) of a row; `load` reads a full or a partial vector.
template <class Load>
ATTNSCOPE_INLINE FewFloats scaled(const NormJob& job, const float* x, int at, double mean, double inverse,
                                  Load load) {
  Doubles u = (load(x + at) - mean) * inverse;
  if (job.weight != nullptr) u = u * (load(job.weight + at) + (Doubles{} + job.added_to_weight));
  if (job.bias != nullptr) u = u + load(job.bias + at);
  return __builtin_convertvector(u, FewFloats);
}

ATTNSCOPE_INLINE void normalise_row(const NormJob& job, const float* x, float* y) {
  const int whole = job.width / doubles * doubles, left = job.width - whole;
  double mean = 0;
  if (job.centred) {
    Doubles sum{};
    for (int i = 0; i < whole; i += doubles) sum += load_doubles(x + i);
    if (left > 0) sum += load_doubles(x + whole, left);
    mean = sum_of(sum) / job.width;
  }
  Doubles squares{};
  for (int i = 0; i < whole; i += doubles) {
    const Doubles u = load_doubles(x + i) - mean;
    squares += u * u;
  }
  if (left > 0) {
    const Doubles u = shifted(x + whole, left, mean);
    squares += u * u;
  }
  const double inverse = 1 / __builtin_sqrt(sum_of(squares) / job.width + job.epsilon);
  for (int i = 0; i < whole; i += doubles) {
    const FewFloats out = scaled(job, x, i, mean, inverse, [](const float* p) { return load_doubles(p); });
    memcpy(y + i, &out, sizeof out);
  }
  if (left == 0) return;
  const FewFloats out =
      scaled(job, x, whole, mean, inverse, [&](const float* p) { return load_doubles(p, left); });
  for (int i = 0; i < left; ++i) y[whole + i] = out[i];
}

static void normalise_rows(const NormJob& job) {
  for (int row = 0; row < job.rows; ++row)
    normalise_row(job, job.x.data + row * job.x.stride, job.out + row * job.out_stride);
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
