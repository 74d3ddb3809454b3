// gpu/kernels: what comes before and after the large passes, a number or a row for each thread: operands made
// ready, row states into what is shown, parts of pictures and column sums put together.
#pragma once

#include "gpu/kernels/context.hpp"
#include "gpu/kernels/passes.hpp"
#include "gpu/kernels/tiled.hpp"

namespace attnscope::gpu {

/// A kernel of one number for each thread. `Each` has `count(pass)` and `run(cx, pass, i)`.
template <class Each>
struct EachKernel {
  using Pass = typename Each::Pass;
  static constexpr bool needs_matrix_units = false;
  static constexpr int threads = 256, resident = 2;
  static constexpr std::uint32_t shared_bytes = 0;

  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return Each::count(p); }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p) {
    const std::int64_t apart = static_cast<std::int64_t>(cx.blocks()) * threads;
    for (std::int64_t i = static_cast<std::int64_t>(cx.block()) * threads + cx.thread(); i < Each::count(p);
         i += apart)
      Each::run(cx, p, i);
  }
};

struct PrepareEach {
  using Pass = PreparePass;
  /// Rows of a head as they are written.
  ATTNSCOPE_BOTH static std::int64_t rows(const Pass& p) { return p.tiles ? tiled_rows(p.rows) : p.rows; }
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return p.heads * rows(p) * p.padded; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p, std::int64_t i) {
    const std::int64_t size = rows(p) * p.padded, head = i / size, in_head = i % size;
    const TiledPlace at = p.tiles ? tiled_place(in_head, p.padded)
                                  : TiledPlace{in_head / p.padded, static_cast<int>(in_head % p.padded)};
    const float x =
        at.column < p.d && at.row < p.rows ? p.from[head * p.from_head + at.row * p.from_row + at.column] : 0;
    if (p.arithmetic == Arithmetic::Bfloat)
      static_cast<std::uint16_t*>(p.to)[i] = cx.bfloat(x);
    else
      static_cast<float*>(p.to)[i] = x;
  }
};

/// H = ln l - u / l in double: one row for each thread, so that it costs nothing.
struct RowEndEach {
  using Pass = RowEndPass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return p.count; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p, std::int64_t i) {
    constexpr double ln2 = 0.69314718055994530942;
    const RowState state = p.rows[i];
    const double sum = static_cast<double>(state.sum), log_sum = cx.log(sum);
    const bool empty = state.sum == 0;
    const double entropy = log_sum - ln2 * static_cast<double>(state.moment) / sum;
    // The shift is rounded: the largest weight is not quite 1 / sum.
    const double above =
        static_cast<double>(state.most) * static_cast<double>(p.exponent) - static_cast<double>(state.shift);
    p.log_sum_exp[i] =
        empty ? static_cast<double>(minus_infinity) : ln2 * static_cast<double>(state.shift) + log_sum;
    p.entropy[i] = empty || entropy < 0 ? 0 : static_cast<float>(entropy);
    p.largest[i] = empty ? 0 : static_cast<float>(cx.exp(ln2 * above) / sum);
    // A row of NaN has none either.
    if (p.strongest != nullptr && (empty || p.strongest[i] == no_key)) p.strongest[i] = -1;
  }
};

struct GatherEach {
  using Pass = GatherPass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) {
    return static_cast<std::int64_t>((p.rows + p.parts.rows_per_part - 1) / p.parts.rows_per_part) *
           p.parts.columns;
  }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx&, const Pass& p, std::int64_t i) {
    const int column = static_cast<int>(i % p.parts.columns), part = static_cast<int>(i / p.parts.columns);
    const int last_row = smaller_of(p.rows, (part + 1) * p.parts.rows_per_part);
    const std::int64_t first_key = static_cast<std::int64_t>(column) * p.parts.keys_per_cell;
    const std::int64_t last_key = smaller_of<std::int64_t>(p.keys, first_key + p.parts.keys_per_cell);
    float sum = 0, most = 0;
    for (int row = part * p.parts.rows_per_part; row < last_row; ++row) {
      const float* from = p.cells + static_cast<std::int64_t>(row) * p.keys;
      for (std::int64_t key = first_key; key < last_key; ++key) {
        sum += from[key];
        most = most_of(most, from[key]);
      }
    }
    p.parts.sum[i] = sum;
    p.parts.most[i] = most;
  }
};

struct FoldEach {
  using Pass = FoldPass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) {
    return static_cast<std::int64_t>(p.heads) * ((p.part_rows + p.merge - 1) / p.merge) * p.parts.columns;
  }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx&, const Pass& p, std::int64_t i) {
    const int height = (p.part_rows + p.merge - 1) / p.merge, columns = p.parts.columns;
    const int column = static_cast<int>(i % columns), row = static_cast<int>(i / columns % height);
    const std::int64_t head = i / columns / height;
    float sum = 0, most = 0;
    for (int part = row * p.merge; part < smaller_of(p.part_rows, (row + 1) * p.merge); ++part) {
      const std::int64_t at = (head * p.part_rows + part) * columns + column;
      sum += p.parts.sum[at];
      if (p.parts.most != nullptr) most = most_of(most, p.parts.most[at]);
    }
    const std::int64_t rows_per_cell = static_cast<std::int64_t>(p.parts.rows_per_part) * p.merge;
    const std::int64_t across = smaller_of<std::int64_t>(
        p.parts.keys_per_cell, p.keys - static_cast<std::int64_t>(column) * p.parts.keys_per_cell);
    const std::int64_t down = smaller_of<std::int64_t>(rows_per_cell, p.rows - row * rows_per_cell);
    p.mean[i] = sum / (static_cast<float>(across) * static_cast<float>(down));
    if (p.max != nullptr) p.max[i] = sum != sum ? sum : most;  // a NaN is seen in both pictures
  }
};

struct JoinEach {
  using Pass = JoinPass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return p.count; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx&, const Pass& p, std::int64_t i) {
    float sum = 0;
    for (int split = 0; split < p.splits; ++split) sum += p.parts[split * p.count + i];
    p.joined[i] = sum;
  }
};

}  // namespace attnscope::gpu
