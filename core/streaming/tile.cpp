#include "core/streaming/tile.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/scratch_pool.hpp"
#include "core/streaming/drive.hpp"
#include "core/streaming/requests.hpp"

namespace attnscope {

namespace {

/// The index in the sweep of a query of head `head`; -1 if the sweep does not have it.
std::int64_t place_of(const Sweep& known, std::int64_t head, std::int64_t query) {
  const Shape& shape = known.log_sum_exp.shape();
  if (known.rounded) return -1;
  const std::int64_t from = query - known.rows.begin;
  if (shape.rank() != 2 || head < known.first_head || head >= known.first_head + shape[0]) return -1;
  if (from < 0 || query >= known.rows.end || from % known.rows.step != 0) return -1;
  return (head - known.first_head) * shape[1] + from / known.rows.step;
}

/// Log-sum-exp of the tile's rows: from `known`, or swept if one of them is missing there.
std::vector<double> log_sum_exps(const AttentionProblem& p, const TileRequest& request, const Sweep* known,
                                 const Work& work, const streaming::Kernels& kernels) {
  std::vector<double> found;
  for (std::int64_t query = request.rows.begin; known != nullptr && query < request.rows.end;
       query += request.rows.step) {
    const std::int64_t place = place_of(*known, request.head, query);
    if (place < 0) break;
    found.push_back(known->log_sum_exp.data()[place]);
  }
  if (static_cast<std::int64_t>(found.size()) == count_rows(request.rows, p.queries)) return found;
  SweepRequest rows;
  rows.output = false;
  rows.first_head = request.head;
  rows.last_head = request.head + 1;
  rows.rows = request.rows;
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

/// Computes cells of a rectangle, 64 x 64 at a time.
class CellMaker {
 public:
  CellMaker(const AttentionProblem& p, const TileRequest& asked, const Sweep* known, const Work& work,
            const streaming::Kernels* kernels)
      : p_(p), kernels_(streaming::chosen(kernels)), request_(streaming::checked(p, asked)) {
    if (request_.kind != TileKind::Weights) return;
    for (const double log_sum_exp : log_sum_exps(p, request_, known, work, kernels_))
      shifts_.push_back(streaming::shift_of(log_sum_exp, p.temperature));
  }

  std::int64_t rows() const { return count_rows(request_.rows, p_.queries); }
  std::int64_t keys() const { return request_.last_key - request_.first_key; }
  std::int64_t scratch() const { return kernels_.cell_scratch(static_cast<int>(p_.d_k)); }
  /// A rough estimate of the time for `rows` rows.
  double nanoseconds(std::int64_t rows) const {
    return static_cast<double>(rows * keys()) * streaming::cell_nanoseconds(p_, kernels_) / 2;
  }

  /// Computes rows from `row` on, as many as a kernel takes, for all keys. For each block, place(key) gets
  /// its first key relative to the rectangle and returns where its cells go; done(key, rows, keys) is called
  /// when they are computed.
  template <class Place, class Done>
  void make(std::int64_t row, float* scratch, std::int64_t stride, Place&& place, Done&& done) const {
    const int count = static_cast<int>(std::min<std::int64_t>(streaming::cell_rows, rows() - row));
    const streaming::RowPiece piece{request_.head, request_.rows.begin + row * request_.rows.step,
                                    request_.rows.step, count};
    const streaming::PieceRule rule(p_, piece);
    std::array<float, streaming::cell_rows> shift{}, factor{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(count) && !shifts_.empty(); ++i) {
      shift[i] = shifts_[static_cast<std::size_t>(row) + i].shift;
      factor[i] = shifts_[static_cast<std::size_t>(row) + i].factor;
    }
    streaming::CellJob job{};
    job.query = streaming::query_rows(p_, piece);
    job.key = streaming::key_rows(p_, request_.head);
    job.rows = count;
    job.d_k = static_cast<int>(p_.d_k);
    job.rule = rule.rule;
    job.kind = kernel_kind(request_.kind);
    job.shift = shift.data();
    job.factor = factor.data();
    job.cell_stride = stride;
    job.scratch = scratch;
    for (std::int64_t key = 0; key < keys(); key += streaming::cell_keys) {
      const std::int64_t last = std::min<std::int64_t>(keys(), key + streaming::cell_keys);
      job.first_key = static_cast<int>(request_.first_key + key);
      job.last_key = static_cast<int>(request_.first_key + last);
      job.cells = place(key);
      kernels_.cells(job);
      done(key, count, last - key);
    }
  }

 private:
  const AttentionProblem& p_;
  const streaming::Kernels& kernels_;
  TileRequest request_;
  std::vector<streaming::Shift> shifts_;
};

float most_of(float most, float x) { return x > most || x != x ? x : most; }

/// Pools blocks of weights to larger cells.
class CellPool {
 public:
  CellPool(PooledTile& made, const PooledCells& cells, std::int64_t rows, std::int64_t keys)
      : made_(made), cells_(cells), rows_(rows), keys_(keys), columns_(made.mean.shape()[1]) {}

  /// Adds `block` [rows][cell_keys], whose first weight is at `row` and `key`: first down the columns, which
  /// is vector code, then across.
  void add(const float* block, std::int64_t row, std::int64_t key, std::int64_t rows, std::int64_t keys) {
    for (std::int64_t from = 0; from < rows;) {
      const std::int64_t down = (row + from) / cells_.rows_per_cell,
                         to = std::min(rows, (down + 1) * cells_.rows_per_cell - row);
      std::array<float, streaming::cell_keys> sum{}, most{};
      for (; from < to; ++from) {
        const float* const weights = block + from * streaming::cell_keys;
        for (std::size_t j = 0; j < sum.size(); ++j) {
          sum[j] += weights[j];
          most[j] = most_of(most[j], weights[j]);
        }
      }
      for (std::int64_t j = 0; j < keys; ++j) {
        const std::int64_t at = down * columns_ + (key + j) / cells_.keys_per_cell;
        float& max = made_.max.data()[at];
        made_.mean.data()[at] += sum[static_cast<std::size_t>(j)];
        max = most_of(max, most[static_cast<std::size_t>(j)]);
      }
    }
  }

  /// Turns the sums of one row of cells into means over the existing weights.
  void finish(std::int64_t down) {
    const std::int64_t tall = std::min(cells_.rows_per_cell, rows_ - down * cells_.rows_per_cell);
    for (std::int64_t across = 0; across < columns_; ++across) {
      const std::int64_t wide = std::min(cells_.keys_per_cell, keys_ - across * cells_.keys_per_cell);
      made_.mean.data()[down * columns_ + across] /= static_cast<float>(tall * wide);
    }
  }

 private:
  PooledTile& made_;
  const PooledCells& cells_;
  std::int64_t rows_, keys_, columns_;
};

}  // namespace

Tensor tile(const AttentionProblem& problem, const TileRequest& asked, const Sweep* known, const Work& work,
            const streaming::Kernels* kernels) {
  const CellMaker maker(problem, asked, known, work, kernels);
  const std::int64_t keys = maker.keys();
  Tensor result(Shape{maker.rows(), keys});
  ScratchPool scratch(maker.scratch());
  constexpr std::int64_t tall = streaming::cell_rows;
  work.for_each((maker.rows() + tall - 1) / tall, maker.nanoseconds(tall), [&](std::int64_t block) {
    const ScratchLease lease(scratch);
    float* const first = result.data() + block * tall * keys;
    maker.make(
        block * tall, lease.data(), keys, [&](std::int64_t key) { return first + key; },
        [](std::int64_t, std::int64_t, std::int64_t) {});
  });
  return result;
}

PooledTile pooled_tile(const AttentionProblem& problem, const TileRequest& asked, const PooledCells& cells,
                       const Sweep* known, const Work& work, const streaming::Kernels* kernels) {
  streaming::check_pooled(asked, cells);
  const CellMaker maker(problem, asked, known, work, kernels);
  const std::int64_t rows = maker.rows(), keys = maker.keys();
  const std::int64_t height = (rows + cells.rows_per_cell - 1) / cells.rows_per_cell;
  PooledTile made;
  made.mean = Tensor(Shape{height, (keys + cells.keys_per_cell - 1) / cells.keys_per_cell});
  made.max = made.mean;
  CellPool pool(made, cells, rows, keys);
  // Each piece of work has whole rows of cells, so that no two pieces write the same ones.
  constexpr std::int64_t tall = streaming::cell_rows, block_floats = tall * streaming::cell_keys;
  const std::int64_t span = std::max(tall, cells.rows_per_cell);
  ScratchPool scratch(block_floats + maker.scratch());
  work.for_each((rows + span - 1) / span, maker.nanoseconds(span), [&](std::int64_t piece) {
    const ScratchLease lease(scratch);
    float* const block = lease.data();
    std::fill_n(block, block_floats, 0.f);  // all of a narrow block is added, too
    const std::int64_t last = std::min(rows, (piece + 1) * span);
    for (std::int64_t row = piece * span; row < last && !work.stop.stop_requested(); row += tall) {
      maker.make(
          row, block + block_floats, streaming::cell_keys, [&](std::int64_t) { return block; },
          [&](std::int64_t key, std::int64_t count, std::int64_t wide) {
            pool.add(block, row, key, count, wide);
          });
    }
    for (std::int64_t down = piece * span / cells.rows_per_cell; down * cells.rows_per_cell < last; ++down)
      pool.finish(down);
  });
  if (work.stop.stop_requested()) throw Cancelled();  // a cancelled piece has missing rows
  return made;
}

}  // namespace attnscope
