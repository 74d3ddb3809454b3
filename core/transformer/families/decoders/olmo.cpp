// OLMo (Groeneveld et al. 2024), whose norms have no weights; OLMo 2 (OLMo Team 2024), which norms what
// attention and the MLP add, and queries and keys of all heads at once; OLMo 3, the same with windows.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace olmo_rows {
namespace {

using enum Part;

constexpr auto olmo_types = std::to_array<std::string_view>({"olmo"});
constexpr auto olmo2_types = std::to_array<std::string_view>({"olmo2"});
constexpr auto olmo3_types = std::to_array<std::string_view>({"olmo3"});
constexpr auto olmo2_blocks = std::to_array<PartName>({
    {Query, "layers.{}.self_attn.q_proj", BiasRule::Attention},
    {Key, "layers.{}.self_attn.k_proj", BiasRule::Attention},
    {Value, "layers.{}.self_attn.v_proj", BiasRule::Attention},
    {Output, "layers.{}.self_attn.o_proj", BiasRule::Attention},
    head_norm_names[0],
    head_norm_names[1],
    {AfterAttentionNorm, "layers.{}.post_attention_layernorm"},
    {Gate, "layers.{}.mlp.gate_proj"},
    {Up, "layers.{}.mlp.up_proj"},
    {Down, "layers.{}.mlp.down_proj"},
    {AfterMlpNorm, "layers.{}.post_feedforward_layernorm"},
    {FinalNorm, "norm"},
});
// The first OLMo's norm has a fixed epsilon and its config no key for it.
constexpr ConfigKeys olmo_keys = like(like_llama(11'008, 2048, 50'304, 0, 0), [](ConfigKeys& made) {
  made.epsilon = "";
  made.default_epsilon = 1e-5;
});
constexpr ConfigKeys olmo2_keys = like(olmo_keys, [](ConfigKeys& made) { made.epsilon = "rms_norm_eps"; });
constexpr auto olmo3_own = std::to_array<std::string_view>({"sliding_window", "layer_types"});
constexpr GgufRules olmo2_gguf;

/// Three blocks with a window, one without.
std::vector<std::int64_t> olmo3_windows(const ConfigObject& config, std::size_t blocks) {
  return windows_by_pattern(config, window_width(config), 4, blocks);
}

constexpr Family olmo2{.name = "OLMo 2",
                       .model_types = olmo2_types,
                       .prefixes = gated_prefixes,
                       .arrangement = Arrangement::After,
                       .norm = NormKind::RmsNorm,
                       .positions = Positions::RopeHalf,
                       .keys = olmo2_keys,
                       .model = gated_model,
                       .decoder = olmo2_blocks,
                       .heads = gated_heads,
                       .tied = false,
                       .norms_all_heads = true,
                       .gguf = &olmo2_gguf};

}  // namespace
}  // namespace olmo_rows

constinit const Family olmo_family{.name = "OLMo",
                                   .model_types = olmo_rows::olmo_types,
                                   .prefixes = gated_prefixes,
                                   .norm = NormKind::LayerNorm,
                                   .norm_form = NormForm::Nothing,
                                   .positions = Positions::RopeHalf,
                                   .keys = olmo_rows::olmo_keys,
                                   .model = gated_model,
                                   .decoder = gated_blocks,
                                   .heads = gated_heads,
                                   .tied = false};

constinit const Family olmo2_family = olmo_rows::olmo2;

constinit const Family olmo3_family = like(olmo_rows::olmo2, [](Family& made) {
  made.name = "OLMo 3";
  made.model_types = olmo_rows::olmo3_types;
  made.reads_layer_types = true;
  made.rope.default_base = 500'000;
  made.rope.by_type = true;
  made.windows = olmo_rows::olmo3_windows;
  made.own_keys = olmo_rows::olmo3_own;
  made.gguf = nullptr;
});

}  // namespace attnscope
