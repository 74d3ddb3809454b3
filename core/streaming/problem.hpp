// core/streaming: attention as the streaming engine takes it: one sequence, numbers of another owner
// (a Tensor, a mapped file) and the rule of the mask. Nothing here grows with queries times keys unless
// the caller brings it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/tensor.hpp"

namespace attnscope {

/// [heads][rows][numbers], not owned: the numbers of a row lie side by side, rows and heads at any distance.
struct HeadRows {
  const float* data = nullptr;                   // null: see `whole`
  std::int64_t head_stride = 0, row_stride = 0;  // in numbers; 0 = the same for all
  /// Keeps the numbers as they are for as long as it lives, so that a backend may keep its own copy of them
  /// for as long; null = no such promise.
  std::shared_ptr<const void> owner = nullptr;
  /// They are those of a tensor, which is the owner, from its number `first` on. Where `data` is null they
  /// are brought here by the first that asks for a row.
  TensorPtr whole = nullptr;
  std::int64_t first = 0;

  /// The rows of a tensor whose last two dimensions are rows and numbers, from its number `first` on.
  static HeadRows of(const TensorPtr& tensor, std::int64_t first = 0);
  bool has_numbers() const { return data != nullptr || whole != nullptr; }
  const float* row(std::int64_t head, std::int64_t i) const {
    return (data != nullptr ? data : whole->data() + first) + head * head_stride + i * row_stride;
  }
};

/// Something for each cell of [1 or heads][queries][keys], not owned; empty = nothing.
template <class T>
struct CellValues {
  std::span<const T> values;
  std::int64_t heads = 1;                       // 1 = one block for all heads
  std::shared_ptr<const void> owner = nullptr;  // as that of HeadRows
  bool empty() const { return values.empty(); }
};

/// softmax(mask(cap(scale · Q·Kᵀ)) / temperature)·V for each head; query head h reads key head h / (heads /
/// kv_heads). Order as in the stages: scale, c·tanh(x / c), + biases, hidden keys to -inf, softmax.
struct AttentionProblem {
  std::int64_t heads = 1, kv_heads = 1, queries = 0, keys = 0, d_k = 0, d_v = 0;
  HeadRows query;  // [heads][queries][d_k]
  HeadRows key;    // [kv_heads][keys][d_k]
  HeadRows value;  // [kv_heads][keys][d_v]; may have no data when no output is asked for
  double scale = 1;
  double soft_cap = 0;  // 0 = off
  double temperature = 1;

  // Query i stands at position p = offset + i among the keys. It sees a key j when every part lets it.
  std::int64_t offset = 0;
  bool causal = false;                  // j <= p
  std::int64_t left = -1, right = -1;   // p - left <= j <= p + right; -1 = open
  std::int64_t real_keys = -1;          // j < real_keys: the others are padding; -1 = all are real
  std::vector<std::uint8_t> patterned;  // [heads] or empty: causal and window hold where it is not 0
  CellValues<std::uint8_t> allowed;     // 0 hides
  CellValues<float> additive;           // added after the cap; -inf hides
  /// [1 or heads][queries + keys - 1], added after the cap: number j - i + queries - 1 of a head.
  std::span<const float> distance_bias;
  /// [heads] or empty: a logit that joins each row's softmax and takes no value; not owned, finite.
  std::span<const float> sinks;
  /// Queries from here on are padding: computed, but left out of the attention received; -1 = none is.
  std::int64_t real_queries = -1;
};

/// Keys [begin, end) that causal, window and padding leave to query i of head h.
struct KeyInterval {
  std::int64_t begin, end;
};
KeyInterval visible(const AttentionProblem&, std::int64_t h, std::int64_t i);

/// Whether a mask says for every cell by itself what it hides.
inline bool has_cell_mask(const AttentionProblem& p) { return !p.allowed.empty() || !p.additive.empty(); }
/// Whether any part of the mask hides key j from query i of head h.
bool is_hidden(const AttentionProblem&, std::int64_t h, std::int64_t i, std::int64_t j);
/// How many keys none hides.
std::int64_t allowed_keys(const AttentionProblem&, std::int64_t h, std::int64_t i);

/// Throws Error with a sentence that names the field, what was found and what was expected. Sizes are from 1
/// to 2^30 (keys) or 2^40, and their bytes must be countable.
void check(const AttentionProblem&);

}  // namespace attnscope
