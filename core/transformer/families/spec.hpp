// core/transformer/families: ModelSpec: everything about a transformer except its weights, as one value.
// core/models/config reads it from a config file, core/models/reading/gguf_model.cpp from the metadata of a
// GGUF file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/activation.hpp"
#include "core/base/norm.hpp"
#include "core/document/block_settings.hpp"
#include "core/document/layer.hpp"
#include "core/document/model_changes.hpp"
#include "core/transformer/arrangement.hpp"
#include "core/transformer/experts.hpp"
#include "core/transformer/positions.hpp"
#include "core/transformer/positions/rope_frequencies.hpp"

namespace attnscope {

/// A stack of blocks.
struct StackSpec {
  /// The settings of each block, without its weights: what a lone layer has a block of a model can have. Of a
  /// model every size is given: d_model, kv_heads, d_k and d_inner are not 0. With `cross` the settings are
  /// those of self-attention; attention to the other stack has as many heads of the same width and scale.
  std::vector<LayerSpec> blocks;          // at least one; equal in arrangement and norm
  Positions embedded = Positions::None;   // added to the tokens before the first block: Learned, or None
  bool cross = false;                     // attention to another stack's output, in each block
  double residual_scale = 1;              // multiplies what attention and the MLP add
  std::optional<ExpertSettings> experts;  // of the blocks whose MLP is a mixture
  std::vector<std::uint8_t> mixes = {};   // for each block, whether it is one; empty: none is
  bool residual_after_norm = false;       // PreNorm: the residual stream continues from N x, not from x

  /// Whether the block's MLP is a mixture of experts.
  bool is_mixture(std::size_t block) const { return block < mixes.size() && mixes[block] != 0; }
  bool causal() const { return blocks.front().masking.causal; }
  Arrangement arrangement() const { return blocks.front().block.kind; }
  /// Of all norms but those of heads.
  NormSettings norm() const { return norm_settings(blocks.front().block); }
  /// Those added to the tokens; else those of the first block that has any: some blocks may have none.
  Positions positions() const;
};

/// The multiplier of the block's scores.
inline double scale_of(const LayerSpec& block) { return scale_factor(block.scaling, block.d_k); }
/// Its rotary settings.
inline RopeSettings rope_of(const LayerSpec& block) { return rope_of(block.position_settings, block.d_k); }
/// Whether its rotary positions depend on the length of the text, so that all rows do.
inline bool turns_by_length(const LayerSpec& block) {
  return is_rotary(block.positions) && depends_on_length(block.position_settings.rope_scaling);
}
bool turns_by_length(const StackSpec&);
/// The keys that a query of the block sees on its left, its own included; 0 = all.
inline std::int64_t window_of(const LayerSpec& block) { return block.masking.window.left + std::int64_t{1}; }
/// Gives every block the mask: causal, or with windows that reach as far to the right as to the left; and
/// relative buckets for keys on one side or on both.
void set_causal(StackSpec&, bool causal);
/// Takes the positions from the blocks that rotates() excludes.
void leave_unrotated(StackSpec&, int interval);
/// Whether a block is one of every `pattern`-th, counted from 1, which have no window.
inline bool is_full(std::size_t block, int pattern) {
  return (block + 1) % static_cast<std::size_t>(pattern) == 0;
}
/// Takes the positions from blocks without a window.
void leave_full_unrotated(StackSpec&);
/// Gives every block these settings of the block around its attention.
template <class Set>
void set_blocks(StackSpec& stack, Set&& set) {
  for (LayerSpec& layer : stack.blocks) set(layer.block);
}

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
  bool rounds_embedding_scale = false;  // to the type of the table: Gemma
  int embedding_width = 0;              // of tables that a map widens to d_model; 0 = d_model, without a map
  /// ESM: embeddings of this token are 0, and all are multiplied by 0.88 / (1 − its share of the tokens).
  std::optional<std::int64_t> dropped_token;
  double logit_scale = 1;  // multiplies the last hidden state before the map to logits
  double logit_cap = 0;    // logits become c·tanh(x / c); 0 = off
  bool tied = true;        // logits use the embedding table
  HeadSpec head;
  bool pooler = false;
  bool pools_first_row = false;  // without a pooler: the first row of the last hidden state stands for all
  /// Whether the last of "hidden_states" is taken behind the final norm, as transformers returns it.
  bool final_norm_in_hidden = true;
  std::int64_t first_position = 0;         // of learned positions
  bool positions_skip_hidden = false;      // tokens that the mask hides do not count
  std::optional<std::int64_t> padding_id;  // RoBERTa: positions count only the other tokens
  std::optional<ImageSpec> image;          // the input is a picture, not tokens
  std::optional<std::int64_t> decoder_start, begin_id;
  std::vector<std::int64_t> end_ids;

  /// Whether encoder and decoder each read a text.
  bool reads_two_texts() const { return encoder && decoder; }
  bool has_logits() const { return head.kind != HeadKind::None; }
  /// The stack with this attention, which exists.
  const StackSpec& stack(AttentionOf of) const { return of == AttentionOf::Encoder ? *encoder : *decoder; }
  /// The stack whose last rows the head reads, and the one that reads the input: with both, decoder and
  /// encoder.
  const StackSpec& output_stack() const { return decoder ? *decoder : *encoder; }
  const StackSpec& input_stack() const { return encoder ? *encoder : *decoder; }
};

}  // namespace attnscope
