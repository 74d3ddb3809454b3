// Llama (Touvron et al. 2023), and families that share its names and its block: Mistral, Qwen2, Qwen3,
// SmolLM3, which has no positions in every fourth block.
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_heads.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace llama_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto llama_types = std::to_array<std::string_view>({"llama"});
constexpr auto mistral_types = std::to_array<std::string_view>({"mistral"});
constexpr auto qwen2_types = std::to_array<std::string_view>({"qwen2"});
constexpr auto qwen3_types = std::to_array<std::string_view>({"qwen3"});
constexpr auto smollm3_types = std::to_array<std::string_view>({"smollm3"});
constexpr auto llama_model = std::to_array<PartName>({
    {TokenTable, "embed_tokens"},
    {Logits, "lm_head"},
});
constexpr auto llama_blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {Query, "layers.{}.self_attn.q_proj", Attention},
    {Key, "layers.{}.self_attn.k_proj", Attention},
    {Value, "layers.{}.self_attn.v_proj", Attention},
    {Output, "layers.{}.self_attn.o_proj", Attention},
    {MlpNorm, "layers.{}.post_attention_layernorm"},
    {Gate, "layers.{}.mlp.gate_proj", Mlp},
    {Up, "layers.{}.mlp.up_proj", Mlp},
    {Down, "layers.{}.mlp.down_proj", Mlp},
    {FinalNorm, "norm"},
});
constexpr auto qwen2_blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {Query, "layers.{}.self_attn.q_proj", Always},
    {Key, "layers.{}.self_attn.k_proj", Always},
    {Value, "layers.{}.self_attn.v_proj", Always},
    {Output, "layers.{}.self_attn.o_proj"},
    {MlpNorm, "layers.{}.post_attention_layernorm"},
    {Gate, "layers.{}.mlp.gate_proj"},
    {Up, "layers.{}.mlp.up_proj"},
    {Down, "layers.{}.mlp.down_proj"},
    {FinalNorm, "norm"},
});
constexpr auto qwen3_blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {Query, "layers.{}.self_attn.q_proj", Attention},
    {Key, "layers.{}.self_attn.k_proj", Attention},
    {Value, "layers.{}.self_attn.v_proj", Attention},
    {Output, "layers.{}.self_attn.o_proj", Attention},
    {QueryNorm, "layers.{}.self_attn.q_norm"},
    {KeyNorm, "layers.{}.self_attn.k_norm"},
    {MlpNorm, "layers.{}.post_attention_layernorm"},
    {Gate, "layers.{}.mlp.gate_proj"},
    {Up, "layers.{}.mlp.up_proj"},
    {Down, "layers.{}.mlp.down_proj"},
    {FinalNorm, "norm"},
});
constexpr ConfigKeys llama_keys{.width = "hidden_size",
                                .layers = "num_hidden_layers",
                                .heads = "num_attention_heads",
                                .kv_heads = "num_key_value_heads",
                                .inner = "intermediate_size",
                                .positions = "max_position_embeddings",
                                .epsilon = "rms_norm_eps",
                                .activation = "hidden_act",
                                .default_width = 4096,
                                .default_layers = 32,
                                .default_heads = 32,
                                .default_inner = 11008,
                                .default_positions = 2048,
                                .default_epsilon = 1e-6,
                                .default_activation = "silu",
                                .default_vocabulary = 32'000,
                                .head_width = "head_dim"};
/// The keys of a family that uses Llama's names.
constexpr ConfigKeys like_llama(int inner, int positions, int vocabulary, int kv_heads, int head_width) {
  ConfigKeys keys = llama_keys;
  keys.default_inner = inner;
  keys.default_positions = positions;
  keys.default_vocabulary = vocabulary;
  keys.default_kv_heads = kv_heads;
  keys.default_head_width = head_width;
  return keys;
}
constexpr ConfigKeys mistral_keys = like_llama(14'336, 131'072, 32'000, 8, 0);
constexpr ConfigKeys qwen2_keys = like_llama(22'016, 32'768, 151'936, 32, 0);
constexpr ConfigKeys qwen3_keys = like_llama(22'016, 32'768, 151'936, 32, 128);
constexpr ConfigKeys smollm3_keys = [] {
  ConfigKeys keys = like_llama(11'008, 32'768, 128'256, 4, 0);
  keys.default_width = 2048;
  keys.default_layers = 36;
  keys.default_heads = 16;
  return keys;
}();
constexpr auto smollm3_own = std::to_array<std::string_view>(
    {"no_rope_layers", "no_rope_layer_interval", "sliding_window", "use_sliding_window", "layer_types"});
constexpr auto mistral_own = std::to_array<std::string_view>({"sliding_window", "layer_types"});
constexpr auto qwen_own = std::to_array<std::string_view>(
    {"sliding_window", "use_sliding_window", "max_window_layers", "layer_types"});
// Products in slices (pretraining_tp) have the same sums. The other keys are those of SmolVLM's and Idefics'
// pictures.
constexpr auto harmless_keys = std::to_array<std::string_view>(
    {"pretraining_tp", "is_llama_config", "pixel_shuffle_factor", "perceiver_config"});
constexpr auto smollm3_harmless = std::to_array<std::string_view>({"pretraining_tp", "max_window_layers"});
constexpr GgufRules llama_gguf{.interleaved = true}, smollm3_gguf{.interleaved = true, .unrotated_every = 4},
    gguf;

std::vector<std::int64_t> mistral_windows(const ConfigObject& config, std::size_t blocks) {
  return std::vector<std::int64_t>(blocks, window_width(config));
}

/// Whether each block rotates: 1 in "no_rope_layers"; without the list every so many blocks one does not.
std::vector<bool> smollm3_rotated(const ConfigObject& config, std::size_t blocks) {
  std::vector<bool> rotated(blocks);
  if (const nlohmann::json* list = config.find("no_rope_layers")) {
    if (!list->is_array() || list->size() < blocks)
      config.fail("no_rope_layers", fmt::format("a list of at least {} numbers", blocks), *list);
    for (std::size_t i = 0; i < blocks; ++i) {
      const nlohmann::json& one = (*list)[i];
      if (one != 0 && one != 1) config.fail("no_rope_layers", "numbers 0 and 1", one);
      rotated[i] = one == 1;
    }
    return rotated;
  }
  const int interval = config.whole("no_rope_layer_interval", 4, 1, most_blocks);
  for (std::size_t i = 0; i < blocks; ++i) rotated[i] = rotates(i, interval);
  return rotated;
}

void smollm3_stack(const ConfigObject& config, StackSpec& stack) {
  const std::vector<bool> rotated = smollm3_rotated(config, stack.blocks.size());
  for (std::size_t i = 0; i < rotated.size(); ++i)
    if (!rotated[i]) stack.blocks[i].positions = Positions::None;
}

/// In the blocks without positions, if "layer_types" does not say in which.
std::vector<std::int64_t> smollm3_windows(const ConfigObject& config, std::size_t blocks) {
  const bool is_used =
      config.boolean("use_sliding_window", false) && config.find("sliding_window") != nullptr;
  const std::int64_t width = is_used ? window_width(config) : 0;
  if (config.find("layer_types") != nullptr) return windows_by_type(config, width, blocks);
  const std::vector<bool> rotated = smollm3_rotated(config, blocks);
  std::vector<std::int64_t> windows(blocks, 0);
  for (std::size_t i = 0; i < blocks; ++i)
    if (!rotated[i]) windows[i] = width;
  return windows;
}

std::vector<std::int64_t> qwen_windows(const ConfigObject& config, std::size_t blocks) {
  const std::int64_t width = config.boolean("use_sliding_window", false) ? window_width(config) : 0;
  if (config.find("layer_types") != nullptr) return windows_by_type(config, width, blocks);
  std::vector<std::int64_t> windows(blocks, 0);
  if (width == 0) return windows;
  const auto first = static_cast<std::size_t>(config.whole("max_window_layers", 28, 0, most_blocks));
  for (std::size_t i = first; i < blocks; ++i) windows[i] = width;
  return windows;
}

}  // namespace
}  // namespace llama_rows

constinit const Family llama_family{.name = "Llama",
                                    .model_types = llama_rows::llama_types,
                                    .prefixes = llama_prefixes,
                                    .norm = NormKind::RmsNorm,
                                    .positions = Positions::RopeHalf,
                                    .keys = llama_rows::llama_keys,
                                    .model = llama_rows::llama_model,
                                    .decoder = llama_rows::llama_blocks,
                                    .heads = gated_heads,
                                    .tied = false,
                                    .harmless_keys = llama_rows::harmless_keys,
                                    .gguf = &llama_rows::llama_gguf};

constinit const Family mistral_family{.name = "Mistral",
                                      .model_types = llama_rows::mistral_types,
                                      .prefixes = llama_prefixes,
                                      .norm = NormKind::RmsNorm,
                                      .positions = Positions::RopeHalf,
                                      .keys = llama_rows::mistral_keys,
                                      .model = llama_rows::llama_model,
                                      .decoder = llama_rows::llama_blocks,
                                      .heads = gated_heads,
                                      .tied = false,
                                      .windows = llama_rows::mistral_windows,
                                      .own_keys = llama_rows::mistral_own,
                                      .harmless_keys = llama_rows::harmless_keys};

constinit const Family smollm3_family{.name = "SmolLM3",
                                      .model_types = llama_rows::smollm3_types,
                                      .prefixes = llama_prefixes,
                                      .norm = NormKind::RmsNorm,
                                      .positions = Positions::RopeHalf,
                                      .keys = llama_rows::smollm3_keys,
                                      .model = llama_rows::llama_model,
                                      .decoder = llama_rows::llama_blocks,
                                      .heads = gated_heads,
                                      .reads_layer_types = true,
                                      .rope = {.default_base = 2'000'000},
                                      .windows = llama_rows::smollm3_windows,
                                      .read_stack = llama_rows::smollm3_stack,
                                      .own_keys = llama_rows::smollm3_own,
                                      .harmless_keys = llama_rows::smollm3_harmless,
                                      .gguf = &llama_rows::smollm3_gguf};

constinit const Family qwen2_family{.name = "Qwen2",
                                    .model_types = llama_rows::qwen2_types,
                                    .prefixes = llama_prefixes,
                                    .norm = NormKind::RmsNorm,
                                    .positions = Positions::RopeHalf,
                                    .keys = llama_rows::qwen2_keys,
                                    .model = llama_rows::llama_model,
                                    .decoder = llama_rows::qwen2_blocks,
                                    .heads = gated_heads,
                                    .tied = false,
                                    .reads_layer_types = true,
                                    .windows = llama_rows::qwen_windows,
                                    .own_keys = llama_rows::qwen_own,
                                    .harmless_keys = llama_rows::harmless_keys,
                                    .gguf = &llama_rows::gguf};

constinit const Family qwen3_family{.name = "Qwen3",
                                    .model_types = llama_rows::qwen3_types,
                                    .prefixes = llama_prefixes,
                                    .norm = NormKind::RmsNorm,
                                    .positions = Positions::RopeHalf,
                                    .keys = llama_rows::qwen3_keys,
                                    .model = llama_rows::llama_model,
                                    .decoder = llama_rows::qwen3_blocks,
                                    .heads = gated_heads,
                                    .tied = false,
                                    .reads_layer_types = true,
                                    .windows = llama_rows::qwen_windows,
                                    .own_keys = llama_rows::qwen_own,
                                    .harmless_keys = llama_rows::harmless_keys,
                                    .gguf = &llama_rows::gguf};

}  // namespace attnscope
