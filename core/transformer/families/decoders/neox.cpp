// GPT-NeoX (Black et al. 2022), Pythia; and "attnscope_neox", which AttnScope itself trains (core/training):
// the same with "no_rope_layer_interval", SmolLM3's, which other programs do not know in a GPT-NeoX.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace neox_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto neox_types = std::to_array<std::string_view>({"gpt_neox", "attnscope_neox"});
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
constexpr ConfigKeys keys = like(bert_keys, [](ConfigKeys& made) {
  made.default_width = 6144;
  made.default_layers = 44;
  made.default_heads = 64;
  made.default_inner = 24576;
  made.default_positions = 2048;
  made.default_epsilon = 1e-5;
  made.default_vocabulary = 50'432;
});
constexpr std::string_view interval_key = "no_rope_layer_interval";
constexpr auto own_keys =
    std::to_array<std::string_view>({"use_parallel_residual", "rotary_pct", "rotary_emb_base", interval_key});
// A note in Polyglot-Ko.
constexpr auto harmless_keys = std::to_array<std::string_view>({"num_steps"});

void read_unrotated(const ConfigObject& config, StackSpec& stack) {
  if (config.text("model_type", "") != neox_types[1])
    return need_implied(config, neox_family, interval_key, 0);
  leave_unrotated(stack, config.whole(interval_key, 0, 0, most_blocks));
}

void read_stack(const ConfigObject& config, StackSpec& stack) {
  read_unrotated(config, stack);
  if (!config.boolean("use_parallel_residual", true))
    set_blocks(stack, [](BlockSettings& block) { block.kind = Arrangement::PreNorm; });
  const RopeSettings rope = rope_of(stack.blocks[0]);
  // Some versions of transformers save the names that other families have as well.
  if (const nlohmann::json* base = config.find("rope_theta");
      base != nullptr && static_cast<float>(config.number("rope_theta", 1)) != static_cast<float>(rope.base))
    refuse_change(config, neox_family, "rope_theta", *base);
  const auto d_k = static_cast<double>(stack.blocks[0].d_k);
  if (const nlohmann::json* share = config.find("partial_rotary_factor");
      share != nullptr &&
      static_cast<std::int64_t>(d_k * config.number("partial_rotary_factor", 1)) != rope.rotated)
    refuse_change(config, neox_family, "partial_rotary_factor", *share);
}

}  // namespace
}  // namespace neox_rows

constinit const Family neox_family{
    .name = "GPT-NeoX",
    .model_types = neox_rows::neox_types,
    .prefixes = neox_rows::neox_prefixes,
    .arrangement = Arrangement::Parallel,
    .positions = Positions::RopeHalf,
    .fused = FusedOrder::PerHead,
    .keys = neox_rows::keys,
    .model = neox_rows::neox_model,
    .decoder = neox_rows::neox_blocks,
    .heads = decoder_heads,
    .tied = false,
    .attention_bias = true,
    .rope = {.base = "rotary_emb_base", .share = "rotary_pct", .default_share = 0.25, .partial = true},
    .read_stack = neox_rows::read_stack,
    .own_keys = neox_rows::own_keys,
    .harmless_keys = neox_rows::harmless_keys};

}  // namespace attnscope
