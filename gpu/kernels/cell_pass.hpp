// gpu/kernels: the exact numbers of a rectangle of one head, a block for each 64 x 64 of them: what is in
// view, however long the sequence is.
#pragma once

#include "gpu/kernels/rule.hpp"

namespace attnscope::gpu {

template <class Units>
struct CellKernel {
  using Pass = CellPass;
  using Scores = typename Units::Scores;
  static constexpr bool needs_matrix_units = Units::needs_matrix_units;
  static constexpr int resident = Units::resident;
  static constexpr int threads = Units::threads;
  static constexpr std::uint32_t shared_bytes = Units::ColumnWalk::shared_bytes;

  template <class Ctx>
  ATTNSCOPE_THREAD static float shown(Ctx& cx, const CellPass& p, int row, int key, float x) {
    const int head = p.in.first_head;
    if (p.kind == CellKind::Scaled) return x * p.in.rule.scale;
    const std::int64_t query = query_of(p.in, row);
    const Interval seen = interval_of(p.in, head, query);
    if (p.kind == CellKind::Masked) return marked<false>(cx, p.in, head, query, seen, key, x);
    // Row states are of what pass 1 made of the products.
    x = changes_scores(p.in.rule) ? marked<false>(cx, p.in, head, query, seen, key, x)
                                  : marked<true>(cx, p.in, head, query, seen, key, x);
    const RowState state = p.rows[row];
    return x == minus_infinity ? 0 : cx.exp2(cx.fma(x, p.in.rule.exponent, -state.shift)) / state.sum;
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const CellPass& p) {
    using Number = typename Units::Number;
    const int width = p.last_key - p.first_key, across = (width + tile - 1) / tile;
    const int first_row = cx.block() / across * tile, first_key = p.first_key + cx.block() % across * tile;
    const int head = p.in.first_head, key_head = head / p.in.heads_per_key - p.in.key_from;
    const std::int64_t key = static_cast<std::int64_t>(key_head) * p.in.keys + first_key;
    const std::int64_t query =
        static_cast<std::int64_t>(head - p.in.query_from) * p.in.queries + query_of(p.in, first_row);

    typename Units::ColumnWalk walk{};
    walk.query = static_cast<const Number*>(p.in.query) + query * Units::d;
    walk.apart = p.in.step * Units::d;
    walk.count = p.in.rows - first_row;
    walk.last = 1;
    walk.open(cx, static_cast<const Number*>(p.in.key) + key * Units::d, p.last_key - first_key, 0);
    Scores s;
    walk.scores(cx, 0, s);
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r)
        ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c) {
      const int row = first_row + Units::row(cx.thread(), r), at = first_key + Units::column(cx.thread(), c);
      if (row < p.in.rows && at < p.last_key)
        p.cells[static_cast<std::int64_t>(row) * width + at - p.first_key] =
            shown(cx, p, row, at, s.at(r, c));
    }
    walk.close(cx);
  }
};

}  // namespace attnscope::gpu
