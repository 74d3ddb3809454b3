// StableLM (Bellagente et al. 2024): Llama with LayerNorm and heads of which a part turns.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace stablelm_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"stablelm", "stablelm_epoch"});
constexpr auto blocks = names_like(gated_blocks, {{Output, "layers.{}.self_attn.o_proj"}});
constexpr ConfigKeys keys =
    like(like_llama(2560, 32, 32, like_llama(6912, 4096, 50'304, 32, 0)), [](ConfigKeys& made) {
      made.epsilon = "layer_norm_eps";
      made.default_epsilon = 1e-5;
    });
constexpr auto own_keys = std::to_array<std::string_view>({"use_parallel_residual"});
constexpr GgufRules gguf;

/// With parallel residuals the files hold one norm for attention and MLP.
void read_stack(const ConfigObject& config, StackSpec& stack) {
  if (config.boolean("use_parallel_residual", false))
    set_blocks(stack, [](BlockSettings& block) { block.kind = Arrangement::Parallel; });
}

}  // namespace
}  // namespace stablelm_rows

constinit const Family stablelm_family{.name = "StableLM",
                                       .model_types = stablelm_rows::types,
                                       .prefixes = gated_prefixes,
                                       .norm = NormKind::LayerNorm,
                                       .positions = Positions::RopeHalf,
                                       .keys = stablelm_rows::keys,
                                       .model = gated_model,
                                       .decoder = stablelm_rows::blocks,
                                       .heads = gated_heads,
                                       .tied = false,
                                       .attention_bias_key = "use_qkv_bias",
                                       .rope = {.default_share = 0.25, .partial = true},
                                       .read_stack = stablelm_rows::read_stack,
                                       .own_keys = stablelm_rows::own_keys,
                                       .gguf = &stablelm_rows::gguf};

}  // namespace attnscope
