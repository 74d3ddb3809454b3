#include "core/blocks/weight_product.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/streaming/drive.hpp"

namespace attnscope {
namespace {

// Columns of y in one piece of work: their weights stay in the second cache while rows pass.
constexpr std::int64_t piece_columns = 48;
constexpr std::int64_t piece_rows = 192;

/// Rows [first, first + count) of Wᵀ as floats in `room`, whatever they are stored as.
void widen_rows(const LinearMap& map, std::int64_t first, std::int64_t count, float* room) {
  const std::int64_t d_in = map.d_in();
  if (map.layout == WeightLayout::OutIn) {
    map.weight.read(first * d_in, {room, static_cast<std::size_t>(count * d_in)});
    return;
  }
  Tensor some(Shape{d_in, count});
  map.weight.read_columns(first, some.matrix());
  for (std::int64_t k = 0; k < d_in; ++k)
    for (std::int64_t c = 0; c < count; ++c) room[c * d_in + k] = some.data()[k * count + c];
}

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
  const streaming::Kernels& kernels = streaming::chosen(nullptr);
  const std::int64_t d_in = map.d_in(), d_out = map.d_out();
  const bool in_place = map.layout == WeightLayout::OutIn && !map.weight.floats().empty();
  const float* const floats = map.weight.floats().data();
  streaming::ScratchPool scratch(in_place ? 1 : piece_columns * d_in);
  const std::int64_t pieces = (d_out + piece_columns - 1) / piece_columns;
  // What is widened serves all rows; otherwise the rows are cut too.
  const std::int64_t rows = in_place ? piece_rows : x.rows;
  const std::int64_t row_pieces = (x.rows + rows - 1) / rows;
  const double ns = static_cast<double>(std::min(rows, x.rows) * d_in * std::min(d_out, piece_columns)) / 30;
  work.for_each(pieces * row_pieces, ns, [&](std::int64_t item) {
    const std::int64_t column = item / row_pieces * piece_columns, row = item % row_pieces * rows;
    const std::int64_t columns = std::min(piece_columns, d_out - column);
    const streaming::ScratchLease lease(scratch);
    streaming::ProductJob job{};
    if (in_place) {
      map.weight.check();
      job.weights = {floats + column * d_in, d_in};
    } else {
      widen_rows(map, column, columns, lease.data());
      job.weights = {lease.data(), d_in};
    }
    job.x = {x.data + row * x.stride, x.stride};
    job.rows = static_cast<int>(std::min(rows, x.rows - row));
    job.columns = static_cast<int>(columns);
    job.depth = static_cast<int>(d_in);
    job.bias = map.bias.empty() ? nullptr : map.bias.data() + column;
    job.out = y.data + row * y.stride + column;
    job.out_stride = y.stride;
    kernels.multiply_weights(job);
  });
}

}  // namespace attnscope
