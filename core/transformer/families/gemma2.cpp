// Gemma 2 (Gemma Team 2024).
#include <array>
#include <cmath>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_heads.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace gemma2_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto gemma2_types = std::to_array<std::string_view>({"gemma2"});
constexpr auto gemma2_model = std::to_array<PartName>({
    {TokenTable, "embed_tokens"},
    {Logits, "lm_head"},
});
constexpr auto gemma2_blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {Query, "layers.{}.self_attn.q_proj", Attention},
    {Key, "layers.{}.self_attn.k_proj", Attention},
    {Value, "layers.{}.self_attn.v_proj", Attention},
    {Output, "layers.{}.self_attn.o_proj", Attention},
    {AfterAttentionNorm, "layers.{}.post_attention_layernorm"},
    {MlpNorm, "layers.{}.pre_feedforward_layernorm"},
    {Gate, "layers.{}.mlp.gate_proj"},
    {Up, "layers.{}.mlp.up_proj"},
    {Down, "layers.{}.mlp.down_proj"},
    {AfterMlpNorm, "layers.{}.post_feedforward_layernorm"},
    {FinalNorm, "norm"},
});
constexpr ConfigKeys keys{.width = "hidden_size",
                          .layers = "num_hidden_layers",
                          .heads = "num_attention_heads",
                          .kv_heads = "num_key_value_heads",
                          .inner = "intermediate_size",
                          .positions = "max_position_embeddings",
                          .epsilon = "rms_norm_eps",
                          .activation = "hidden_activation",
                          .default_width = 2304,
                          .default_layers = 26,
                          .default_heads = 8,
                          .default_inner = 9216,
                          .default_positions = 8192,
                          .default_epsilon = 1e-6,
                          .default_activation = "gelu_pytorch_tanh",
                          .default_vocabulary = 256'000,
                          .default_kv_heads = 4,
                          .head_width = "head_dim",
                          .default_head_width = 256};
constexpr auto own_keys =
    std::to_array<std::string_view>({"sliding_window", "layer_types", "query_pre_attn_scalar",
                                     "attn_logit_softcapping", "final_logit_softcapping"});
// transformers reads hidden_activation instead of hidden_act.
constexpr auto harmless_keys = std::to_array<std::string_view>({"hidden_act", "sliding_window_size"});
constexpr GgufRules gguf{.window = 4096,
                         .every_second = true,
                         .score_cap = 50,
                         .logit_cap = 30,
                         .blocks_scaled_by_width = 46};  // 27B; the smaller ones by √(width of a head)

std::vector<std::int64_t> windows_of(const ConfigObject& config, std::size_t blocks) {
  const std::int64_t width = window_width(config);
  if (config.find("layer_types") != nullptr) return windows_by_type(config, width, blocks);
  std::vector<std::int64_t> windows(blocks, 0);
  for (std::size_t i = 0; i < blocks; i += 2) windows[i] = width;
  return windows;
}

/// A soft cap: JSON null means no cap, a missing key the usual one.
double cap_of(const ConfigObject& config, std::string_view key, double usual) {
  return config.number(key, config.has(key) ? 0 : usual);
}

void read_stack(const ConfigObject& config, StackSpec& stack) {
  const double scale = 1 / std::sqrt(config.number("query_pre_attn_scalar", 256));
  const auto cap = static_cast<float>(cap_of(config, "attn_logit_softcapping", 50));
  for (LayerSpec& block : stack.blocks) {
    block.scaling = scaling_of(scale, block.d_k);
    block.soft_cap = cap;
  }
}

void read_model(const ConfigObject& config, ModelSpec& spec) {
  spec.logit_cap = cap_of(config, "final_logit_softcapping", 30);
}

}  // namespace
}  // namespace gemma2_rows

constinit const Family gemma2_family{.name = "Gemma 2",
                                     .model_types = gemma2_rows::gemma2_types,
                                     .prefixes = llama_prefixes,
                                     .arrangement = Arrangement::Sandwich,
                                     .norm = NormKind::RmsNormOnePlus,
                                     .positions = Positions::RopeHalf,
                                     .keys = gemma2_rows::keys,
                                     .model = gemma2_rows::gemma2_model,
                                     .decoder = gemma2_rows::gemma2_blocks,
                                     .heads = gated_heads,
                                     .scaled_embeddings = true,
                                     .reads_layer_types = true,
                                     .windows = gemma2_rows::windows_of,
                                     .read_stack = gemma2_rows::read_stack,
                                     .read_model = gemma2_rows::read_model,
                                     .own_keys = gemma2_rows::own_keys,
                                     .harmless_keys = gemma2_rows::harmless_keys,
                                     .gguf = &gemma2_rows::gguf};

}  // namespace attnscope
