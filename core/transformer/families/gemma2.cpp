// Gemma 2 (Gemma Team 2024).
#include <array>
#include <cmath>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace gemma2_rows {
namespace {

using enum Part;

constexpr auto gemma2_types = std::to_array<std::string_view>({"gemma2"});
constexpr auto gemma2_blocks =
    names_like<2>(gated_blocks, {{AfterAttentionNorm, "layers.{}.post_attention_layernorm"},
                                 {MlpNorm, "layers.{}.pre_feedforward_layernorm"},
                                 {AfterMlpNorm, "layers.{}.post_feedforward_layernorm"}});
constexpr ConfigKeys keys = like(llama_keys, [](ConfigKeys& made) {
  made.activation = "hidden_activation";
  made.default_width = 2304;
  made.default_layers = 26;
  made.default_heads = 8;
  made.default_inner = 9216;
  made.default_positions = 8192;
  made.default_activation = "gelu_pytorch_tanh";
  made.default_vocabulary = 256'000;
  made.default_kv_heads = 4;
  made.default_head_width = 256;
});
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
                                     .prefixes = gated_prefixes,
                                     .arrangement = Arrangement::Sandwich,
                                     .norm = NormKind::RmsNormOnePlus,
                                     .positions = Positions::RopeHalf,
                                     .keys = gemma2_rows::keys,
                                     .model = gated_model,
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
