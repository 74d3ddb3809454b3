// gpu/kernels: what stands between the products of a model's blocks: norms, activations, sums, rotary
// positions, and what a product needs before and after it. Rows are float32; strides in numbers.
#pragma once

#include "core/base/activation.hpp"
#include "gpu/kernels/small_passes.hpp"

namespace attnscope::gpu {

/// How numbers of a product's weights and rows lie on the card.
enum class NumberKind : std::uint8_t { Float, Bfloat, Half };
constexpr int split_parts = 3;  // 3 · 8 bits of a bfloat16, or 3 · 11 of a half: all of a float

/// y = norm(x) as core/base/norm.hpp has it, of each row and head by itself. y may be x.
struct NormPass {
  const float* x;
  float* y;
  std::int64_t rows, x_row, y_row;
  int heads, width;
  std::int64_t x_head, y_head;
  const float *weight, *bias;  // [width] or null
  double added_to_weight, epsilon;
  bool centred;
};

/// to = from, or to += from.
struct SumPass {
  const float* from;
  float* to;
  std::int64_t rows, width, from_row, to_row;
  bool adds;
};

/// x = f(x) · up, in place; up may be null.
struct ActivationPass {
  float* x;
  const float* up;
  std::int64_t rows, width, x_row, up_row;
  Activation activation;
};

/// Rotary positions in place: pairs (i, i + pairs), or interleaved (2i, 2i + 1), of each head.
struct TurnPass {
  float* x;
  std::int64_t rows, row_stride, head_stride;
  int heads, pairs;
  const float *cosine, *sine;  // [rows][pairs]
  bool interleaved;
};

/// Rows of floats as `split_parts` blocks of rows [rows][width], one below the other, that sum to them. Of
/// halves each row is multiplied with a power of two that brings its largest number to where halves are
/// exact; what undoes it goes to `unscale`.
struct SplitPass {
  const float* x;
  std::uint16_t* to;
  float* unscale;  // [rows]; not written for bfloat16
  std::int64_t rows, x_row;
  int width;
  NumberKind kind;
};

/// y = (sum of `parts` blocks of rows [rows][width], one below the other) · unscale + bias.
struct JoinProductPass {
  const float* from;
  float* y;
  const float *unscale, *bias;  // [rows], [width]; may be null
  std::int64_t rows, width, y_row;
  int parts;
};

/// The sum over a warp, in as many bits as two floats have.
template <class Ctx>
ATTNSCOPE_THREAD double warp_sum(Ctx& cx, double x) {
  for (int mask = 1; mask < 32; mask *= 2) {
    const auto high = static_cast<float>(x), low = static_cast<float>(x - static_cast<double>(high));
    x += static_cast<double>(cx.exchange(high, mask)) + static_cast<double>(cx.exchange(low, mask));
  }
  return x;
}

/// A kernel of a warp for each row. `Row` has `rows(pass)` and `run(cx, pass, row, lane)`, which all lanes of
/// a warp reach together.
template <class Row>
struct RowsKernel {
  using Pass = typename Row::Pass;
  static constexpr bool needs_matrix_units = false;
  static constexpr int resident = 2, threads = 256, rows_at_once = threads / 32;
  static constexpr std::uint32_t shared_bytes = 0;
  ATTNSCOPE_BOTH static std::int64_t blocks(const Pass& p) {
    return (Row::rows(p) + rows_at_once - 1) / rows_at_once;
  }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p) {
    const std::int64_t row = static_cast<std::int64_t>(cx.block()) * rows_at_once + cx.thread() / 32;
    if (row < Row::rows(p)) Row::run(cx, p, row, cx.thread() % 32);  // a whole warp
  }
};

/// Two passes over a row that lies in the cache, sums in double: what a number is rounded by is rounded once.
struct NormRow {
  using Pass = NormPass;
  ATTNSCOPE_BOTH static std::int64_t rows(const Pass& p) { return p.rows * p.heads; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p, std::int64_t i, int lane) {
    const float* x = p.x + i / p.heads * p.x_row + i % p.heads * p.x_head;
    float* y = p.y + i / p.heads * p.y_row + i % p.heads * p.y_head;
    double mean = 0, squares = 0;
    if (p.centred) {
      for (int k = lane; k < p.width; k += 32) mean += static_cast<double>(x[k]);
      mean = warp_sum(cx, mean) / p.width;
    }
    for (int k = lane; k < p.width; k += 32) {
      const double apart = static_cast<double>(x[k]) - mean;
      squares += apart * apart;
    }
    const double variance = warp_sum(cx, squares) / p.width + p.epsilon;
    const double factor = cx.exp(-0.5 * cx.log(variance));
    for (int k = lane; k < p.width; k += 32) {
      double value = (static_cast<double>(x[k]) - mean) * factor;
      if (p.weight != nullptr) value *= p.added_to_weight + static_cast<double>(p.weight[k]);
      if (p.bias != nullptr) value += static_cast<double>(p.bias[k]);
      y[k] = static_cast<float>(value);
    }
  }
};

struct SplitRow {
  using Pass = SplitPass;
  ATTNSCOPE_BOTH static std::int64_t rows(const Pass& p) { return p.rows; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p, std::int64_t row, int lane) {
    const float* x = p.x + row * p.x_row;
    float scale = 1;
    if (p.kind == NumberKind::Half) {
      float most = 0;
      for (int k = lane; k < p.width; k += 32) most = most_of(most, x[k] < 0 ? -x[k] : x[k]);
      for (int mask = 1; mask < 32; mask *= 2) most = most_of(most, cx.exchange(most, mask));
      // 2^(14 - exponent of the largest), as far as a float and its inverse have it.
      const int exponent = most > 0 && most < -minus_infinity ? cx.exponent(most) : 0;
      scale = cx.power_of_two(smaller_of(larger_of(14 - exponent, -120), 120));
      if (lane == 0) p.unscale[row] = 1 / scale;
    }
    for (int k = lane; k < p.width; k += 32) {
      float rest = x[k] * scale;
      for (int part = 0; part < split_parts; ++part) {
        const std::uint16_t one = p.kind == NumberKind::Half ? cx.half(rest) : cx.bfloat(rest);
        p.to[(part * p.rows + row) * p.width + k] = one;
        rest -= p.kind == NumberKind::Half ? cx.of_half(one) : cx.widened(one);
      }
    }
  }
};

struct SumEach {
  using Pass = SumPass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return p.rows * p.width; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx&, const Pass& p, std::int64_t i) {
    const float x = p.from[i / p.width * p.from_row + i % p.width];
    float& to = p.to[i / p.width * p.to_row + i % p.width];
    to = p.adds ? to + x : x;
  }
};

/// As activate() in core/base/activation.hpp.
template <class Ctx>
ATTNSCOPE_THREAD float activated(Ctx& cx, Activation activation, float x) {
  constexpr float log2e = 1.4426950408889634f, root = 0.7978845608028654f;  // √(2/π)
  const auto times_sigmoid = [&](float of) { return x / (1 + cx.exp2(-log2e * of)); };
  switch (activation) {
    case Activation::Identity: return x;
    case Activation::Gelu: return x / 2 * cx.erfc(-x * 0.70710678118654752f);
    case Activation::GeluTanh: return times_sigmoid(2 * root * (x + 0.044715f * x * x * x));
    case Activation::QuickGelu: return times_sigmoid(1.702f * x);
    case Activation::Relu: return x < 0 ? 0 : x;
    case Activation::ReluSquared: return x < 0 ? 0 : x * x;
    case Activation::Silu: return times_sigmoid(x);
    case Activation::Tanh: return cx.tanh(x);
  }
  return x;
}

struct ActivationEach {
  using Pass = ActivationPass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return p.rows * p.width; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p, std::int64_t i) {
    const std::int64_t row = i / p.width, k = i % p.width;
    float& x = p.x[row * p.x_row + k];
    const float value = activated(cx, p.activation, x);
    x = p.up == nullptr ? value : value * p.up[row * p.up_row + k];
  }
};

struct TurnEach {
  using Pass = TurnPass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return p.rows * p.heads * p.pairs; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p, std::int64_t i) {
    const int pair = static_cast<int>(i % p.pairs), head = static_cast<int>(i / p.pairs % p.heads);
    const std::int64_t row = i / p.pairs / p.heads;
    float* at = p.x + row * p.row_stride + head * p.head_stride + (p.interleaved ? 2 * pair : pair);
    float& other = at[p.interleaved ? 1 : p.pairs];
    const float c = p.cosine[row * p.pairs + pair], s = p.sine[row * p.pairs + pair];
    const float a = *at, b = other;
    *at = cx.fma(a, c, -b * s);
    other = cx.fma(b, c, a * s);
  }
};

struct JoinProductEach {
  using Pass = JoinProductPass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return p.rows * p.width; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx&, const Pass& p, std::int64_t i) {
    const std::int64_t row = i / p.width, k = i % p.width;
    float sum = 0;
    // The smallest first.
    for (int part = p.parts - 1; part >= 0; --part) sum += p.from[part * p.rows * p.width + i];
    if (p.unscale != nullptr) sum *= p.unscale[row];
    p.y[row * p.y_row + k] = p.bias == nullptr ? sum : sum + p.bias[k];
  }
};

}  // namespace attnscope::gpu
