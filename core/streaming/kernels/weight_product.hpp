// core/streaming/kernels: rows times a matrix of weights as it lies, y = x·W + b. Where its columns lie along
// the depth (as PyTorch's Linear stores them) nothing is packed: a small tile of sums runs over the depth in
// vectors, and the lanes of each sum are added up in one order. Where its rows do (GPT-2's Conv1D) the lanes
// are columns. Either way a number depends on its own row and column alone, whatever is computed beside it.
// Included by the kernels alone.
#pragma once

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/lanes.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr int product_rows = W == 16 ? 6 : 3;  // a tile's: what the registers hold
constexpr int product_columns = 4;

/// Four vectors into one whose first four lanes are their sums.
ATTNSCOPE_INLINE Vec sum_four(Vec a, Vec b, Vec c, Vec d) {
  swap_halves<1>(a, b);
  swap_halves<1>(c, d);
  Vec ab = a + b, cd = c + d;
  swap_halves<2>(ab, cd);
  Vec sum = ab + cd;
  if constexpr (W > 4) {
    Vec other = sum;
    swap_halves<4>(sum, other);
    sum = sum + other;
  }
  if constexpr (W > 8) {
    Vec other = sum;
    swap_halves<8>(sum, other);
    sum = sum + other;
  }
  return sum;
}

/// The rows of a tile; those that do not exist are copies of the last, and not stored.
template <int Count>
struct TileRows {
  const float* at[Count];
  TileRows(const Rows& rows, int first, int count) {
    for (int i = 0; i < Count; ++i) at[i] = rows.data + (first + (i < count ? i : count - 1)) * rows.stride;
  }
};

template <int R>
ATTNSCOPE_INLINE void product_tile(const ProductJob& job, int row, int rows, int column, int columns) {
  const TileRows<R> x(job.x, row, rows);
  const TileRows<product_columns> w(job.weights, column, columns);
  Vec sum[R][product_columns] = {};
  int k = 0;
  for (; k + W <= job.depth; k += W) {
    Vec b[product_columns];
    ATTNSCOPE_UNROLL for (int c = 0; c < product_columns; ++c) b[c] = load_loose(w.at[c] + k);
    ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) {
      const Vec a = load_loose(x.at[r] + k);
      ATTNSCOPE_UNROLL for (int c = 0; c < product_columns; ++c) sum[r][c] = multiply_add(a, b[c], sum[r][c]);
    }
  }
  if (k < job.depth) {
    const int left = job.depth - k;
    Vec b[product_columns];
    ATTNSCOPE_UNROLL for (int c = 0; c < product_columns; ++c) b[c] = load_some(w.at[c] + k, left);
    ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) {
      const Vec a = load_some(x.at[r] + k, left);
      ATTNSCOPE_UNROLL for (int c = 0; c < product_columns; ++c) sum[r][c] = multiply_add(a, b[c], sum[r][c]);
    }
  }
  ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) {
    const Vec total = sum_four(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
    if (r >= rows) break;
    float* const out = job.out + (row + r) * job.out_stride + column;
    for (int c = 0; c < columns; ++c)
      out[c] = job.bias == nullptr ? total[c] : total[c] + job.bias[column + c];
  }
}

static void multiply_weights(const ProductJob& job) {
  for (int column = 0; column < job.columns; column += product_columns) {
    const int columns = job.columns - column < product_columns ? job.columns - column : product_columns;
    int row = 0;
    for (; row + product_rows <= job.rows; row += product_rows)
      product_tile<product_rows>(job, row, product_rows, column, columns);
    for (; row < job.rows; ++row) product_tile<1>(job, row, 1, column, columns);
  }
}

// With lanes for columns: a block of the depth is summed in registers, then added to what the blocks before
// it gave, so that rounding grows with the blocks and not with the depth.
constexpr int column_rows = W == 16 ? 8 : 4;
constexpr int column_vectors = 3;
static_assert(column_vectors * W <= column_strip);
static_assert(column_rows <= few_beside);

/// Weights of the next block on their way to the second cache, some with every tile of this one.
class BlockAhead {
 public:
  /// `tiles`: how often fetch() is going to be called.
  BlockAhead(const float* block, int64_t stride, int rows, int columns, int tiles)
      : at_(block), stride_(stride), left_(rows), share_((rows + tiles - 1) / tiles), columns_(columns) {}
  void fetch() {
    for (int i = 0; i < share_ && left_ > 0; ++i, --left_, at_ += stride_)
      for (int column = 0; column < columns_; column += 16) __builtin_prefetch(at_ + column, 0, 2);
  }

 private:
  const float* at_;
  int64_t stride_;
  int left_, share_, columns_;
};

/// Where the weights of a strip come from.
enum class From {
  Far,     // as they lie
  Gather,  // the same, and they are put into the room
  Room,
};

/// Columns [column, column + V·W), the first `width` of which exist; numbers [first, last) of the depth.
/// `weights`: the first of them, and how far apart the rows are.
struct Strip {
  int column, width, first, last;
  Rows weights;
};

template <int R, int V, From from>
ATTNSCOPE_INLINE void column_tile(const ProductJob& job, int row, const Strip& strip) {
  const float* x[R];
  ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) x[r] = job.x.data + (row + r) * job.x.stride;
  Vec sum[R][V] = {};
  const int width = strip.width;
  const float* w = from == From::Room ? job.room : strip.weights.data;
  const int64_t stride = from == From::Room ? V * W : strip.weights.stride;
  float* room = job.room;
  for (int k = strip.first; k < strip.last; ++k, w += stride) {
    Vec b[V];
    ATTNSCOPE_UNROLL for (int v = 0; v < V; ++v) b[v] =
        from == From::Room || width == V * W ? load_loose(w + v * W) : load_some(w + v * W, width - v * W);
    if constexpr (from == From::Gather) {
      ATTNSCOPE_UNROLL for (int v = 0; v < V; ++v) store(room + v * W, b[v]);
      room += V * W;
    }
    ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) {
      const Vec a = all(x[r][k]);
      ATTNSCOPE_UNROLL for (int v = 0; v < V; ++v) sum[r][v] = multiply_add(a, b[v], sum[r][v]);
    }
  }
  const bool add_bias = strip.last == job.depth && job.bias != nullptr;
  ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) {
    float* const out = job.out + (row + r) * job.out_stride + strip.column;
    ATTNSCOPE_UNROLL for (int v = 0; v < V; ++v) {
      const int count = width - v * W;
      Vec value = sum[r][v];
      if (strip.first > 0) value = load_some(out + v * W, count) + value;
      if (add_bias) value = value + load_some(job.bias + strip.column + v * W, count);
      store_some(out + v * W, value, count);
    }
  }
}

/// Calls fn(first, last) for each block of the depth.
template <class Fn>
ATTNSCOPE_INLINE void each_block(const ProductJob& job, Fn fn) {
  for (int first = 0; first < job.depth; first += column_depth)
    fn(first, job.depth - first < column_depth ? job.depth : first + column_depth);
}
ATTNSCOPE_INLINE Strip strip_of(const ProductJob& job, int column, int width, int first, int last) {
  return {column,
          width,
          first,
          last,
          {job.weights.data + first * job.weights.stride + column, job.weights.stride}};
}

/// Calls fn(column, width) for each strip of column_vectors vectors, and of one where fewer are left.
template <class Wide, class Narrow>
ATTNSCOPE_INLINE void each_strip(const ProductJob& job, int column, Wide wide, Narrow narrow) {
  constexpr int strip = column_vectors * W;
  for (; column + strip <= job.columns; column += strip) wide(column);
  for (; column < job.columns; column += W)
    narrow(column, job.columns - column < W ? job.columns - column : W);
}

template <int V>
ATTNSCOPE_INLINE void far_columns(const ProductJob& job, int column, int width) {
  each_block(job, [&](int first, int last) {
    const Strip strip = strip_of(job, column, width, first, last);
    int row = 0;
    for (; row + column_rows <= job.rows; row += column_rows)
      column_tile<column_rows, V, From::Far>(job, row, strip);
    for (; row < job.rows; ++row) column_tile<1, V, From::Far>(job, row, strip);
  });
}

/// Rows of weights that are read side by side, and how many such groups ahead the next ones are asked for:
/// they lie in pages of their own, where no processor looks for the next one by itself.
constexpr int beside_rows = 8, beside_ahead = 1;

/// Numbers [k, k + K) of the depth join the sums of all rows of x.
template <int K>
ATTNSCOPE_INLINE void add_beside(const ProductJob& job, int k, int last) {
  const float* const w = job.weights.data + k * job.weights.stride;
  const int64_t stride = job.weights.stride;
  const bool goes_on = k + (beside_ahead + 1) * beside_rows <= last;
  const float* const next = w + beside_ahead * beside_rows * stride;
  for (int c = 0; c < job.columns; c += W) {
    const int left = job.columns - c;
    Vec b[K];
    ATTNSCOPE_UNROLL for (int i = 0; i < K; ++i) b[i] =
        left >= W ? load_loose(w + i * stride + c) : load_some(w + i * stride + c, left);
    if (goes_on) {
      ATTNSCOPE_UNROLL for (int i = 0; i < K; ++i) __builtin_prefetch(next + i * stride + c);
    }
    for (int row = 0; row < job.rows; ++row) {
      const float* const x = job.x.data + row * job.x.stride + k;
      float* const at = job.room + row * room_stride(job.columns) + c;
      Vec sum = load(at);
      ATTNSCOPE_UNROLL for (int i = 0; i < K; ++i) sum = multiply_add(all(x[i]), b[i], sum);
      store(at, sum);
    }
  }
}

/// Few rows of x, sums of all columns in the room: what is read of each row of weights lies side by side.
ATTNSCOPE_INLINE void beside_columns(const ProductJob& job) {
  const int64_t stride = room_stride(job.columns);
  each_block(job, [&](int first, int last) {
    memset(job.room, 0, sizeof(float) * static_cast<uint64_t>(job.rows * stride));
    int k = first;
    for (; k + beside_rows <= last; k += beside_rows) add_beside<beside_rows>(job, k, job.depth);
    for (; k < last; ++k) add_beside<1>(job, k, job.depth);
    const bool add_bias = last == job.depth && job.bias != nullptr;
    for (int row = 0; row < job.rows; ++row) {
      for (int c = 0; c < job.columns; c += W) {
        float* const out = job.out + row * job.out_stride + c;
        const int left = job.columns - c;
        Vec value = load(job.room + row * stride + c);
        if (first > 0) value = load_some(out, left) + value;
        if (add_bias) value = value + load_some(job.bias + c, left);
        store_some(out, value, left);
      }
    }
  });
}

template <int V>
ATTNSCOPE_INLINE void gathered_columns(const ProductJob& job, const Strip& strip, BlockAhead& ahead) {
  column_tile<column_rows, V, From::Gather>(job, 0, strip);
  ahead.fetch();
  int row = column_rows;
  for (; row + column_rows <= job.rows; row += column_rows) {
    column_tile<column_rows, V, From::Room>(job, row, strip);
    ahead.fetch();
  }
  for (; row < job.rows; ++row) column_tile<1, V, From::Room>(job, row, strip);
}

/// A block of the depth of all columns, then the next one.
ATTNSCOPE_INLINE void gather_columns(const ProductJob& job) {
  const int tiles = job.rows / column_rows * (job.columns / (column_vectors * W) + 1);
  each_block(job, [&](int first, int last) {
    const bool goes_on = last < job.depth;
    const float* const next = goes_on ? job.weights.data + last * job.weights.stride : job.coming;
    const int left = goes_on ? job.depth - last : job.depth;
    BlockAhead ahead(next, job.weights.stride,
                     next == nullptr       ? 0
                     : left < column_depth ? left
                                           : column_depth,
                     job.columns, tiles);
    each_strip(
        job, 0,
        [&](int column) {
          const Strip strip = strip_of(job, column, column_vectors * W, first, last);
          gathered_columns<column_vectors>(job, strip, ahead);
        },
        [&](int column, int width) {
          gathered_columns<1>(job, strip_of(job, column, width, first, last), ahead);
        });
  });
}

static void multiply_columns(const ProductJob& job) {
  if (job.room != nullptr) return job.rows > few_beside ? gather_columns(job) : beside_columns(job);
  each_strip(
      job, 0, [&](int at) { far_columns<column_vectors>(job, at, column_vectors * W); },
      [&](int at, int width) { far_columns<1>(job, at, width); });
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
