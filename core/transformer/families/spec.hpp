// core/transformer/families: ModelSpec: everything about a transformer except its weights, as one value.
// core/models/config reads it from a config file, core/models/gguf_model.cpp from the metadata of a GGUF
// file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/norm.hpp"
#include "core/blocks/activation.hpp"
#include "core/blocks/rope.hpp"
#include "core/transformer/arrangement.hpp"
#include "core/transformer/positions.hpp"

namespace attnscope {

/// Attention settings that may differ between blocks.
struct AttentionSpec {
  int heads = 1, kv_heads = 1;
  int d_k = 1;              // of queries, keys and values
  double scale = 1;         // multiplies the scores
  std::int64_t window = 0;  // keys that a query sees, its own included; 0 = all
  bool rotary = true;       // with rotary positions: whether this block rotates queries and keys
};

/// A stack of blocks.
struct StackSpec {
  std::vector<AttentionSpec> blocks;
  Arrangement arrangement = Arrangement::PreNorm;  // not None
  NormSettings norm;
  Positions positions = Positions::Learned;  // RelativeBuckets: one table, shared by all blocks
  RopeSettings rope;                         // of rotary positions
  int buckets = 32, bucket_distance = 128;   // for RelativeBuckets
  bool causal = false;                       // also: relative buckets are one-sided
  bool cross = false;                        // attention to another stack's output, in each block
  double soft_cap = 0;                       // of scores; 0 = off
  bool head_norms = false;                   // queries and keys of each head are normalised (RMS)
  Activation activation = Activation::Gelu;
  bool gated = false;                // MLP: f(x·W_gate) · (x·W_up)
  bool residual_after_norm = false;  // PreNorm: the residual stream continues from N x, not from x
};

/// How a picture is cut into patches.
struct ImageSpec {
  int channels = 3, height = 224, width = 224, patch = 16;
};

/// What a model's logits predict.
enum class HeadKind : std::uint8_t {
  None,           // the model has no logits
  NextToken,      // [rows][vocabulary]
  MaskedToken,    // [rows][vocabulary]
  TokenClass,     // [rows][classes]
  SequenceClass,  // [1][classes]
  AnswerSpan,     // [rows][2]: logits for the first and for the last token of the answer
};

/// The rows that a head reads.
enum class HeadInput : std::uint8_t {
  EveryRow,  // of the last hidden state
  FirstRow,
  LastToken,  // the row of the last token that is not padding
  Pooled,     // the pooler's output
};

/// The head on the last hidden state.
struct HeadSpec {
  HeadKind kind = HeadKind::None;
  HeadInput input = HeadInput::EveryRow;
  Activation activation = Activation::Identity;  // before the last map, if the head has another map
  std::vector<std::string> classes;              // their names
  std::optional<std::int64_t> padding_id;        // LastToken
  bool names_referents = false;                  // a token's class is the token that it refers to
};

struct ModelSpec {
  std::string family;        // "GPT-2", the name of a Family
  std::string architecture;  // from the file: "GPT2LMHeadModel"
  int d_model = 0;
  int d_inner = 0;  // of the MLP
  int vocabulary = 0;
  int max_positions = 0;                      // 0 = limited by memory only
  int token_types = 0;                        // rows of the table of token types; 0 = none
  std::optional<StackSpec> encoder, decoder;  // one or both
  double embedding_scale = 1;
  double logit_scale = 1;  // multiplies the last hidden state before the map to logits
  double logit_cap = 0;    // logits become c·tanh(x / c); 0 = off
  bool tied = true;        // logits use the embedding table
  HeadSpec head;
  bool pooler = false;
  /// Whether the last of "hidden_states" is taken behind the final norm, as transformers returns it.
  bool final_norm_in_hidden = true;
  std::int64_t first_position = 0;         // of learned positions
  std::optional<std::int64_t> padding_id;  // RoBERTa: positions count only the other tokens
  std::optional<ImageSpec> image;          // the input is a picture, not tokens
  std::optional<std::int64_t> decoder_start, begin_id;
  std::vector<std::int64_t> end_ids;

  /// Whether encoder and decoder each read a text.
  bool reads_two_texts() const { return encoder && decoder; }
  bool has_logits() const { return head.kind != HeadKind::None; }
};

}  // namespace attnscope
