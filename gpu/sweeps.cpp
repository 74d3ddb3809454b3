#include "gpu/sweeps.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/streaming/requests.hpp"
#include "gpu/head_operands.hpp"
#include "gpu/launching.hpp"

namespace attnscope::gpu {

namespace {

/// Small results side by side, so that they are copied in one piece.
class Packed {
 public:
  /// Reserves memory for this many T; its address is known after make().
  template <class T>
  std::size_t add(std::int64_t count) {
    const std::size_t at = size_;
    size_ += (static_cast<std::size_t>(count) * sizeof(T) + 15) / 16 * 16;
    return at;
  }
  void make(CardCopies& copies) { there_ = copies.room<unsigned char>(static_cast<std::int64_t>(size_)); }
  void bring(Device& device) {
    here_ = device.host_block(size_);
    device.fetch(here_.get(), there_.data(), size_);
  }
  template <class T>
  T* on_card(std::size_t at) const {
    return reinterpret_cast<T*>(there_.data() + at);
  }
  template <class T>
  const T* brought(std::size_t at) const {
    return reinterpret_cast<const T*>(static_cast<const unsigned char*>(here_.get()) + at);
  }
  template <class T>
  TensorOf<T> tensor(std::size_t at, const Shape& shape) const {
    return TensorOf<T>::of(shape, std::make_shared<const BlockValues<T>>(here_, brought<T>(at)));
  }

 private:
  std::size_t size_ = 0;
  DeviceArray<unsigned char> there_;
  HostBlock here_;
};

/// A sweep whose parts are computed one after the other on the card.
class CardSweep {
 public:
  CardSweep(Device& device, CardCopies& copies, const CardSettings& settings, const AttentionProblem& p,
            const SweepRequest& request, Units units, const std::stop_token& stop, SweepProgress* progress)
      : device_(device),
        settings_(settings),
        p_(p),
        request_(streaming::checked(p, request)),
        units_(units),
        heads_(request_.last_head - request_.first_head),
        rows_(count_rows(request_.rows, p.queries)),
        copies_(copies),
        head_operands_(copies, p, units, request.output, request_.first_head, heads_),
        interest_(device, stop),
        progress_(progress) {
    head_operands_.choose(request_.rows, rows_);
    const std::int64_t count = heads_ * rows_;
    states_ = copies.room<RowState>(count);
    log_sum_exp_ = small_.add<double>(count);
    entropy_ = small_.add<float>(count);
    largest_ = small_.add<float>(count);
    strongest_ = small_.add<std::int32_t>(request_.strongest ? count : 0);
    joined_ = small_.add<float>(request_.received ? heads_ * p.keys : 0);
    small_.make(copies);
    if (request_.output) output_ = copies.room<float>(count * p.d_v);
    if (request_.picture) make_parts();
  }

  Sweep run() {
    if (progress_ != nullptr) {
      progress_->done = 0;
      progress_->total = heads_ * (rows_ + (request_.received ? p_.keys : 0));
    }
    walk_rows();
    if (request_.received || has_narrow_cells()) walk_columns();
    Sweep made;
    made.first_head = request_.first_head;
    made.rows = request_.rows;
    made.rounded = units_.arithmetic == Arithmetic::Bfloat;
    made.picture = request_.picture;
    launch_each(device_, RowEndPass{states_.data(), heads_ * rows_, head_operands_.operands.rule.exponent,
                                    small_.on_card<double>(log_sum_exp_), small_.on_card<float>(entropy_),
                                    small_.on_card<float>(largest_), strongest()});
    if (request_.received)
      launch_each(device_, JoinPass{received_.data(), small_.on_card<float>(joined_),
                                    static_cast<int>(splits_), heads_ * p_.keys});
    PooledTile picture;
    if (request_.picture) picture = fold_picture();
    device_.wait();
    interest_.check();
    read(made);
    made.mean = std::move(picture.mean);
    made.max = std::move(picture.max);
    if (progress_ != nullptr) progress_->done = progress_->total.load();  // items need not share rows evenly
    return made;
  }

 private:
  bool has_narrow_cells() const { return request_.picture && request_.picture->keys_per_cell < tile; }
  bool has_single_weights() const { return request_.picture == PooledCells{1, 1}; }

  void make_parts() {
    const PooledCells& cell = *request_.picture;
    parts_.columns = static_cast<int>(up(p_.keys, cell.keys_per_cell));
    parts_.keys_per_cell = static_cast<int>(cell.keys_per_cell);
    parts_.rows_per_part = static_cast<int>(std::min<std::int64_t>(cell.rows_per_cell, tile));
    part_rows_ = up(rows_, static_cast<std::int64_t>(parts_.rows_per_part));
    const std::int64_t count = heads_ * part_rows_ * parts_.columns;
    part_sums_ = copies_.room<float>(count);
    if (!has_single_weights()) part_mosts_ = copies_.room<float>(count);
    parts_.sum = part_sums_.data();
    parts_.most = part_mosts_.data();
  }

  /// Launches items [0, items) some at a time; calls `done(items)` when they are done. Two launches are
  /// queued: the card continues with the second while the host notices the end of the first.
  template <class Pass, class Done>
  void launch_items(Pass pass, std::int64_t items, std::int64_t pairs_each, int resident, Done done) {
    // Whole rounds of the items that the card holds at once, since the last round of each launch would have
    // few.
    const std::int64_t rounds = settings_.pairs_at_once / std::max<std::int64_t>(1, pairs_each) / resident;
    const std::int64_t at_once = std::max<std::int64_t>(1, rounds) * resident;
    pass.stale = interest_.word();
    struct Launch {
      Mark end;
      std::int64_t items;
    };
    std::optional<Launch> before;
    const auto finish = [&](const std::optional<Launch>& launch) {
      if (!launch) return;
      device_.wait_for(launch->end);
      interest_.check();
      done(launch->items);
    };
    for (std::int64_t item = 0; item < items; item += at_once) {
      const std::int64_t last = std::min(items, item + at_once);
      pass.first_item = static_cast<int>(item);
      pass.last_item = static_cast<int>(last);
      interest_.check();
      device_.launch(pass, units_, static_cast<int>(std::min<std::int64_t>(resident, last - item)));
      const Launch now{device_.mark(), last - item};
      finish(before);
      before = now;
    }
    if (progress_ != nullptr) finish(before);
  }
  void progressed(std::int64_t rows) {
    if (progress_ != nullptr) progress_->done += rows;
  }

  void walk_rows() {
    RowPass pass{};
    pass.in = head_operands_.operands;
    pass.output = output_.data();
    pass.d_v = static_cast<int>(p_.d_v);
    pass.rows = states_.data();
    pass.strongest = strongest();
    pass.entropy = settings_.entropy;
    const int resident = device_.resident_blocks(pass, units_), row_block = row_block_of(pass, units_);
    DeviceArray<float> scratch;
    if (request_.picture && !has_narrow_cells()) {
      pass.parts = parts_;
      scratch = copies_.room<float>(static_cast<std::int64_t>(resident) * parts_.columns * 3 * row_block);
      pass.scratch = scratch.data();
    }
    const std::int64_t blocks = up<std::int64_t>(rows_, row_block);
    launch_items(pass, heads_ * blocks, row_block * p_.keys, resident,
                 [&](std::int64_t items) { progressed(items * rows_ / blocks); });
    device_.wait();  // before the scratch goes
  }

  void walk_columns() {
    ColumnPass pass{};
    pass.in = head_operands_.operands;
    pass.in.key = head_operands_.key_rows(units_);
    pass.in.value = nullptr;
    pass.rows = states_.data();
    const int resident = device_.resident_blocks(pass, units_), key_block = key_block_of(pass, units_);
    const std::int64_t blocks = up<std::int64_t>(p_.keys, key_block),
                       row_blocks = up<std::int64_t>(rows_, tile);
    splits_ = std::clamp<std::int64_t>(up<std::int64_t>(2 * resident, heads_ * blocks), 1,
                                       std::min<std::int64_t>(row_blocks, 16));
    pass.splits = static_cast<int>(splits_);
    pass.received_rows = static_cast<int>(rows_);
    if (request_.received) {
      received_ = copies_.room<float>(splits_ * heads_ * p_.keys);
      pass.received = received_.data();
      const std::int64_t real = p_.real_queries < 0 ? p_.queries : p_.real_queries,
                         from = request_.rows.begin;
      pass.received_rows =
          static_cast<int>(std::min(rows_, real <= from ? 0 : up(real - from, request_.rows.step)));
    }
    if (has_narrow_cells()) {
      pass.parts = parts_;
      device_.clear(part_sums_.data(), part_sums_.size() * sizeof(float));
      if (part_mosts_.size() != 0) device_.clear(part_mosts_.data(), part_mosts_.size() * sizeof(float));
    }
    launch_items(pass, heads_ * blocks * splits_, key_block * rows_ / splits_, resident,
                 [&](std::int64_t items) {
                   if (request_.received) progressed(items * p_.keys / (blocks * splits_));
                 });
  }

  /// Copies small results at once; output and pictures are copied when they are read.
  void read(Sweep& made) {
    const Shape shape{heads_, rows_};
    small_.bring(device_);
    made.log_sum_exp = small_.tensor<double>(log_sum_exp_, shape);
    made.entropy = small_.tensor<float>(entropy_, shape);
    made.largest = small_.tensor<float>(largest_, shape);
    if (request_.strongest) {
      const std::int32_t* const first = small_.brought<std::int32_t>(strongest_);
      made.strongest.assign(first, first + heads_ * rows_);
    }
    if (request_.received) made.received = small_.tensor<float>(joined_, {heads_, p_.keys});
    if (request_.output) made.output = copies_.made({heads_, rows_, p_.d_v}, std::move(output_));
  }

  PooledTile fold_picture() {
    const std::int64_t merge = request_.picture->rows_per_cell / parts_.rows_per_part;
    const FoldPass pass{parts_,
                        static_cast<int>(heads_),
                        static_cast<int>(part_rows_),
                        static_cast<int>(merge),
                        rows_,
                        p_.keys,
                        nullptr,
                        nullptr};
    return folded(device_, copies_, pass, {heads_, up(part_rows_, merge), parts_.columns},
                  std::move(part_sums_), std::move(part_mosts_));
  }

  std::int32_t* strongest() const {
    return request_.strongest ? small_.on_card<std::int32_t>(strongest_) : nullptr;
  }

  Device& device_;
  const CardSettings& settings_;
  const AttentionProblem& p_;
  SweepRequest request_;
  Units units_;
  std::int64_t heads_, rows_, part_rows_ = 0, splits_ = 1;
  CardCopies& copies_;
  HeadOperands head_operands_;
  Interest interest_;
  SweepProgress* progress_;
  DeviceArray<RowState> states_;
  Packed small_;
  std::size_t log_sum_exp_ = 0, entropy_ = 0, largest_ = 0, strongest_ = 0, joined_ = 0;  // in `small_`
  DeviceArray<float> output_, received_, part_sums_, part_mosts_;
  Parts parts_{};
};

}  // namespace

std::string CardSweeps::why_not(const AttentionProblem& p) const {
  constexpr std::int64_t most_rows = std::int64_t{1} << 30;
  if (padded_width(p.d_k, p.d_v) == 0)
    return fmt::format(
        "Queries of {} and values of {} numbers are wider than the 128 that the graphics card's kernels "
        "take.",
        p.d_k, p.d_v);
  if (!p.sinks.empty()) return "Learned sinks join the softmax on the CPU only.";
  if (p.queries > most_rows)
    return fmt::format("{} queries are more than the {} that the graphics card's kernels count.", p.queries,
                       most_rows);
  const Units units = units_for(p, arithmetic_of(p)), exact = units_for(p, Arithmetic::Float);
  if (!can_run(device_.facts(), RowPass{}, units) || !can_run(device_.facts(), ColumnPass{}, units) ||
      !can_run(device_.facts(), RowPass{}, exact) || !can_run(device_.facts(), CellPass{}, exact))
    return fmt::format("{} has {} KB of fast memory for a block, too few for heads of {} numbers.",
                       device_.facts().name, device_.facts().shared_bytes / 1024, units.d);
  return {};
}

Arithmetic CardSweeps::arithmetic_of(const AttentionProblem& p) const {
  const bool is_long = settings_.bfloat_from >= 0 && std::max(p.queries, p.keys) >= settings_.bfloat_from;
  return is_long && device_.facts().capability >= 80 ? Arithmetic::Bfloat : Arithmetic::Float;
}

bool CardSweeps::groups_of(const AttentionProblem& p) const {
  Units units = units_for(p, arithmetic_of(p));
  const bool changes = !(static_cast<float>(p.scale) > 0) || static_cast<float>(p.soft_cap) != 0 ||
                       !p.allowed.values.empty() || !p.additive.values.empty() || !p.distance_bias.empty();
  if (!settings_.groups || changes || units.arithmetic != Arithmetic::Bfloat || units.d % 64 != 0)
    return false;
  units.groups = true;
  return can_run(device_.facts(), RowPass{}, units);
}

Sweep CardSweeps::sweep(const AttentionProblem& p, const SweepRequest& request, std::stop_token stop,
                        SweepProgress* progress) {
  copies_.begin();
  Units units = units_for(p, arithmetic_of(p));
  units.groups = groups_of(p);
  return CardSweep(device_, copies_, settings_, p, request, units, stop, progress).run();
}

}  // namespace attnscope::gpu
