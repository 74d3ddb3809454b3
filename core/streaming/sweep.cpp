#include "core/streaming/sweep.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/scratch_pool.hpp"
#include "core/streaming/drive.hpp"
#include "core/streaming/requests.hpp"

namespace attnscope {

using streaming::Kernels;

std::int64_t count_rows(const RowRange& rows, std::int64_t queries) {
  const std::int64_t end = rows.end < 0 ? queries : rows.end;
  return (end - rows.begin + rows.step - 1) / rows.step;
}

namespace {

std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

class SweepRun {
 public:
  SweepRun(const AttentionProblem& p, const SweepRequest& request, const Work& work, const Kernels& kernels,
           Sweep& result, KeptCellRows* kept = nullptr)
      : p_(p),
        request_(streaming::checked(p, request)),
        work_(work),
        kernels_(kernels),
        kept_(kept),
        result_(result) {
    heads_ = request_.last_head - request_.first_head;
    rows_ = count_rows(request_.rows, p.queries);
  }

  void run(SweepProgress* progress) {
    progress_ = progress;
    make_room();
    if (progress_ != nullptr) {
      progress_->done = 0;
      progress_->total = heads_ * (rows_ + (request_.received ? p_.keys : 0));
    }
    receives_by_rows_ = request_.received && by_rows() && rows_ * score_stride() <= most_scores;
    if (receives_by_rows_) std::fill_n(result_.received.data(), result_.received.size(), 0.0f);
    sweep_rows();
    if (request_.received && !receives_by_rows_) receive();
    if (kept_ != nullptr) kept_->add_rows(rows_);
  }

 private:
  /// Allocates the result's tensors; those of an earlier sweep with the right shape are reused.
  void make_room() {
    result_.first_head = request_.first_head;
    result_.rows = request_.rows;
    result_.rounded = false;
    result_.picture = request_.picture;
    const auto room = [](auto& tensor, bool wanted, const Shape& shape) {
      using Made = std::remove_reference_t<decltype(tensor)>;
      if (!wanted)
        tensor = Made();
      else if (tensor.shape() != shape)
        tensor = Made(shape);
    };
    room(result_.log_sum_exp, true, Shape{heads_, rows_});
    room(result_.entropy, true, Shape{heads_, rows_});
    room(result_.largest, true, Shape{heads_, rows_});
    room(result_.output, request_.output, Shape{heads_, rows_, p_.d_v});
    room(result_.received, request_.received, Shape{heads_, p_.keys});
    result_.strongest.resize(request_.strongest ? static_cast<std::size_t>(heads_ * rows_) : 0);
    if (request_.picture) {
      cell_rows_ = up(rows_, request_.picture->rows_per_cell);
      columns_ = up(p_.keys, request_.picture->keys_per_cell);
    }
    room(result_.mean, request_.picture.has_value(), Shape{heads_, cell_rows_, columns_});
    room(result_.max, request_.picture && !single_weights(), Shape{heads_, cell_rows_, columns_});
  }

  bool single_weights() const { return *request_.picture == PooledCells{1, 1}; }

  /// Whether the kernel sweeps all rows one by one.
  bool by_rows() const {
    streaming::SweepJob job{};
    job.rows = static_cast<int>(std::min<std::int64_t>(rows_, streaming::most_rows));
    std::int32_t strongest = 0;
    float cell = 0;
    if (request_.strongest) job.strongest = &strongest;
    if (request_.picture) {
      job.cell_mean = &cell;
      job.rows_per_cell = static_cast<int>(std::min<std::int64_t>(request_.picture->rows_per_cell, 1 << 30));
    }
    return streaming::takes_few_rows(job, kernels_.few_rows, kernels_.lanes);
  }

  /// The scores of few rows are kept until attention received is computed from them, so that keys are read
  /// once.
  static constexpr std::int64_t most_scores = 1 << 16;  // 256 KB
  std::int64_t score_stride() const { return up(p_.keys + kernels_.lanes, 16) * 16; }
  std::int64_t score_floats() const { return receives_by_rows_ ? rows_ * score_stride() : 0; }

  /// The kernel's scratch; the scores of few rows follow it.
  std::int64_t scratch_floats(int panels) const { return up(kernel_floats(panels), 16) * 16; }

  std::int64_t kernel_floats(int panels) const {
    const auto cell = request_.picture ? std::min<std::int64_t>(request_.picture->keys_per_cell, 1 << 30) : 0;
    return kernels_.sweep_scratch(panels, static_cast<int>(p_.d_k), static_cast<int>(p_.d_v),
                                  static_cast<int>(p_.keys), static_cast<int>(cell));
  }

  /// How many panels share a block of keys in the cache: as many as scratch and threads allow. Results do not
  /// depend on it.
  int choose_panels() const {
    constexpr std::int64_t most_floats = 1 << 18;  // 1 MB
    int panels = std::max(1, kernels_.tile_rows / kernels_.lanes);
    while (panels > 1 && (scratch_floats(panels) > most_floats ||
                          heads_ * up(rows_, panels * kernels_.lanes) < 3 * work_.threads()))
      panels /= 2;
    return panels;
  }

  void sweep_rows() {
    const int panels = choose_panels();
    const std::int64_t tile = static_cast<std::int64_t>(panels) * kernels_.lanes;
    // All rows of a cell go to one thread.
    const std::int64_t group = std::max(tile, request_.picture ? request_.picture->rows_per_cell : 1);
    const std::int64_t groups = up(rows_, group);
    const std::int64_t scores = scratch_floats(panels);
    ScratchPool scratch(scores + score_floats());
    const double nanoseconds = static_cast<double>(std::min(group, rows_)) * static_cast<double>(p_.keys) *
                               streaming::cell_nanoseconds(p_, kernels_);
    work_.for_each(heads_ * groups, nanoseconds, [&](std::int64_t item) {
      // With a causal mask the last rows see most keys, so the long pieces come first.
      const std::int64_t h = item / groups, first = (groups - 1 - item % groups) * group;
      const std::int64_t last = std::min(rows_, first + group);
      const ScratchLease lease(scratch);
      // Also clears cells that will be written: a sequential pass brings their lines into the cache before
      // the kernel's scattered writes.
      if (request_.picture) clear_cells(h, first, last);
      for (std::int64_t row = first; row < last; row += tile) {
        const int count = static_cast<int>(std::min(tile, last - row));
        if (!sweep_tile(h, row, count, lease.data(), lease.data() + scores)) return;
        if (progress_ != nullptr) progress_->done += count;
      }
      if (request_.picture && !single_weights()) finish_cells(h, first, last);
    });
    if (work_.stop.stop_requested()) throw Cancelled();
  }

  /// Sweeps rows [row, row + count) of the result.
  bool sweep_tile(std::int64_t h, std::int64_t row, int count, float* scratch, float* scores) {
    const streaming::RowPiece piece{request_.first_head + h, request_.rows.begin + row * request_.rows.step,
                                    request_.rows.step, count};
    const streaming::PieceRule rule(p_, piece);
    const std::int64_t at = h * rows_ + row;
    streaming::SweepJob job{};
    job.query = streaming::query_rows(p_, piece);
    job.key = streaming::key_rows(p_, piece.head);
    job.value = streaming::value_rows(p_, piece.head);
    job.rows = count;
    job.d_k = static_cast<int>(p_.d_k);
    job.d_v = static_cast<int>(p_.d_v);
    job.keys = static_cast<int>(p_.keys);
    job.rule = rule.rule;
    if (request_.output) job.output = result_.output.data() + at * p_.d_v;
    job.log_sum_exp = result_.log_sum_exp.data() + at;
    job.entropy = result_.entropy.data() + at;
    job.largest = result_.largest.data() + at;
    if (request_.strongest) job.strongest = result_.strongest.data() + at;
    if (request_.picture) {
      const std::int64_t cell = (h * cell_rows_ + row / request_.picture->rows_per_cell) * columns_;
      job.cell_mean = result_.mean.data() + cell;
      if (!single_weights()) job.cell_max = result_.max.data() + cell;
      job.cell_stride = columns_;
      job.rows_per_cell = static_cast<int>(request_.picture->rows_per_cell);
      job.keys_per_cell = static_cast<int>(request_.picture->keys_per_cell);
    }
    job.scratch = scratch;
    job.stop = {[](const void* self) { return static_cast<const std::stop_token*>(self)->stop_requested(); },
                &work_.stop};
    streaming::KeptCells kept{};
    if (kept_ != nullptr) job.kept = &(kept = kept_->head(h));
    if (receives_by_rows_) job.scores = scores, job.score_stride = score_stride();
    if (!kernels_.sweep(job)) return false;
    if (kept_ != nullptr) kept_->set_reach(h, kept);
    if (receives_by_rows_) receive_scores(h, job);
    return true;
  }

  /// Adds each key's attention received from the rows of a job, computed from its kept scores.
  void receive_scores(std::int64_t h, const streaming::SweepJob& swept) {
    std::array<float, streaming::cell_rows> shift{}, factor{};
    std::int32_t first = swept.keys, last = 0;
    const std::int64_t rows = received_rows();
    for (std::int64_t row = 0; row < rows; ++row) {
      const streaming::Shift made = streaming::shift_of(swept.log_sum_exp[row], p_.temperature);
      shift[static_cast<std::size_t>(row)] = made.shift;
      factor[static_cast<std::size_t>(row)] = made.factor;
      if (swept.rule.begin[row] >= swept.rule.end[row]) continue;
      first = std::min(first, swept.rule.begin[row]);
      last = std::max(last, swept.rule.end[row]);
    }
    if (first >= last) return;
    streaming::CellJob job{};
    job.rows = static_cast<int>(rows);
    job.first_key = first;
    job.last_key = last;
    job.rule = swept.rule;
    job.shift = shift.data();
    job.factor = factor.data();
    job.column = result_.received.data() + h * p_.keys + first;
    job.scores = swept.scores;
    job.score_stride = swept.score_stride;
    job.scratch = swept.scratch;
    kernels_.cells(job);
  }

  void clear_cells(std::int64_t h, std::int64_t first, std::int64_t last) {
    const std::int64_t height = request_.picture->rows_per_cell;
    const std::int64_t begin = (h * cell_rows_ + first / height) * columns_;
    const std::int64_t count = up(last - first, height) * columns_;
    std::fill_n(result_.mean.data() + begin, count, 0.0f);
    if (!single_weights()) std::fill_n(result_.max.data() + begin, count, 0.0f);
  }

  /// The kernels treat every cell as full; corrects the means of those at the borders.
  void finish_cells(std::int64_t h, std::int64_t first, std::int64_t last) {
    const std::int64_t height = request_.picture->rows_per_cell, width = request_.picture->keys_per_cell;
    const auto share = [](std::int64_t of_full, std::int64_t there) {
      return static_cast<float>(static_cast<double>(of_full) / static_cast<double>(there));
    };
    const float last_column = share(width, p_.keys - (columns_ - 1) * width);
    const std::int64_t before = kept_ == nullptr ? 0 : kept_->rows(), rows = before + rows_;
    for (std::int64_t row = first; row < last; row += height) {
      float* mean = result_.mean.data() + (h * cell_rows_ + row / height) * columns_;
      mean[columns_ - 1] *= last_column;
      if (row + height <= rows) continue;
      const float last_row = share(height, rows - row);
      for (std::int64_t c = 0; c < columns_; ++c) mean[c] *= last_row;
    }
  }

  /// The number of rows that are not padding.
  std::int64_t received_rows() const {
    const RowRange& range = request_.rows;
    const std::int64_t real = p_.real_queries < 0 ? p_.queries : p_.real_queries;
    return std::min(rows_, real <= range.begin ? 0 : up(real - range.begin, range.step));
  }

  /// Column sums of every head, from weights computed again from Q, K and the log-sum-exp.
  void receive() {
    const RowRange& range = request_.rows;
    const std::int64_t rows = received_rows();
    std::vector<float> shift(static_cast<std::size_t>(heads_ * rows)), factor(shift.size());
    for (std::int64_t i = 0; i < heads_ * rows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double log_sum_exp = result_.log_sum_exp.data()[i / rows * rows_ + i % rows];
      const streaming::Shift made = streaming::shift_of(log_sum_exp, p_.temperature);
      shift[at] = made.shift;
      factor[at] = made.factor;
    }
    std::fill_n(result_.received.data(), heads_ * p_.keys, 0.0f);
    ScratchPool scratch(kernels_.cell_scratch(static_cast<int>(p_.d_k)));
    const std::int64_t chunk = streaming::cell_keys, chunks = up(p_.keys, chunk);
    const double nanoseconds =
        static_cast<double>(chunk * rows) * streaming::cell_nanoseconds(p_, kernels_) / 2;
    work_.for_each(heads_ * chunks, nanoseconds, [&](std::int64_t item) {
      const ScratchLease lease(scratch);
      const std::int64_t h = item / chunks, first = item % chunks * chunk;
      streaming::CellJob job{};
      job.key = streaming::key_rows(p_, request_.first_head + h);
      job.d_k = static_cast<int>(p_.d_k);
      job.first_key = static_cast<int>(first);
      job.last_key = static_cast<int>(std::min(p_.keys, first + chunk));
      job.column = result_.received.data() + h * p_.keys + first;
      job.scratch = lease.data();
      for (std::int64_t row = 0; row < rows && !work_.stop.stop_requested(); row += streaming::cell_rows) {
        job.shift = shift.data() + h * rows + row;
        job.factor = factor.data() + h * rows + row;
        const int count = static_cast<int>(std::min<std::int64_t>(streaming::cell_rows, rows - row));
        receive_rows({request_.first_head + h, range.begin + row * range.step, range.step, count}, job);
      }
      if (progress_ != nullptr) progress_->done += job.last_key - job.first_key;
    });
    if (work_.stop.stop_requested()) throw Cancelled();
  }

  void receive_rows(const streaming::RowPiece& piece, streaming::CellJob& job) const {
    const streaming::PieceRule rule(p_, piece);
    bool any = false;
    for (int i = 0; i < piece.count; ++i)
      any |= rule.rule.begin[i] < job.last_key && rule.rule.end[i] > job.first_key;
    if (!any) return;
    job.rule = rule.rule;
    job.query = streaming::query_rows(p_, piece);
    job.rows = piece.count;
    kernels_.cells(job);
    job.transposed_ready = true;
  }

  const AttentionProblem& p_;
  SweepRequest request_;
  const Work& work_;
  SweepProgress* progress_ = nullptr;
  const Kernels& kernels_;
  KeptCellRows* kept_;
  std::int64_t heads_ = 0, rows_ = 0, cell_rows_ = 0, columns_ = 0;
  bool receives_by_rows_ = false;
  Sweep& result_;
};

}  // namespace

void KeptCellRows::make_room(std::int64_t heads, const PooledCells& cells, std::int64_t most_keys) {
  if (cells == cells_ && most_keys == most_keys_ && std::cmp_equal(heads, reach_.size())) return;
  const std::int64_t unit = std::min<std::int64_t>(cells.keys_per_cell, streaming::largest_unit);
  cells_ = cells;
  most_keys_ = most_keys;
  rows_ = 0;
  unit_stride_ = up(most_keys, unit);
  block_stride_ = up(most_keys, streaming::largest_unit);
  numbers_.assign(static_cast<std::size_t>(heads * cells.rows_per_cell * (2 * unit_stride_ + block_stride_)),
                  0.0f);
  reach_.assign(static_cast<std::size_t>(heads), {});
}

streaming::KeptCells KeptCellRows::head(std::int64_t h) {
  const std::int64_t height = cells_.rows_per_cell;
  float* const begin = numbers_.data() + h * height * (2 * unit_stride_ + block_stride_);
  const Reach& reach = reach_[static_cast<std::size_t>(h)];
  return {begin,
          begin + height * unit_stride_,
          begin + 2 * height * unit_stride_,
          unit_stride_,
          block_stride_,
          static_cast<int>(rows_),
          reach.low,
          reach.high};
}

void KeptCellRows::set_reach(std::int64_t head, const streaming::KeptCells& after) {
  reach_[static_cast<std::size_t>(head)] = {after.low, after.high};
}

std::int64_t most_following(const PooledCells& cells, const Kernels* kernels) {
  const Kernels& by = streaming::chosen(kernels);
  return cells.rows_per_cell > 1 && cells.rows_per_cell <= by.lanes ? by.few_rows : 0;
}

void sweep_following(Sweep& result, const AttentionProblem& problem, const SweepRequest& request,
                     KeptCellRows& kept, const Work& work, const Kernels* kernels) {
  SweepRun(problem, request, work, streaming::chosen(kernels), result, &kept).run(nullptr);
}

Sweep sweep(const AttentionProblem& problem, const SweepRequest& request, const Work& work,
            SweepProgress* progress, const Kernels* kernels) {
  Sweep result;
  sweep_into(result, problem, request, work, progress, kernels);
  return result;
}

void sweep_into(Sweep& result, const AttentionProblem& problem, const SweepRequest& request, const Work& work,
                SweepProgress* progress, const Kernels* kernels) {
  SweepRun(problem, request, work, streaming::chosen(kernels), result).run(progress);
}

}  // namespace attnscope
