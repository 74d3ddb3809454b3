// GLM (GLM Team 2024), whose gate and up projections are one matrix and whose heads turn by half; GLM-4
// (0414), which also norms what attention and the MLP add.
#include <array>
#include <string_view>

#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace glm_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto glm_types = std::to_array<std::string_view>({"glm"});
constexpr auto glm4_types = std::to_array<std::string_view>({"glm4"});
constexpr auto glm_blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {Query, "layers.{}.self_attn.q_proj", Attention},
    {Key, "layers.{}.self_attn.k_proj", Attention},
    {Value, "layers.{}.self_attn.v_proj", Attention},
    {Output, "layers.{}.self_attn.o_proj"},
    {MlpNorm, "layers.{}.post_attention_layernorm"},
    {GateUp, "layers.{}.mlp.gate_up_proj"},
    {Down, "layers.{}.mlp.down_proj"},
    {FinalNorm, "norm"},
});
constexpr auto glm4_blocks =
    names_like<2>(glm_blocks, {{AfterAttentionNorm, "layers.{}.post_self_attn_layernorm"},
                               {AfterMlpNorm, "layers.{}.post_mlp_layernorm"}});
constexpr ConfigKeys keys = like(like_llama(4096, 40, 32, like_llama(13'696, 131'072, 151'552, 2, 128)),
                                 [](ConfigKeys& made) { made.default_epsilon = 1.5625e-7; });
constexpr GgufRules gguf;

constexpr Family glm{.name = "GLM",
                     .model_types = glm_types,
                     .prefixes = gated_prefixes,
                     .norm = NormKind::RmsNorm,
                     .positions = Positions::RopeInterleaved,
                     .keys = keys,
                     .model = gated_model,
                     .decoder = glm_blocks,
                     .heads = gated_heads,
                     .tied = false,
                     .attention_bias = true,
                     .rope = {.default_share = 0.5, .partial = true}};

}  // namespace
}  // namespace glm_rows

constinit const Family glm_family = glm_rows::glm;

constinit const Family glm4_family = like(glm_rows::glm, [](Family& made) {
  made.name = "GLM-4";
  made.model_types = glm_rows::glm4_types;
  made.arrangement = Arrangement::Sandwich;
  made.decoder = glm_rows::glm4_blocks;
  made.gguf = &glm_rows::gguf;
});

}  // namespace attnscope
