// GPT-J (Wang and Komatsuzaki 2021): attention and MLP read one norm; a part of each head turns, in pairs of
// neighbours. CodeGen (Nijkamp et al. 2022): the same with one matrix for queries, values and keys.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace gptj_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"gptj"});
constexpr auto codegen_types = std::to_array<std::string_view>({"codegen"});
constexpr auto prefixes = std::to_array<std::string_view>({"transformer."});
constexpr auto aliases = std::to_array<KeyAlias>({{"hidden_size", "n_embd"},
                                                  {"num_hidden_layers", "n_layer"},
                                                  {"num_attention_heads", "n_head"},
                                                  {"max_position_embeddings", "n_positions"}});
constexpr auto model = std::to_array<PartName>({{TokenTable, "wte"}, {Logits, "lm_head", Always}});
constexpr auto blocks = std::to_array<PartName>({
    {AttentionNorm, "h.{}.ln_1"},
    {Query, "h.{}.attn.q_proj"},
    {Key, "h.{}.attn.k_proj"},
    {Value, "h.{}.attn.v_proj"},
    {Output, "h.{}.attn.out_proj"},
    {Up, "h.{}.mlp.fc_in", Always},
    {Down, "h.{}.mlp.fc_out", Always},
    {FinalNorm, "ln_f"},
});
constexpr auto codegen_blocks = std::to_array<PartName>({
    {AttentionNorm, "h.{}.ln_1"},
    {QueryKeyValue, "h.{}.attn.qkv_proj"},
    {Output, "h.{}.attn.out_proj"},
    {Up, "h.{}.mlp.fc_in", Always},
    {Down, "h.{}.mlp.fc_out", Always},
    {FinalNorm, "ln_f"},
});
constexpr ConfigKeys keys{.width = "n_embd",
                          .layers = "n_layer",
                          .heads = "n_head",
                          .kv_heads = "",
                          .inner = "n_inner",
                          .positions = "n_positions",
                          .epsilon = "layer_norm_epsilon",
                          .activation = "activation_function",
                          .default_width = 4096,
                          .default_layers = 28,
                          .default_heads = 16,
                          .default_inner = 0,
                          .default_positions = 2048,
                          .default_epsilon = 1e-5,
                          .default_activation = "gelu_new",
                          .default_vocabulary = 50'400};
constexpr auto own_keys = std::to_array<std::string_view>({"rotary_dim"});
// The head that summary_… describes is not computed.
constexpr auto harmless_keys = std::to_array<std::string_view>(
    {"summary_type", "summary_use_proj", "summary_activation", "summary_first_dropout",
     "summary_proj_to_labels", "rotary", "n_ctx", "gradient_checkpointing", "scale_attn_weights"});

void read_stack(const ConfigObject& config, StackSpec& stack) {
  if (config.number("rope_theta", 10'000) != 10'000)
    config.refuse("rope_theta", "a model of this family has the base 10000.");
  for (const std::string_view key : {"rope_scaling", "rope_parameters"})
    if (const nlohmann::json* found = config.find(key); found != nullptr && !found->empty())
      config.refuse(key, "a model of this family has no such settings.");
  for (LayerSpec& block : stack.blocks) {
    const int turned = config.has("rotary_dim") && config.find("rotary_dim") == nullptr
                           ? block.d_k
                           : config.whole("rotary_dim", 64, 2, block.d_k);
    if (turned % 2 != 0) config.refuse("rotary_dim", "an even number was expected.");
    block.position_settings.rope_dims = turned == block.d_k ? 0 : turned;
  }
}

constexpr Family gptj{.name = "GPT-J",
                      .model_types = types,
                      .prefixes = prefixes,
                      .arrangement = Arrangement::Parallel,
                      .norm = NormKind::LayerNorm,
                      .positions = Positions::RopeInterleaved,
                      .keys = keys,
                      .model = model,
                      .decoder = blocks,
                      .aliases = aliases,
                      .heads = gated_heads,
                      .tied = false,
                      .rope = {.partial = true},
                      .read_stack = read_stack,
                      .own_keys = own_keys,
                      .harmless_keys = harmless_keys};

}  // namespace
}  // namespace gptj_rows

constinit const Family gptj_family = gptj_rows::gptj;

constinit const Family codegen_family = like(gptj_rows::gptj, [](Family& made) {
  made.name = "CodeGen";
  made.model_types = gptj_rows::codegen_types;
  made.fused = FusedOrder::Quarters;
  made.decoder = gptj_rows::codegen_blocks;
});

}  // namespace attnscope
