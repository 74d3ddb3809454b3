#include "core/blocks/weight_product.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/scratch_pool.hpp"
#include "core/blocks/row_operators.hpp"
#include "core/streaming/border/row_kernels.hpp"

namespace attnscope {
namespace {

// Columns of y per piece of work: their weights stay in the L2 cache while rows pass.
constexpr std::int64_t piece_columns = streaming::column_strip;
// A product of few rows is bound by reading weights; columns widened for it stay in the L1 cache.
constexpr std::int64_t few_rows = 8, few_columns = 8;
// Up to this many rows the weights are multiplied while they are widened, without being stored as floats.
constexpr std::int64_t stored_rows = 3;
// In layout InOut, wider pieces read fewer pages and cache lines in part.
constexpr std::int64_t least_beside = 256, gathered_strips = 4;

/// Rows of x that stay in the L2 cache while they pass; a multiple of the rows that the kernels take at a
/// time.
std::int64_t rows_at_once(std::int64_t d_in) {
  constexpr std::int64_t floats = 1 << 17, step = 24;
  return std::clamp(floats / d_in / step * step, step, 8 * step);
}

/// One product, cut into pieces of columns and rows.
class PieceProduct {
 public:
  PieceProduct(const ConstFloatRows& x, const LinearMap& map, const FloatRows& y, int threads)
      : x_(x), map_(map), y_(y), d_in_(map.d_in()), out_in_(map.layout == WeightLayout::OutIn) {
    in_place_ = !map.weight.floats().empty();
    gathers_ = in_place_ && !out_in_ && x.rows >= few_rows;
    is_beside_ = in_place_ && !out_in_ && !gathers_;
    columns_ = piece_columns;
    if (is_beside_) columns_ = std::max(least_beside, streaming::room_stride(map.d_out() / threads));
    if (gathers_) {
      const std::int64_t strips = (map.d_out() + piece_columns - 1) / piece_columns;
      columns_ *= std::clamp<std::int64_t>(strips / (2 * threads), 1, gathered_strips);
      next_piece_ = columns_ * threads;  // the next piece of this thread, if threads take pieces in turn
    }
    at_once_ = out_in_ ? rows_at_once(d_in_) : x.rows;
    // Widened or gathered weights serve all rows; otherwise the rows are cut, too.
    piece_rows_ = in_place_ && !gathers_ ? at_once_ : x.rows;
    widened_columns_ = x.rows < few_rows && out_in_ ? few_columns : piece_columns;
  }

  void run(const Work& work) const {
    const std::int64_t row_pieces = (x_.rows + piece_rows_ - 1) / piece_rows_;
    const std::int64_t pieces = (map_.d_out() + columns_ - 1) / columns_;
    const auto numbers = static_cast<double>(d_in_ * std::min(map_.d_out(), columns_));
    const double ns = numbers * (static_cast<double>(std::min(piece_rows_, x_.rows)) / 30 + 0.1);
    ScratchPool scratch(gathers_     ? streaming::column_room()
                        : is_beside_ ? x_.rows * streaming::room_stride(columns_)
                                     : widened_columns_ * d_in_);
    map_.weight.check();
    work.for_each(pieces * row_pieces, ns, [&](std::int64_t item) {
      if (x_.rows >= few_rows) map_.weight.check();  // a system call: as slow as a piece of few rows
      const std::int64_t column = item / row_pieces * columns_, row = item % row_pieces * piece_rows_;
      const std::int64_t columns = std::min(columns_, map_.d_out() - column);
      const std::int64_t rows = std::min(piece_rows_, x_.rows - row);
      if (in_place_) {
        const float* const floats = map_.weight.floats().data();
        const streaming::Rows weights = out_in_ ? streaming::Rows{floats + column * d_in_, d_in_}
                                                : streaming::Rows{floats + column, map_.d_out()};
        if (gathers_ || is_beside_)
          multiply_rows(weights, column, columns, row, rows, ScratchLease(scratch).data());
        else
          multiply_rows(weights, column, columns, row, rows, nullptr);
        return;
      }
      if (x_.rows <= stored_rows && out_in_ && multiply_stored(column, columns, row, rows)) return;
      const ScratchLease lease(scratch);
      for (std::int64_t c = column; c < column + columns; c += widened_columns_) {
        const std::int64_t some = std::min(widened_columns_, column + columns - c);
        widen(c, some, lease.data());
        multiply_rows({lease.data(), out_in_ ? d_in_ : some}, c, some, row, rows, nullptr);
      }
    });
  }

 private:
  /// The stored bytes of columns [first, first + count) of W in layout OutIn, where they are contiguous.
  const std::uint8_t* stored(std::int64_t first, std::int64_t count) const {
    const BlockSize block = block_of(map_.weight.type());
    const auto row_bytes = static_cast<std::size_t>(d_in_ / block.elements * block.bytes);
    const auto bytes = map_.weight.bytes().subspan(static_cast<std::size_t>(first) * row_bytes,
                                                   static_cast<std::size_t>(count) * row_bytes);
    return reinterpret_cast<const std::uint8_t*>(bytes.data());
  }

  /// These columns as floats: [count][d_in] in layout OutIn, [d_in][count] in layout InOut.
  void widen(std::int64_t first, std::int64_t count, float* room) const {
    if (!out_in_) return map_.weight.read_columns(first, MatrixMap<float>(room, d_in_, count));
    const ElementType type = map_.weight.type();
    if (type == ElementType::Coded)
      return map_.weight.read(first * d_in_, {room, static_cast<std::size_t>(count * d_in_)});
    kernels_.widen(type, stored(first, count), count * d_in_, room);
  }

  bool multiply_stored(std::int64_t column, std::int64_t columns, std::int64_t row, std::int64_t rows) const {
    if (map_.weight.type() == ElementType::Coded) return false;
    return kernels_.multiply_stored({.x = {x_.row(row), x_.stride},
                                     .type = map_.weight.type(),
                                     .weights = stored(column, columns),
                                     .rows = static_cast<int>(rows),
                                     .columns = static_cast<int>(columns),
                                     .depth = static_cast<int>(d_in_),
                                     .bias = map_.bias.empty() ? nullptr : map_.bias.data() + column,
                                     .out = y_.row(row) + column,
                                     .out_stride = y_.stride});
  }

  void multiply_rows(const streaming::Rows& weights, std::int64_t column, std::int64_t columns,
                     std::int64_t first, std::int64_t rows, float* room) const {
    for (std::int64_t row = first; row < first + rows; row += at_once_) {
      streaming::ProductJob job{};
      job.weights = weights;
      job.x = {x_.row(row), x_.stride};
      job.rows = static_cast<int>(std::min(at_once_, first + rows - row));
      job.columns = static_cast<int>(columns);
      job.depth = static_cast<int>(d_in_);
      job.bias = map_.bias.empty() ? nullptr : map_.bias.data() + column;
      job.out = y_.row(row) + column;
      job.out_stride = y_.stride;
      job.room = room;
      if (gathers_ && column + next_piece_ + columns <= map_.d_out()) job.coming = weights.data + next_piece_;
      if (out_in_)
        kernels_.multiply_weights(job);
      else
        kernels_.multiply_columns(job);
    }
  }

  const ConstFloatRows& x_;
  const LinearMap& map_;
  const FloatRows& y_;
  const streaming::RowKernels& kernels_ = streaming::row_kernels();
  std::int64_t d_in_, columns_ = 0, at_once_ = 0, piece_rows_ = 0;
  std::int64_t widened_columns_ = 0, next_piece_ = 0;
  bool out_in_, in_place_ = false, gathers_ = false, is_beside_ = false;
};

void check_sizes(const ConstFloatRows& x, const LinearMap& map, const FloatRows& y) {
  if (map.weight.shape().rank() == 2 && x.width == map.d_in() && y.width == map.d_out() && x.rows == y.rows &&
      (map.bias.empty() || std::ssize(map.bias) == map.d_out()))
    return;
  throw Error(fmt::format("Rows of {} numbers cannot be multiplied by weights of shape {} into rows of {}.",
                          x.width, to_string(map.weight.shape()), y.width));
}

}  // namespace

void multiply(const Work& work, const ConstFloatRows& x, const LinearMap& map, const FloatRows& y) {
  check_sizes(x, map, y);
  if (x.rows == 0) return;
  if (work.device != nullptr && work.device->multiply_here(work, x, map, y)) return;
  PieceProduct(x, map, y, work.threads()).run(work);
}

}  // namespace attnscope
