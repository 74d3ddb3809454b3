// tests/core: the reference for experiments: one formula a line, over plain vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/random.hpp"

namespace attnscope::naive {

using Numbers = std::vector<double>;

inline Numbers drawn(std::uint64_t seed, std::string_view what, std::size_t count) {
  Numbers out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(random_normal(seed, stream_of(what), i));
  return out;
}
inline double mean(const Numbers& x) {
  double sum = 0;
  for (const double number : x) sum += number;
  return sum / static_cast<double>(x.size());
}
inline double middle(Numbers x) {
  std::sort(x.begin(), x.end());
  return (x[(x.size() - 1) / 2] + x[x.size() / 2]) / 2;
}
inline double spread(const Numbers& x) {
  const double centre = mean(x);
  double sum = 0;
  for (const double number : x) sum += (number - centre) * (number - centre);
  return std::sqrt(sum / static_cast<double>(x.size()));
}
inline double length(const Numbers& x) {
  double sum = 0;
  for (const double number : x) sum += number * number;
  return std::sqrt(sum);
}
inline Numbers softmax(const Numbers& x) {
  double largest = -INFINITY, sum = 0;
  for (const double number : x) largest = std::max(largest, number);
  Numbers out;
  for (const double number : x) out.push_back(std::exp(number - largest));
  for (const double number : out) sum += number;
  for (double& number : out) number /= sum;
  return out;
}
inline double entropy(const Numbers& w) {
  double sum = 0;
  for (const double weight : w) sum += weight > 0 ? -weight * std::log(weight) : 0;
  return sum;
}
/// Row i of a · row j of b, both `width` wide.
inline double dot(const Numbers& a, std::size_t i, const Numbers& b, std::size_t j, int width) {
  double sum = 0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(width); ++c)
    sum += a[i * static_cast<std::size_t>(width) + c] * b[j * static_cast<std::size_t>(width) + c];
  return sum;
}
/// a [rows][inner] times b [inner][columns].
inline Numbers product(const Numbers& a, const Numbers& b, std::size_t rows, std::size_t inner,
                       std::size_t columns) {
  Numbers out(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t c = 0; c < inner; ++c) out[i * columns + j] += a[i * inner + c] * b[c * columns + j];
  return out;
}

struct Attended {
  Numbers weights, output;  // [tokens][tokens], [tokens][width]
};
/// One head of `tokens` tokens, scores divided by √width.
inline Attended attended(const Numbers& q, const Numbers& k, const Numbers& v, std::size_t tokens, int width,
                         bool causal) {
  Attended out;
  for (std::size_t i = 0; i < tokens; ++i) {
    Numbers row;
    for (std::size_t j = 0; j < tokens; ++j)
      row.push_back(causal && j > i ? -INFINITY : dot(q, i, k, j, width) / std::sqrt(width));
    const Numbers w = softmax(row);
    out.weights.insert(out.weights.end(), w.begin(), w.end());
  }
  out.output = product(out.weights, v, tokens, tokens, static_cast<std::size_t>(width));
  return out;
}

}  // namespace attnscope::naive
