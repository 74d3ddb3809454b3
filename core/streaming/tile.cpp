#include "core/streaming/tile.hpp"

#include <algorithm>

#include "core/streaming/drive.hpp"
#include "core/streaming/wishes.hpp"

namespace attnscope {

namespace {

/// Where row `first + i * step` of head `head` stands in the sweep; -1 when it is not there.
std::int64_t place_of(const Sweep& known, std::int64_t head, std::int64_t query) {
  const Shape& shape = known.log_sum_exp.shape();
  const std::int64_t from = query - known.rows.begin;
  if (shape.rank() != 2 || head < known.first_head || head >= known.first_head + shape[0]) return -1;
  if (from < 0 || query >= known.rows.end || from % known.rows.step != 0) return -1;
  return (head - known.first_head) * shape[1] + from / known.rows.step;
}

/// Log-sum-exp of the tile's rows: looked up, or swept when one of them is not known.
std::vector<double> log_sum_exps(const AttentionProblem& p, const TileWish& wish, const Sweep* known,
                                 const Work& work, const streaming::Kernels& kernels) {
  std::vector<double> found;
  for (std::int64_t query = wish.rows.begin; known != nullptr && query < wish.rows.end;
       query += wish.rows.step) {
    const std::int64_t place = place_of(*known, wish.head, query);
    if (place < 0) break;
    found.push_back(known->log_sum_exp.data()[place]);
  }
  if (static_cast<std::int64_t>(found.size()) == count_rows(wish.rows, p.queries)) return found;
  SweepWish rows;
  rows.output = false;
  rows.first_head = wish.head;
  rows.last_head = wish.head + 1;
  rows.rows = wish.rows;
  const Sweep swept = sweep(p, rows, work, nullptr, &kernels);
  return {swept.log_sum_exp.values().begin(), swept.log_sum_exp.values().end()};
}

streaming::CellKind kernel_kind(TileKind kind) {
  switch (kind) {
    case TileKind::Masked: return streaming::CellKind::Masked;
    case TileKind::Scaled: return streaming::CellKind::Scaled;
    case TileKind::Weights: break;
  }
  return streaming::CellKind::Weights;
}

/// Rows from `row` on, as many as a kernel takes, all keys of the tile.
void fill_rows(const AttentionProblem& p, const TileWish& wish, std::int64_t row,
               std::span<const streaming::Shift> shifts, const streaming::Kernels& kernels, float* scratch,
               Tensor& result) {
  const std::int64_t rows = result.shape()[0], keys = result.shape()[1];
  const int count = static_cast<int>(std::min<std::int64_t>(streaming::cell_rows, rows - row));
  const streaming::RowPiece piece{wish.head, wish.rows.begin + row * wish.rows.step, wish.rows.step, count};
  const streaming::PieceRule rule(p, piece);
  std::array<float, streaming::cell_rows> shift{}, factor{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(count) && !shifts.empty(); ++i) {
    shift[i] = shifts[static_cast<std::size_t>(row) + i].shift;
    factor[i] = shifts[static_cast<std::size_t>(row) + i].factor;
  }
  streaming::CellJob job{};
  job.query = streaming::query_rows(p, piece);
  job.key = streaming::key_rows(p, wish.head);
  job.rows = count;
  job.d_k = static_cast<int>(p.d_k);
  job.rule = rule.rule;
  job.kind = kernel_kind(wish.kind);
  job.shift = shift.data();
  job.factor = factor.data();
  job.cell_stride = keys;
  job.scratch = scratch;
  for (std::int64_t key = wish.first_key; key < wish.last_key; key += streaming::cell_keys) {
    job.first_key = static_cast<int>(key);
    job.last_key = static_cast<int>(std::min<std::int64_t>(wish.last_key, key + streaming::cell_keys));
    job.cells = result.data() + row * keys + (key - wish.first_key);
    kernels.cells(job);
  }
}

}  // namespace

Tensor tile(const AttentionProblem& problem, const TileWish& asked, const Sweep* known, const Work& work,
            const streaming::Kernels* kernels) {
  const streaming::Kernels& used = streaming::chosen(kernels);
  const TileWish wish = streaming::checked(problem, asked);
  std::vector<streaming::Shift> shifts;
  if (wish.kind == TileKind::Weights) {
    for (const double log_sum_exp : log_sum_exps(problem, wish, known, work, used))
      shifts.push_back(streaming::shift_of(log_sum_exp, problem.temperature));
  }
  const std::int64_t rows = count_rows(wish.rows, problem.queries), keys = wish.last_key - wish.first_key;
  Tensor result(Shape{rows, keys});
  streaming::ScratchPool scratch(used.cell_scratch(static_cast<int>(problem.d_k)));
  const std::int64_t blocks = (rows + streaming::cell_rows - 1) / streaming::cell_rows;
  const double nanoseconds = static_cast<double>(std::min<std::int64_t>(rows, streaming::cell_rows) * keys) *
                             streaming::cell_nanoseconds(problem, used) / 2;
  work.for_each(blocks, nanoseconds, [&](std::int64_t block) {
    const streaming::ScratchLease lease(scratch);
    fill_rows(problem, wish, block * streaming::cell_rows, shifts, used, lease.data(), result);
  });
  return result;
}

}  // namespace attnscope
