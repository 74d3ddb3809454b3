#include "core/models/config/families.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace attnscope {
namespace {

using enum Part;
using enum BiasRule;

// Decoders.
constexpr auto gpt2_types = std::to_array<std::string_view>({"gpt2"});
constexpr auto gpt2_prefixes = std::to_array<std::string_view>({"transformer."});
constexpr auto gpt2_aliases = std::to_array<KeyAlias>({{"hidden_size", "n_embd"},
                                                       {"num_hidden_layers", "n_layer"},
                                                       {"num_attention_heads", "n_head"},
                                                       {"max_position_embeddings", "n_positions"}});
constexpr auto gpt2_model = std::to_array<PartName>({
    {TokenTable, "wte"},
    {PositionTable, "wpe"},
    {Logits, "lm_head"},
});
constexpr auto gpt2_blocks = std::to_array<PartName>({
    {AttentionNorm, "h.{}.ln_1"},
    {QueryKeyValue, "h.{}.attn.c_attn", Always},
    {Output, "h.{}.attn.c_proj", Always},
    {MlpNorm, "h.{}.ln_2"},
    {Up, "h.{}.mlp.c_fc", Always},
    {Down, "h.{}.mlp.c_proj", Always},
    {FinalNorm, "ln_f"},
});

constexpr auto llama_types = std::to_array<std::string_view>({"llama"});
constexpr auto mistral_types = std::to_array<std::string_view>({"mistral"});
constexpr auto qwen2_types = std::to_array<std::string_view>({"qwen2"});
constexpr auto qwen3_types = std::to_array<std::string_view>({"qwen3"});
constexpr auto llama_prefixes = std::to_array<std::string_view>({"model.", "transformer."});
constexpr auto llama_model = std::to_array<PartName>({
    {TokenTable, "embed_tokens"},
    {Logits, "lm_head"},
});
constexpr auto llama_blocks = std::to_array<PartName>({
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
constexpr auto qwen2_blocks = std::to_array<PartName>({
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
constexpr auto qwen3_blocks = std::to_array<PartName>({
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

constexpr auto gemma2_types = std::to_array<std::string_view>({"gemma2"});
constexpr auto gemma2_blocks = std::to_array<PartName>({
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

constexpr auto neox_types = std::to_array<std::string_view>({"gpt_neox"});
constexpr auto neox_prefixes = std::to_array<std::string_view>({"gpt_neox."});
constexpr auto neox_model = std::to_array<PartName>({
    {TokenTable, "embed_in"},
    {Logits, "embed_out"},
});
constexpr auto neox_blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {QueryKeyValue, "layers.{}.attention.query_key_value", Attention},
    {Output, "layers.{}.attention.dense", Attention},
    {MlpNorm, "layers.{}.post_attention_layernorm"},
    {Up, "layers.{}.mlp.dense_h_to_4h", Always},
    {Down, "layers.{}.mlp.dense_4h_to_h", Always},
    {FinalNorm, "final_layer_norm"},
});

constexpr auto bloom_types = std::to_array<std::string_view>({"bloom"});
constexpr auto bloom_aliases = std::to_array<KeyAlias>(
    {{"n_embed", "hidden_size"}, {"num_hidden_layers", "n_layer"}, {"num_attention_heads", "n_head"}});
constexpr auto bloom_model = std::to_array<PartName>({
    {TokenTable, "word_embeddings"},
    {EmbeddingNorm, "word_embeddings_layernorm"},
    {Logits, "lm_head"},
});
constexpr auto bloom_blocks = std::to_array<PartName>({
    {AttentionNorm, "h.{}.input_layernorm"},
    {QueryKeyValue, "h.{}.self_attention.query_key_value", Always},
    {Output, "h.{}.self_attention.dense", Always},
    {MlpNorm, "h.{}.post_attention_layernorm"},
    {Up, "h.{}.mlp.dense_h_to_4h", Always},
    {Down, "h.{}.mlp.dense_4h_to_h", Always},
    {FinalNorm, "ln_f"},
});

// Encoders, encoder-decoders, vision.
constexpr auto bert_types = std::to_array<std::string_view>({"bert"});
constexpr auto bert_prefixes = std::to_array<std::string_view>({"bert."});
constexpr auto roberta_types = std::to_array<std::string_view>({"roberta", "xlm-roberta", "camembert"});
constexpr auto roberta_prefixes = std::to_array<std::string_view>({"roberta."});
constexpr auto bert_model = std::to_array<PartName>({
    {TokenTable, "embeddings.word_embeddings"},
    {PositionTable, "embeddings.position_embeddings"},
    {TypeTable, "embeddings.token_type_embeddings"},
    {EmbeddingNorm, "embeddings.LayerNorm"},
    {Pooler, "pooler.dense", Always},
});
constexpr auto bert_blocks = std::to_array<PartName>({
    {Query, "encoder.layer.{}.attention.self.query", Always},
    {Key, "encoder.layer.{}.attention.self.key", Always},
    {Value, "encoder.layer.{}.attention.self.value", Always},
    {Output, "encoder.layer.{}.attention.output.dense", Always},
    {AfterAttentionNorm, "encoder.layer.{}.attention.output.LayerNorm"},
    {Up, "encoder.layer.{}.intermediate.dense", Always},
    {Down, "encoder.layer.{}.output.dense", Always},
    {AfterMlpNorm, "encoder.layer.{}.output.LayerNorm"},
});

constexpr auto distilbert_types = std::to_array<std::string_view>({"distilbert"});
constexpr auto distilbert_prefixes = std::to_array<std::string_view>({"distilbert."});
constexpr auto distilbert_aliases = std::to_array<KeyAlias>(
    {{"hidden_size", "dim"}, {"num_hidden_layers", "n_layers"}, {"num_attention_heads", "n_heads"}});
constexpr auto distilbert_model = std::to_array<PartName>({
    {TokenTable, "embeddings.word_embeddings"},
    {PositionTable, "embeddings.position_embeddings"},
    {EmbeddingNorm, "embeddings.LayerNorm"},
});
constexpr auto distilbert_blocks = std::to_array<PartName>({
    {Query, "transformer.layer.{}.attention.q_lin", Always},
    {Key, "transformer.layer.{}.attention.k_lin", Always},
    {Value, "transformer.layer.{}.attention.v_lin", Always},
    {Output, "transformer.layer.{}.attention.out_lin", Always},
    {AfterAttentionNorm, "transformer.layer.{}.sa_layer_norm"},
    {Up, "transformer.layer.{}.ffn.lin1", Always},
    {Down, "transformer.layer.{}.ffn.lin2", Always},
    {AfterMlpNorm, "transformer.layer.{}.output_layer_norm"},
});

// The encoder that this program trains itself (core/training): pre-norm, rotary. No other program knows it.
constexpr auto reader_types = std::to_array<std::string_view>({"attnscope_reader"});
constexpr auto reader_prefixes = std::to_array<std::string_view>({"reader."});
constexpr auto reader_model = std::to_array<PartName>({
    {TokenTable, "tokens"},
});
constexpr auto reader_blocks = std::to_array<PartName>({
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

constexpr auto t5_types = std::to_array<std::string_view>({"t5"});
constexpr auto t5_aliases = std::to_array<KeyAlias>({{"hidden_size", "d_model"},
                                                     {"num_hidden_layers", "num_layers"},
                                                     {"num_attention_heads", "num_heads"},
                                                     {"head_dim", "d_kv"}});
constexpr auto t5_model = std::to_array<PartName>({
    {TokenTable, "shared"},
    {Logits, "lm_head"},
});
constexpr auto t5_encoder = std::to_array<PartName>({
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
constexpr auto t5_decoder = std::to_array<PartName>({
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

constexpr auto vit_types = std::to_array<std::string_view>({"vit"});
constexpr auto vit_prefixes = std::to_array<std::string_view>({"vit."});
constexpr auto vit_model = std::to_array<PartName>({
    {ClassToken, "embeddings.cls_token"},
    {PositionTable, "embeddings.position_embeddings"},
    {Patches, "embeddings.patch_embeddings.projection", Always},
    {Pooler, "pooler.dense", Always},
});
constexpr auto vit_blocks = std::to_array<PartName>({
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

constexpr ConfigKeys llama_keys{"hidden_size",
                                "num_hidden_layers",
                                "num_attention_heads",
                                "num_key_value_heads",
                                "intermediate_size",
                                "max_position_embeddings",
                                "rms_norm_eps",
                                "hidden_act",
                                4096,
                                32,
                                32,
                                11008,
                                2048,
                                1e-6,
                                "silu",
                                32'000,
                                0,
                                "head_dim"};
/// Of a family whose settings have Llama's names.
constexpr ConfigKeys like_llama(int inner, int positions, int vocabulary, int kv_heads, int head_width) {
  ConfigKeys keys = llama_keys;
  keys.default_inner = inner;
  keys.default_positions = positions;
  keys.default_vocabulary = vocabulary;
  keys.default_kv_heads = kv_heads;
  keys.default_head_width = head_width;
  return keys;
}
constexpr ConfigKeys mistral_keys = like_llama(14'336, 131'072, 32'000, 8, 0);
constexpr ConfigKeys qwen2_keys = like_llama(22'016, 32'768, 151'936, 32, 0);
constexpr ConfigKeys qwen3_keys = like_llama(22'016, 32'768, 151'936, 32, 128);
constexpr ConfigKeys bert_keys{"hidden_size",
                               "num_hidden_layers",
                               "num_attention_heads",
                               "",
                               "intermediate_size",
                               "max_position_embeddings",
                               "layer_norm_eps",
                               "hidden_act",
                               768,
                               12,
                               12,
                               3072,
                               512,
                               1e-12,
                               "gelu",
                               30'522};
/// RoBERTa has more words.
constexpr ConfigKeys roberta_keys = [] {
  ConfigKeys keys = bert_keys;
  keys.default_vocabulary = 50'265;
  return keys;
}();

constexpr auto gguf_names = std::to_array<std::pair<Part, std::string_view>>({
    {TokenTable, "token_embd"},
    {PositionTable, "position_embd"},
    {AttentionNorm, "blk.{}.attn_norm"},
    {Query, "blk.{}.attn_q"},
    {Key, "blk.{}.attn_k"},
    {Value, "blk.{}.attn_v"},
    {QueryKeyValue, "blk.{}.attn_qkv"},
    {Output, "blk.{}.attn_output"},
    {QueryNorm, "blk.{}.attn_q_norm"},
    {KeyNorm, "blk.{}.attn_k_norm"},
    {AfterAttentionNorm, "blk.{}.post_attention_norm"},
    {MlpNorm, "blk.{}.ffn_norm"},
    {Gate, "blk.{}.ffn_gate"},
    {Up, "blk.{}.ffn_up"},
    {Down, "blk.{}.ffn_down"},
    {AfterMlpNorm, "blk.{}.post_ffw_norm"},
    {FinalNorm, "output_norm"},
    {Logits, "output"},
});
// Architectures of GGUF whose files hold what the family's own files hold, by model_type.
constexpr auto gguf_families = std::to_array<std::string_view>({"llama", "qwen2", "qwen3", "gemma2", "gpt2"});

constexpr std::span<const PartName> none;
constexpr std::span<const std::string_view> no_prefix;

constexpr auto rows = std::to_array<FamilyRow>({
    {"GPT-2",
     gpt2_types,
     gpt2_prefixes,
     Arrangement::PreNorm,
     NormKind::Layer,
     ModelPositions::Learned,
     FusedOrder::Thirds,
     true,
     {"n_embd", "n_layer", "n_head", "", "n_inner", "n_positions", "layer_norm_epsilon",
      "activation_function", 768, 12, 12, 0, 1024, 1e-5, "gelu_new"},
     gpt2_model,
     none,
     gpt2_blocks,
     gpt2_aliases},
    {"Llama", llama_types, llama_prefixes, Arrangement::PreNorm, NormKind::RootMeanSquare,
     ModelPositions::Rotary, FusedOrder::None, false, llama_keys, llama_model, none, llama_blocks},
    {"Mistral", mistral_types, llama_prefixes, Arrangement::PreNorm, NormKind::RootMeanSquare,
     ModelPositions::Rotary, FusedOrder::None, false, mistral_keys, llama_model, none, llama_blocks},
    {"Qwen2", qwen2_types, llama_prefixes, Arrangement::PreNorm, NormKind::RootMeanSquare,
     ModelPositions::Rotary, FusedOrder::None, false, qwen2_keys, llama_model, none, qwen2_blocks},
    {"Qwen3", qwen3_types, llama_prefixes, Arrangement::PreNorm, NormKind::RootMeanSquare,
     ModelPositions::Rotary, FusedOrder::None, false, qwen3_keys, llama_model, none, qwen3_blocks},
    {"Gemma 2",
     gemma2_types,
     llama_prefixes,
     Arrangement::Sandwich,
     NormKind::RootMeanSquare,
     ModelPositions::Rotary,
     FusedOrder::None,
     false,
     {"hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "intermediate_size",
      "max_position_embeddings", "rms_norm_eps", "hidden_activation", 2304, 26, 8, 9216, 8192, 1e-6,
      "gelu_pytorch_tanh", 256'000, 4, "head_dim", 256},
     llama_model,
     none,
     gemma2_blocks},
    {"GPT-NeoX",
     neox_types,
     neox_prefixes,
     Arrangement::Parallel,
     NormKind::Layer,
     ModelPositions::Rotary,
     FusedOrder::PerHead,
     false,
     {"hidden_size", "num_hidden_layers", "num_attention_heads", "", "intermediate_size",
      "max_position_embeddings", "layer_norm_eps", "hidden_act", 6144, 44, 64, 24576, 2048, 1e-5, "gelu",
      50'432},
     neox_model,
     none,
     neox_blocks},
    {"BLOOM",
     bloom_types,
     gpt2_prefixes,
     Arrangement::PreNorm,
     NormKind::Layer,
     ModelPositions::Alibi,
     FusedOrder::PerHead,
     false,
     {"hidden_size", "n_layer", "n_head", "", "", "", "layer_norm_epsilon", "", 64, 2, 8, 0, 0, 1e-5,
      "gelu_new", 250'880},
     bloom_model,
     none,
     bloom_blocks,
     bloom_aliases},
    {"BERT", bert_types, bert_prefixes, Arrangement::PostNorm, NormKind::Layer, ModelPositions::Learned,
     FusedOrder::None, false, bert_keys, bert_model, bert_blocks, none},
    {"RoBERTa", roberta_types, roberta_prefixes, Arrangement::PostNorm, NormKind::Layer,
     ModelPositions::Learned, FusedOrder::None, false, roberta_keys, bert_model, bert_blocks, none},
    {"DistilBERT",
     distilbert_types,
     distilbert_prefixes,
     Arrangement::PostNorm,
     NormKind::Layer,
     ModelPositions::Learned,
     FusedOrder::None,
     false,
     {"dim", "n_layers", "n_heads", "", "hidden_dim", "max_position_embeddings", "", "activation", 768, 6, 12,
      3072, 512, 1e-12, "gelu", 30'522},
     distilbert_model,
     distilbert_blocks,
     none,
     distilbert_aliases},
    {"AttnScope Reader",
     reader_types,
     reader_prefixes,
     Arrangement::PreNorm,
     NormKind::Layer,
     ModelPositions::Rotary,
     FusedOrder::None,
     false,
     {"hidden_size", "num_hidden_layers", "num_attention_heads", "", "intermediate_size",
      "max_position_embeddings", "layer_norm_eps", "hidden_act", 96, 3, 4, 384, 48, 1e-5, "gelu_new"},
     reader_model,
     reader_blocks,
     none},
    {"T5",
     t5_types,
     no_prefix,
     Arrangement::PreNorm,
     NormKind::RootMeanSquare,
     ModelPositions::RelativeBuckets,
     FusedOrder::None,
     false,
     {"d_model", "num_layers", "num_heads", "", "d_ff", "", "layer_norm_epsilon", "", 512, 6, 8, 2048, 0,
      1e-6, "relu", 32'128, 0, "d_kv", 64},
     t5_model,
     t5_encoder,
     t5_decoder,
     t5_aliases},
    {"ViT",
     vit_types,
     vit_prefixes,
     Arrangement::PreNorm,
     NormKind::Layer,
     ModelPositions::Learned,
     FusedOrder::None,
     false,
     {"hidden_size", "num_hidden_layers", "num_attention_heads", "", "intermediate_size", "",
      "layer_norm_eps", "hidden_act", 768, 12, 12, 3072, 0, 1e-12, "gelu"},
     vit_model,
     vit_blocks,
     none},
});

}  // namespace

std::span<const FamilyRow> families() { return rows; }

const FamilyRow* find_family(std::string_view model_type) {
  for (const FamilyRow& row : rows)
    if (std::ranges::find(row.model_types, model_type) != row.model_types.end()) return &row;
  return nullptr;
}

const PartName* find_part(std::span<const PartName> names, Part part) {
  const auto at = std::ranges::find(names, part, &PartName::part);
  return at == names.end() ? nullptr : &*at;
}

namespace {

std::string numbered(std::string_view pattern, std::size_t block) {
  std::string path(pattern);
  if (const auto at = path.find("{}"); at != path.npos) path.replace(at, 2, std::to_string(block));
  return path;
}

}  // namespace

std::string path_of(const PartName& name, std::size_t block) { return numbered(name.path, block); }

std::string gguf_path_of(Part part, std::size_t block) {
  for (const auto& [known, path] : gguf_names)
    if (known == part) return numbered(path, block);
  return {};
}

const FamilyRow* find_gguf_family(std::string_view architecture) {
  if (std::ranges::find(gguf_families, architecture) == gguf_families.end()) return nullptr;
  return find_family(architecture);
}

}  // namespace attnscope
