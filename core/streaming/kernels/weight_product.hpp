// core/streaming/kernels: rows times a matrix of weights in place, y = x·W + b. If the columns of W are
// contiguous (as in PyTorch's Linear), nothing is packed: a small tile of sums runs over the depth in
// vectors, and the lanes of each sum are added in a fixed order. If the rows of W are contiguous (GPT-2's
// Conv1D), the lanes are columns. In both cases a number depends on its own row and column alone, whatever is
// computed with it. Included by the kernels only.
#pragma once

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/lanes.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr int product_rows = W == 16 ? 6 : 3;  // of a tile: as many as the registers hold
constexpr int product_columns = 4;
/// The depth at which a tile's rows and columns take half of the L1 cache.
constexpr int near_depth = 1024;
/// Joins four vectors into one: lane i holds the sum of lanes i, i + 4, … of vector i % 4.
ATTNSCOPE_INLINE Vec join_four(Vec a, Vec b, Vec c, Vec d) {
  swap_halves<1>(a, b);
  swap_halves<1>(c, d);
  Vec ab = a + b, cd = c + d;
  swap_halves<2>(ab, cd);
  return ab + cd;
}

/// Adds lane j + S to lane j in each group of 2 S lanes, for two vectors in one: half the shuffles of doing
/// them one after the other, and the same sums.
template <int S>
ATTNSCOPE_INLINE Vec join_two(Vec low, Vec high) {
  swap_halves<S>(low, high);
  return low + high;
}

/// The lane sums of each row's four vectors, [R][4].
template <int R>
ATTNSCOPE_INLINE void sum_lanes(const Vec (&sum)[R][4], float* totals) {
  constexpr int together = W / 4;  // rows whose sums fill a vector
  ATTNSCOPE_UNROLL for (int r = 0; r < R; r += together) {
    Vec part[together];
    ATTNSCOPE_UNROLL for (int i = 0; i < together; ++i) {
      const int row = r + i < R ? r + i : R - 1;
      part[i] = r + i < R ? join_four(sum[row][0], sum[row][1], sum[row][2], sum[row][3]) : part[0];
    }
    if constexpr (W > 4) {
      ATTNSCOPE_UNROLL for (int i = 0; i < together; i += 2) part[i] = join_two<4>(part[i], part[i + 1]);
    }
    if constexpr (W > 8) part[0] = join_two<8>(part[0], part[2]);
    store(totals + r * 4, part[0]);
  }
}

/// The lane sums plus the bias, if there is one, for the first `columns` of four columns.
template <int R>
ATTNSCOPE_INLINE void write_sums(const Vec (&sum)[R][4], const float* bias, int columns, float* out,
                                 int64_t stride) {
  alignas(4 * W) float totals[(R * 4 + W - 1) / W * W];
  sum_lanes<R>(sum, totals);
  for (int r = 0; r < R; ++r, out += stride) {
    const float* const total = totals + r * 4;
    if (columns < 4) {
      for (int c = 0; c < columns; ++c) out[c] = bias == nullptr ? total[c] : total[c] + bias[c];
    } else if (bias == nullptr) {
      memcpy(out, total, 4 * sizeof(float));
    } else {
      ATTNSCOPE_UNROLL for (int c = 0; c < 4; ++c) out[c] = total[c] + bias[c];
    }
  }
}

/// Null if there is none.
template <class Job>
ATTNSCOPE_INLINE const float* bias_at(const Job& job, int column) {
  return job.bias == nullptr ? nullptr : job.bias + column;
}

/// The rows of a tile; missing ones repeat the last and are not stored.
template <int Count>
struct TileRows {
  const float* at[Count];
  TileRows(const Rows& rows, int first, int count) {
    for (int i = 0; i < Count; ++i) at[i] = rows.data + (first + (i < count ? i : count - 1)) * rows.stride;
  }
};

/// Numbers [first, last) of the depth, whole vectors except the last. Between two parts of the depth sums are
/// kept as vectors: a sum has the same bits however the depth is cut.
struct Depth {
  int first, last;
};
/// InParts: the depth is cut into parts.
template <int R, bool InParts>
ATTNSCOPE_INLINE void product_tile(const ProductJob& job, int row, int column, const Depth& depth,
                                   float* waiting) {
  const int columns = job.columns - column < product_columns ? job.columns - column : product_columns;
  const TileRows<R> x(job.x, row, R);
  const TileRows<product_columns> w(job.weights, column, columns);
  Vec sum[R][product_columns] = {};
  if (InParts && depth.first > 0) {
    ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) ATTNSCOPE_UNROLL for (int c = 0; c < product_columns; ++c)
        sum[r][c] = load(waiting + (r * product_columns + c) * W);
  }
  int k = depth.first;
  for (; k + W <= depth.last; k += W) {
    Vec b[product_columns];
    ATTNSCOPE_UNROLL for (int c = 0; c < product_columns; ++c) b[c] = load_loose(w.at[c] + k);
    ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) {
      const Vec a = load_loose(x.at[r] + k);
      ATTNSCOPE_UNROLL for (int c = 0; c < product_columns; ++c) sum[r][c] = multiply_add(a, b[c], sum[r][c]);
    }
  }
  if (InParts && depth.last < job.depth) {
    ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) ATTNSCOPE_UNROLL for (int c = 0; c < product_columns; ++c)
        store(waiting + (r * product_columns + c) * W, sum[r][c]);
    return;
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
  write_sums<R>(sum, bias_at(job, column), columns, job.out + row * job.out_stride + column, job.out_stride);
}

/// R rows times columns [first, last), at most column_strip, so that the rows stay in the L1 cache.
template <int R>
ATTNSCOPE_INLINE void product_rows_near(const ProductJob& job, int row, int first, int last) {
  alignas(4 * W) float waiting[column_strip / product_columns][R * product_columns * W];
  const int parts = (job.depth + near_depth - 1) / near_depth,
            part = (job.depth / (parts > 0 ? parts : 1) + W - 1) / W * W;
  Depth depth{0, 0};
  do {
    depth.first = depth.last;
    depth.last = job.depth - depth.first <= part + W ? job.depth : depth.first + part;
    for (int column = first; column < last; column += product_columns)
      product_tile<R, true>(job, row, column, depth, waiting[(column - first) / product_columns]);
  } while (depth.last < job.depth);
}

/// All of few rows times the columns of a tile, which are read once.
static void multiply_few(const ProductJob& job) {
  const Depth whole{0, job.depth};
  for (int column = 0; column < job.columns; column += product_columns) {
    int row = 0;
    for (; row + product_rows <= job.rows; row += product_rows)
      product_tile<product_rows, false>(job, row, column, whole, nullptr);
    for (; row < job.rows; ++row) product_tile<1, false>(job, row, column, whole, nullptr);
  }
}

static void multiply_weights(const ProductJob& job) {
  if (job.rows < 2 * product_rows) return multiply_few(job);
  for (int first = 0; first < job.columns; first += column_strip) {
    const int last = job.columns - first < column_strip ? job.columns : first + column_strip;
    int row = 0;
    for (; row + product_rows <= job.rows; row += product_rows)
      product_rows_near<product_rows>(job, row, first, last);
    for (; row + 2 <= job.rows; row += 2) product_rows_near<2>(job, row, first, last);
    if (row < job.rows) product_rows_near<1>(job, row, first, last);
  }
}

// With lanes as columns: a block of the depth is summed in registers, then added to the sum of earlier
// blocks, so that rounding errors grow with the number of blocks, not with the depth.
constexpr int column_rows = W == 16 ? 8 : 4;
constexpr int column_vectors = 3;
static_assert(column_vectors * W <= column_strip);
static_assert(column_rows <= few_beside);

/// Prefetches weights of the next block into the L2 cache, some with every tile of this one.
class BlockAhead {
 public:
  /// `tiles`: the number of fetch() calls to come.
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

/// Where a strip's weights are read.
enum class From {
  Far,     // in place
  Gather,  // in place, and copied to the buffer
  Room,
};

/// Columns [column, column + V·W), of which the first `width` exist; numbers [first, last) of the depth.
/// `weights`: the first of them, and the stride of rows.
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

/// Calls fn(column, width) for each strip of column_vectors vectors, and for a single vector if fewer are
/// left.
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

/// How many rows of weights are read together, and how many such groups ahead to prefetch: the rows lie in
/// different pages, which hardware prefetchers do not cross.
constexpr int beside_rows = 8, beside_ahead = 1;

/// Adds numbers [k, k + K) of the depth to the sums of all rows of x.
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

/// Few rows of x, with the sums of all columns in the buffer: each row of weights is read contiguously.
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

/// All columns of a block of the depth, then of the next one.
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
