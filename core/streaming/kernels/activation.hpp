// core/streaming/kernels: activations of an MLP, on vectors. Included by the kernels only.
#pragma once

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/lanes.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr float log2_e = 1.44269504f;

ATTNSCOPE_INLINE Vec size_of(Vec x) { return x < 0.0f ? -x : x; }

/// 1 / (1 + e^-x), without cancellation on either side.
ATTNSCOPE_INLINE Vec sigmoid_of(Vec x) {
  const Vec e = exp2_exact(-size_of(x), all(log2_e));  // e^-|x|
  return (x < 0.0f ? e : all(1.0f)) / (1.0f + e);
}

/// The normal distribution function: erfc(|x| / √2) / 2, or 1 minus that. erfc(z) = t·e^(-z²)·p(t) with t = 1
/// / (1 + 0.4 z); p minimises the largest relative error, 9e-9, on 0 <= z <= 10.5.
ATTNSCOPE_INLINE Vec normal_of(Vec x) {
  const Vec z = size_of(x) * 0.707106781f;
  const Vec t = 1.0f / (1.0f + 0.4f * z);
  Vec p = all(-0.0286400167f);
  p = p * t + 0.192838395f;
  p = p * t - 0.486665324f;
  p = p * t + 0.53127291f;
  p = p * t - 0.270959128f;
  p = p * t + 0.264891864f;
  p = p * t + 0.132150715f;
  p = p * t + 0.214391863f;
  p = p * t + 0.22501515f;
  p = p * t + 0.225703681f;
  const Vec half = 0.5f * t * p * exp2_exact(-(x * x), all(0.5f * log2_e));
  return x < 0.0f ? half : 1.0f - half;
}

/// 2·√(2/π)·(x + 0.044715·x³), for tanh(u) = 2 σ(2u) - 1.
ATTNSCOPE_INLINE Vec twice_tanh_argument(Vec x) { return 1.59576912f * (x + 0.044715f * (x * x * x)); }

template <ActivationKind Kind>
ATTNSCOPE_INLINE Vec activated(Vec x) {
  if constexpr (Kind == ActivationKind::Gelu) return x * normal_of(x);
  if constexpr (Kind == ActivationKind::GeluTanh) return x * sigmoid_of(twice_tanh_argument(x));
  if constexpr (Kind == ActivationKind::QuickGelu) return x * sigmoid_of(1.702f * x);
  if constexpr (Kind == ActivationKind::Relu) return x < 0.0f ? all(0.0f) : x;  // keeps NaN
  if constexpr (Kind == ActivationKind::ReluSquared) return x < 0.0f ? all(0.0f) : x * x;
  if constexpr (Kind == ActivationKind::Silu) return x * sigmoid_of(x);
  if constexpr (Kind == ActivationKind::Tanh) return tanh_of(x);
  return x;
}

/// The last, partial vector uses the same code, so that a number's bits do not depend on its place.
template <ActivationKind Kind>
ATTNSCOPE_INLINE void activate_numbers(const ActivationJob& job) {
  for (int64_t i = 0; i < job.count; i += W) {
    const int left = job.count - i < W ? static_cast<int>(job.count - i) : W;
    Vec y = activated<Kind>(load_some(job.x + i, left));
    if (job.factor != nullptr) y = y * load_some(job.factor + i, left);
    store_some(job.x + i, y, left);
  }
}

static void activate_all(const ActivationJob& job) {
  switch (job.kind) {
    case ActivationKind::Identity: return activate_numbers<ActivationKind::Identity>(job);
    case ActivationKind::Gelu: return activate_numbers<ActivationKind::Gelu>(job);
    case ActivationKind::GeluTanh: return activate_numbers<ActivationKind::GeluTanh>(job);
    case ActivationKind::QuickGelu: return activate_numbers<ActivationKind::QuickGelu>(job);
    case ActivationKind::Relu: return activate_numbers<ActivationKind::Relu>(job);
    case ActivationKind::ReluSquared: return activate_numbers<ActivationKind::ReluSquared>(job);
    case ActivationKind::Silu: return activate_numbers<ActivationKind::Silu>(job);
    case ActivationKind::Tanh: return activate_numbers<ActivationKind::Tanh>(job);
  }
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
