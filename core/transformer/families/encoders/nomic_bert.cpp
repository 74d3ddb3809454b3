// Nomic BERT (Nussbaum et al. 2024): BERT with RoPE, one matrix for queries, keys and values, a gated MLP.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace nomic_rows {
namespace {

using enum Part;

constexpr auto types = std::to_array<std::string_view>({"nomic_bert"});
constexpr auto prefixes = std::to_array<std::string_view>({"nomic_bert.", "model.", "bert."});
// The keys of the published model's own program.
constexpr auto aliases = std::to_array<KeyAlias>({{"n_embd", "hidden_size"},
                                                  {"n_layer", "num_hidden_layers"},
                                                  {"n_head", "num_attention_heads"},
                                                  {"n_inner", "intermediate_size"},
                                                  {"n_positions", "max_position_embeddings"},
                                                  {"layer_norm_epsilon", "layer_norm_eps"},
                                                  {"rotary_emb_base", "rope_theta"},
                                                  {"rotary_emb_fraction", "partial_rotary_factor"}});
constexpr auto model = std::to_array<PartName>({
    {TokenTable, "embeddings.word_embeddings"},
    {TypeTable, "embeddings.token_type_embeddings"},
    {EmbeddingNorm, "emb_ln"},
});
constexpr auto blocks = std::to_array<PartName>({
    {QueryKeyValue, "encoder.layers.{}.attn.Wqkv", BiasRule::Attention},
    {Output, "encoder.layers.{}.attn.out_proj", BiasRule::Attention},
    {AfterAttentionNorm, "encoder.layers.{}.norm1"},
    {Gate, "encoder.layers.{}.mlp.fc12", BiasRule::Mlp},
    {Up, "encoder.layers.{}.mlp.fc11", BiasRule::Mlp},
    {Down, "encoder.layers.{}.mlp.fc2", BiasRule::Mlp},
    {AfterMlpNorm, "encoder.layers.{}.norm2"},
});
constexpr ConfigKeys keys = like(bert_keys, [](ConfigKeys& made) {
  made.default_positions = 2048;
  made.default_vocabulary = 30'528;
  made.default_activation = "silu";
});
constexpr GgufRules gguf{.architecture = "nomic-bert", .names = gguf_post_norms};
constexpr auto own_keys = std::to_array<std::string_view>(
    {"type_vocab_size", "rotary_emb_interleaved", "rotary_emb_scale_base", "prenorm", "parallel_block",
     "use_rms_norm", "causal", "qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias", "activation_function"});
// Settings of the published model's own program: how it computes, not what.
constexpr auto harmless_keys = std::to_array<std::string_view>(
    {"use_flash_attn", "fused_bias_fc", "fused_dropout_add_ln", "use_xentropy", "pad_vocab_size_multiple",
     "summary_type", "summary_use_proj", "summary_activation", "summary_first_dropout",
     "summary_proj_to_labels", "reorder_and_upcast_attn", "scale_attn_weights",
     "scale_attn_by_inverse_layer_idx", "dense_seq_output", "max_trained_positions", "num_labels"});

/// What the published program could do, and this one does not.
void read_stack(const ConfigObject& config, StackSpec& stack) {
  for (const std::string_view key : {"rotary_emb_interleaved", "prenorm", "parallel_block", "use_rms_norm",
                                     "causal", "qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias"})
    if (config.boolean(key, false)) refuse_change(config, nomic_bert_family, key, *config.find(key));
  if (config.find("rotary_emb_scale_base") != nullptr)
    refuse_change(config, nomic_bert_family, "rotary_emb_scale_base", *config.find("rotary_emb_scale_base"));
  constexpr std::string_view key = "activation_function";
  if (const std::string name = config.text(key, "swiglu"); name != "swiglu")
    set_blocks(stack, [&](BlockSettings& block) { block.activation = activation_named(config, key, name); });
}

}  // namespace
}  // namespace nomic_rows

constinit const Family nomic_bert_family{.name = "Nomic BERT",
                                         .model_types = nomic_rows::types,
                                         .prefixes = nomic_rows::prefixes,
                                         .arrangement = Arrangement::PostNorm,
                                         .positions = Positions::RopeHalf,
                                         .fused = FusedOrder::Stacked,
                                         .keys = nomic_rows::keys,
                                         .model = nomic_rows::model,
                                         .encoder = nomic_rows::blocks,
                                         .aliases = nomic_rows::aliases,
                                         .rope = {.default_base = 1000},
                                         .read_stack = nomic_rows::read_stack,
                                         .own_keys = nomic_rows::own_keys,
                                         .harmless_keys = nomic_rows::harmless_keys,
                                         .gguf = &nomic_rows::gguf};

}  // namespace attnscope
