// core/streaming: one pass over Q, K and V that gives everything about long sequences that does not grow with
// queries times keys: output, log-sum-exp, entropy, the strongest key, attention received and a pooled
// picture. Memory beyond these and the inputs stays below 4 MB a thread at any length.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/streaming/problem.hpp"

namespace attnscope {

namespace streaming {  // core/streaming/kernels/kernels.hpp
struct KeptCells;
struct Kernels;
}  // namespace streaming

/// Every row that is shown is exact; a step above 1 leaves rows out, which is how a picture goes from coarse
/// to fine.
struct RowRange {
  std::int64_t begin = 0, end = -1, step = 1;  // begin, begin + step, … below end; end = -1: all queries
  bool operator==(const RowRange&) const = default;
};

/// Cells of the picture: so many shown rows by so many keys, powers of two. At most 4096 cells in a row of
/// the picture.
struct PooledCells {
  std::int64_t rows_per_cell = 1, keys_per_cell = 1;
  bool operator==(const PooledCells&) const = default;
};
inline constexpr std::int64_t most_picture_columns = 4096;

/// Log-sum-exp, entropy and the largest weight of each row come for nothing and are always there.
struct SweepRequest {
  bool output = true;
  bool received = false;   // a second pass over Q and K
  bool strongest = false;  // the key of each row's largest weight
  std::optional<PooledCells> picture = {};
  std::int64_t first_head = 0, last_head = -1;  // heads [first, last); -1 = all
  RowRange rows = {};
  bool operator==(const SweepRequest&) const = default;
};

/// H = heads of the request, R = its rows. A row without any key: zeros, entropy 0, log-sum-exp -inf,
/// strongest key -1. A NaN or +inf among the scores of a row makes its numbers and the cells it falls in NaN,
/// as the formula has it, and no other's.
struct Sweep {
  std::int64_t first_head = 0;
  RowRange rows;                 // with its end filled in
  bool rounded = false;          // products were of bfloat16: row statistics are those of the rounded numbers
  Tensor output;                 // [H][R][d_v], or empty
  TensorOf<double> log_sum_exp;  // [H][R] ln Σ e^(masked / temperature), a sink included; double, since
                                 // weights are made of it
  Tensor entropy;                // [H][R] nats, centred form H = ln l - u/l, of what goes to keys
  Tensor largest;                // [H][R] largest weight
  std::vector<std::int32_t> strongest;  // [H][R] first key that has it; or empty
  Tensor received;                      // [H][keys] sums of weights over the request's real rows; or empty
  std::optional<PooledCells> picture = {};
  /// [H][ceil(R / rows_per_cell)][ceil(keys / keys_per_cell)] over the cells that exist; hidden keys count as
  /// 0. Weights below 2^-100 of their row's largest count as that much.
  Tensor mean, max;
  /// The picture of largest weights.
  const Tensor& largest_cells() const { return max.size() == 0 ? mean : max; }
};

/// What a sweep keeps of the last row of cells of every head while it is not full, so that rows that follow
/// join it without the earlier ones being swept again.
class KeptCellRows {
 public:
  /// Rows that are kept; those that follow are behind them.
  std::int64_t rows() const { return rows_; }
  /// Forgets rows behind the first `rows`.
  void keep(std::int64_t rows) { rows_ = rows < rows_ ? rows : rows_; }
  /// Makes room where there is none of this kind, and forgets what it held then. `most_keys`: of any row that
  /// will follow.
  void make_room(std::int64_t heads, const PooledCells&, std::int64_t most_keys);
  /// What the kernels take of a head.
  streaming::KeptCells head(std::int64_t);
  /// A kernel added rows to it.
  void set_reach(std::int64_t head, const streaming::KeptCells& after);
  /// So many rows were added to every head.
  void add_rows(std::int64_t count) { rows_ += count; }

 private:
  struct Reach {
    std::int32_t low = 0, high = 0;
  };
  PooledCells cells_;
  std::int64_t most_keys_ = 0, rows_ = 0, unit_stride_ = 0, block_stride_ = 0;
  std::vector<float> numbers_;  // [heads][rows_per_cell · (2 · unit_stride + block_stride)]
  std::vector<Reach> reach_;    // [heads]
};

/// How far a sweep is, readable from any thread.
struct SweepProgress {
  std::atomic<std::int64_t> done{0};   // rows (and, for attention received, keys) finished
  std::atomic<std::int64_t> total{0};  // of how many
  double share() const {
    const std::int64_t all = total.load();
    return all == 0 ? 0 : static_cast<double>(done.load()) / static_cast<double>(all);
  }
};

/// Rows of a range over `queries` queries.
std::int64_t count_rows(const RowRange&, std::int64_t queries);

/// Throws Error (a problem or request that does not fit) or, within milliseconds of a stop, Cancelled. The
/// results do not depend on the number of threads. `kernels`: null = the fastest here.
Sweep sweep(const AttentionProblem&, const SweepRequest&, const Work&, SweepProgress* progress = nullptr,
            const streaming::Kernels* kernels = nullptr);

/// The same into a Sweep that was used before, whose memory serves again where it fits: fresh pages for
/// pictures cost a tenth of the time, and giving back those of a long output takes longer than a stop may.
/// After an exception `result` holds anything, but keeps its memory.
void sweep_into(Sweep& result, const AttentionProblem&, const SweepRequest&, const Work&,
                SweepProgress* progress = nullptr, const streaming::Kernels* kernels = nullptr);

/// So many rows at most can follow others in cells of this size: 0 where they have to be swept together.
std::int64_t most_following(const PooledCells&, const streaming::Kernels* kernels = nullptr);

/// A sweep of all heads for rows that follow those that `kept` holds, at most most_following() and as many as
/// their row of cells has room for. The picture is that one row of cells, with the bits of a sweep of all its
/// rows at once; everything else is of the request's rows. `kept` has room for the problem and keeps the rows
/// too; after an exception it holds what it held. The request has a picture and a step of 1.
void sweep_following(Sweep& result, const AttentionProblem&, const SweepRequest&, KeptCellRows& kept,
                     const Work&, const streaming::Kernels* kernels = nullptr);

}  // namespace attnscope
