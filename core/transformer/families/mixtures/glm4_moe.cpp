// GLM-4.5 (GLM Team 2025): grouped heads of which half turns, experts chosen by σ plus a correction, and one
// that every token takes; the first blocks have a plain MLP.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/mixture_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace glm4_moe_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"glm4_moe"});
constexpr auto aliases = std::to_array<KeyAlias>({{"num_local_experts", "n_routed_experts"}});
constexpr auto blocks =
    names_like<10>(gated_blocks, {{Output, "layers.{}.self_attn.o_proj"},
                                  head_norm_names[0],
                                  head_norm_names[1],
                                  {Router, "layers.{}.mlp.gate"},
                                  {RouterCorrection, "layers.{}.mlp.gate.e_score_correction_bias"},
                                  {ExpertGate, "layers.{}.mlp.experts.{}.gate_proj"},
                                  {ExpertUp, "layers.{}.mlp.experts.{}.up_proj"},
                                  {ExpertDown, "layers.{}.mlp.experts.{}.down_proj"},
                                  {SharedGate, "layers.{}.mlp.shared_experts.gate_proj"},
                                  {SharedUp, "layers.{}.mlp.shared_experts.up_proj"},
                                  {SharedDown, "layers.{}.mlp.shared_experts.down_proj"}});
constexpr ConfigKeys keys = like(like_llama(4096, 46, 96, like_llama(10'944, 131'072, 151'552, 8, 0)),
                                 [](ConfigKeys& made) { made.default_epsilon = 1e-5; });
constexpr auto own_keys =
    std::to_array<std::string_view>({"moe_intermediate_size", "num_experts_per_tok", "n_shared_experts",
                                     "n_routed_experts", "routed_scaling_factor", "n_group", "topk_group",
                                     "first_k_dense_replace", "norm_topk_prob", "use_qk_norm"});
// Blocks that predict tokens further on are not computed.
constexpr auto harmless_keys =
    std::to_array<std::string_view>({"num_nextn_predict_layers", "num_mtp_layers"});

void read_stack(const ConfigObject& config, StackSpec& stack) {
  if (!config.boolean("use_qk_norm", false))
    for (LayerSpec& block : stack.blocks) block.qk_norm = {};
  mix_like_deepseek(config, stack, {.experts = 128, .chosen = 8, .d_inner = 1408}, 1);
}

}  // namespace
}  // namespace glm4_moe_rows

constinit const Family glm4_moe_family{.name = "GLM-4.5",
                                       .model_types = glm4_moe_rows::types,
                                       .prefixes = gated_prefixes,
                                       .norm = NormKind::RmsNorm,
                                       .positions = Positions::RopeHalf,
                                       .keys = glm4_moe_rows::keys,
                                       .model = gated_model,
                                       .decoder = glm4_moe_rows::blocks,
                                       .aliases = glm4_moe_rows::aliases,
                                       .heads = gated_heads,
                                       .tied = false,
                                       .rope = {.default_share = 0.5, .partial = true},
                                       .read_stack = glm4_moe_rows::read_stack,
                                       .own_keys = glm4_moe_rows::own_keys,
                                       .harmless_keys = glm4_moe_rows::harmless_keys};

}  // namespace attnscope
