// core/attention: how the stages cut their work, in the blocks of core/base/row_blocks.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/parallel.hpp"
#include "core/base/row_blocks.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

// Conventions of backward functions: `d_x` is the gradient of the loss with respect to x, in the shape of x.
// Functions documented as "in place" turn the gradient of their result into that of their input.

/// Calls fn(b, h, query, in, out) for every row of the tensor and of the result, which has its shape.
template <class T, class Fn>
TensorOf<T> by_rows(const Work& work, const TensorOf<T>& tensor, double cell_ns, Fn&& fn) {
  const Shape& shape = tensor.shape();
  const std::int64_t heads = shape[1], queries = shape[2], keys = shape[3];
  TensorOf<T> result(shape);
  for_row_blocks(
      work, shape[0], heads, queries, static_cast<double>(keys) * cell_ns, [&](const RowBlock& at) {
        for (std::int64_t query = at.first; query < at.first + at.count; ++query) {
          const auto start = static_cast<std::size_t>(((at.b * heads + at.h) * queries + query) * keys);
          const auto length = static_cast<std::size_t>(keys);
          fn(at.b, at.h, query, tensor.values().subspan(start, length),
             result.values().subspan(start, length));
        }
      });
  return result;
}

/// Which heads let a gradient through, [heads]: 1, or 0 where an intervention replaced the head's pattern;
/// empty = all. Backward functions leave the gradients of the other heads unchanged (they are zeros) and do
/// not read the heads' numbers, which may be NaN.
using OpenHeads = std::span<const std::uint8_t>;
inline bool is_open(OpenHeads open, std::int64_t h) {
  return open.empty() || open[static_cast<std::size_t>(h)] != 0;
}

/// Calls fn(b, h, kv) for every open head h of a tensor [batch][heads][…] and its key head kv. The query
/// heads of a group add to the same gradients of keys and values, so one thread takes the whole group.
template <class Fn>
void for_open_groups(const Work& work, OpenHeads open, const Shape& query, std::int64_t kv_heads,
                     double head_ns, Fn&& fn) {
  const std::int64_t group = query[1] / kv_heads;
  work.for_each(query[0] * kv_heads, head_ns * static_cast<double>(group), [&](std::int64_t i) {
    const std::int64_t b = i / kv_heads, kv = i % kv_heads;
    for (std::int64_t h = kv * group; h < (kv + 1) * group; ++h)
      if (is_open(open, h)) fn(b, h, kv);
  });
}

/// Calls fn(b, h, query, row) for every row of the open heads of a gradient [batch][heads][queries][keys], to
/// be changed in place.
template <class T, class Fn>
void for_open_rows(const Work& work, OpenHeads open, TensorOf<T>& gradient, double cell_ns, Fn&& fn) {
  const Shape& shape = gradient.shape();
  const std::int64_t heads = shape[1], queries = shape[2], keys = shape[3];
  for_row_blocks(
      work, shape[0], heads, queries, static_cast<double>(keys) * cell_ns, [&](const RowBlock& at) {
        if (!is_open(open, at.h)) return;
        for (std::int64_t query = at.first; query < at.first + at.count; ++query) {
          const auto start = static_cast<std::size_t>(((at.b * heads + at.h) * queries + query) * keys);
          fn(at.b, at.h, query, gradient.values().subspan(start, static_cast<std::size_t>(keys)));
        }
      });
}

}  // namespace attnscope
