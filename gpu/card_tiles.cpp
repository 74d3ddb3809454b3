#include <algorithm>
#include <memory>
#include <utility>

#include "core/streaming/requests.hpp"
#include "gpu/head_operands.hpp"
#include "gpu/launching.hpp"
#include "gpu/sweeps.hpp"

namespace attnscope::gpu {

namespace {

/// The exact cells of a rectangle of one head, some rows at a time.
class Rectangle {
 public:
  Rectangle(Device& device, CardCopies& copies, const AttentionProblem& p, const TileRequest& asked,
            const std::stop_token& stop)
      : device_(device),
        request_(streaming::checked(p, asked)),
        units_(units_for(p, Arithmetic::Float)),
        rows_(count_rows(request_.rows, p.queries)),
        head_operands_(copies, p, units_, false, request_.head, 1),
        interest_(device, stop) {
    if (request_.kind != TileKind::Weights) return;
    states_ = copies.room<RowState>(rows_);
    head_operands_.choose(request_.rows, rows_);
    RowPass pass{};
    pass.in = head_operands_.operands;
    pass.rows = states_.data();
    pass.last_item = static_cast<int>(up<std::int64_t>(rows_, gpu::tile));
    pass.stale = interest_.word();
    device.launch(pass, units_, std::min(pass.last_item, device.resident_blocks(pass, units_)));
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t keys() const { return request_.last_key - request_.first_key; }
  /// Throws Cancelled after a stop.
  void check() const { interest_.check(); }

  /// Rows [row, row + count) to [count][keys] on the card.
  void make(std::int64_t row, std::int64_t count, float* cells) {
    RowRange rows = request_.rows;
    rows.begin += row * rows.step;
    head_operands_.choose(rows, count);
    const CellKind kind = request_.kind == TileKind::Weights  ? CellKind::Weights
                          : request_.kind == TileKind::Masked ? CellKind::Masked
                                                              : CellKind::Scaled;
    const CellPass pass{head_operands_.operands,
                        states_.data() + (states_.size() == 0 ? 0 : row),
                        kind,
                        static_cast<int>(request_.first_key),
                        static_cast<int>(request_.last_key),
                        cells};
    const std::int64_t blocks = up<std::int64_t>(count, gpu::tile) * up<std::int64_t>(keys(), gpu::tile);
    device_.launch(pass, units_, static_cast<int>(blocks));
  }

 private:
  Device& device_;
  TileRequest request_;
  Units units_;
  std::int64_t rows_;
  HeadOperands head_operands_;
  Interest interest_;
  DeviceArray<RowState> states_;
};

}  // namespace

PooledTile folded(Device& device, CardCopies& copies, FoldPass pass, const Shape& shape,
                  DeviceArray<float> sums, DeviceArray<float> mosts) {
  const std::int64_t count = shape.count();
  const bool has_max = mosts.size() != 0;
  DeviceArray<float> mean, max;
  if (pass.merge > 1) {
    mean = copies.room<float>(count);
    if (has_max) max = copies.room<float>(count);
  } else {
    mean = std::move(sums);
    max = std::move(mosts);
  }
  pass.mean = mean.data();
  pass.max = max.data();
  launch_each(device, pass);
  PooledTile made;
  made.mean = copies.made(shape, std::move(mean));
  if (has_max) made.max = copies.made(shape, std::move(max));
  return made;
}

Tensor CardSweeps::tile(const AttentionProblem& p, const TileRequest& request, std::stop_token stop) {
  copies_.begin();
  Rectangle rectangle(device_, copies_, p, request, stop);
  const Shape shape{rectangle.rows(), rectangle.keys()};
  const auto cells = copies_.room<float>(shape.count());
  rectangle.make(0, rectangle.rows(), cells.data());
  device_.wait();
  rectangle.check();
  // A tile is copied at once: it was asked for to be shown.
  const std::size_t bytes = cells.size() * sizeof(float);
  const HostBlock block = device_.host_block(bytes);
  device_.fetch(block.get(), cells.data(), bytes);
  return Tensor::of(
      shape, std::make_shared<const BlockValues<float>>(block, static_cast<const float*>(block.get())));
}

PooledTile CardSweeps::pooled_tile(const AttentionProblem& p, const TileRequest& request,
                                   const PooledCells& cell, std::stop_token stop) {
  streaming::check_pooled(request, cell);
  copies_.begin();
  Rectangle rectangle(device_, copies_, p, request, stop);
  const std::int64_t rows = rectangle.rows(), keys = rectangle.keys();
  Parts parts{};
  parts.columns = static_cast<int>(up(keys, cell.keys_per_cell));
  parts.keys_per_cell = static_cast<int>(cell.keys_per_cell);
  parts.rows_per_part = static_cast<int>(std::min<std::int64_t>(cell.rows_per_cell, gpu::tile));
  const std::int64_t tall = parts.rows_per_part, part_rows = up(rows, tall);
  auto sums = copies_.room<float>(part_rows * parts.columns),
       mosts = copies_.room<float>(part_rows * parts.columns);
  const std::int64_t strip =
      std::clamp<std::int64_t>(settings_.cells_at_once / (keys * tall), 1, part_rows) * tall;
  const auto cells = copies_.room<float>(std::min(rows, strip) * keys);
  for (std::int64_t row = 0; row < rows; row += strip) {
    const std::int64_t count = std::min(strip, rows - row);
    rectangle.make(row, count, cells.data());
    parts.sum = sums.data() + row / tall * parts.columns;
    parts.most = mosts.data() + row / tall * parts.columns;
    launch_each(device_, GatherPass{cells.data(), static_cast<int>(count), static_cast<int>(keys), parts});
    device_.wait();  // so that a stop waits for few launches
    rectangle.check();
  }
  parts.sum = sums.data();
  parts.most = mosts.data();
  const std::int64_t merge = cell.rows_per_cell / tall;
  const FoldPass pass{parts,   1,      static_cast<int>(part_rows), static_cast<int>(merge), rows, keys,
                      nullptr, nullptr};
  PooledTile made = folded(device_, copies_, pass, {up(part_rows, merge), parts.columns}, std::move(sums),
                           std::move(mosts));
  device_.wait();
  rectangle.check();
  return made;
}

}  // namespace attnscope::gpu
