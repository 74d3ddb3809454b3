// core/attention: arithmetic of a row. The exponential of the softmax is written so that compilers vectorise
// a loop of it for any instruction set (that of Eigen 3.4 does not map -inf to 0).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>

namespace attnscope {

/// e^x for x <= 0 or NaN. Relative error below 1e-7 down to the smallest normal result; -inf gives 0, NaN
/// gives NaN. Cody-Waite reduction and the polynomial of Cephes' expf (Moshier 1989).
inline float exp_nonpositive(float x) {
  constexpr float to_integer = 12582912.0f;         // 1.5 * 2^23: adding it rounds to a whole number
  const float clamped = x < -106.0f ? -106.0f : x;  // e^-106 rounds to 0; NaN passes
  const float shifted = clamped * std::numbers::log2e_v<float> + to_integer;
  const float n = shifted - to_integer;
  const float r = (clamped - n * 0.693359375f) + n * 2.12194440e-4f;  // x - n ln 2, ln 2 in two parts
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  // 2^n as two factors, since n can be below the least exponent of normal numbers.
  const std::uint32_t whole =
      std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(to_integer);
  const std::uint32_t half = static_cast<std::uint32_t>(static_cast<std::int32_t>(whole) >> 1);
  return p * std::bit_cast<float>((half + 127u) << 23) * std::bit_cast<float>((whole - half + 127u) << 23);
}

/// The float64 reference uses std::exp.
inline double exp_nonpositive(double x) { return std::exp(x); }

/// Σ term(i) for i < count, summed in type Sum with eight partial sums. The order of additions is fixed: it
/// depends neither on the machine nor on the alignment of the numbers.
template <class Sum = double, class Term>
Sum sum_of(std::size_t count, Term&& term) {
  constexpr std::size_t lanes = 8;
  std::array<Sum, lanes> partial{};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) partial[lane] += term(i + lane);
  }
  for (; i < count; ++i) partial[i % lanes] += term(i);
  return ((partial[0] + partial[1]) + (partial[2] + partial[3])) +
         ((partial[4] + partial[5]) + (partial[6] + partial[7]));
}

template <class T>
double sum_in_double(std::span<const T> values) {
  return sum_of(values.size(), [&](std::size_t i) { return static_cast<double>(values[i]); });
}

/// H = -Σ p ln p in nats with p = w / `whole`, for weights that need not be the softmax of known scores;
/// `whole` is the share of the weight that goes to keys. NaN where a weight is negative or NaN.
inline double entropy_of_weights(std::span<const float> weights, double whole = 1) {
  return sum_of(weights.size(), [&](std::size_t key) {
    const double weight = static_cast<double>(weights[key]) / whole;
    return weights[key] == 0 ? 0 : -weight * std::log(weight);
  });
}

/// Σ a·b; both of the same length.
template <class T>
double dot_in_double(std::span<const T> a, std::span<const T> b) {
  return sum_of(a.size(),
                [&](std::size_t i) { return static_cast<double>(a[i]) * static_cast<double>(b[i]); });
}

}  // namespace attnscope
