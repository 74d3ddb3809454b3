#include "core/models/opened/dense_columns.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace attnscope {
namespace {

/// Calls visit(map, first column in the map, columns, first column of the result) for each run of adjacent
/// columns.
template <class Visit>
void for_each_piece(std::span<const LinearMap> maps, const ColumnsOfHeads& columns, Visit&& visit) {
  const bool together = columns.stride == columns.width;
  const std::int64_t pieces = together ? 1 : columns.heads;
  const std::int64_t width = together ? columns.heads * columns.width : columns.width;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    std::int64_t column = columns.first + piece * columns.stride;
    for (const LinearMap& map : maps) {
      if (column < map.d_out()) {
        visit(map, column, width, piece * width);
        break;
      }
      column -= map.d_out();
    }
  }
}

/// to [columns][rows] = the transpose of from [rows][columns], in squares that fit into the L1 cache.
void transpose(const float* from, std::int64_t rows, std::int64_t columns, float* to,
               std::int64_t to_stride) {
  constexpr std::int64_t side = 16;
  for (std::int64_t c = 0; c < columns; c += side)
    for (std::int64_t r = 0; r < rows; r += side)
      for (std::int64_t i = c; i < std::min(c + side, columns); ++i)
        for (std::int64_t j = r; j < std::min(r + side, rows); ++j)
          to[i * to_stride + j] = from[j * columns + i];
}

/// Copies columns [first, first + count) of a map to the columns of `to` from `at` on.
void copy_columns(const LinearMap& map, std::int64_t first, std::int64_t count, std::int64_t at, Tensor& to) {
  const std::int64_t d_in = map.d_in(), stride = to.shape()[1];
  if (map.layout == WeightLayout::InOut) {
    Tensor room(Shape{d_in, count});
    map.weight.read_columns(first, room.matrix());
    for (std::int64_t row = 0; row < d_in; ++row)
      std::copy_n(room.data() + row * count, count, to.data() + row * stride + at);
    return;
  }
  // A few rows at a time, so that converted rows are still in the cache when they are transposed.
  constexpr std::int64_t strip = 64;
  std::vector<float> room(static_cast<std::size_t>(std::min(strip, count) * d_in));
  for (std::int64_t row = 0; row < count; row += strip) {
    const std::int64_t rows = std::min(strip, count - row);
    map.weight.read((first + row) * d_in, std::span(room).first(static_cast<std::size_t>(rows * d_in)));
    transpose(room.data(), rows, d_in, to.data() + at + row, stride);
  }
}

}  // namespace

TensorPtr dense_columns(std::span<const LinearMap> maps, const ColumnsOfHeads& columns) {
  auto made = std::make_shared<Tensor>(Shape{maps[0].d_in(), columns.heads * columns.width});
  for_each_piece(maps, columns,
                 [&](const LinearMap& map, std::int64_t first, std::int64_t count, std::int64_t at) {
                   copy_columns(map, first, count, at, *made);
                 });
  return made;
}

TensorPtr bias_columns(std::span<const LinearMap> maps, const ColumnsOfHeads& columns) {
  auto made = std::make_shared<Tensor>(Shape{columns.heads * columns.width});
  bool any = false;
  for_each_piece(maps, columns,
                 [&](const LinearMap& map, std::int64_t first, std::int64_t count, std::int64_t at) {
                   if (map.bias.empty()) return;
                   std::copy_n(map.bias.data() + first, count, made->data() + at);
                   any = true;
                 });
  return any ? made : nullptr;
}

TensorPtr dense_matrix(const LinearMap& map) {
  return dense_columns({&map, 1}, {.stride = map.d_out(), .width = map.d_out()});
}

TensorPtr whole_bias(const LinearMap& map) {
  return bias_columns({&map, 1}, {.stride = map.d_out(), .width = map.d_out()});
}

}  // namespace attnscope
