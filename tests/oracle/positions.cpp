#include "oracle/positions.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace oracle {

Numbers sinusoidal(std::size_t tokens, std::size_t d) {
  Numbers p(tokens * d);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t column = 0; column < d; ++column) {
      const double pair = static_cast<double>(column - column % 2);
      const double angle = static_cast<double>(t) / std::pow(10000.0, pair / static_cast<double>(d));
      p[t * d + column] = column % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  }
  return p;
}

namespace {

/// The pair, as a real number, that makes this many turns in the trained length: base^(−2i/D)·L = 2π·turns.
double pair_that_turns(const Rotary& how, double turns) {
  return static_cast<double>(how.dims) / 2 * std::log(how.trained / (2 * std::acos(-1.0) * turns)) /
         std::log(how.base);
}

double stretched(const Rotary& how, std::size_t i) {
  const double D = static_cast<double>(how.dims), pair = static_cast<double>(i);
  const double plain = 1 / std::pow(how.base, 2 * pair / D);
  switch (how.stretch) {
    case Stretch::None:
    case Stretch::LongRope: return plain;
    case Stretch::Linear: return plain / how.factor;
    case Stretch::Dynamic: {
      if (how.length <= how.trained || how.dims <= 2) return plain;
      const double grown = how.factor * how.length / how.trained - (how.factor - 1);
      return 1 / std::pow(how.base * std::pow(grown, D / (D - 2)), 2 * pair / D);
    }
    case Stretch::Yarn: {
      // D counts dimensions there, so the last pair's number may be D − 1.
      const double from = std::max(0.0, std::floor(pair_that_turns(how, how.many_turns)));
      const double to = std::min(D - 1, std::ceil(pair_that_turns(how, how.few_turns)));
      const double way = (pair - from) / (from == to ? 0.001 : to - from);
      const double share = way < 0 ? 0 : way > 1 ? 1 : way;
      return (1 - share) * plain + share * plain / how.factor;
    }
    case Stretch::Llama3: {
      const double turns = how.trained * plain / (2 * std::acos(-1.0));
      if (turns > how.many_turns) return plain;
      if (turns < how.few_turns) return plain / how.factor;
      const double share = (turns - how.few_turns) / (how.many_turns - how.few_turns);
      return share * plain + (1 - share) * plain / how.factor;
    }
  }
  return plain;
}

/// The factor of cosine and sine.
double magnitude(const Rotary& how) {
  if (how.stretch == Stretch::Yarn) return 0.1 * std::log(how.factor) + 1;
  if (how.stretch != Stretch::LongRope || how.factor <= 1 || how.trained <= 1) return 1;
  return std::sqrt(1 + std::log(how.factor) / std::log(how.trained));
}

}  // namespace

double frequency(const Rotary& how, std::size_t i) {
  return stretched(how, i) / (how.divisors.empty() ? 1 : how.divisors[i]);
}

Numbers rotated(const Numbers& x, std::size_t batch, std::size_t heads, std::size_t n, std::size_t d,
                const Rotary& how) {
  Numbers y = x;
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t row = 0; row < heads * n; ++row) {
      const std::size_t t = row % n, first = (b * heads * n + row) * d;
      if (t >= how.rows) continue;
      const double position = static_cast<double>(how.offsets[b] + static_cast<std::ptrdiff_t>(t));
      for (std::size_t i = 0; i < how.dims / 2; ++i) {
        const std::size_t re = first + (how.interleaved ? 2 * i : i);
        const std::size_t im = how.interleaved ? re + 1 : re + how.dims / 2;
        const std::complex<double> turned =
            std::complex(x[re], x[im]) * std::polar(magnitude(how), position * frequency(how, i));
        y[re] = turned.real();
        y[im] = turned.imag();
      }
    }
  }
  return y;
}

namespace {
Numbers power_of_two_slopes(std::size_t heads) {
  const double ratio = std::pow(2.0, -8.0 / static_cast<double>(heads));
  Numbers slopes;
  double slope = ratio;
  for (std::size_t i = 0; i < heads; ++i, slope *= ratio) slopes.push_back(slope);
  return slopes;
}
}  // namespace

Numbers alibi_slopes(std::size_t heads) {
  std::size_t below = 1;
  while (2 * below <= heads) below *= 2;
  Numbers slopes = power_of_two_slopes(below);
  const Numbers above = power_of_two_slopes(2 * below);
  for (std::size_t i = 0; slopes.size() < heads; i += 2) slopes.push_back(above[i]);
  return slopes;
}

double window_bias(const Numbers& table, std::size_t heads, std::size_t head, std::ptrdiff_t query,
                   std::ptrdiff_t key, std::ptrdiff_t grid, std::ptrdiff_t side) {
  if (query < 0) return 0;
  // All pairs of a window's patches, in the numbering of Swin's code: differences from 1 - M up, shifted to
  // start at 0.
  for (std::ptrdiff_t row = 1 - side; row < side; ++row) {
    for (std::ptrdiff_t column = 1 - side; column < side; ++column) {
      if (query / grid != key / grid + row || query % grid != key % grid + column) continue;
      const std::ptrdiff_t index = (row + side - 1) * (2 * side - 1) + (column + side - 1);
      return table[static_cast<std::size_t>(index) * heads + head];
    }
  }
  return 0;
}

double disentangled(const RelativeTerms& of, std::ptrdiff_t query, std::ptrdiff_t key) {
  std::ptrdiff_t row = query - key + of.span;
  if (query - key <= -of.span) row = 0;
  if (query - key >= of.span) row = 2 * of.span - 1;
  double sum = 0;
  const std::size_t d = of.q.size(), first = static_cast<std::size_t>(row) * d;
  for (std::size_t i = 0; i < d && !of.k_r.empty(); ++i) sum += of.q[i] * of.k_r[first + i];
  for (std::size_t i = 0; i < d && !of.q_r.empty(); ++i) sum += of.k[i] * of.q_r[first + i];
  return sum;
}

int t5_bucket(std::ptrdiff_t relative, int buckets, int max_distance, bool bidirectional) {
  int first = 0;
  if (bidirectional) {
    buckets /= 2;
    if (relative > 0) first = buckets;
    relative = std::abs(relative);
  } else {
    relative = -std::min<std::ptrdiff_t>(relative, 0);
  }
  const int exact = buckets / 2;
  if (relative < exact) return first + static_cast<int>(relative);
  const float ratio = std::log(static_cast<float>(relative) / static_cast<float>(exact));
  const float whole = static_cast<float>(std::log(static_cast<double>(max_distance) / exact));
  const int large = exact + static_cast<int>(ratio / whole * static_cast<float>(buckets - exact));
  return first + std::min(large, buckets - 1);
}

}  // namespace oracle
