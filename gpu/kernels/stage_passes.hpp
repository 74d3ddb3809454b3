// gpu/kernels: the stages of short sequences, where every stage is a tensor of its own: products of matrices,
// scores into masked scores, masked scores into weights. Float32 throughout.
#pragma once

#include "gpu/kernels/matrix_units.hpp"

namespace attnscope::gpu {

/// C = A·B + bias for each of `batch` x `heads` pairs. Head h of B is head h / group. Numbers of a row lie
/// side by side, in C too; offsets and rows in numbers.
struct ProductPass {
  const float *a, *b, *bias;  // bias: [heads][columns] or null
  float* c;
  int rows, columns, inner;
  bool b_transposed;  // B is [columns][inner] instead of [inner][columns]
  bool split;         // on matrix units, see SplitProductKernel
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

/// Heads side by side: [batch][heads][rows][d] into [batch][rows][heads · d].
struct ConcatPass {
  const float* from;
  float* to;
  std::int64_t count;
  int heads, rows, d;
};

/// Rotary positions on [count / d / rows / heads][heads][rows][d]: pairs of dimensions of the first `tokens`
/// rows turn, (i, i + pairs) or, interleaved, (2i, 2i + 1); the others stay.
struct RotatePass {
  const float* from;
  float* to;
  std::int64_t count;
  int heads, rows, d;
  const float *cosine, *sine;  // [1 or batch][tokens][pairs]
  int tokens, pairs;
  std::int64_t turn_batch;  // from sequence to sequence; 0 = one for all
  bool interleaved;
};

/// A number for each distance, spread over the cells that have it: number key - query + queries - 1, and 0
/// for the keys beyond them.
struct DistancePass {
  const float* from;  // [planes][distances]
  float* to;          // [planes][queries][keys]
  std::int64_t count;
  int queries, keys, distances;
};

/// Which 64 x 64 tile of which C a block makes.
struct ProductPlace {
  int batch, head, row, column;
  const float *a, *b;
  float* c;
};
ATTNSCOPE_BOTH std::int64_t product_blocks(const ProductPass& p) {
  return static_cast<std::int64_t>(p.batch) * p.heads * ((p.rows + tile - 1) / tile) *
         ((p.columns + tile - 1) / tile);
}
ATTNSCOPE_THREAD ProductPlace product_place(const ProductPass& p, int block) {
  const int across = (p.columns + tile - 1) / tile, down = (p.rows + tile - 1) / tile;
  const int pair = block / across / down;
  ProductPlace at;
  at.batch = pair / p.heads;
  at.head = pair % p.heads;
  at.row = block / across % down * tile;
  at.column = block % across * tile;
  at.a = p.a + at.batch * p.a_batch + at.head * p.a_head;
  at.b = p.b + at.batch * p.b_batch + at.head / p.group * p.b_head;
  at.c = p.c + at.batch * p.c_batch + at.head * p.c_head;
  return at;
}
/// Numbers of A and B, 0 outside; a sum into C with its bias.
ATTNSCOPE_THREAD float number_of_a(const ProductPass& p, const ProductPlace& at, int row, int inner) {
  return row < p.rows && inner < p.inner ? at.a[row * p.a_row + inner] : 0;
}
ATTNSCOPE_THREAD float number_of_b(const ProductPass& p, const ProductPlace& at, int inner, int column) {
  if (inner >= p.inner || column >= p.columns) return 0;
  return p.b_transposed ? at.b[column * p.b_row + inner] : at.b[inner * p.b_row + column];
}
ATTNSCOPE_THREAD void write_product(const ProductPass& p, const ProductPlace& at, int row, int column,
                                    float sum) {
  if (row >= p.rows || column >= p.columns) return;
  at.c[row * p.c_row + column] = sum + (p.bias == nullptr ? 0 : p.bias[at.head * p.columns + column]);
}

/// 256 threads of 4 x 4 numbers of the tile, 32 steps of the inner sum at a time.
struct ProductKernel {
  using Pass = ProductPass;
  static constexpr bool needs_matrix_units = false;
  static constexpr int resident = 2, threads = 256, depth = 32, apart = tile + 4;
  static constexpr std::uint32_t b_at = depth * apart * 4, shared_bytes = 2 * b_at;
  ATTNSCOPE_BOTH static std::int64_t blocks(const Pass& p) { return product_blocks(p); }

  /// A as [depth][tile of rows], B as [depth][tile of columns]: neighbours in memory go to neighbouring
  /// threads.
  template <class Ctx>
  ATTNSCOPE_THREAD static void load(Ctx& cx, const Pass& p, const ProductPlace& at, int k) {
    float* left = cx.template shared<float>(0);
    float* right = cx.template shared<float>(b_at);
    ATTNSCOPE_EACH for (int i = 0; i < tile * depth / threads; ++i) {
      const int id = i * threads + cx.thread();
      left[id % depth * apart + id / depth] = number_of_a(p, at, at.row + id / depth, k + id % depth);
      const int inner = p.b_transposed ? id % depth : id / tile,
                column = p.b_transposed ? id / depth : id % tile;
      right[inner * apart + column] = number_of_b(p, at, k + inner, at.column + column);
    }
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p) {
    const ProductPlace at = product_place(p, cx.block());
    const int x = cx.thread() % 16 * 4, y = cx.thread() / 16 * 4;
    float sum[4][4];
    ATTNSCOPE_EACH for (int i = 0; i < 4; ++i) ATTNSCOPE_EACH for (int j = 0; j < 4; ++j) sum[i][j] = 0;
    for (int k = 0; k < p.inner; k += depth) {
      load(cx, p, at, k);
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
    ATTNSCOPE_EACH for (int i = 0; i < 4; ++i) ATTNSCOPE_EACH for (int j = 0; j < 4; ++j)
        write_product(p, at, at.row + y + i, at.column + x + j, sum[i][j]);
  }
};

/// The same on matrix units: every number is a bfloat16 and what that leaves, again a bfloat16. Of the four
/// products the one of both rests is left out, which is as small as what the rests are rounded by: 2^-18 of a
/// factor.
struct SplitProductKernel {
  using Pass = ProductPass;
  using Units = MatrixUnits<64>;
  static constexpr bool needs_matrix_units = true;
  static constexpr int resident = 3, threads = Units::threads, depth = Units::d;
  static constexpr std::uint32_t a_rest = Units::bytes, b_at = 2 * Units::bytes, b_rest = 3 * Units::bytes,
                                 shared_bytes = 4 * Units::bytes;
  ATTNSCOPE_BOTH static std::int64_t blocks(const Pass& p) { return product_blocks(p); }

  /// Number `inner` of row `row` of the tile at `whole`, and what is left of it at `rest`.
  template <class Ctx>
  ATTNSCOPE_THREAD static void store(Ctx& cx, std::uint32_t whole, std::uint32_t rest, int row, int inner,
                                     float x) {
    const std::uint32_t at = swizzled<depth>(row, inner / 8) + static_cast<std::uint32_t>(inner % 8 * 2);
    const std::uint16_t high = cx.bfloat(x);
    *cx.template shared<std::uint16_t>(whole + at) = high;
    *cx.template shared<std::uint16_t>(rest + at) = cx.bfloat(x - cx.widened(high));
  }
  template <class Ctx>
  ATTNSCOPE_THREAD static void load(Ctx& cx, const Pass& p, const ProductPlace& at, int k) {
    for (int id = cx.thread(); id < tile * depth; id += threads) {
      store(cx, 0, a_rest, id / depth, id % depth, number_of_a(p, at, at.row + id / depth, k + id % depth));
      const int inner = p.b_transposed ? id % depth : id / tile,
                column = p.b_transposed ? id / depth : id % tile;
      store(cx, b_at, b_rest, column, inner, number_of_b(p, at, k + inner, at.column + column));
    }
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p) {
    const ProductPlace at = product_place(p, cx.block());
    Units::Scores sum;
    ATTNSCOPE_EACH for (int j = 0; j < 8; ++j) ATTNSCOPE_EACH for (int e = 0; e < 4; ++e) sum.c[j][e] = 0;
    for (int k = 0; k < p.inner; k += depth) {
      load(cx, p, at, k);
      cx.sync();
      Units::add_product(cx, a_rest, b_at, sum);
      Units::add_product(cx, 0, b_rest, sum);
      Units::add_product(cx, 0, b_at, sum);
      cx.sync();
    }
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r)
        ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c)
            write_product(p, at, at.row + Units::row(cx.thread(), r),
                          at.column + Units::column(cx.thread(), c), sum.at(r, c));
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

struct ConcatEach {
  using Pass = ConcatPass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return p.count; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx&, const Pass& p, std::int64_t i) {
    const std::int64_t width = static_cast<std::int64_t>(p.heads) * p.d, token = i / width;
    const int place = static_cast<int>(i % width), head = place / p.d;
    const std::int64_t batch = token / p.rows, row = token % p.rows;
    p.to[i] = p.from[((batch * p.heads + head) * p.rows + row) * p.d + place % p.d];
  }
};

struct RotateEach {
  using Pass = RotatePass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return p.count; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx&, const Pass& p, std::int64_t i) {
    const int place = static_cast<int>(i % p.d), row = static_cast<int>(i / p.d % p.rows);
    const float x = p.from[i];
    if (row >= p.tokens || place >= 2 * p.pairs) {
      p.to[i] = x;
      return;
    }
    const bool second = p.interleaved ? place % 2 != 0 : place >= p.pairs;
    const int pair = p.interleaved ? place / 2 : place % p.pairs, apart = p.interleaved ? 1 : p.pairs;
    const std::int64_t turn =
        i / p.d / p.rows / p.heads * p.turn_batch + static_cast<std::int64_t>(row) * p.pairs + pair;
    const float c = p.cosine[turn], s = p.sine[turn];
    p.to[i] = second ? p.from[i - apart] * s + x * c : x * c - p.from[i + apart] * s;
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

struct DistanceEach {
  using Pass = DistancePass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return p.count; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx&, const Pass& p, std::int64_t i) {
    const int key = static_cast<int>(i % p.keys), query = static_cast<int>(i / p.keys % p.queries);
    const int distance = key - query + p.queries - 1;
    const bool is_token = key <= p.distances - p.queries;
    p.to[i] = is_token ? p.from[i / p.keys / p.queries * p.distances + distance] : 0;
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
