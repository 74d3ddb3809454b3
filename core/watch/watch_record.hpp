// core/watch: what a record of a stream says: one attention call, or the end of a pass through the model.
// Nothing in it is trusted: lengths, types, shapes and places are checked before a number is read.
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
  Self,     // of a decoder, or of a model that has one stack
  Cross,    // keys of an encoder
  Encoder,  // self-attention of the encoder of an encoder-decoder
};
/// "self", "cross", "encoder": as records have it.
std::string_view to_string(WatchKind);

/// Weights are softmax(scale · q kᵀ, soft-capped, + bias + mask); query head h reads key head h / (heads / kv
/// heads). Numbers that came as float16 or bfloat16 are widened, exactly.
struct WatchedCall {
  std::int64_t pass = 0;
  std::int64_t layer = 0;  // in the order in which the modules are called in a pass
  std::string name;        // "model.layers.17.self_attn", valid UTF-8
  WatchKind kind = WatchKind::Self;
  TensorPtr query;             // [batch][heads][queries][d_k], after rotary positions; every size >= 1
  TensorPtr key;               // [batch][kv heads][keys sent][d_k]
  TensorPtr value;             // [batch][kv heads][keys sent][d_v]
  std::int64_t keys_from = 0;  // index of the first key that was sent: those before came with earlier calls
  std::int64_t queries_from = 0;  // where the first query stands among the keys
  double scale = 1;
  bool causal = false;
  std::int64_t window = 0;  // > 0: of the keys up to the query's own, the last so many; 0: all
  double soft_cap = 0;      // 0: none
  /// Null or [1 or batch][1 or heads][queries][keys], to be added; -inf hides. Of a boolean mask 0 and -inf.
  TensorPtr mask, bias;
  TensorPtr output;  // null or [batch][queries][heads][d_v], what the process itself computed
  TensorPtr sinks;   // null or [heads]
  /// Of a batch of so many the process may send one sequence alone, whose number this is; 0: all are sent.
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
  /// [batch][new tokens], the input of this pass, and of the encoder; null where the process does not know
  /// it.
  std::shared_ptr<const TensorOf<std::int64_t>> ids, memory_ids;
  /// Of the first sequence, one for each new token; empty: the process does not know. Valid UTF-8.
  std::vector<std::string> tokens, memory_tokens;
  std::optional<std::int64_t> next_id;  // argmax of the last row's logits, of the first sequence
  std::uint64_t bytes = 0;
};

/// One whole record that is no filler.
struct WatchRecord {
  std::uint64_t number = 0;
  std::uint64_t lost_before = 0;  // unread records between the one before and this one
  std::variant<WatchedCall, PassEnd> what;
};

/// `bytes` is a whole record, copied out of the ring; `file`: the stream's path, for messages. Throws Error
/// with the file, the record's number and the field that is wrong, what was found and what was expected.
WatchRecord read_watch_record(std::span<const std::byte> bytes, const std::string& file);

}  // namespace attnscope
