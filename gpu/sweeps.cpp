#include "gpu/sweeps.hpp"

#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/streaming/wishes.hpp"
#include "gpu/launching.hpp"

namespace attnscope::gpu {

namespace {

template <class T>
T up(T a, T b) {
  return (a + b - 1) / b;
}

/// The operands of a problem on the card, and the arrays its rule points to.
class Given {
 public:
  Given(Residents& residents, const AttentionProblem& p, Units units, bool with_value)
      : residents_(residents) {
    operands.query = residents.get({p.query, p.heads, p.queries, p.d_k, static_cast<float>(p.scale)}, units);
    operands.key = residents.get({p.key, p.kv_heads, p.keys, p.d_k, 1}, units);
    operands.value = with_value ? residents.get({p.value, p.kv_heads, p.keys, p.d_v, 1}, units) : nullptr;
    operands.queries = p.queries;
    operands.keys = static_cast<int>(p.keys);
    operands.heads_per_key = static_cast<int>(p.heads / p.kv_heads);
    set_rule(p);
  }
  void choose(std::int64_t first_head, std::int64_t heads, const RowRange& rows, std::int64_t count) {
    operands.first_head = static_cast<int>(first_head);
    operands.heads = static_cast<int>(heads);
    operands.first_row = rows.begin;
    operands.step = rows.step;
    operands.rows = static_cast<int>(count);
  }

  Operands operands{};

 private:
  void set_rule(const AttentionProblem& p) {
    Rule& rule = operands.rule;
    rule.exponent = static_cast<float>(std::numbers::log2e / p.temperature);
    rule.soft_cap = static_cast<float>(p.soft_cap);
    rule.offset = p.offset;
    rule.left = p.left;
    rule.right = p.right;
    rule.real_keys = p.real_keys;
    rule.causal = p.causal;
    const std::int64_t cells = p.queries * p.keys, distances = p.queries + p.keys - 1;
    rule.patterned = on_card<std::uint8_t>(p.patterned, nullptr);
    rule.allowed = on_card(p.allowed.values, p.allowed.owner);
    rule.allowed_head = p.allowed.heads == 1 ? 0 : cells;
    rule.additive = on_card(p.additive.values, p.additive.owner);
    rule.additive_head = p.additive.heads == 1 ? 0 : cells;
    rule.distance_bias = on_card(p.distance_bias, nullptr);
    rule.distance_head = static_cast<std::int64_t>(p.distance_bias.size()) == distances ? 0 : distances;
  }
  template <class T>
  const T* on_card(std::span<const T> values, const std::shared_ptr<const void>& owner) {
    return values.empty() ? nullptr : residents_.get(values, owner);
  }

  Residents& residents_;
};

/// Parts into pictures of this shape, by a pass whose pictures have no room yet: where nothing is merged,
/// sums become means where they stand. Parts without largest weights give no picture of them.
PooledTile folded(Device& device, Residents& residents, FoldPass pass, const Shape& shape) {
  PooledTile made;
  made.mean = Tensor(shape);
  const std::int64_t count = made.mean.size();
  DeviceArray<float> mean, max;
  pass.mean = pass.parts.sum;
  pass.max = pass.parts.most;
  if (pass.merge > 1) {
    mean = residents.room<float>(count);
    max = residents.room<float>(count);
    pass.mean = mean.data();
    pass.max = max.data();
  }
  launch_each(device, pass);
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
  device.download(made.mean.data(), pass.mean, bytes);
  if (pass.max == nullptr) return made;
  made.max = Tensor(shape);
  device.download(made.max.data(), pass.max, bytes);
  return made;
}

/// A sweep whose parts are made one after the other on the card.
class CardSweep {
 public:
  CardSweep(Device& device, Residents& residents, const CardSettings& settings, const AttentionProblem& p,
            const SweepWish& wish, Units units, const std::stop_token& stop, SweepProgress* progress)
      : device_(device),
        settings_(settings),
        p_(p),
        wish_(streaming::checked(p, wish)),
        units_(units),
        heads_(wish_.last_head - wish_.first_head),
        rows_(count_rows(wish_.rows, p.queries)),
        residents_(residents),
        given_(residents, p, units, wish.output),
        interest_(device, stop),
        progress_(progress) {
    given_.choose(wish_.first_head, heads_, wish_.rows, rows_);
    const std::int64_t count = heads_ * rows_;
    states_ = residents.room<RowState>(count);
    if (wish_.strongest) strongest_ = residents.room<std::int32_t>(count);
    if (wish_.output) output_ = residents.room<float>(count * p.d_v);
    if (wish_.picture) make_parts();
  }

  Sweep run() {
    if (progress_ != nullptr) {
      progress_->done = 0;
      progress_->total = heads_ * (rows_ + (wish_.received ? p_.keys : 0));
    }
    walk_rows();
    if (wish_.received || has_narrow_cells()) walk_columns();
    Sweep made;
    made.first_head = wish_.first_head;
    made.rows = wish_.rows;
    made.rounded = units_.arithmetic == Arithmetic::Bfloat;
    made.picture = wish_.picture;
    read_rows(made);
    if (wish_.received) read_received(made);
    if (wish_.picture) read_picture(made);
    interest_.check();
    if (progress_ != nullptr) progress_->done = progress_->total.load();  // items need not share rows evenly
    return made;
  }

 private:
  bool has_narrow_cells() const { return wish_.picture && wish_.picture->keys_per_cell < tile; }
  bool has_single_weights() const { return wish_.picture == PooledCells{1, 1}; }

  void make_parts() {
    const PooledCells& cell = *wish_.picture;
    parts_.columns = static_cast<int>(up(p_.keys, cell.keys_per_cell));
    parts_.keys_per_cell = static_cast<int>(cell.keys_per_cell);
    parts_.rows_per_part = static_cast<int>(std::min<std::int64_t>(cell.rows_per_cell, tile));
    part_rows_ = up(rows_, static_cast<std::int64_t>(parts_.rows_per_part));
    const std::int64_t count = heads_ * part_rows_ * parts_.columns;
    part_sums_ = residents_.room<float>(count);
    if (!has_single_weights()) part_mosts_ = residents_.room<float>(count);
    parts_.sum = part_sums_.data();
    parts_.most = part_mosts_.data();
  }

  /// Launches items [0, items) some at a time; `done(items)` after each time.
  template <class Pass, class Done>
  void launch_items(Pass pass, std::int64_t items, std::int64_t pairs_each, int resident, Done done) {
    // Whole rounds of what the card holds at once: the last round of each launch would be for a few.
    const std::int64_t rounds = settings_.pairs_at_once / std::max<std::int64_t>(1, pairs_each) / resident;
    const std::int64_t at_once = std::max<std::int64_t>(1, rounds) * resident;
    pass.stale = interest_.word();
    for (std::int64_t item = 0; item < items; item += at_once) {
      const std::int64_t last = std::min(items, item + at_once);
      pass.first_item = static_cast<int>(item);
      pass.last_item = static_cast<int>(last);
      interest_.check();
      device_.launch(pass, units_, static_cast<int>(std::min<std::int64_t>(resident, last - item)));
      if (last < items || progress_ != nullptr) device_.wait();
      interest_.check();
      done(last - item);
    }
  }
  void progressed(std::int64_t rows) {
    if (progress_ != nullptr) progress_->done += rows;
  }

  void walk_rows() {
    RowPass pass{};
    pass.in = given_.operands;
    pass.output = output_.data();
    pass.d_v = static_cast<int>(p_.d_v);
    pass.rows = states_.data();
    pass.strongest = strongest_.data();
    pass.entropy = settings_.entropy;
    const int resident = device_.resident_blocks(pass, units_);
    DeviceArray<float> scratch;
    if (wish_.picture && !has_narrow_cells()) {
      pass.parts = parts_;
      scratch = residents_.room<float>(static_cast<std::int64_t>(resident) * parts_.columns * 3 * tile);
      pass.scratch = scratch.data();
    }
    const std::int64_t blocks = up<std::int64_t>(rows_, tile);
    launch_items(pass, heads_ * blocks, tile * p_.keys, resident,
                 [&](std::int64_t items) { progressed(items * rows_ / blocks); });
    device_.wait();  // before the scratch goes
  }

  void walk_columns() {
    ColumnPass pass{};
    pass.in = given_.operands;
    pass.in.value = nullptr;
    pass.rows = states_.data();
    const int resident = device_.resident_blocks(pass, units_);
    const std::int64_t blocks = up<std::int64_t>(p_.keys, tile), row_blocks = up<std::int64_t>(rows_, tile);
    splits_ = std::clamp<std::int64_t>(up<std::int64_t>(2 * resident, heads_ * blocks), 1,
                                       std::min<std::int64_t>(row_blocks, 16));
    pass.splits = static_cast<int>(splits_);
    if (wish_.received) {
      received_ = residents_.room<float>(splits_ * heads_ * p_.keys);
      pass.received = received_.data();
      const std::int64_t real = p_.real_queries < 0 ? p_.queries : p_.real_queries, from = wish_.rows.begin;
      pass.received_rows =
          static_cast<int>(std::min(rows_, real <= from ? 0 : up(real - from, wish_.rows.step)));
    }
    if (has_narrow_cells()) {
      pass.parts = parts_;
      device_.clear(part_sums_.data(), part_sums_.size() * sizeof(float));
      if (part_mosts_.size() != 0) device_.clear(part_mosts_.data(), part_mosts_.size() * sizeof(float));
    }
    launch_items(pass, heads_ * blocks * splits_, tile * rows_ / splits_, resident, [&](std::int64_t items) {
      if (wish_.received) progressed(items * p_.keys / (blocks * splits_));
    });
  }

  void read_rows(Sweep& made) {
    const Shape shape{heads_, rows_};
    const std::int64_t count = heads_ * rows_;
    const auto log_sum_exp = residents_.room<double>(count);
    const auto entropy = residents_.room<float>(count), largest = residents_.room<float>(count);
    launch_each(device_, RowEndPass{states_.data(), count, given_.operands.rule.exponent, log_sum_exp.data(),
                                    entropy.data(), largest.data(), strongest_.data()});
    made.log_sum_exp = TensorOf<double>(shape);
    made.entropy = Tensor(shape);
    made.largest = Tensor(shape);
    download(log_sum_exp, made.log_sum_exp.data());
    download(entropy, made.entropy.data());
    download(largest, made.largest.data());
    if (wish_.output) {
      made.output = Tensor({heads_, rows_, p_.d_v});
      download(output_, made.output.data());
    }
    if (wish_.strongest) {
      made.strongest.resize(static_cast<std::size_t>(count));
      download(strongest_, made.strongest.data());
    }
  }

  void read_received(Sweep& made) {
    const std::int64_t count = heads_ * p_.keys;
    const auto joined = residents_.room<float>(count);
    launch_each(device_, JoinPass{received_.data(), joined.data(), static_cast<int>(splits_), count});
    made.received = Tensor({heads_, p_.keys});
    download(joined, made.received.data());
  }

  void read_picture(Sweep& made) {
    const std::int64_t merge = wish_.picture->rows_per_cell / parts_.rows_per_part;
    const FoldPass pass{parts_,
                        static_cast<int>(heads_),
                        static_cast<int>(part_rows_),
                        static_cast<int>(merge),
                        rows_,
                        p_.keys,
                        nullptr,
                        nullptr};
    PooledTile picture = folded(device_, residents_, pass, {heads_, up(part_rows_, merge), parts_.columns});
    made.mean = std::move(picture.mean);
    made.max = std::move(picture.max);
  }

  template <class T>
  void download(const DeviceArray<T>& from, T* to) {
    device_.download(to, from.data(), from.size() * sizeof(T));
  }

  Device& device_;
  const CardSettings& settings_;
  const AttentionProblem& p_;
  SweepWish wish_;
  Units units_;
  std::int64_t heads_, rows_, part_rows_ = 0, splits_ = 1;
  Residents& residents_;
  Given given_;
  Interest interest_;
  SweepProgress* progress_;
  DeviceArray<RowState> states_;
  DeviceArray<std::int32_t> strongest_;
  DeviceArray<float> output_, received_, part_sums_, part_mosts_;
  Parts parts_{};
};

Units units_for(const AttentionProblem& p, Arithmetic arithmetic) {
  return {arithmetic, padded_width(p.d_k, p.d_v)};
}

/// The exact cells of a rectangle of one head, some rows at a time.
class Rectangle {
 public:
  Rectangle(Device& device, Residents& residents, const AttentionProblem& p, const TileWish& asked,
            const std::stop_token& stop)
      : device_(device),
        wish_(streaming::checked(p, asked)),
        units_(units_for(p, Arithmetic::Float)),
        rows_(count_rows(wish_.rows, p.queries)),
        given_(residents, p, units_, false),
        interest_(device, stop) {
    if (wish_.kind != TileKind::Weights) return;
    states_ = residents.room<RowState>(rows_);
    given_.choose(wish_.head, 1, wish_.rows, rows_);
    RowPass pass{};
    pass.in = given_.operands;
    pass.rows = states_.data();
    pass.last_item = static_cast<int>(up<std::int64_t>(rows_, gpu::tile));
    pass.stale = interest_.word();
    device.launch(pass, units_, std::min(pass.last_item, device.resident_blocks(pass, units_)));
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t keys() const { return wish_.last_key - wish_.first_key; }
  /// Throws Cancelled after a stop.
  void check() const { interest_.check(); }

  /// Rows [row, row + count) to [count][keys] on the card.
  void make(std::int64_t row, std::int64_t count, float* cells) {
    RowRange rows = wish_.rows;
    rows.begin += row * rows.step;
    given_.choose(wish_.head, 1, rows, count);
    const CellKind kind = wish_.kind == TileKind::Weights  ? CellKind::Weights
                          : wish_.kind == TileKind::Masked ? CellKind::Masked
                                                           : CellKind::Scaled;
    const CellPass pass{given_.operands,
                        states_.data() + (states_.size() == 0 ? 0 : row),
                        kind,
                        static_cast<int>(wish_.first_key),
                        static_cast<int>(wish_.last_key),
                        cells};
    const std::int64_t blocks = up<std::int64_t>(count, gpu::tile) * up<std::int64_t>(keys(), gpu::tile);
    device_.launch(pass, units_, static_cast<int>(blocks));
  }

 private:
  Device& device_;
  TileWish wish_;
  Units units_;
  std::int64_t rows_;
  Given given_;
  Interest interest_;
  DeviceArray<RowState> states_;
};

}  // namespace

std::string CardSweeps::why_not(const AttentionProblem& p) const {
  constexpr std::int64_t most_rows = std::int64_t{1} << 30;
  if (padded_width(p.d_k, p.d_v) == 0)
    return fmt::format(
        "Queries of {} and values of {} numbers are wider than the 128 that the graphics card's kernels "
        "take.",
        p.d_k, p.d_v);
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

Sweep CardSweeps::sweep(const AttentionProblem& p, const SweepWish& wish, std::stop_token stop,
                        SweepProgress* progress) {
  residents_.begin();
  return CardSweep(device_, residents_, settings_, p, wish, units_for(p, arithmetic_of(p)), stop, progress)
      .run();
}

Tensor CardSweeps::tile(const AttentionProblem& p, const TileWish& wish, std::stop_token stop) {
  residents_.begin();
  Rectangle rectangle(device_, residents_, p, wish, stop);
  Tensor made({rectangle.rows(), rectangle.keys()});
  const auto cells = residents_.room<float>(made.size());
  rectangle.make(0, rectangle.rows(), cells.data());
  device_.download(made.data(), cells.data(), cells.size() * sizeof(float));
  rectangle.check();
  return made;
}

PooledTile CardSweeps::pooled_tile(const AttentionProblem& p, const TileWish& wish, const PooledCells& cell,
                                   std::stop_token stop) {
  streaming::check_pooled(wish, cell);
  residents_.begin();
  Rectangle rectangle(device_, residents_, p, wish, stop);
  const std::int64_t rows = rectangle.rows(), keys = rectangle.keys();
  Parts parts{};
  parts.columns = static_cast<int>(up(keys, cell.keys_per_cell));
  parts.keys_per_cell = static_cast<int>(cell.keys_per_cell);
  parts.rows_per_part = static_cast<int>(std::min<std::int64_t>(cell.rows_per_cell, gpu::tile));
  const std::int64_t tall = parts.rows_per_part, part_rows = up(rows, tall);
  const auto sums = residents_.room<float>(part_rows * parts.columns),
             mosts = residents_.room<float>(part_rows * parts.columns);
  const std::int64_t strip =
      std::clamp<std::int64_t>(settings_.cells_at_once / (keys * tall), 1, part_rows) * tall;
  const auto cells = residents_.room<float>(std::min(rows, strip) * keys);
  for (std::int64_t row = 0; row < rows; row += strip) {
    const std::int64_t count = std::min(strip, rows - row);
    rectangle.make(row, count, cells.data());
    parts.sum = sums.data() + row / tall * parts.columns;
    parts.most = mosts.data() + row / tall * parts.columns;
    launch_each(device_, GatherPass{cells.data(), static_cast<int>(count), static_cast<int>(keys), parts});
    device_.wait();  // so that a stop need not wait for many
    rectangle.check();
  }
  parts.sum = sums.data();
  parts.most = mosts.data();
  const std::int64_t merge = cell.rows_per_cell / tall;
  const FoldPass pass{parts,   1,      static_cast<int>(part_rows), static_cast<int>(merge), rows, keys,
                      nullptr, nullptr};
  return folded(device_, residents_, pass, {up(part_rows, merge), parts.columns});
}

}  // namespace attnscope::gpu
