// Llama (Touvron et al. 2023), and families that share its names and its block: Mistral, Ministral, Qwen2,
// Qwen3, Helium, and SmolLM3, which has no positions in every fourth block.
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace llama_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto llama_types = std::to_array<std::string_view>({"llama"});
constexpr auto mistral_types = std::to_array<std::string_view>({"mistral"});
constexpr auto ministral_types = std::to_array<std::string_view>({"ministral"});
constexpr auto ministral3_types = std::to_array<std::string_view>({"ministral3"});
constexpr auto helium_types = std::to_array<std::string_view>({"helium"});
// The text models of Qwen2-VL and its kin see one axis of positions: with text alone they are Qwen2 and
// Qwen3.
constexpr auto qwen2_types =
    std::to_array<std::string_view>({"qwen2", "qwen2_vl_text", "qwen2_5_vl_text", "qwen2_vl", "qwen2_5_vl"});
constexpr auto qwen3_types = std::to_array<std::string_view>({"qwen3", "qwen3_vl_text"});
constexpr auto smollm3_types = std::to_array<std::string_view>({"smollm3"});
constexpr auto llama_blocks = names_like(gated_blocks, {{Gate, "layers.{}.mlp.gate_proj", Mlp},
                                                        {Up, "layers.{}.mlp.up_proj", Mlp},
                                                        {Down, "layers.{}.mlp.down_proj", Mlp}});
constexpr auto qwen2_blocks = names_like(gated_blocks, {{Query, "layers.{}.self_attn.q_proj", Always},
                                                        {Key, "layers.{}.self_attn.k_proj", Always},
                                                        {Value, "layers.{}.self_attn.v_proj", Always},
                                                        {Output, "layers.{}.self_attn.o_proj"}});
constexpr auto qwen3_blocks = names_like<2>(gated_blocks, head_norm_names);
constexpr ConfigKeys mistral_keys = like_llama(14'336, 131'072, 32'000, 8, 0);
constexpr ConfigKeys ministral3_keys =
    like(like_llama(4096, 34, 32, like_llama(14'336, 262'144, 131'072, 8, 128)),
         [](ConfigKeys& made) { made.default_epsilon = 1e-5; });
constexpr ConfigKeys qwen2_keys = like_llama(22'016, 32'768, 151'936, 32, 0);
constexpr ConfigKeys qwen3_keys = like_llama(22'016, 32'768, 151'936, 32, 128);
constexpr ConfigKeys smollm3_keys = like(like_llama(11'008, 32'768, 128'256, 4, 0), [](ConfigKeys& made) {
  made.default_width = 2048;
  made.default_layers = 36;
  made.default_heads = 16;
});
constexpr ConfigKeys helium_keys = like(like_llama(2560, 24, 20, like_llama(7040, 4096, 48'000, 20, 128)),
                                        [](ConfigKeys& made) { made.default_epsilon = 1e-8; });
constexpr auto helium_blocks = names_like(llama_blocks, {{Output, "layers.{}.self_attn.o_proj"}});
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
constexpr GgufRules ministral3_gguf{.architecture = "mistral3", .interleaved = true, .grows_queries = true};
constexpr GgufRules llama_gguf{.interleaved = true}, smollm3_gguf{.interleaved = true, .unrotated_every = 4},
    gguf;

std::vector<std::int64_t> mistral_windows(const ConfigObject& config, std::size_t blocks) {
  return std::vector<std::int64_t>(blocks, window_width(config));
}

std::vector<std::int64_t> ministral_windows(const ConfigObject& config, std::size_t blocks) {
  const std::int64_t width = window_width(config);
  if (config.find("layer_types") != nullptr) return windows_by_type(config, width, blocks);
  return std::vector<std::int64_t>(blocks, width);
}

std::vector<std::int64_t> ministral3_windows(const ConfigObject& config, std::size_t blocks) {
  const bool has_window = config.find("sliding_window") != nullptr;
  return std::vector<std::int64_t>(blocks, has_window ? window_width(config) : 0);
}

/// Without rotary settings transformers has those of the published models, which are YaRN's.
void read_ministral3(const ConfigObject& config, StackSpec&) {
  if (config.find("rope_parameters") == nullptr && config.find("rope_scaling") == nullptr)
    config.refuse("rope_parameters", "it is missing; the rotary settings of the model were expected.");
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

constexpr Family llama{.name = "Llama",
                       .model_types = llama_types,
                       .prefixes = gated_prefixes,
                       .norm = NormKind::RmsNorm,
                       .positions = Positions::RopeHalf,
                       .keys = llama_keys,
                       .model = gated_model,
                       .decoder = llama_blocks,
                       .heads = gated_heads,
                       .tied = false,
                       .harmless_keys = harmless_keys,
                       .gguf = &llama_gguf};

constexpr Family mistral = like(llama, [](Family& made) {
  made.name = "Mistral";
  made.model_types = mistral_types;
  made.keys = mistral_keys;
  made.windows = mistral_windows;
  made.own_keys = mistral_own;
  made.gguf = nullptr;
});

constexpr Family qwen2 = like(llama, [](Family& made) {
  made.name = "Qwen2";
  made.rope.sections = true;
  made.model_types = qwen2_types;
  made.keys = qwen2_keys;
  made.decoder = qwen2_blocks;
  made.reads_layer_types = true;
  made.windows = qwen_windows;
  made.own_keys = qwen_own;
  made.gguf = &gguf;
});

}  // namespace
}  // namespace llama_rows

constinit const Family llama_family = llama_rows::llama;

constinit const Family mistral_family = llama_rows::mistral;

constinit const Family ministral_family = like(llama_rows::mistral, [](Family& made) {
  made.name = "Ministral";
  made.model_types = llama_rows::ministral_types;
  made.reads_layer_types = true;
  made.windows = llama_rows::ministral_windows;
});

constinit const Family ministral3_family = like(llama_rows::mistral, [](Family& made) {
  made.name = "Ministral 3";
  made.model_types = llama_rows::ministral3_types;
  made.rope.default_base = 1'000'000;
  made.keys = llama_rows::ministral3_keys;
  made.windows = llama_rows::ministral3_windows;
  made.read_stack = llama_rows::read_ministral3;
  made.gguf = &llama_rows::ministral3_gguf;
});

constinit const Family helium_family = like(llama_rows::llama, [](Family& made) {
  made.name = "Helium";
  made.model_types = llama_rows::helium_types;
  made.positions = Positions::RopeInterleaved;
  made.keys = llama_rows::helium_keys;
  made.decoder = llama_rows::helium_blocks;
  made.rope.default_base = 100'000;
  made.gguf = nullptr;
});

constinit const Family smollm3_family = like(llama_rows::llama, [](Family& made) {
  made.name = "SmolLM3";
  made.model_types = llama_rows::smollm3_types;
  made.keys = llama_rows::smollm3_keys;
  made.tied = true;
  made.reads_layer_types = true;
  made.rope.default_base = 2'000'000;
  made.windows = llama_rows::smollm3_windows;
  made.read_stack = llama_rows::smollm3_stack;
  made.own_keys = llama_rows::smollm3_own;
  made.harmless_keys = llama_rows::smollm3_harmless;
  made.gguf = &llama_rows::smollm3_gguf;
});

constinit const Family qwen2_family = llama_rows::qwen2;

constinit const Family qwen3_family = like(llama_rows::qwen2, [](Family& made) {
  made.name = "Qwen3";
  made.model_types = llama_rows::qwen3_types;
  made.keys = llama_rows::qwen3_keys;
  made.decoder = llama_rows::qwen3_blocks;
});

}  // namespace attnscope
