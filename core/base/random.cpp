#include "core/base/random.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <numbers>

namespace attnscope {
namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: steps that never align

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// The part of the hash that all numbers of one stream share.
std::uint64_t stream_key(std::uint64_t seed, std::uint64_t stream) {
  return mixed(mixed(seed + golden) + stream);
}

std::uint64_t bits_at(std::uint64_t key, std::uint64_t index) { return mixed(key + golden * (index + 1)); }

/// ln x of a normal positive x, computed with + - x / alone, since the C library's log may differ in the last
/// bit between machines.
double natural_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);  // in [1, 2)
  if (m > std::numbers::sqrt2) {
    m *= 0.5;
    ++exponent;
  }
  const double s = (m - 1) / (m + 1), s2 = s * s;  // |s| < 0.172: ten terms reach 1e-17
  double series = 0;
  for (int k = 21; k >= 1; k -= 2) series = series * s2 + 1.0 / k;
  return 2 * s * series + exponent * std::numbers::ln2;
}

/// Coefficients as published (named a to f there), highest power first: one rational function each for the
/// middle, the tails and the far tails.
using Polynomial = std::array<double, 8>;
constexpr Polynomial central_top = {
    2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4, 4.5921953931549871457e+4,
    1.3731693765509461125e+4, 1.9715909503065514427e+3, 1.3314166789178437745e+2, 3.3871328727963666080e+0};
constexpr Polynomial central_bottom = {
    5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4, 2.1213794301586595867e+4,
    5.3941960214247511077e+3, 6.8718700749205790830e+2, 4.2313330701600911252e+1, 1.0};
constexpr Polynomial tail_top = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                                 2.41780725177450611770e-1, 1.27045825245236838258e+0,
                                 3.64784832476320460504e+0, 5.76949722146069140550e+0,
                                 4.63033784615654529590e+0, 1.42343711074968357734e+0};
constexpr Polynomial tail_bottom = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                                    1.51986665636164571966e-2, 1.48103976427480074590e-1,
                                    6.89767334985100004550e-1, 1.67638483018380384940e+0,
                                    2.05319162663775882187e+0, 1.0};
constexpr Polynomial far_tail_top = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                                     1.24266094738807843860e-3, 2.65321895265761230930e-2,
                                     2.96560571828504891230e-1, 1.78482653991729133580e+0,
                                     5.46378491116411436990e+0, 6.65790464350110377720e+0};
constexpr Polynomial far_tail_bottom = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                                        1.84631831751005468180e-5,  7.86869131145613259100e-4,
                                        1.48753612908506148525e-2,  1.36929880922735805310e-1,
                                        5.99832206555887937690e-1,  1.0};

double value(const Polynomial& polynomial, double x) {
  double sum = 0;
  for (const double coefficient : polynomial) sum = sum * x + coefficient;
  return sum;
}

/// The x with P(N(0, 1) <= x) = p, for 0 < p < 1.
double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * value(central_top, r) / value(central_bottom, r);
  }
  const double r = std::sqrt(-natural_log(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? value(tail_top, r - 1.6) / value(tail_bottom, r - 1.6)
                          : value(far_tail_top, r - 5) / value(far_tail_bottom, r - 5);
  return q < 0 ? -x : x;
}

double normal_at(std::uint64_t key, std::uint64_t index) {
  // 52 bits plus one half: the value is never 0 or 1, and it is exact.
  return normal_quantile((static_cast<double>(bits_at(key, index) >> 12) + 0.5) * 0x1p-52);
}

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return bits_at(stream_key(seed, stream), index);
}

double random_normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return normal_at(stream_key(seed, stream), index);
}

void fill_normal(std::span<float> out, std::uint64_t seed, std::uint64_t stream, double sigma) {
  const std::uint64_t key = stream_key(seed, stream);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(sigma * normal_at(key, i));
}

std::uint64_t stream_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace attnscope
