// core/watch: parses a record of a stream: one attention call, or the end of a pass through the model. The
// data is not trusted: lengths, types, shapes and places are checked before a number is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/tensor.hpp"

namespace attnscope {

enum class WatchKind : std::uint8_t {
  Self,     // of a decoder, or of a model with one stack
  Cross,    // keys from an encoder
  Encoder,  // self-attention of the encoder of an encoder-decoder
};
/// "self", "cross", "encoder", as in records.
std::string_view to_string(WatchKind);

/// Weights are softmax(scale · q kᵀ, soft-capped, + bias + mask); query head h reads key head h / (heads / kv
/// heads). float16 and bfloat16 numbers are converted to float, exactly.
struct WatchedCall {
  std::int64_t pass = 0;
  std::int64_t layer = 0;  // in the order in which a pass calls the modules
  std::string name;        // "model.layers.17.self_attn", valid UTF-8
  WatchKind kind = WatchKind::Self;
  TensorPtr query;                // [batch][heads][queries][d_k], after rotary positions; every size >= 1
  TensorPtr key;                  // [batch][kv heads][keys sent][d_k]
  TensorPtr value;                // [batch][kv heads][keys sent][d_v]
  std::int64_t keys_from = 0;     // index of the first key sent: earlier ones came with earlier calls
  std::int64_t queries_from = 0;  // position of the first query among the keys
  double scale = 1;
  bool causal = false;
  std::int64_t window = 0;  // > 0: a query sees only the last so many keys up to its own; 0: all
  double soft_cap = 0;      // 0: none
  /// Null or [1 or batch][1 or heads][queries][keys], to add; -inf hides. From a boolean mask: 0 and -inf.
  TensorPtr mask, bias;
  TensorPtr output;  // null or [batch][queries][heads][d_v], as computed by the process
  TensorPtr sinks;   // null or [heads]
  /// If the process sends only one sequence of a batch: the size of the batch, and the sequence's index; 0:
  /// all are sent.
  std::int64_t sequences = 0, sequence = 0;
  double ms = 0;            // since the pass began
  std::uint64_t bytes = 0;  // of the record

  std::int64_t batch() const { return query->shape()[0]; }
  std::int64_t heads() const { return query->shape()[1]; }
  std::int64_t queries() const { return query->shape()[2]; }
  std::int64_t keys() const { return keys_from + key->shape()[2]; }
};

struct PassEnd {
  std::int64_t pass = 0;
  double ms = 0;
  /// [batch][new tokens], the inputs of this pass and of the encoder; null if the process does not know them.
  std::shared_ptr<const TensorOf<std::int64_t>> ids, memory_ids;
  /// Of the first sequence, one for each new token; empty if the process does not know them. Valid UTF-8.
  std::vector<std::string> tokens, memory_tokens;
  std::optional<std::int64_t> next_id;  // argmax of the last row's logits, of the first sequence
  std::uint64_t bytes = 0;
};

/// One complete record that is not a filler.
struct WatchRecord {
  std::uint64_t number = 0;
  std::uint64_t lost_before = 0;  // unread records between the one before and this one
  std::variant<WatchedCall, PassEnd> what;
};

/// `bytes` is a complete record, copied out of the ring; `file`: the stream's path, for messages. Throws
/// Error naming the file, the record's number, the wrong field, what was found and what was expected.
WatchRecord read_watch_record(std::span<const std::byte> bytes, const std::string& file);

}  // namespace attnscope
