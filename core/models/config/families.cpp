#include "core/models/config/families.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/models/config/family_names.hpp"

namespace attnscope {
namespace {

using enum Part;

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
/// The keys of a family that uses Llama's names.
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
/// RoBERTa's vocabulary is larger than BERT's.
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
// The model_type values whose GGUF files hold the same tensors as the family's own files.
constexpr auto gguf_families = std::to_array<std::string_view>({"llama", "qwen2", "qwen3", "gemma2", "gpt2"});

constexpr std::span<const PartName> none;
constexpr std::span<const std::string_view> no_prefix;

constexpr auto rows = std::to_array<FamilyRow>({
    {"GPT-2",
     family_names::gpt2_types,
     family_names::gpt2_prefixes,
     Arrangement::PreNorm,
     NormKind::LayerNorm,
     Positions::Learned,
     FusedOrder::Thirds,
     true,
     {"n_embd", "n_layer", "n_head", "", "n_inner", "n_positions", "layer_norm_epsilon",
      "activation_function", 768, 12, 12, 0, 1024, 1e-5, "gelu_new"},
     family_names::gpt2_model,
     none,
     family_names::gpt2_blocks,
     family_names::gpt2_aliases},
    {"Llama", family_names::llama_types, family_names::llama_prefixes, Arrangement::PreNorm,
     NormKind::RmsNorm, Positions::RopeHalf, FusedOrder::None, false, llama_keys, family_names::llama_model,
     none, family_names::llama_blocks},
    {"Mistral", family_names::mistral_types, family_names::llama_prefixes, Arrangement::PreNorm,
     NormKind::RmsNorm, Positions::RopeHalf, FusedOrder::None, false, mistral_keys, family_names::llama_model,
     none, family_names::llama_blocks},
    {"Qwen2", family_names::qwen2_types, family_names::llama_prefixes, Arrangement::PreNorm,
     NormKind::RmsNorm, Positions::RopeHalf, FusedOrder::None, false, qwen2_keys, family_names::llama_model,
     none, family_names::qwen2_blocks},
    {"Qwen3", family_names::qwen3_types, family_names::llama_prefixes, Arrangement::PreNorm,
     NormKind::RmsNorm, Positions::RopeHalf, FusedOrder::None, false, qwen3_keys, family_names::llama_model,
     none, family_names::qwen3_blocks},
    {"Gemma 2",
     family_names::gemma2_types,
     family_names::llama_prefixes,
     Arrangement::Sandwich,
     NormKind::RmsNormOnePlus,
     Positions::RopeHalf,
     FusedOrder::None,
     false,
     {"hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "intermediate_size",
      "max_position_embeddings", "rms_norm_eps", "hidden_activation", 2304, 26, 8, 9216, 8192, 1e-6,
      "gelu_pytorch_tanh", 256'000, 4, "head_dim", 256},
     family_names::llama_model,
     none,
     family_names::gemma2_blocks},
    {"GPT-NeoX",
     family_names::neox_types,
     family_names::neox_prefixes,
     Arrangement::Parallel,
     NormKind::LayerNorm,
     Positions::RopeHalf,
     FusedOrder::PerHead,
     false,
     {"hidden_size", "num_hidden_layers", "num_attention_heads", "", "intermediate_size",
      "max_position_embeddings", "layer_norm_eps", "hidden_act", 6144, 44, 64, 24576, 2048, 1e-5, "gelu",
      50'432},
     family_names::neox_model,
     none,
     family_names::neox_blocks},
    {"BLOOM",
     family_names::bloom_types,
     family_names::gpt2_prefixes,
     Arrangement::PreNorm,
     NormKind::LayerNorm,
     Positions::Alibi,
     FusedOrder::PerHead,
     false,
     {"hidden_size", "n_layer", "n_head", "", "", "", "layer_norm_epsilon", "", 64, 2, 8, 0, 0, 1e-5,
      "gelu_new", 250'880},
     family_names::bloom_model,
     none,
     family_names::bloom_blocks,
     family_names::bloom_aliases},
    {"BERT", family_names::bert_types, family_names::bert_prefixes, Arrangement::PostNorm,
     NormKind::LayerNorm, Positions::Learned, FusedOrder::None, false, bert_keys, family_names::bert_model,
     family_names::bert_blocks, none},
    {"RoBERTa", family_names::roberta_types, family_names::roberta_prefixes, Arrangement::PostNorm,
     NormKind::LayerNorm, Positions::Learned, FusedOrder::None, false, roberta_keys, family_names::bert_model,
     family_names::bert_blocks, none},
    {"DistilBERT",
     family_names::distilbert_types,
     family_names::distilbert_prefixes,
     Arrangement::PostNorm,
     NormKind::LayerNorm,
     Positions::Learned,
     FusedOrder::None,
     false,
     {"dim", "n_layers", "n_heads", "", "hidden_dim", "max_position_embeddings", "", "activation", 768, 6, 12,
      3072, 512, 1e-12, "gelu", 30'522},
     family_names::distilbert_model,
     family_names::distilbert_blocks,
     none,
     family_names::distilbert_aliases},
    {"AttnScope Reader",
     family_names::reader_types,
     family_names::reader_prefixes,
     Arrangement::PreNorm,
     NormKind::LayerNorm,
     Positions::RopeHalf,
     FusedOrder::None,
     false,
     {"hidden_size", "num_hidden_layers", "num_attention_heads", "", "intermediate_size",
      "max_position_embeddings", "layer_norm_eps", "hidden_act", 96, 3, 4, 384, 48, 1e-5, "gelu_new"},
     family_names::reader_model,
     family_names::reader_blocks,
     none},
    {"T5",
     family_names::t5_types,
     no_prefix,
     Arrangement::PreNorm,
     NormKind::RmsNorm,
     Positions::RelativeBuckets,
     FusedOrder::None,
     false,
     {"d_model", "num_layers", "num_heads", "", "d_ff", "", "layer_norm_epsilon", "", 512, 6, 8, 2048, 0,
      1e-6, "relu", 32'128, 0, "d_kv", 64},
     family_names::t5_model,
     family_names::t5_encoder,
     family_names::t5_decoder,
     family_names::t5_aliases},
    {"ViT",
     family_names::vit_types,
     family_names::vit_prefixes,
     Arrangement::PreNorm,
     NormKind::LayerNorm,
     Positions::Learned,
     FusedOrder::None,
     false,
     {"hidden_size", "num_hidden_layers", "num_attention_heads", "", "intermediate_size", "",
      "layer_norm_eps", "hidden_act", 768, 12, 12, 3072, 0, 1e-12, "gelu"},
     family_names::vit_model,
     family_names::vit_blocks,
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
