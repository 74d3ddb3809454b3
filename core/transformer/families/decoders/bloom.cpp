// BLOOM (BigScience 2022).
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace bloom_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto bloom_prefixes = std::to_array<std::string_view>({"transformer."});
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
constexpr ConfigKeys keys{.width = "hidden_size",
                          .layers = "n_layer",
                          .heads = "n_head",
                          .kv_heads = "",
                          .inner = "",
                          .positions = "",
                          .epsilon = "layer_norm_epsilon",
                          .activation = "",
                          .default_width = 64,
                          .default_layers = 2,
                          .default_heads = 8,
                          .default_inner = 0,
                          .default_positions = 0,
                          .default_epsilon = 1e-5,
                          .default_activation = "gelu_new",
                          .default_vocabulary = 250'880};
constexpr auto own_keys = std::to_array<std::string_view>(
    {"apply_residual_connection_post_layernorm", "slow_but_exact", "pretraining_tp"});
// Settings of the program that trained BLOOM.
constexpr auto harmless_keys = std::to_array<std::string_view>(
    {"attention_softmax_in_fp32", "bias_dropout_fusion", "masked_softmax_fusion", "offset_alibi",
     "skip_bias_add", "skip_bias_add_qkv", "n_inner"});

void read_stack(const ConfigObject& config, StackSpec& stack) {
  stack.residual_after_norm = config.boolean("apply_residual_connection_post_layernorm", false);
  // With both keys, transformers multiplies in slices and leaves out two biases of each block.
  if (const nlohmann::json* pieces = config.find("pretraining_tp");
      config.boolean("slow_but_exact", false) && pieces != nullptr && *pieces != 1)
    refuse_change(config, bloom_family, "slow_but_exact", true);
}

}  // namespace
}  // namespace bloom_rows

constinit const Family bloom_family{.name = "BLOOM",
                                    .model_types = bloom_rows::bloom_types,
                                    .prefixes = bloom_rows::bloom_prefixes,
                                    .positions = Positions::Alibi,
                                    .fused = FusedOrder::PerHead,
                                    .keys = bloom_rows::keys,
                                    .model = bloom_rows::bloom_model,
                                    .decoder = bloom_rows::bloom_blocks,
                                    .aliases = bloom_rows::bloom_aliases,
                                    .heads = decoder_heads,
                                    .read_stack = bloom_rows::read_stack,
                                    .own_keys = bloom_rows::own_keys,
                                    .harmless_keys = bloom_rows::harmless_keys};

}  // namespace attnscope
