// gpu/kernels: the stages of short sequences, where every stage is a tensor of its own: products of matrices,
// scores into masked scores, masked scores into weights. Float32 throughout.
#pragma once

#include "gpu/kernels/context.hpp"

namespace attnscope::gpu {

/// C = A·B + bias for each of `batch` x `heads` pairs. Head h of B is head h / group. Numbers of a row lie
/// side by side, in C too; offsets and rows in numbers.
struct ProductPass {
  const float *a, *b, *bias;  // bias: [heads][columns] or null
  float* c;
  int rows, columns, inner;
  bool b_transposed;  // B is [columns][inner] instead of [inner][columns]
  int batch, heads, group;
  std::int64_t a_row, b_row, c_row;
  std::int64_t a_batch, a_head, b_batch, b_head, c_batch, c_head;
};

/// to = factor · from, or factor · tanh(from / factor).
struct ElementPass {
  const float* from;
  float* to;
  std::int64_t count;
  float factor;
  bool caps;
};

/// Scores + bias + additive where the query sees the key, hidden_value elsewhere:
/// [batch][heads][queries][keys].
struct MaskPass {
  const float* capped;
  const float* bias;      // [1 or batch][heads][queries][keys], or null
  const float* additive;  // [1 or batch][1 or heads][queries][keys], or null; -inf hides
  float* to;
  int batch, heads, queries, keys;
  std::int64_t bias_batch, additive_batch, additive_head;  // 0 = one for all
  const std::int32_t *begin, *end;                         // [batch][2][queries], see MaskIntervals
  const std::uint8_t* patterned;                           // [heads]
  float hidden_value;
};

/// Rows of weights: 2^(exponent · (x - largest)) / sum; zeros where all of the row is -inf.
struct SoftmaxPass {
  const float* from;  // [rows][keys]
  float* to;
  std::int64_t rows;
  int keys;
  float exponent;  // log2(e) / temperature
};

/// 256 threads of 4 x 4 numbers of a 64 x 64 tile of C, 32 steps of the inner sum at a time.
struct ProductKernel {
  using Pass = ProductPass;
  static constexpr bool needs_matrix_units = false;
  static constexpr int resident = 2, threads = 256, depth = 32, apart = tile + 4;
  static constexpr std::uint32_t b_at = depth * apart * 4, shared_bytes = 2 * b_at;

  struct Place {
    int batch, head, row, column;
  };
  ATTNSCOPE_BOTH static std::int64_t blocks(const Pass& p) {
    return static_cast<std::int64_t>(p.batch) * p.heads * ((p.rows + tile - 1) / tile) *
           ((p.columns + tile - 1) / tile);
  }
  ATTNSCOPE_THREAD static Place place_of(const Pass& p, int block) {
    const int across = (p.columns + tile - 1) / tile, down = (p.rows + tile - 1) / tile;
    const int pair = block / across / down;
    return {pair / p.heads, pair % p.heads, block / across % down * tile, block % across * tile};
  }

  /// A number of a matrix of `rows` x `columns`, 0 outside.
  ATTNSCOPE_THREAD static float number(const float* from, std::int64_t apart_in_memory, int row, int column,
                                       int rows, int columns) {
    return row < rows && column < columns ? from[row * apart_in_memory + column] : 0;
  }

  /// A as [depth][tile of rows], B as [depth][tile of columns]: neighbours in memory go to neighbouring
  /// threads.
  template <class Ctx>
  ATTNSCOPE_THREAD static void load(Ctx& cx, const Pass& p, const float* a, const float* b, const Place& at,
                                    int k) {
    float* left = cx.template shared<float>(0);
    float* right = cx.template shared<float>(b_at);
    ATTNSCOPE_EACH for (int i = 0; i < tile * depth / threads; ++i) {
      const int id = i * threads + cx.thread(), inner = id % depth, outer = id / depth;
      left[inner * apart + outer] = number(a, p.a_row, at.row + outer, k + inner, p.rows, p.inner);
      if (p.b_transposed) {
        right[inner * apart + outer] = number(b, p.b_row, at.column + outer, k + inner, p.columns, p.inner);
      } else {
        const int column = id % tile, step = id / tile;
        right[step * apart + column] = number(b, p.b_row, k + step, at.column + column, p.inner, p.columns);
      }
    }
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p) {
    const Place at = place_of(p, cx.block());
    const float* a = p.a + at.batch * p.a_batch + at.head * p.a_head;
    const float* b = p.b + at.batch * p.b_batch + at.head / p.group * p.b_head;
    float* c = p.c + at.batch * p.c_batch + at.head * p.c_head;
    const int x = cx.thread() % 16 * 4, y = cx.thread() / 16 * 4;
    float sum[4][4];
    ATTNSCOPE_EACH for (int i = 0; i < 4; ++i) ATTNSCOPE_EACH for (int j = 0; j < 4; ++j) sum[i][j] = 0;
    for (int k = 0; k < p.inner; k += depth) {
      load(cx, p, a, b, at, k);
      cx.sync();
      const float* left = cx.template shared<float>(0) + y;
      const float* right = cx.template shared<float>(b_at) + x;
      ATTNSCOPE_SOME for (int d = 0; d < depth; ++d) {
        float l[4], r[4];
        cx.read4(l, left + d * apart);
        cx.read4(r, right + d * apart);
        ATTNSCOPE_EACH for (int i = 0; i < 4; ++i) ATTNSCOPE_EACH for (int j = 0; j < 4; ++j) sum[i][j] =
            cx.fma(l[i], r[j], sum[i][j]);
      }
      cx.sync();
    }
    ATTNSCOPE_EACH for (int i = 0; i < 4; ++i) ATTNSCOPE_EACH for (int j = 0; j < 4; ++j) {
      const int row = at.row + y + i, column = at.column + x + j;
      if (row >= p.rows || column >= p.columns) continue;
      const float added = p.bias == nullptr ? 0 : p.bias[at.head * p.columns + column];
      c[row * p.c_row + column] = sum[i][j] + added;
    }
  }
};

struct ElementEach {
  using Pass = ElementPass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return p.count; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p, std::int64_t i) {
    const float x = p.from[i];
    p.to[i] = p.caps ? p.factor * cx.tanh(x / p.factor) : x * p.factor;
  }
};

struct MaskEach {
  using Pass = MaskPass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) {
    return static_cast<std::int64_t>(p.batch) * p.heads * p.queries * p.keys;
  }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx&, const Pass& p, std::int64_t i) {
    const std::int64_t cells = static_cast<std::int64_t>(p.queries) * p.keys, cell = i % cells;
    const int key = static_cast<int>(cell % p.keys), query = static_cast<int>(cell / p.keys);
    const int head = static_cast<int>(i / cells % p.heads), batch = static_cast<int>(i / cells / p.heads);
    const std::int64_t row = (static_cast<std::int64_t>(batch) * 2 + p.patterned[head]) * p.queries + query;
    bool seen = p.begin[row] <= key && key < p.end[row];
    float x = p.capped[i];
    if (p.bias != nullptr) x += p.bias[batch * p.bias_batch + head * cells + cell];
    if (p.additive != nullptr) {
      const float added = p.additive[batch * p.additive_batch + head * p.additive_head + cell];
      seen = seen && added != minus_infinity;
      x += added;
    }
    p.to[i] = seen ? x : p.hidden_value;
  }
};

/// A warp for each row.
struct SoftmaxKernel {
  using Pass = SoftmaxPass;
  static constexpr bool needs_matrix_units = false;
  static constexpr int resident = 2, threads = 256, rows_at_once = threads / 32;
  static constexpr std::uint32_t shared_bytes = 0;
  ATTNSCOPE_BOTH static std::int64_t blocks(const Pass& p) {
    return (p.rows + rows_at_once - 1) / rows_at_once;
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p) {
    const int lane = cx.thread() % 32;
    const std::int64_t row = static_cast<std::int64_t>(cx.block()) * rows_at_once + cx.thread() / 32;
    if (row >= p.rows) return;  // a whole warp
    const float* from = p.from + row * p.keys;
    float* to = p.to + row * p.keys;
    float most = minus_infinity;
    for (int key = lane; key < p.keys; key += 32) most = most_of(most, from[key]);
    for (int mask = 1; mask < 32; mask *= 2) most = most_of(most, cx.exchange(most, mask));
    // A row of nothing but -inf (a NaN is no -inf) has no weights at all.
    const float largest = most == minus_infinity ? 0 : most;
    float sum = 0;
    for (int key = lane; key < p.keys; key += 32) sum += cx.exp2((from[key] - largest) * p.exponent);
    for (int mask = 1; mask < 32; mask *= 2) sum += cx.exchange(sum, mask);
    const float share = sum == 0 ? 0 : 1 / sum;
    for (int key = lane; key < p.keys; key += 32)
      to[key] = cx.exp2((from[key] - largest) * p.exponent) * share;
  }
};

}  // namespace attnscope::gpu
