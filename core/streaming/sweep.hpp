// core/streaming: one pass over Q, K and V that computes everything about long sequences whose size does not
// grow with queries times keys: output, log-sum-exp, entropy, the strongest key, attention received and a
// pooled picture. Memory beyond these and the inputs stays below 4 MB a thread at any length.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
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

/// Every computed row is exact; a step above 1 skips rows, so that a picture can be refined from coarse to
/// fine.
struct RowRange {
  std::int64_t begin = 0, end = -1, step = 1;  // begin, begin + step, … below end; end = -1: all queries
  bool operator==(const RowRange&) const = default;
};

/// The size of the picture's cells in computed rows and keys, powers of two. At most 4096 cells in a row of
/// the picture.
struct PooledCells {
  std::int64_t rows_per_cell = 1, keys_per_cell = 1;
  bool operator==(const PooledCells&) const = default;
};
inline constexpr std::int64_t most_picture_columns = 4096;
/// The side of the smallest cells that make at most `most` cells of so many rows or keys.
inline std::int64_t cell_side(std::int64_t length, std::int64_t most) {
  const std::int64_t least = std::max<std::int64_t>(1, (length + most - 1) / most);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least)));
}

/// Log-sum-exp, entropy and the largest weight of each row are always computed.
struct SweepRequest {
  bool output = true;
  bool received = false;   // a second pass over Q and K
  bool strongest = false;  // the key of each row's largest weight
  std::optional<PooledCells> picture = {};
  std::int64_t first_head = 0, last_head = -1;  // heads [first, last); -1 = all
  RowRange rows = {};
  bool operator==(const SweepRequest&) const = default;
};

/// H = heads of the request, R = its rows. A row without any key has zeros, entropy 0, log-sum-exp -inf,
/// strongest key -1. A NaN or +inf among the scores of a row makes its numbers and its cells NaN, as the
/// formula does, and no others.
struct Sweep {
  std::int64_t first_head = 0;
  RowRange rows;                 // with the end filled in
  bool rounded = false;          // products were of bfloat16: row statistics are those of the rounded scores
  Tensor output;                 // [H][R][d_v], or empty
  TensorOf<double> log_sum_exp;  // [H][R] ln Σ e^(masked / temperature), with the sink; double, since
                                 // weights are computed from it
  Tensor entropy;                // [H][R] nats, centred form H = ln l - u/l, without the sink
  Tensor largest;                // [H][R] largest weight
  std::vector<std::int32_t> strongest;  // [H][R] first key with the largest weight; or empty
  Tensor received;                      // [H][keys] sums of weights over the request's real rows; or empty
  std::optional<PooledCells> picture = {};
  /// [H][ceil(R / rows_per_cell)][ceil(keys / keys_per_cell)]: means and maxima over the existing cells;
  /// hidden keys count as 0. Weights below 2^-100 of their row's largest count as that much.
  Tensor mean, max;
  /// The picture of largest weights.
  const Tensor& largest_cells() const { return max.size() == 0 ? mean : max; }
};

/// Partial sums of the last row of cells of every head until it is full, so that later rows can be added
/// without sweeping the earlier ones again.
class KeptCellRows {
 public:
  /// The number of rows that are kept.
  std::int64_t rows() const { return rows_; }
  /// Keeps only the first `rows` rows.
  void keep(std::int64_t rows) { rows_ = rows < rows_ ? rows : rows_; }
  /// Allocates memory for these cells unless there is some already; then forgets the kept rows. `most_keys`:
  /// of any row to come.
  void make_room(std::int64_t heads, const PooledCells&, std::int64_t most_keys);
  /// A head's sums in the kernels' form.
  streaming::KeptCells head(std::int64_t);
  /// Stores the head's key range after a kernel added rows.
  void set_reach(std::int64_t head, const streaming::KeptCells& after);
  /// Counts rows that were added to every head.
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

/// The progress of a sweep, readable from any thread.
struct SweepProgress {
  std::atomic<std::int64_t> done{0};   // rows (and, for attention received, keys) finished
  std::atomic<std::int64_t> total{0};  // rows and keys in total
  double share() const {
    const std::int64_t all = total.load();
    return all == 0 ? 0 : static_cast<double>(done.load()) / static_cast<double>(all);
  }
};

/// Rows of a range over `queries` queries.
std::int64_t count_rows(const RowRange&, std::int64_t queries);

/// Throws Error (a problem or request that does not fit) or, within milliseconds of a stop, Cancelled. The
/// results do not depend on the number of threads. `kernels`: null = the fastest for this machine.
Sweep sweep(const AttentionProblem&, const SweepRequest&, const Work&, SweepProgress* progress = nullptr,
            const streaming::Kernels* kernels = nullptr);

/// The same into a used Sweep, whose memory is reused if it fits: new pages for pictures cost a tenth of the
/// time, and freeing those of a long output takes longer than a stop may. After an exception the contents of
/// `result` are unspecified, but its memory is kept.
void sweep_into(Sweep& result, const AttentionProblem&, const SweepRequest&, const Work&,
                SweepProgress* progress = nullptr, const streaming::Kernels* kernels = nullptr);

/// The most rows that can be added at once to cells of this size; 0 if they have to be swept together.
std::int64_t most_following(const PooledCells&, const streaming::Kernels* kernels = nullptr);

/// Sweeps all heads for rows that follow those in `kept`: at most most_following(), and as many as their row
/// of cells has room for. The picture is that one row of cells, with the bits of sweeping all its rows at
/// once; everything else is of the request's rows. `kept` must have room for the problem, and keeps these
/// rows too; after an exception it is unchanged. The request needs a picture and a step of 1.
void sweep_following(Sweep& result, const AttentionProblem&, const SweepRequest&, KeptCellRows& kept,
                     const Work&, const streaming::Kernels* kernels = nullptr);

}  // namespace attnscope
