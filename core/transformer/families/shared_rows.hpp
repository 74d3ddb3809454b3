// core/transformer/families: names, keys and heads that families share. Only the files of families include
// it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "core/transformer/families/family.hpp"

namespace attnscope {

/// The names of a family that is written like another: `rows` replace those of their parts, and `More` of
/// them are of parts that the other does not have. Does not compile with another number.
template <std::size_t More = 0, std::size_t N, std::size_t R>
consteval std::array<PartName, N + More> names_like(const std::array<PartName, N>& other,
                                                    const PartName (&rows)[R]) {
  std::array<PartName, N + More> made{};
  auto end = std::ranges::copy(other, made.begin()).out;
  for (const PartName& row : rows) {
    const auto at = std::ranges::find(made.begin(), end, row.part, &PartName::part);
    if (at == end && end++ == made.end()) throw std::logic_error("too many rows");
    *at = row;
  }
  if (end != made.end()) throw std::logic_error("too few rows");
  return made;
}

/// A copy of keys, of a head or of a family, with what `change` sets in it.
template <class Value>
consteval Value like(Value other, auto change) {
  change(other);
  return other;
}

/// Llama's names, and those of families written like it.
inline constexpr auto gated_prefixes = std::to_array<std::string_view>({"model.", "transformer."});
inline constexpr auto gated_model = std::to_array<PartName>({
    {Part::TokenTable, "embed_tokens"},
    {Part::Logits, "lm_head"},
});
/// Attention and the norms, to which each kind of MLP adds its maps.
inline constexpr auto llama_attention = std::to_array<PartName>({
    {Part::AttentionNorm, "layers.{}.input_layernorm"},
    {Part::Query, "layers.{}.self_attn.q_proj", BiasRule::Attention},
    {Part::Key, "layers.{}.self_attn.k_proj", BiasRule::Attention},
    {Part::Value, "layers.{}.self_attn.v_proj", BiasRule::Attention},
    {Part::Output, "layers.{}.self_attn.o_proj", BiasRule::Attention},
    {Part::MlpNorm, "layers.{}.post_attention_layernorm"},
    {Part::FinalNorm, "norm"},
});
inline constexpr auto gated_blocks =
    names_like<3>(llama_attention, {{Part::Gate, "layers.{}.mlp.gate_proj"},
                                    {Part::Up, "layers.{}.mlp.up_proj"},
                                    {Part::Down, "layers.{}.mlp.down_proj"}});
inline constexpr ConfigKeys llama_keys{.width = "hidden_size",
                                       .layers = "num_hidden_layers",
                                       .heads = "num_attention_heads",
                                       .kv_heads = "num_key_value_heads",
                                       .inner = "intermediate_size",
                                       .positions = "max_position_embeddings",
                                       .epsilon = "rms_norm_eps",
                                       .activation = "hidden_act",
                                       .default_width = 4096,
                                       .default_layers = 32,
                                       .default_heads = 32,
                                       .default_inner = 11008,
                                       .default_positions = 2048,
                                       .default_epsilon = 1e-6,
                                       .default_activation = "silu",
                                       .default_vocabulary = 32'000,
                                       .head_width = "head_dim"};

/// The keys of a family that uses Llama's.
constexpr ConfigKeys like_llama(int inner, int positions, int vocabulary, int kv_heads, int head_width) {
  ConfigKeys keys = llama_keys;
  keys.default_inner = inner;
  keys.default_positions = positions;
  keys.default_vocabulary = vocabulary;
  keys.default_kv_heads = kv_heads;
  keys.default_head_width = head_width;
  return keys;
}
/// The same with defaults of the width, the blocks and the heads.
constexpr ConfigKeys like_llama(int width, int layers, int heads, ConfigKeys keys) {
  keys.default_width = width;
  keys.default_layers = layers;
  keys.default_heads = heads;
  return keys;
}
/// Norms of queries and keys beside Llama's names.
inline constexpr PartName head_norm_names[]{{Part::QueryNorm, "layers.{}.self_attn.q_norm"},
                                            {Part::KeyNorm, "layers.{}.self_attn.k_norm"}};

/// BERT's, whose keys most families have.
inline constexpr auto bert_tables = std::to_array<PartName>({
    {Part::TokenTable, "embeddings.word_embeddings"},
    {Part::PositionTable, "embeddings.position_embeddings"},
    {Part::EmbeddingNorm, "embeddings.LayerNorm"},
});
inline constexpr auto bert_blocks = std::to_array<PartName>({
    {Part::Query, "encoder.layer.{}.attention.self.query", BiasRule::Always},
    {Part::Key, "encoder.layer.{}.attention.self.key", BiasRule::Always},
    {Part::Value, "encoder.layer.{}.attention.self.value", BiasRule::Always},
    {Part::Output, "encoder.layer.{}.attention.output.dense", BiasRule::Always},
    {Part::AfterAttentionNorm, "encoder.layer.{}.attention.output.LayerNorm"},
    {Part::Up, "encoder.layer.{}.intermediate.dense", BiasRule::Always},
    {Part::Down, "encoder.layer.{}.output.dense", BiasRule::Always},
    {Part::AfterMlpNorm, "encoder.layer.{}.output.LayerNorm"},
});
inline constexpr ConfigKeys bert_keys{.width = "hidden_size",
                                      .layers = "num_hidden_layers",
                                      .heads = "num_attention_heads",
                                      .kv_heads = "",
                                      .inner = "intermediate_size",
                                      .positions = "max_position_embeddings",
                                      .epsilon = "layer_norm_eps",
                                      .activation = "hidden_act",
                                      .default_width = 768,
                                      .default_layers = 12,
                                      .default_heads = 12,
                                      .default_inner = 3072,
                                      .default_positions = 512,
                                      .default_epsilon = 1e-12,
                                      .default_activation = "gelu",
                                      .default_vocabulary = 30'522};

/// The norms of blocks with norms behind, in GGUF files.
inline constexpr auto gguf_post_norms =
    std::to_array<PartName>({{Part::AfterAttentionNorm, "blk.{}.attn_output_norm"},
                             {Part::AfterMlpNorm, "blk.{}.layer_output_norm"}});

inline constexpr auto choice_classes = std::to_array<std::string_view>({"choice"});

/// A head that is one linear map.
constexpr HeadRow linear_head(std::string_view ending, HeadKind kind, HeadInput input, std::string_view out) {
  return {ending, kind, input, "", "", out, "", Activation::Identity};
}
inline constexpr HeadRow of_last_token =
    linear_head("ForSequenceClassification", HeadKind::SequenceClass, HeadInput::LastToken, "score");
inline constexpr HeadRow answer_span =
    linear_head("ForQuestionAnswering", HeadKind::AnswerSpan, HeadInput::EveryRow, "qa_outputs");
inline constexpr HeadRow token_class =
    linear_head("ForTokenClassification", HeadKind::TokenClass, HeadInput::EveryRow, "classifier");
inline constexpr HeadRow pooled_choice =
    like(linear_head("ForMultipleChoice", HeadKind::SequenceClass, HeadInput::Pooled, "classifier"),
         [](HeadRow& made) { made.classes = choice_classes; });
inline constexpr auto decoder_heads = std::to_array<HeadRow>({of_last_token, answer_span, token_class});
/// The heads of Llama and of families written like it.
inline constexpr auto gated_heads = std::to_array<HeadRow>({
    of_last_token,
    answer_span,
    linear_head("ForTokenClassification", HeadKind::TokenClass, HeadInput::EveryRow, "score"),
});

}  // namespace attnscope
