// core/training/kernels: vectors of T. Included by the kernels alone, inside a namespace of their own for
// each instruction set; no standard library.
#pragma once

#include "core/base/vectors.hpp"

namespace attnscope::training::ATTNSCOPE_KERNEL {

constexpr int vector_bytes = 4 * ATTNSCOPE_LANES;
template <class T>
constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

template <class T>
struct Numbers;
template <>
struct Numbers<float> {
  typedef float Vec __attribute__((vector_size(vector_bytes)));
  typedef float Loose __attribute__((vector_size(vector_bytes), aligned(4), may_alias));
  typedef int32_t Index __attribute__((vector_size(vector_bytes)));
};
template <>
struct Numbers<double> {
  typedef double Vec __attribute__((vector_size(vector_bytes)));
  typedef double Loose __attribute__((vector_size(vector_bytes), aligned(8), may_alias));
  typedef int64_t Index __attribute__((vector_size(vector_bytes)));
};
template <class T>
using Vec = typename Numbers<T>::Vec;
template <class T>
using Index = typename Numbers<T>::Index;

template <class T>
ATTNSCOPE_INLINE Vec<T> get(const T* p) {
  return (Vec<T>)*reinterpret_cast<const typename Numbers<T>::Loose*>(p);
}
template <class T>
ATTNSCOPE_INLINE void put(T* p, Vec<T> x) {
  *reinterpret_cast<typename Numbers<T>::Loose*>(p) = (typename Numbers<T>::Loose)x;
}
template <class T>
ATTNSCOPE_INLINE Vec<T> every(T x) {
  return x - Vec<T>{};
}

#if defined(__AVX512F__) && ATTNSCOPE_LANES == 16
ATTNSCOPE_INLINE __mmask16 first(int count) { return static_cast<__mmask16>((1u << count) - 1); }
ATTNSCOPE_INLINE Vec<float> get_some(const float* p, int count) {
  return (Vec<float>)_mm512_maskz_loadu_ps(first(count), p);
}
ATTNSCOPE_INLINE void put_some(float* p, Vec<float> x, int count) {
  _mm512_mask_storeu_ps(p, first(count), (__m512)x);
}
#elif defined(__AVX2__) && ATTNSCOPE_LANES == 8
ATTNSCOPE_INLINE __m256i first(int count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
ATTNSCOPE_INLINE Vec<float> get_some(const float* p, int count) {
  return (Vec<float>)_mm256_maskload_ps(p, first(count));
}
ATTNSCOPE_INLINE void put_some(float* p, Vec<float> x, int count) {
  _mm256_maskstore_ps(p, first(count), (__m256)x);
}
#endif
/// The first `count` < lanes numbers from p on; the others are 0.
template <class T>
ATTNSCOPE_INLINE Vec<T> get_some(const T* p, int count) {
  Vec<T> x{};
  for (int i = 0; i < count; ++i) x[i] = p[i];
  return x;
}
template <class T>
ATTNSCOPE_INLINE void put_some(T* p, Vec<T> x, int count) {
  for (int i = 0; i < count; ++i) p[i] = x[i];
}

template <class T, int... Lane>
ATTNSCOPE_INLINE Index<T> places(std::integer_sequence<int, Lane...>) {
  return Index<T>{Lane...};
}
/// at, at + 1, …
template <class T>
ATTNSCOPE_INLINE Index<T> places(int at) {
  return places<T>(std::make_integer_sequence<int, lanes<T>>()) + at;
}

template <int S, class V, int... Lane>
ATTNSCOPE_INLINE V crossed(V x, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(x, x, (Lane ^ S)...);
}
template <class T, int S = lanes<T> / 2>
ATTNSCOPE_INLINE T sum_of(Vec<T> x) {
  if constexpr (S == 0)
    return x[0];
  else
    return sum_of<T, S / 2>(x + crossed<S>(x, std::make_integer_sequence<int, lanes<T>>()));
}
template <class T, int S = lanes<T> / 2>
ATTNSCOPE_INLINE T largest_of(Vec<T> x) {
  if constexpr (S == 0) {
    return x[0];
  } else {
    const Vec<T> other = crossed<S>(x, std::make_integer_sequence<int, lanes<T>>());
    return largest_of<T, S / 2>(x > other ? x : other);
  }
}

/// e^x for x <= 0; NaN stays.
ATTNSCOPE_INLINE Vec<float> exp_below(Vec<float> x) {
  return (Vec<float>)vectors::ATTNSCOPE_KERNEL::exp2_exact(x, vectors::ATTNSCOPE_KERNEL::all(1.44269504f));
}
ATTNSCOPE_INLINE Vec<double> exp_below(Vec<double> x) {
  for (int i = 0; i < lanes<double>; ++i) x[i] = __builtin_exp(x[i]);
  return x;
}
/// 1 / (1 + e^−x), without cancellation on either side.
template <class T>
ATTNSCOPE_INLINE Vec<T> sigmoid(Vec<T> x) {
  const Vec<T> e = exp_below(x < T(0) ? x : -x);
  return (x < T(0) ? e : every(T(1))) / (T(1) + e);
}
ATTNSCOPE_INLINE float root(float x) { return __builtin_sqrtf(x); }
ATTNSCOPE_INLINE double root(double x) { return __builtin_sqrt(x); }

}  // namespace attnscope::training::ATTNSCOPE_KERNEL
