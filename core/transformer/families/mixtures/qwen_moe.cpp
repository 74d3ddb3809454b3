// Qwen2-MoE (Yang et al. 2024), with an expert that every token takes; Qwen3-MoE (2025); OLMoE (Muennighoff
// et al. 2024), whose norms of queries and keys are over all heads.
#include <algorithm>
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/mixture_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace qwen_moe_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto qwen2_types = std::to_array<std::string_view>({"qwen2_moe"});
constexpr auto qwen3_types = std::to_array<std::string_view>({"qwen3_moe", "qwen3_vl_moe_text"});
constexpr auto olmoe_types = std::to_array<std::string_view>({"olmoe"});
/// Beside Llama's names; blocks without a mixture have Llama's MLP.
constexpr PartName expert_names[]{{Router, "layers.{}.mlp.gate"},
                                  {ExpertGate, "layers.{}.mlp.experts.{}.gate_proj"},
                                  {ExpertUp, "layers.{}.mlp.experts.{}.up_proj"},
                                  {ExpertDown, "layers.{}.mlp.experts.{}.down_proj"}};
constexpr auto qwen3_blocks = names_like<4>(names_like<2>(gated_blocks, head_norm_names), expert_names);
constexpr auto qwen2_blocks = names_like<4>(names_like<4>(gated_blocks, expert_names),
                                            {{Query, "layers.{}.self_attn.q_proj", Attention},
                                             {Key, "layers.{}.self_attn.k_proj", Attention},
                                             {Value, "layers.{}.self_attn.v_proj", Attention},
                                             {Output, "layers.{}.self_attn.o_proj"},
                                             {SharedGate, "layers.{}.mlp.shared_expert.gate_proj"},
                                             {SharedUp, "layers.{}.mlp.shared_expert.up_proj"},
                                             {SharedDown, "layers.{}.mlp.shared_expert.down_proj"},
                                             {SharedSwitch, "layers.{}.mlp.shared_expert_gate"}});
constexpr ConfigKeys qwen2_keys = like_llama(2048, 24, 16, like_llama(5632, 32'768, 151'936, 16, 0));
constexpr ConfigKeys qwen3_keys = like_llama(2048, 24, 32, like_llama(6144, 32'768, 151'936, 4, 0));
constexpr ConfigKeys olmoe_keys = like(like_llama(2048, 16, 16, like_llama(2048, 4096, 50'304, 0, 0)),
                                       [](ConfigKeys& made) { made.default_epsilon = 1e-5; });
constexpr auto qwen_own = std::to_array<std::string_view>(
    {"sliding_window", "use_sliding_window", "max_window_layers", "layer_types", "num_experts",
     "num_local_experts", "num_experts_per_tok", "moe_intermediate_size", "shared_expert_intermediate_size",
     "norm_topk_prob", "decoder_sparse_step", "mlp_only_layers", "qkv_bias"});
constexpr auto olmoe_own = std::to_array<std::string_view>(
    {"num_experts", "num_local_experts", "num_experts_per_tok", "norm_topk_prob"});
constexpr GgufRules qwen3_gguf{.architecture = "qwen3moe", .experts = ExpertSettings{.normalised = true}};

/// "num_experts", which transformers 5 writes as "num_local_experts".
int experts_of(const ConfigObject& config, int usual) {
  return config.whole("num_experts", config.whole("num_local_experts", usual, 1, most_experts), 1,
                      most_experts);
}

/// Every "decoder_sparse_step"-th block that "mlp_only_layers" does not name.
void mix(const ConfigObject& config, StackSpec& stack, const ExpertSettings& experts) {
  const auto step = static_cast<std::size_t>(config.whole("decoder_sparse_step", 1, 1, most_blocks));
  const nlohmann::json* plain = config.find("mlp_only_layers");
  if (plain != nullptr && !plain->is_array()) config.fail("mlp_only_layers", "a list of numbers", *plain);
  mix_blocks(stack, experts, [&](std::size_t i) {
    const bool named = plain != nullptr && std::ranges::find(*plain, nlohmann::json(i)) != plain->end();
    return !named && (i + 1) % step == 0;
  });
}

ExpertSettings qwen_experts(const ConfigObject& config, int usual, int chosen, int inner) {
  ExpertSettings experts;
  experts.experts = experts_of(config, usual);
  experts.chosen = config.whole("num_experts_per_tok", chosen, 1, experts.experts);
  experts.d_inner = config.whole("moe_intermediate_size", inner, 1, most_width * 4);
  experts.normalised = config.boolean("norm_topk_prob", false);
  return experts;
}

void read_qwen2(const ConfigObject& config, StackSpec& stack) {
  ExpertSettings experts = qwen_experts(config, 60, 4, 1408);
  experts.d_shared = config.whole("shared_expert_intermediate_size", 5632, 1, most_width * 4);
  experts.shared_gated = true;
  mix(config, stack, experts);
}

void read_qwen3(const ConfigObject& config, StackSpec& stack) {
  mix(config, stack, qwen_experts(config, 128, 8, 768));
}

void read_olmoe(const ConfigObject& config, StackSpec& stack) {
  ExpertSettings experts;
  experts.experts = experts_of(config, 64);
  experts.chosen = config.whole("num_experts_per_tok", 8, 1, experts.experts);
  experts.d_inner = stack.blocks.front().block.d_inner;
  experts.normalised = config.boolean("norm_topk_prob", false);
  mix_blocks(stack, experts);
}

std::vector<std::int64_t> windows_of(const ConfigObject& config, std::size_t blocks) {
  const std::int64_t width = config.boolean("use_sliding_window", false) ? window_width(config) : 0;
  if (config.find("layer_types") != nullptr) return windows_by_type(config, width, blocks);
  if (width > 0)
    config.refuse("use_sliding_window",
                  "true without layer_types, which would say which blocks have windows.");
  return std::vector<std::int64_t>(blocks, 0);
}

constexpr Family qwen3{.name = "Qwen3-MoE",
                       .model_types = qwen3_types,
                       .prefixes = gated_prefixes,
                       .norm = NormKind::RmsNorm,
                       .positions = Positions::RopeHalf,
                       .keys = qwen3_keys,
                       .model = gated_model,
                       .decoder = qwen3_blocks,
                       .heads = gated_heads,
                       .tied = false,
                       .reads_layer_types = true,
                       .rope = {.sections = true},
                       .windows = windows_of,
                       .read_stack = read_qwen3,
                       .own_keys = qwen_own,
                       .gguf = &qwen3_gguf};

}  // namespace
}  // namespace qwen_moe_rows

constinit const Family qwen3_moe_family = qwen_moe_rows::qwen3;

constinit const Family qwen2_moe_family = like(qwen_moe_rows::qwen3, [](Family& made) {
  made.name = "Qwen2-MoE";
  made.model_types = qwen_moe_rows::qwen2_types;
  made.keys = qwen_moe_rows::qwen2_keys;
  made.decoder = qwen_moe_rows::qwen2_blocks;
  made.attention_bias = true;
  made.attention_bias_key = "qkv_bias";
  made.read_stack = qwen_moe_rows::read_qwen2;
  made.gguf = nullptr;
});

constinit const Family olmoe_family = like(qwen_moe_rows::qwen3, [](Family& made) {
  made.name = "OLMoE";
  made.model_types = qwen_moe_rows::olmoe_types;
  made.keys = qwen_moe_rows::olmoe_keys;
  made.norms_all_heads = true;
  made.reads_layer_types = false;
  made.windows = nullptr;
  made.read_stack = qwen_moe_rows::read_olmoe;
  made.own_keys = qwen_moe_rows::olmoe_own;
  made.gguf = nullptr;
});

}  // namespace attnscope
