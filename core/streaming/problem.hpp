// core/streaming: attention as input of the streaming engine: one sequence, numbers that others own (a
// Tensor, a mapped file), and the masking rule. Nothing here grows with queries times keys unless the caller
// supplies it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/tensor.hpp"

namespace attnscope {

/// [heads][rows][numbers], not owned: the numbers of a row are contiguous, rows and heads have any stride.
struct HeadRows {
  const float* data = nullptr;                   // null: see `whole`
  std::int64_t head_stride = 0, row_stride = 0;  // in numbers; 0 = the same for all
  /// Keeps the numbers unchanged during its lifetime, so that a backend may keep its own copy of them as
  /// long; null = no such promise.
  std::shared_ptr<const void> owner = nullptr;
  /// The tensor, also the owner, that holds the rows from its number `first` on. If `data` is null, the first
  /// request for a row copies them to host memory.
  TensorPtr whole = nullptr;
  std::int64_t first = 0;

  /// The rows of a tensor whose last two dimensions are rows and numbers, from its number `first` on.
  static HeadRows of(const TensorPtr& tensor, std::int64_t first = 0);
  bool has_numbers() const { return data != nullptr || whole != nullptr; }
  const float* row(std::int64_t head, std::int64_t i) const {
    return (data != nullptr ? data : whole->data() + first) + head * head_stride + i * row_stride;
  }
};

/// A value for each cell of [1 or heads][queries][keys], not owned; empty = none.
template <class T>
struct CellValues {
  std::span<const T> values;
  std::int64_t heads = 1;                       // 1 = one block for all heads
  std::shared_ptr<const void> owner = nullptr;  // as in HeadRows
  bool empty() const { return values.empty(); }
};

/// softmax(mask(cap(scale · Q·Kᵀ)) / temperature)·V for each head; query head h reads key head h / (heads /
/// kv_heads). Order as in the stages: scale, c·tanh(x / c), + biases, hidden keys to -inf, softmax.
struct AttentionProblem {
  std::int64_t heads = 1, kv_heads = 1, queries = 0, keys = 0, d_k = 0, d_v = 0;
  HeadRows query;  // [heads][queries][d_k]
  HeadRows key;    // [kv_heads][keys][d_k]
  HeadRows value;  // [kv_heads][keys][d_v]; may have no data if no output is requested
  double scale = 1;
  double soft_cap = 0;  // 0 = off
  double temperature = 1;

  // Query i is at position p = offset + i among the keys. It sees a key j if all of these rules allow it.
  std::int64_t offset = 0;
  bool causal = false;                  // j <= p
  std::int64_t left = -1, right = -1;   // p - left <= j <= p + right; -1 = open
  std::int64_t real_keys = -1;          // j < real_keys, the others are padding; -1 = all are real
  std::vector<std::uint8_t> patterned;  // [heads] or empty: 0 = causal and window are off
  CellValues<std::uint8_t> allowed;     // 0 hides the key
  CellValues<float> additive;           // added after the cap; -inf hides
  /// [1 or heads][queries + keys - 1], added after the cap: number j - i + queries - 1 of a head.
  std::span<const float> distance_bias;
  /// [heads] or empty: a logit that is added to each row's softmax and has no value vector; not owned,
  /// finite.
  std::span<const float> sinks;
  /// Queries from here on are padding: computed, but left out of the attention received; -1 = none.
  std::int64_t real_queries = -1;

  /// The key head that a query head reads.
  std::int64_t kv_head(std::int64_t head) const { return head / (heads / kv_heads); }
};

/// The keys [begin, end) that causal, window and padding allow for query i of head h.
struct KeyInterval {
  std::int64_t begin, end;
};
KeyInterval visible(const AttentionProblem&, std::int64_t h, std::int64_t i);

/// Whether the mask has a value for each cell.
inline bool has_cell_mask(const AttentionProblem& p) { return !p.allowed.empty() || !p.additive.empty(); }
/// Whether any part of the mask hides key j from query i of head h.
bool is_hidden(const AttentionProblem&, std::int64_t h, std::int64_t i, std::int64_t j);
/// How many keys no part of the mask hides.
std::int64_t allowed_keys(const AttentionProblem&, std::int64_t h, std::int64_t i);

/// The bias by distance of each key for query i of head h; empty without one.
std::span<const float> distance_row(const AttentionProblem&, std::int64_t h, std::int64_t i);

/// Throws Error naming the field, what was found and what was expected. Sizes are from 1 to 2^30 (keys) or
/// 2^40, and their bytes must not overflow.
void check(const AttentionProblem&);

}  // namespace attnscope
