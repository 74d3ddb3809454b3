// Phi (Microsoft 2023): attention and MLP read one norm, biases everywhere. Phi-3 and Phi-4 (2024): Llama
// whose query, key and value projections are one matrix, gate and up projections another.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace phi_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto phi_types = std::to_array<std::string_view>({"phi"});
constexpr auto phi3_types = std::to_array<std::string_view>({"phi3"});
constexpr auto phi_model = names_like(gated_model, {{Logits, "lm_head", Always}});
constexpr auto phi_blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {Query, "layers.{}.self_attn.q_proj", Always},
    {Key, "layers.{}.self_attn.k_proj", Always},
    {Value, "layers.{}.self_attn.v_proj", Always},
    {Output, "layers.{}.self_attn.dense", Always},
    {Up, "layers.{}.mlp.fc1", Always},
    {Down, "layers.{}.mlp.fc2", Always},
    {FinalNorm, "final_layernorm"},
});
constexpr auto phi3_blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {QueryKeyValue, "layers.{}.self_attn.qkv_proj"},
    {Output, "layers.{}.self_attn.o_proj"},
    {MlpNorm, "layers.{}.post_attention_layernorm"},
    {GateUp, "layers.{}.mlp.gate_up_proj"},
    {Down, "layers.{}.mlp.down_proj"},
    {FinalNorm, "norm"},
});
constexpr ConfigKeys phi_keys =
    like(like_llama(2048, 24, 32, like_llama(8192, 2048, 51'200, 0, 0)), [](ConfigKeys& made) {
      made.epsilon = "layer_norm_eps";
      made.default_epsilon = 1e-5;
      made.default_activation = "gelu_new";
      made.head_width = "";
    });
constexpr ConfigKeys phi3_keys =
    like(like_llama(3072, 32, 32, like_llama(8192, 4096, 32'064, 0, 0)), [](ConfigKeys& made) {
      made.default_epsilon = 1e-5;
      made.head_width = "";
    });
constexpr auto phi3_own = std::to_array<std::string_view>({"sliding_window"});
constexpr auto phi3_harmless =
    std::to_array<std::string_view>({"embd_layer", "bias", "lm_head_bias", "interpolate_factor"});
constexpr GgufRules phi3_gguf;

std::vector<std::int64_t> windows_of(const ConfigObject& config, std::size_t count) {
  const bool has_window = config.find("sliding_window") != nullptr;
  return std::vector<std::int64_t>(count, has_window ? window_width(config) : 0);
}

}  // namespace
}  // namespace phi_rows

constinit const Family phi_family{.name = "Phi",
                                  .model_types = phi_rows::phi_types,
                                  .prefixes = gated_prefixes,
                                  .arrangement = Arrangement::Parallel,
                                  .norm = NormKind::LayerNorm,
                                  .positions = Positions::RopeHalf,
                                  .keys = phi_rows::phi_keys,
                                  .model = phi_rows::phi_model,
                                  .decoder = phi_rows::phi_blocks,
                                  .heads = gated_heads,
                                  .tied = false,
                                  .rope = {.default_share = 0.5, .partial = true}};

constinit const Family phi3_family{.name = "Phi-3",
                                   .model_types = phi_rows::phi3_types,
                                   .prefixes = gated_prefixes,
                                   .norm = NormKind::RmsNorm,
                                   .positions = Positions::RopeHalf,
                                   .fused = FusedOrder::Stacked,
                                   .keys = phi_rows::phi3_keys,
                                   .model = gated_model,
                                   .decoder = phi_rows::phi3_blocks,
                                   .heads = gated_heads,
                                   .tied = false,
                                   .rope = {.partial = true, .default_trained = 4096},
                                   .windows = phi_rows::windows_of,
                                   .own_keys = phi_rows::phi3_own,
                                   .harmless_keys = phi_rows::phi3_harmless,
                                   .gguf = &phi_rows::phi3_gguf};

}  // namespace attnscope
