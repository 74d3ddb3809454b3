// gpu/kernels: which keys a row sees, and what caps, biases and masks make of a score. The same order as in
// the stages: scale, cap, biases, mask. Where there is nothing but a scale and a mask, the exponent has the
// scale in it.
#pragma once

#include "gpu/kernels/context.hpp"
#include "gpu/kernels/passes.hpp"

namespace attnscope::gpu {

/// Keys [begin, end).
struct Interval {
  int begin, end;
};

/// Keys that causal, window and padding leave to a query. Both ends never fall from one query to the next.
ATTNSCOPE_THREAD Interval interval_of(const Operands& in, int head, std::int64_t query) {
  const Rule& rule = in.rule;
  const std::int64_t keys = in.keys;
  std::int64_t begin = 0, end = rule.real_keys < 0 ? keys : rule.real_keys;
  if (rule.patterned == nullptr || rule.patterned[head] != 0) {
    const std::int64_t position = rule.offset + query;
    std::int64_t right = rule.right;
    if (rule.causal) right = 0;
    if (rule.left >= 0) begin = larger_of(begin, position - rule.left);
    if (right >= 0) end = smaller_of(end, position + right + 1);
  }
  begin = smaller_of(begin, keys);
  end = larger_of(end, begin);
  return {static_cast<int>(begin), static_cast<int>(end)};
}

/// The query of row `row` of the request; rows beyond the last repeat it.
ATTNSCOPE_THREAD std::int64_t query_of(const Operands& in, int row) {
  return in.first_row + static_cast<std::int64_t>(smaller_of(row, in.rows - 1)) * in.step;
}

/// Keys that any of `rows` rows sees, and keys that all of them see.
struct BlockInterval {
  Interval any, all;
};
ATTNSCOPE_THREAD BlockInterval block_interval(const Operands& in, int head, int first_row, int rows) {
  const Interval first = interval_of(in, head, query_of(in, first_row));
  const Interval last = interval_of(in, head, query_of(in, first_row + rows - 1));
  return {{first.begin, last.end}, {last.begin, first.end}};
}

/// Whether scores need more than the product, a positive scale and an interval of keys. Kernels exist for
/// both, since what most masks have no use for takes registers.
ATTNSCOPE_BOTH bool changes_scores(const Rule& rule) {
  return !(rule.scale > 0) || rule.soft_cap != 0 || rule.allowed != nullptr || rule.additive != nullptr ||
         rule.distance_bias != nullptr;
}

/// What a product becomes after scale, cap, biases and mask. `seen` is the query's interval. Plain: nothing
/// changes scores, and it stays a product.
template <bool Plain, class Ctx>
ATTNSCOPE_THREAD float marked(Ctx& cx, const Operands& in, int head, std::int64_t query, Interval seen,
                              int key, float x) {
  const Rule& rule = in.rule;
  if (key < seen.begin || key >= seen.end) return minus_infinity;
  if constexpr (Plain) return x;
  x *= rule.scale;
  if (rule.soft_cap != 0) x = rule.soft_cap * cx.tanh(x / rule.soft_cap);
  if (rule.distance_bias != nullptr)
    x += rule.distance_bias[head * rule.distance_head + key - query + in.queries - 1];
  const std::int64_t cell = query * in.keys + key;
  if (rule.additive != nullptr) {
    const float added = rule.additive[head * rule.additive_head + cell];
    x = added == minus_infinity ? minus_infinity : x + added;
  }
  if (rule.allowed != nullptr && rule.allowed[head * rule.allowed_head + cell] == 0) x = minus_infinity;
  return x;
}

}  // namespace attnscope::gpu
