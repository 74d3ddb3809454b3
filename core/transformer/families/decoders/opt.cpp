// OPT (Zhang et al. 2022): GPT-2's block with ReLU; learned positions that count the tokens that are not
// padding, from 2.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace opt_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"opt"});
constexpr auto prefixes = std::to_array<std::string_view>({"model."});
constexpr auto model = std::to_array<PartName>(
    {{TokenTable, "decoder.embed_tokens"}, {PositionTable, "decoder.embed_positions"}, {Logits, "lm_head"}});
constexpr auto blocks = std::to_array<PartName>({
    {AttentionNorm, "decoder.layers.{}.self_attn_layer_norm"},
    {Query, "decoder.layers.{}.self_attn.q_proj", Always},
    {Key, "decoder.layers.{}.self_attn.k_proj", Always},
    {Value, "decoder.layers.{}.self_attn.v_proj", Always},
    {Output, "decoder.layers.{}.self_attn.out_proj", Always},
    {MlpNorm, "decoder.layers.{}.final_layer_norm"},
    {Up, "decoder.layers.{}.fc1", Always},
    {Down, "decoder.layers.{}.fc2", Always},
    {FinalNorm, "decoder.final_layer_norm"},
});
constexpr ConfigKeys keys{.width = "hidden_size",
                          .layers = "num_hidden_layers",
                          .heads = "num_attention_heads",
                          .kv_heads = "",
                          .inner = "ffn_dim",
                          .positions = "max_position_embeddings",
                          .epsilon = "",
                          .activation = "activation_function",
                          .default_width = 768,
                          .default_layers = 12,
                          .default_heads = 12,
                          .default_inner = 3072,
                          .default_positions = 2048,
                          .default_epsilon = 1e-5,
                          .default_activation = "relu",
                          .default_vocabulary = 50'272};
constexpr auto own_keys =
    std::to_array<std::string_view>({"do_layer_norm_before", "word_embed_proj_dim", "enable_bias",
                                     "layer_norm_elementwise_affine", "_remove_final_layer_norm"});
constexpr auto harmless_keys = std::to_array<std::string_view>({"activation_dropout", "prefix"});

/// The 350m model (norms behind, narrower embeddings) and Galactica (no biases) are other models.
void read_model(const ConfigObject& config, ModelSpec& spec) {
  for (const std::string_view key : {"do_layer_norm_before", "enable_bias", "layer_norm_elementwise_affine"})
    if (!config.boolean(key, true)) refuse_change(config, opt_family, key, *config.find(key));
  if (config.boolean("_remove_final_layer_norm", false))
    refuse_change(config, opt_family, "_remove_final_layer_norm", *config.find("_remove_final_layer_norm"));
  need_implied(config, opt_family, "word_embed_proj_dim", spec.d_model);
  spec.first_position = 2;
  spec.positions_skip_hidden = true;
}

}  // namespace
}  // namespace opt_rows

constinit const Family opt_family{.name = "OPT",
                                  .model_types = opt_rows::types,
                                  .prefixes = opt_rows::prefixes,
                                  .positions = Positions::Learned,
                                  .keys = opt_rows::keys,
                                  .model = opt_rows::model,
                                  .decoder = opt_rows::blocks,
                                  .heads = gated_heads,
                                  .read_model = opt_rows::read_model,
                                  .own_keys = opt_rows::own_keys,
                                  .harmless_keys = opt_rows::harmless_keys};

}  // namespace attnscope
