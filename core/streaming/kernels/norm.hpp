// core/streaming/kernels: rows made normal, sums in double. Included by the kernels alone.
#pragma once

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/lanes.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr int doubles = W / 2;
typedef double Doubles __attribute__((vector_size(8 * doubles), aligned(8 * doubles)));
typedef float FewFloats __attribute__((vector_size(4 * doubles), aligned(4 * doubles)));

/// `doubles` numbers from p on, of which `count` exist; the others are 0.
ATTNSCOPE_INLINE Doubles load_doubles(const float* p, int count) {
  FewFloats few{};
  memcpy(&few, p, count >= doubles ? sizeof few : sizeof(float) * static_cast<unsigned>(count));
  return __builtin_convertvector(few, Doubles);
}

ATTNSCOPE_INLINE double sum_of(Doubles x) {
  double sum = 0;
  for (int i = 0; i < doubles; ++i) sum += x[i];
  return sum;
}

/// Lanes below `count` of (x - mean), the others 0: what is missing must not count as -mean.
ATTNSCOPE_INLINE Doubles shifted(const float* p, int count, double mean) {
  Doubles x = load_doubles(p, count) - mean;
  for (int i = count; i < doubles; ++i) x[i] = 0;
  return x;
}

ATTNSCOPE_INLINE void normalise_row(const NormJob& job, const float* x, float* y) {
  const int whole = job.width / doubles * doubles, left = job.width - whole;
  double mean = 0;
  if (job.centred) {
    Doubles sum{};
    for (int i = 0; i < whole; i += doubles) sum += load_doubles(x + i, doubles);
    if (left > 0) sum += load_doubles(x + whole, left);
    mean = sum_of(sum) / job.width;
  }
  Doubles squares{};
  for (int i = 0; i < whole; i += doubles) {
    const Doubles u = load_doubles(x + i, doubles) - mean;
    squares += u * u;
  }
  if (left > 0) {
    const Doubles u = shifted(x + whole, left, mean);
    squares += u * u;
  }
  const double inverse = 1 / __builtin_sqrt(sum_of(squares) / job.width + job.epsilon);
  const Doubles one_plus = Doubles{} + job.added_to_weight;
  for (int i = 0; i < job.width; i += doubles) {
    const int count = job.width - i < doubles ? job.width - i : doubles;
    Doubles u = (load_doubles(x + i, count) - mean) * inverse;
    if (job.weight != nullptr) u = u * (load_doubles(job.weight + i, count) + one_plus);
    if (job.bias != nullptr) u = u + load_doubles(job.bias + i, count);
    const FewFloats out = __builtin_convertvector(u, FewFloats);
    memcpy(y + i, &out, sizeof(float) * static_cast<unsigned>(count));
  }
}

static void normalise_rows(const NormJob& job) {
  for (int row = 0; row < job.rows; ++row)
    normalise_row(job, job.x.data + row * job.x.stride, job.out + row * job.out_stride);
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
