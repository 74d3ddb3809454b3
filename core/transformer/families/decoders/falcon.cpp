// Falcon (Almazrouei et al. 2023): one or few heads of keys; attention and MLP side by side, with one norm
// (7B) or two (40B). Falcon-RW, with ALiBi, is not read.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace falcon_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"falcon", "RefinedWeb", "RefinedWebModel"});
constexpr auto prefixes = std::to_array<std::string_view>({"transformer."});
constexpr auto aliases = std::to_array<KeyAlias>(
    {{"n_head", "num_attention_heads"}, {"n_layer", "num_hidden_layers"}, {"n_head_kv", "num_kv_heads"}});
constexpr auto model = std::to_array<PartName>({{TokenTable, "word_embeddings"}, {Logits, "lm_head"}});
constexpr auto blocks = std::to_array<PartName>({
    {AttentionNorm, "h.{}.input_layernorm"},
    {QueryKeyValue, "h.{}.self_attention.query_key_value", Attention},
    {Output, "h.{}.self_attention.dense", Attention},
    {Up, "h.{}.mlp.dense_h_to_4h", Mlp},
    {Down, "h.{}.mlp.dense_4h_to_h", Mlp},
    {FinalNorm, "ln_f"},
});
constexpr auto two_norms =
    std::to_array<PartName>({{AttentionNorm, "h.{}.ln_attn"}, {MlpNorm, "h.{}.ln_mlp"}});
constexpr ConfigKeys keys =
    like(like_llama(4544, 32, 71, like_llama(0, 2048, 65'024, 0, 0)), [](ConfigKeys& made) {
      made.kv_heads = "num_kv_heads";
      made.inner = "ffn_hidden_size";
      made.epsilon = "layer_norm_epsilon";
      made.default_epsilon = 1e-5;
      made.activation = "activation";
      made.default_activation = "gelu";
      made.head_width = "";
    });
constexpr auto own_keys = std::to_array<std::string_view>(
    {"multi_query", "new_decoder_architecture", "parallel_attn", "num_ln_in_parallel_attn", "alibi"});
constexpr auto harmless_keys = std::to_array<std::string_view>({"hidden_dropout", "max_seq_len"});
constexpr GgufRules gguf;

/// With "multi_query" and not the new architecture, "num_kv_heads" says nothing: there is one head of keys.
void read_stack(const ConfigObject& config, StackSpec& stack) {
  const bool grouped = config.boolean("new_decoder_architecture", false),
             single = config.boolean("multi_query", true);
  if (config.boolean("alibi", false)) refuse_change(config, falcon_family, "alibi", *config.find("alibi"));
  if (!grouped && !config.boolean("parallel_attn", true))
    refuse_change(config, falcon_family, "parallel_attn", *config.find("parallel_attn"));
  for (LayerSpec& block : stack.blocks)
    if (!grouped) block.kv_heads = single ? 1 : block.heads;
}

}  // namespace
}  // namespace falcon_rows

constinit const Family falcon_family{.name = "Falcon",
                                     .model_types = falcon_rows::types,
                                     .prefixes = falcon_rows::prefixes,
                                     .arrangement = Arrangement::Parallel,
                                     .norm = NormKind::LayerNorm,
                                     .positions = Positions::RopeHalf,
                                     .fused = FusedOrder::Grouped,
                                     .keys = falcon_rows::keys,
                                     .model = falcon_rows::model,
                                     .decoder = falcon_rows::blocks,
                                     .other_norms = falcon_rows::two_norms,
                                     .aliases = falcon_rows::aliases,
                                     .heads = gated_heads,
                                     .attention_bias_key = "bias",
                                     .mlp_bias_key = "bias",
                                     .read_stack = falcon_rows::read_stack,
                                     .own_keys = falcon_rows::own_keys,
                                     .harmless_keys = falcon_rows::harmless_keys,
                                     .gguf = &falcon_rows::gguf};

}  // namespace attnscope
