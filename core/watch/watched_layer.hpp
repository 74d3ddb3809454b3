// core/watch: one layer of the text that a watched process has read so far: all its keys and values, and the
// queries of the known rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/streaming/problem.hpp"
#include "core/watch/watch_record.hpp"

namespace attnscope {

/// Rows that can be appended to: [heads][rows][width]. A copy shares the numbers but keeps its own row count;
/// so one thread may read a copy while another appends to the original.
class GrowingRows {
 public:
  GrowingRows() = default;
  GrowingRows(std::int64_t heads, std::int64_t width) : heads_(heads), width_(width) {}

  std::int64_t heads() const { return heads_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t width() const { return width_; }
  const float* row(std::int64_t head, std::int64_t i) const {
    return numbers_.get() + (head * room_ + i) * width_;
  }
  /// Heads [first, …) as rows of the streaming engine.
  HeadRows from_head(std::int64_t first) const;
  /// Its memory in bytes, including the capacity for rows to come.
  std::uint64_t bytes() const;
  /// The memory in bytes that it would need for `rows` rows.
  std::uint64_t bytes_with(std::int64_t rows) const;
  /// Appends the rows [batch][heads][rows][width] of a call. Of several copies only the longest may be
  /// appended to.
  void append(const Tensor&);
  /// Removes the last rows; no copy may have them.
  void drop_last(std::int64_t count) { rows_ -= count; }

 private:
  std::int64_t room_with(std::int64_t rows) const;

  std::shared_ptr<float[]> numbers_;
  std::int64_t heads_ = 0, rows_ = 0, room_ = 0, width_ = 0;
};

/// The rows of one call. Its query i is at position first + i.
struct WatchedRows {
  std::int64_t pass = 0;
  std::int64_t first = 0, count = 0;
  std::int64_t row = 0;   // the index of its first row among the known rows
  std::int64_t keys = 0;  // keys that existed then
  bool causal = false;
  TensorPtr mask, bias;  // as in WatchedCall
};

/// Immutable once handed out: any thread may read it. "Head" always means a query head.
struct WatchedLayer {
  std::int64_t index = 0;
  std::string name;
  WatchKind kind = WatchKind::Self;
  std::int64_t sequences = 0, sequence = 0;  // as in WatchedCall
  std::int64_t batch = 0, heads = 0, kv_heads = 0, d_k = 0, d_v = 0;
  double scale = 1, soft_cap = 0;  // soft_cap 0: none
  std::int64_t window = 0;         // 0: none
  TensorPtr sinks;                 // null or [heads]
  GrowingRows query;               // [batch · heads][rows][d_k]
  GrowingRows key, value;          // [batch · kv heads][keys][d_k or d_v]
  std::vector<WatchedRows> calls;  // the rows, in order; positions ascend, with gaps where calls were dropped
  TensorPtr output;                // of the last call, see WatchedCall; null if it was not sent

  std::int64_t rows() const { return query.rows(); }
  std::int64_t keys() const { return key.rows(); }
  /// The position of a row among the keys; for cross-attention the index of its query.
  std::int64_t position(std::int64_t row) const;
  /// The row at a position; -1 if it is not known.
  std::int64_t row_at(std::int64_t position) const;
  /// The row may see keys [0, end) before window and masks: the keys that existed, for a causal row up to its
  /// own.
  std::int64_t end_of(std::int64_t row) const;
  /// The call that the row came with.
  const WatchedRows& call_of(std::int64_t row) const;
};
using WatchedLayerPtr = std::shared_ptr<const WatchedLayer>;

}  // namespace attnscope
