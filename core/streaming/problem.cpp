#include "core/streaming/problem.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope {

HeadRows HeadRows::of(const TensorPtr& tensor, std::int64_t first) {
  const Shape& shape = tensor->shape();
  HeadRows rows;
  rows.row_stride = shape[shape.rank() - 1];
  rows.head_stride = shape[shape.rank() - 2] * rows.row_stride;
  rows.owner = rows.whole = tensor;
  rows.first = first;
  return rows;
}

namespace {

constexpr std::int64_t most_keys = std::int64_t{1} << 30, most_of_anything = std::int64_t{1} << 40;

void check_size(std::string_view name, std::int64_t size, std::int64_t most) {
  if (size < 1 || size > most)
    throw Error(fmt::format("The problem has {} {}; expected 1 to {}.", size, name, most));
}

/// Throws Error if heads x rows x columns floats, at the given strides, have a size in bytes that overflows.
void check_rows(std::string_view name, const HeadRows& rows, std::int64_t heads, std::int64_t count,
                std::int64_t columns, bool needed) {
  if (!rows.has_numbers()) {
    if (!needed) return;
    throw Error(fmt::format("{} has no numbers; expected [{}][{}][{}].", name, heads, count, columns));
  }
  if (rows.head_stride < 0 || rows.row_stride < 0)
    throw Error(fmt::format("{} has strides {} and {}; they cannot be negative.", name, rows.head_stride,
                            rows.row_stride));
  std::int64_t dense = 0, by_head = 0, by_row = 0, span = 0;
  const bool overflows =
      __builtin_mul_overflow(heads, count, &dense) || __builtin_mul_overflow(dense, columns * 4, &dense) ||
      __builtin_mul_overflow(heads - 1, rows.head_stride, &by_head) ||
      __builtin_mul_overflow(count - 1, rows.row_stride, &by_row) ||
      __builtin_add_overflow(by_head, by_row, &span) || __builtin_add_overflow(span, columns, &span) ||
      __builtin_mul_overflow(span, std::int64_t{4}, &span);
  if (overflows)
    throw Error(fmt::format("{} of [{}][{}][{}] at strides {} and {} has more bytes than can be counted.",
                            name, heads, count, columns, rows.head_stride, rows.row_stride));
}

template <class T>
void check_cells(std::string_view name, const CellValues<T>& cells, const AttentionProblem& p) {
  if (cells.empty()) return;
  if (cells.heads != 1 && cells.heads != p.heads)
    throw Error(fmt::format("{} is for {} heads; expected 1 or {}.", name, cells.heads, p.heads));
  std::int64_t expected = 0;
  if (__builtin_mul_overflow(p.queries, p.keys, &expected) ||
      __builtin_mul_overflow(expected, cells.heads, &expected) ||
      expected != static_cast<std::int64_t>(cells.values.size()))
    throw Error(fmt::format("{} has {} values; expected {} x {} x {} for heads, queries and keys.", name,
                            cells.values.size(), cells.heads, p.queries, p.keys));
}

void check_numbers(const AttentionProblem& p) {
  if (!std::isfinite(p.scale) || std::abs(p.scale) > 1e30)
    throw Error(fmt::format("The scale is {}; expected a number up to 1e30.", p.scale));
  if (!(p.soft_cap >= 0) || p.soft_cap > 1e30 || (p.soft_cap > 0 && p.soft_cap < 1e-30))
    throw Error(fmt::format("The soft-cap is {}; expected 0 for none, or 1e-30 to 1e30.", p.soft_cap));
  if (!(p.temperature >= 1e-30) || p.temperature > 1e30)
    throw Error(fmt::format("The temperature is {}; expected 1e-30 to 1e30.", p.temperature));
}

void check_mask(const AttentionProblem& p) {
  if (std::abs(p.offset) > most_of_anything)
    throw Error(fmt::format("The first query's position is {}; expected at most {} either way.", p.offset,
                            most_of_anything));
  for (const std::int64_t side : {p.left, p.right})
    if (side < -1 || side > most_of_anything)
      throw Error(fmt::format("The window reaches {} keys; expected 0 to {}, or -1 for an open side.", side,
                              most_of_anything));
  if (p.real_keys < -1 || p.real_keys > p.keys)
    throw Error(
        fmt::format("{} keys are said to be real; expected 0 to {}, or -1 for all.", p.real_keys, p.keys));
  if (p.real_queries < -1 || p.real_queries > p.queries)
    throw Error(fmt::format("{} queries are said to be real; expected 0 to {}, or -1 for all.",
                            p.real_queries, p.queries));
  if (!p.patterned.empty() && std::ssize(p.patterned) != p.heads)
    throw Error(
        fmt::format("The mask's pattern is given for {} heads; expected {}.", p.patterned.size(), p.heads));
  check_cells("The boolean mask", p.allowed, p);
  check_cells("The additive mask", p.additive, p);
  if (!p.sinks.empty() && std::ssize(p.sinks) != p.heads)
    throw Error(
        fmt::format("There are {} sinks; expected one for each of {} heads.", p.sinks.size(), p.heads));
  const std::int64_t distances = p.queries + p.keys - 1;
  const auto given = static_cast<std::int64_t>(p.distance_bias.size());
  if (given != 0 && given != distances && given != distances * p.heads)
    throw Error(fmt::format("The distance bias has {} values; expected {} for each of 1 or {} heads.", given,
                            distances, p.heads));
}

}  // namespace

KeyInterval visible(const AttentionProblem& p, std::int64_t h, std::int64_t i) {
  KeyInterval seen{0, p.real_keys < 0 ? p.keys : p.real_keys};
  if (p.patterned.empty() || p.patterned[static_cast<std::size_t>(h)] != 0) {
    const std::int64_t position = p.offset + i;
    std::int64_t right = p.right;
    if (p.causal) right = right < 0 ? 0 : std::min<std::int64_t>(right, 0);
    if (p.left >= 0) seen.begin = std::max(seen.begin, position - p.left);
    if (right >= 0) seen.end = std::min(seen.end, position + right + 1);
  }
  seen.begin = std::min(seen.begin, p.keys);
  seen.end = std::max(seen.end, seen.begin);
  return seen;
}

std::span<const float> distance_row(const AttentionProblem& p, std::int64_t h, std::int64_t i) {
  if (p.distance_bias.empty()) return {};
  const std::int64_t distances = p.queries + p.keys - 1;
  const bool shared = std::ssize(p.distance_bias) == distances;
  const std::int64_t first = (shared ? 0 : h * distances) + p.queries - 1 - i;
  return p.distance_bias.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(p.keys));
}

bool is_hidden(const AttentionProblem& p, std::int64_t h, std::int64_t i, std::int64_t j) {
  const auto [begin, end] = visible(p, h, i);
  if (j < begin || j >= end) return true;
  const auto at = [&](std::int64_t heads) {
    return static_cast<std::size_t>(((heads == 1 ? 0 : h) * p.queries + i) * p.keys + j);
  };
  if (!p.allowed.empty() && p.allowed.values[at(p.allowed.heads)] == 0) return true;
  return !p.additive.empty() && p.additive.values[at(p.additive.heads)] == -INFINITY;
}

std::int64_t allowed_keys(const AttentionProblem& p, std::int64_t h, std::int64_t i) {
  const auto [begin, end] = visible(p, h, i);
  if (!has_cell_mask(p)) return end - begin;
  std::int64_t allowed = 0;
  for (std::int64_t j = begin; j < end; ++j) allowed += is_hidden(p, h, i, j) ? 0 : 1;
  return allowed;
}

void check(const AttentionProblem& p) {
  check_size("heads", p.heads, most_keys);
  check_size("key heads", p.kv_heads, p.heads);
  check_size("queries", p.queries, most_of_anything);
  check_size("keys", p.keys, most_keys);
  check_size("numbers in a query (d_k)", p.d_k, 1 << 20);
  check_size("numbers in a value (d_v)", p.d_v, 1 << 20);
  if (p.heads % p.kv_heads != 0)
    throw Error(
        fmt::format("{} heads cannot share {} key heads evenly; expected a multiple.", p.heads, p.kv_heads));
  check_rows("Q", p.query, p.heads, p.queries, p.d_k, true);
  check_rows("K", p.key, p.kv_heads, p.keys, p.d_k, true);
  check_rows("V", p.value, p.kv_heads, p.keys, p.d_v, false);
  check_numbers(p);
  check_mask(p);
}

}  // namespace attnscope
