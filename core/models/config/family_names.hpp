// core/models/config: names in the files of each family of models: "model_type", prefixes, key aliases and
// the paths of the tensors. Only families.cpp includes it.
#pragma once

#include <array>
#include <string_view>

#include "core/models/config/families.hpp"

namespace attnscope::family_names {

using enum Part;
using enum BiasRule;

// Decoders.
inline constexpr auto gpt2_types = std::to_array<std::string_view>({"gpt2"});
inline constexpr auto gpt2_prefixes = std::to_array<std::string_view>({"transformer."});
inline constexpr auto gpt2_aliases = std::to_array<KeyAlias>({{"hidden_size", "n_embd"},
                                                              {"num_hidden_layers", "n_layer"},
                                                              {"num_attention_heads", "n_head"},
                                                              {"max_position_embeddings", "n_positions"}});
inline constexpr auto gpt2_model = std::to_array<PartName>({
    {TokenTable, "wte"},
    {PositionTable, "wpe"},
    {Logits, "lm_head"},
});
inline constexpr auto gpt2_blocks = std::to_array<PartName>({
    {AttentionNorm, "h.{}.ln_1"},
    {QueryKeyValue, "h.{}.attn.c_attn", Always},
    {Output, "h.{}.attn.c_proj", Always},
    {MlpNorm, "h.{}.ln_2"},
    {Up, "h.{}.mlp.c_fc", Always},
    {Down, "h.{}.mlp.c_proj", Always},
    {FinalNorm, "ln_f"},
});

inline constexpr auto llama_types = std::to_array<std::string_view>({"llama"});
inline constexpr auto mistral_types = std::to_array<std::string_view>({"mistral"});
inline constexpr auto qwen2_types = std::to_array<std::string_view>({"qwen2"});
inline constexpr auto qwen3_types = std::to_array<std::string_view>({"qwen3"});
inline constexpr auto llama_prefixes = std::to_array<std::string_view>({"model.", "transformer."});
inline constexpr auto llama_model = std::to_array<PartName>({
    {TokenTable, "embed_tokens"},
    {Logits, "lm_head"},
});
inline constexpr auto llama_blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {Query, "layers.{}.self_attn.q_proj", Attention},
    {Key, "layers.{}.self_attn.k_proj", Attention},
    {Value, "layers.{}.self_attn.v_proj", Attention},
    {Output, "layers.{}.self_attn.o_proj", Attention},
    {MlpNorm, "layers.{}.post_attention_layernorm"},
    {Gate, "layers.{}.mlp.gate_proj", Mlp},
    {Up, "layers.{}.mlp.up_proj", Mlp},
    {Down, "layers.{}.mlp.down_proj", Mlp},
    {FinalNorm, "norm"},
});
inline constexpr auto qwen2_blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {Query, "layers.{}.self_attn.q_proj", Always},
    {Key, "layers.{}.self_attn.k_proj", Always},
    {Value, "layers.{}.self_attn.v_proj", Always},
    {Output, "layers.{}.self_attn.o_proj"},
    {MlpNorm, "layers.{}.post_attention_layernorm"},
    {Gate, "layers.{}.mlp.gate_proj"},
    {Up, "layers.{}.mlp.up_proj"},
    {Down, "layers.{}.mlp.down_proj"},
    {FinalNorm, "norm"},
});
inline constexpr auto qwen3_blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {Query, "layers.{}.self_attn.q_proj", Attention},
    {Key, "layers.{}.self_attn.k_proj", Attention},
    {Value, "layers.{}.self_attn.v_proj", Attention},
    {Output, "layers.{}.self_attn.o_proj", Attention},
    {QueryNorm, "layers.{}.self_attn.q_norm"},
    {KeyNorm, "layers.{}.self_attn.k_norm"},
    {MlpNorm, "layers.{}.post_attention_layernorm"},
    {Gate, "layers.{}.mlp.gate_proj"},
    {Up, "layers.{}.mlp.up_proj"},
    {Down, "layers.{}.mlp.down_proj"},
    {FinalNorm, "norm"},
});

inline constexpr auto gemma2_types = std::to_array<std::string_view>({"gemma2"});
inline constexpr auto gemma2_blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {Query, "layers.{}.self_attn.q_proj", Attention},
    {Key, "layers.{}.self_attn.k_proj", Attention},
    {Value, "layers.{}.self_attn.v_proj", Attention},
    {Output, "layers.{}.self_attn.o_proj", Attention},
    {AfterAttentionNorm, "layers.{}.post_attention_layernorm"},
    {MlpNorm, "layers.{}.pre_feedforward_layernorm"},
    {Gate, "layers.{}.mlp.gate_proj"},
    {Up, "layers.{}.mlp.up_proj"},
    {Down, "layers.{}.mlp.down_proj"},
    {AfterMlpNorm, "layers.{}.post_feedforward_layernorm"},
    {FinalNorm, "norm"},
});

inline constexpr auto neox_types = std::to_array<std::string_view>({"gpt_neox"});
inline constexpr auto neox_prefixes = std::to_array<std::string_view>({"gpt_neox."});
inline constexpr auto neox_model = std::to_array<PartName>({
    {TokenTable, "embed_in"},
    {Logits, "embed_out"},
});
inline constexpr auto neox_blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {QueryKeyValue, "layers.{}.attention.query_key_value", Attention},
    {Output, "layers.{}.attention.dense", Attention},
    {MlpNorm, "layers.{}.post_attention_layernorm"},
    {Up, "layers.{}.mlp.dense_h_to_4h", Always},
    {Down, "layers.{}.mlp.dense_4h_to_h", Always},
    {FinalNorm, "final_layer_norm"},
});

inline constexpr auto bloom_types = std::to_array<std::string_view>({"bloom"});
inline constexpr auto bloom_aliases = std::to_array<KeyAlias>(
    {{"n_embed", "hidden_size"}, {"num_hidden_layers", "n_layer"}, {"num_attention_heads", "n_head"}});
inline constexpr auto bloom_model = std::to_array<PartName>({
    {TokenTable, "word_embeddings"},
    {EmbeddingNorm, "word_embeddings_layernorm"},
    {Logits, "lm_head"},
});
inline constexpr auto bloom_blocks = std::to_array<PartName>({
    {AttentionNorm, "h.{}.input_layernorm"},
    {QueryKeyValue, "h.{}.self_attention.query_key_value", Always},
    {Output, "h.{}.self_attention.dense", Always},
    {MlpNorm, "h.{}.post_attention_layernorm"},
    {Up, "h.{}.mlp.dense_h_to_4h", Always},
    {Down, "h.{}.mlp.dense_4h_to_h", Always},
    {FinalNorm, "ln_f"},
});

// Encoders, encoder-decoders, vision.
inline constexpr auto bert_types = std::to_array<std::string_view>({"bert"});
inline constexpr auto bert_prefixes = std::to_array<std::string_view>({"bert."});
inline constexpr auto roberta_types =
    std::to_array<std::string_view>({"roberta", "xlm-roberta", "camembert"});
inline constexpr auto roberta_prefixes = std::to_array<std::string_view>({"roberta."});
inline constexpr auto bert_model = std::to_array<PartName>({
    {TokenTable, "embeddings.word_embeddings"},
    {PositionTable, "embeddings.position_embeddings"},
    {TypeTable, "embeddings.token_type_embeddings"},
    {EmbeddingNorm, "embeddings.LayerNorm"},
    {Pooler, "pooler.dense", Always},
});
inline constexpr auto bert_blocks = std::to_array<PartName>({
    {Query, "encoder.layer.{}.attention.self.query", Always},
    {Key, "encoder.layer.{}.attention.self.key", Always},
    {Value, "encoder.layer.{}.attention.self.value", Always},
    {Output, "encoder.layer.{}.attention.output.dense", Always},
    {AfterAttentionNorm, "encoder.layer.{}.attention.output.LayerNorm"},
    {Up, "encoder.layer.{}.intermediate.dense", Always},
    {Down, "encoder.layer.{}.output.dense", Always},
    {AfterMlpNorm, "encoder.layer.{}.output.LayerNorm"},
});

inline constexpr auto distilbert_types = std::to_array<std::string_view>({"distilbert"});
inline constexpr auto distilbert_prefixes = std::to_array<std::string_view>({"distilbert."});
inline constexpr auto distilbert_aliases = std::to_array<KeyAlias>(
    {{"hidden_size", "dim"}, {"num_hidden_layers", "n_layers"}, {"num_attention_heads", "n_heads"}});
inline constexpr auto distilbert_model = std::to_array<PartName>({
    {TokenTable, "embeddings.word_embeddings"},
    {PositionTable, "embeddings.position_embeddings"},
    {EmbeddingNorm, "embeddings.LayerNorm"},
});
inline constexpr auto distilbert_blocks = std::to_array<PartName>({
    {Query, "transformer.layer.{}.attention.q_lin", Always},
    {Key, "transformer.layer.{}.attention.k_lin", Always},
    {Value, "transformer.layer.{}.attention.v_lin", Always},
    {Output, "transformer.layer.{}.attention.out_lin", Always},
    {AfterAttentionNorm, "transformer.layer.{}.sa_layer_norm"},
    {Up, "transformer.layer.{}.ffn.lin1", Always},
    {Down, "transformer.layer.{}.ffn.lin2", Always},
    {AfterMlpNorm, "transformer.layer.{}.output_layer_norm"},
});

// The encoder that AttnScope itself trains (core/training): pre-norm, rotary. Unknown to other programs.
inline constexpr auto reader_types = std::to_array<std::string_view>({"attnscope_reader"});
inline constexpr auto reader_prefixes = std::to_array<std::string_view>({"reader."});
inline constexpr auto reader_model = std::to_array<PartName>({
    {TokenTable, "tokens"},
});
inline constexpr auto reader_blocks = std::to_array<PartName>({
    {AttentionNorm, "blocks.{}.attention_norm"},
    {Query, "blocks.{}.query", Always},
    {Key, "blocks.{}.key", Always},
    {Value, "blocks.{}.value", Always},
    {Output, "blocks.{}.output", Always},
    {MlpNorm, "blocks.{}.mlp_norm"},
    {Up, "blocks.{}.up", Always},
    {Down, "blocks.{}.down", Always},
    {FinalNorm, "final_norm"},
});

inline constexpr auto t5_types = std::to_array<std::string_view>({"t5"});
inline constexpr auto t5_aliases = std::to_array<KeyAlias>({{"hidden_size", "d_model"},
                                                            {"num_hidden_layers", "num_layers"},
                                                            {"num_attention_heads", "num_heads"},
                                                            {"head_dim", "d_kv"}});
inline constexpr auto t5_model = std::to_array<PartName>({
    {TokenTable, "shared"},
    {Logits, "lm_head"},
});
inline constexpr auto t5_encoder = std::to_array<PartName>({
    {AttentionNorm, "encoder.block.{}.layer.0.layer_norm"},
    {Query, "encoder.block.{}.layer.0.SelfAttention.q"},
    {Key, "encoder.block.{}.layer.0.SelfAttention.k"},
    {Value, "encoder.block.{}.layer.0.SelfAttention.v"},
    {Output, "encoder.block.{}.layer.0.SelfAttention.o"},
    {RelativeBias, "encoder.block.0.layer.0.SelfAttention.relative_attention_bias"},
    {MlpNorm, "encoder.block.{}.layer.1.layer_norm"},
    {Gate, "encoder.block.{}.layer.1.DenseReluDense.wi_0"},
    {Up, "encoder.block.{}.layer.1.DenseReluDense.wi"},
    {Down, "encoder.block.{}.layer.1.DenseReluDense.wo"},
    {FinalNorm, "encoder.final_layer_norm"},
});
inline constexpr auto t5_decoder = std::to_array<PartName>({
    {AttentionNorm, "decoder.block.{}.layer.0.layer_norm"},
    {Query, "decoder.block.{}.layer.0.SelfAttention.q"},
    {Key, "decoder.block.{}.layer.0.SelfAttention.k"},
    {Value, "decoder.block.{}.layer.0.SelfAttention.v"},
    {Output, "decoder.block.{}.layer.0.SelfAttention.o"},
    {RelativeBias, "decoder.block.0.layer.0.SelfAttention.relative_attention_bias"},
    {CrossNorm, "decoder.block.{}.layer.1.layer_norm"},
    {CrossQuery, "decoder.block.{}.layer.1.EncDecAttention.q"},
    {CrossKey, "decoder.block.{}.layer.1.EncDecAttention.k"},
    {CrossValue, "decoder.block.{}.layer.1.EncDecAttention.v"},
    {CrossOutput, "decoder.block.{}.layer.1.EncDecAttention.o"},
    {MlpNorm, "decoder.block.{}.layer.2.layer_norm"},
    {Gate, "decoder.block.{}.layer.2.DenseReluDense.wi_0"},
    {Up, "decoder.block.{}.layer.2.DenseReluDense.wi"},
    {Down, "decoder.block.{}.layer.2.DenseReluDense.wo"},
    {FinalNorm, "decoder.final_layer_norm"},
});

inline constexpr auto vit_types = std::to_array<std::string_view>({"vit"});
inline constexpr auto vit_prefixes = std::to_array<std::string_view>({"vit."});
inline constexpr auto vit_model = std::to_array<PartName>({
    {ClassToken, "embeddings.cls_token"},
    {PositionTable, "embeddings.position_embeddings"},
    {Patches, "embeddings.patch_embeddings.projection", Always},
    {Pooler, "pooler.dense", Always},
});
inline constexpr auto vit_blocks = std::to_array<PartName>({
    {AttentionNorm, "encoder.layer.{}.layernorm_before"},
    {Query, "encoder.layer.{}.attention.attention.query", Attention},
    {Key, "encoder.layer.{}.attention.attention.key", Attention},
    {Value, "encoder.layer.{}.attention.attention.value", Attention},
    {Output, "encoder.layer.{}.attention.output.dense", Always},
    {MlpNorm, "encoder.layer.{}.layernorm_after"},
    {Up, "encoder.layer.{}.intermediate.dense", Always},
    {Down, "encoder.layer.{}.output.dense", Always},
    {FinalNorm, "layernorm"},
});

}  // namespace attnscope::family_names
