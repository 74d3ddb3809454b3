// core/streaming/kernels: operands of a sweep's products as bfloat16 tiles for a matrix unit. With two parts
// a number x is hi + lo, both bfloat16, and a product is hi·hi + lo·hi + hi·lo: the missing term is 2^-16 of
// it, so that scores are accurate to about 2e-5 (64 normal dimensions) instead of 1e-2. An infinite query or
// key makes its scores NaN. Included by the kernels only, instead of operands.hpp.
#pragma once

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/products.hpp"
#include "core/streaming/kernels/tile_unit.hpp"

#ifndef ATTNSCOPE_KEY_BLOCK
#define ATTNSCOPE_KEY_BLOCK 192
#endif

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr int key_grain = tile_depth;
constexpr int tile_rows = 256;  // four panels share the cost of converting a block
constexpr bool rounds = ATTNSCOPE_BFLOAT_PARTS == 1;
constexpr int few_keys = 16;
constexpr int block_steps = ATTNSCOPE_KEY_BLOCK / tile_depth;
constexpr int block_tiles = ATTNSCOPE_KEY_BLOCK / 16;
static_assert(ATTNSCOPE_KEY_BLOCK % tile_depth == 0);

typedef int16_t Halves __attribute__((vector_size(2 * W), aligned(2), may_alias));

constexpr int steps_of(int depth) { return (depth + tile_depth - 1) / tile_depth; }
constexpr int tiles_of(int rows) { return (rows + 15) / 16; }

/// Keys as left tiles [16 keys][steps][part], values as left tiles [16 dimensions][steps][part], weights as
/// right tiles [steps][vector][part], and a buffer for the sums of one row of tiles.
struct Operands {
  uint16_t *keys, *values, *weights;
  float* sums;
};

constexpr int64_t operand_scratch(int d_k, int d_v) {
  const int64_t keys = int64_t{block_tiles} * steps_of(d_k);
  const int64_t values = int64_t{tiles_of(d_v)} * block_steps;
  return (keys + values + int64_t{block_steps} * NV) * parts * tile_floats + 16 * PW;
}
constexpr int64_t query_operand_scratch(int d_k) { return int64_t{steps_of(d_k)} * NV * parts * tile_floats; }

/// Rounds to the nearest bfloat16, ties to even; a number that would round to infinity is truncated instead,
/// and NaN stays NaN.
ATTNSCOPE_INLINE Vec bfloat_of(Vec x) {
  constexpr int32_t upper = static_cast<int32_t>(0xFFFF0000u), special = 0x7F800000;
  const IntVec bits = (IntVec)x;
  const IntVec rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & upper;
  const IntVec cut = (bits & upper) | (x != x ? all(0x00400000) : IntVec{});
  return (Vec)(((bits & special) == special) | ((rounded & special) == special) ? cut : rounded);
}

/// x as hi + lo.
struct Split {
  Vec part[2];
};
ATTNSCOPE_INLINE Split split_of(Vec x) {
  const Vec high = bfloat_of(x), rest = x - high;
  if constexpr (parts == 1) return {{high, Vec{}}};
  return {{high, bfloat_of(rest == rest ? rest : Vec{})}};
}

ATTNSCOPE_INLINE void store_halves(uint16_t* to, Vec bfloat) {
  *reinterpret_cast<Halves*>(to) = (Halves) __builtin_convertvector((IntVec)bfloat >> 16, Halves);
}

/// Converts `count` contiguous rows of numbers to left tiles; writes whole tiles.
static void turn_into_left(const Rows& rows, int count, int depth, uint16_t* out) {
  const int steps = steps_of(depth);
  for (int row = 0; row < tiles_of(count) * 16; ++row) {
    uint16_t* tile = out + int64_t{row / 16} * steps * parts * tile_halves + row % 16 * tile_depth;
    for (int d = 0; d < steps * tile_depth; d += W) {
      const Split x = split_of(row < count ? load_some(rows.data + row * rows.stride + d, depth - d) : Vec{});
      uint16_t* to = tile + d / tile_depth * parts * tile_halves + d % tile_depth;
      for (int part = 0; part < parts; ++part) store_halves(to + part * tile_halves, x.part[part]);
    }
  }
}

/// The same for the transpose: the tiles' rows are the columns, their depth is the rows. A row of tiles has
/// block_steps steps.
static void turn_into_left_transposed(const Rows& rows, int count, int columns, uint16_t* out) {
  for (int column = 0; column < columns; column += W) {
    uint16_t* tile = out + int64_t{column / 16} * block_steps * parts * tile_halves;
    for (int row = 0; row < steps_of(count) * tile_depth; row += W) {
      Vec r[W];
      for (int i = 0; i < W; ++i)
        r[i] = row + i < count ? load_some(rows.data + (row + i) * rows.stride + column, columns - column)
                               : Vec{};
      transpose(r);
      uint16_t* to = tile + row / tile_depth * parts * tile_halves + row % tile_depth;
      for (int i = 0; i < W; ++i) {
        const Split x = split_of(r[i]);
        for (int part = 0; part < parts; ++part)
          store_halves(to + part * tile_halves + i * tile_depth, x.part[part]);
      }
    }
  }
}

/// Converts a panel [depth][PW] to right tiles: rows 2i and 2i + 1 are the pairs of tile row i.
template <class MakePairs>
ATTNSCOPE_INLINE void turn_into_right(const float* panel, int depth, uint16_t* out, MakePairs make_pairs) {
  for (int step = 0; step < steps_of(depth); ++step) {
    for (int v = 0; v < NV; ++v, out += parts * tile_halves) {
      for (int pair = 0; pair < 16; ++pair) {
        const int row = step * tile_depth + 2 * pair;
        const Vec even = row < depth ? load(panel + row * PW + v * W) : Vec{};
        const Vec odd = row + 1 < depth ? load(panel + (row + 1) * PW + v * W) : Vec{};
        make_pairs(even, odd, out + pair * tile_depth);
      }
    }
  }
}

ATTNSCOPE_INLINE void store_pairs(Vec even, Vec odd, uint16_t* to) {
  const Split low = split_of(even), high = split_of(odd);
  for (int part = 0; part < parts; ++part) {
    const IntVec first = ((IntVec)low.part[part] >> 16) & 0xFFFF;
    store(reinterpret_cast<float*>(to + part * tile_halves), (Vec)(first | (IntVec)high.part[part]));
  }
}

/// Weights are finite after any rounding, so the processor's own instruction is used if there is one.
ATTNSCOPE_INLINE void store_weight_pairs(Vec even, Vec odd, uint16_t* to) {
#if defined(ATTNSCOPE_PAIR_PRODUCTS)
  store_pairs_at_once(even, odd, to);
#else
  store_pairs(even, odd, to);
#endif
}

/// C [rows][PW] from left tiles, whose rows are `tile_stride` numbers apart, and right tiles.
template <Keep keep, class Between = Nothing>
static void tile_product(const uint16_t* a, int64_t tile_stride, int rows, const uint16_t* b, int steps,
                         float* c, float* extra, float* sums, Between between = {}) {
  for (int m = 0; m < rows; m += 16, a += tile_stride) {
    between();
    multiply_tiles(a, b, steps, sums);
    const int count = rows - m < 16 ? rows - m : 16;
    for (int v = 0; v < NV; ++v) {
      float* to = c + m * PW + v * W;
      const float* sum = sums + v * W;
      if constexpr (keep == Keep::Accumulate) {
        const Vec shrink = load(extra + v * W);
        for (int i = 0; i < count; ++i) store(to + i * PW, load(to + i * PW) * shrink + load(sum + i * PW));
      } else {
        for (int i = 0; i < count; ++i) store(to + i * PW, load(sum + i * PW));
      }
      if constexpr (keep == Keep::StoreMax) {
        Vec most = load(extra + v * W);
        for (int i = 0; i < count; ++i) most = larger(most, load(sum + i * PW));
        store(extra + v * W, most);
      }
    }
  }
}

ATTNSCOPE_INLINE void prepare_queries(const float* query, int d_k, float* room) {
  turn_into_right(query, d_k, reinterpret_cast<uint16_t*>(room), &store_pairs);
}

static Operands prepare_block(const SweepJob& job, int first, int count, float* room) {
  const auto take = [&](int64_t tiles) {
    auto* taken = reinterpret_cast<uint16_t*>(room);
    room += tiles * parts * tile_floats;
    return taken;
  };
  Operands block{};
  block.keys = take(int64_t{block_tiles} * steps_of(job.d_k));
  block.values = take(int64_t{tiles_of(job.d_v)} * block_steps);
  block.weights = take(int64_t{block_steps} * NV);
  block.sums = room;
  turn_into_left({job.key.data + first * job.key.stride, job.key.stride}, count, job.d_k, block.keys);
  if (job.output != nullptr)
    turn_into_left_transposed({job.value.data + first * job.value.stride, job.value.stride}, count, job.d_v,
                              block.values);
  return block;
}

template <Keep keep, class Between>
ATTNSCOPE_INLINE void multiply_keys(const Operands& block, int skip, int count, const float*,
                                    const float* query_operand, int d_k, float* scores, float* extra,
                                    Between between) {
  const int steps = steps_of(d_k);
  const int64_t stride = int64_t{steps} * parts * tile_halves;
  tile_product<keep>(block.keys + skip / 16 * stride, stride, count,
                     reinterpret_cast<const uint16_t*>(query_operand), steps, scores, extra, block.sums,
                     between);
}

ATTNSCOPE_INLINE void multiply_values(const Operands& block, int skip, int count, const float* weights,
                                      int d_v, float* output, float* shrink) {
  turn_into_right(weights, count, block.weights, &store_weight_pairs);
  constexpr int64_t step = parts * tile_halves;
  tile_product<Keep::Accumulate>(block.values + skip / tile_depth * step, block_steps * step, d_v,
                                 block.weights, steps_of(count), output, shrink, block.sums);
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
