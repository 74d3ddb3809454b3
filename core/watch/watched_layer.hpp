// core/watch: one layer of the text that a watched process has read so far: all of its keys and values, and
// the queries of the rows that are known.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/streaming/problem.hpp"
#include "core/watch/watch_record.hpp"

namespace attnscope {

/// Rows of numbers that only ever become more: [heads][rows][width]. A copy shares the numbers and keeps the
/// rows that it has, whatever is added to another; so a copy may be read on one thread while rows are added
/// to its original on another.
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
  /// Heads [first, …) as the streaming engine takes them.
  HeadRows from_head(std::int64_t first) const;
  /// Bytes that it holds, those of the rows to come included.
  std::uint64_t bytes() const;
  /// Bytes that it would hold with so many rows.
  std::uint64_t bytes_with(std::int64_t rows) const;
  /// [batch][heads][rows][width] of another call, behind the rows that are there. Of the copies of one only
  /// the longest may be added to.
  void append(const Tensor&);
  /// Forgets rows at the end that no copy has.
  void drop_last(std::int64_t count) { rows_ -= count; }

 private:
  std::int64_t room_with(std::int64_t rows) const;

  std::shared_ptr<float[]> numbers_;
  std::int64_t heads_ = 0, rows_ = 0, room_ = 0, width_ = 0;
};

/// Rows of one call. Query i of it stands at position first + i.
struct WatchedRows {
  std::int64_t pass = 0;
  std::int64_t first = 0, count = 0;
  std::int64_t row = 0;   // the number of its first row among those that are known
  std::int64_t keys = 0;  // that there were then
  bool causal = false;
  TensorPtr mask, bias;  // as in WatchedCall
};

/// Immutable once it is handed out: safe to read from any thread. "Head" is a query head everywhere.
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
  TensorPtr output;                // of the last call, see WatchedCall; null: it was not sent

  std::int64_t rows() const { return query.rows(); }
  std::int64_t keys() const { return key.rows(); }
  /// Where row 0 … rows() - 1 stands among the keys; of cross-attention which query it is.
  std::int64_t position(std::int64_t row) const;
  /// The row that stands there; -1: it is not known.
  std::int64_t row_at(std::int64_t position) const;
  /// Keys [0, end) are those that the row may look at before window and masks: those that there were, up to
  /// its own where it is causal.
  std::int64_t end_of(std::int64_t row) const;
  /// The call that brought the row.
  const WatchedRows& call_of(std::int64_t row) const;
};
using WatchedLayerPtr = std::shared_ptr<const WatchedLayer>;

}  // namespace attnscope
