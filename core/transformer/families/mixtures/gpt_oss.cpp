// gpt-oss (OpenAI 2025): experts with a clamped gate, a learned sink in every softmax, a window in every
// other block.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/mixture_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace gpt_oss_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"gpt_oss"});
constexpr auto blocks =
    names_like<5>(llama_attention, {{Sinks, "layers.{}.self_attn.sinks"},
                                    {Router, "layers.{}.mlp.router", Always},
                                    {ExpertGate, "", Always},
                                    {ExpertUp, "layers.{}.mlp.experts.gate_up_proj", Always},
                                    {ExpertDown, "layers.{}.mlp.experts.down_proj", Always}});
constexpr ConfigKeys keys = like(like_llama(2880, 36, 64, like_llama(2880, 131'072, 201'088, 8, 64)),
                                 [](ConfigKeys& made) { made.default_epsilon = 1e-5; });
constexpr auto own_keys = std::to_array<std::string_view>(
    {"sliding_window", "layer_types", "num_local_experts", "num_experts_per_tok", "experts_per_token",
     "swiglu_alpha", "swiglu_limit"});
constexpr auto harmless_keys = std::to_array<std::string_view>({"initial_context_length"});
constexpr auto gguf_names = std::to_array<PartName>({{MlpNorm, "blk.{}.post_attention_norm"}});
constexpr GgufRules gguf{
    .architecture = "gpt-oss",
    .window = 128,
    .every_second = true,
    .names = gguf_names,
    .experts = ExpertSettings{.routing = Routing::SoftmaxOfChosen, .gate = ExpertGate::Clamped}};

/// The first block and every second one after it.
std::vector<std::int64_t> windows_of(const ConfigObject& config, std::size_t count) {
  const bool has_width = config.has("sliding_window");
  const std::int64_t width = has_width ? window_width(config) : 128;
  if (config.find("layer_types") != nullptr) return windows_by_type(config, width, count);
  std::vector<std::int64_t> windows(count, 0);
  for (std::size_t i = 0; i < count; i += 2) windows[i] = width;
  return windows;
}

/// The clamped gate has these two numbers in every published model.
void read_stack(const ConfigObject& config, StackSpec& stack) {
  // Without rotary settings transformers has those of the published models.
  if (config.find("rope_parameters") == nullptr && config.find("rope_scaling") == nullptr)
    for (LayerSpec& block : stack.blocks) {
      PositionSettings& rope = block.position_settings;
      rope.rope_scaling = RopeScaling::Yarn;
      rope.rope_factor = 32;
      rope.rope_trained = 4096;
      rope.rope_truncate = false;
    }
  if (config.number("swiglu_limit", 7) != 7)
    refuse_change(config, gpt_oss_family, "swiglu_limit", *config.find("swiglu_limit"));
  if (config.number("swiglu_alpha", 1.702) != 1.702)
    refuse_change(config, gpt_oss_family, "swiglu_alpha", *config.find("swiglu_alpha"));
  ExpertSettings experts;
  experts.experts = config.whole("num_local_experts", 128, 1, most_experts);
  experts.chosen = config.whole("num_experts_per_tok", config.whole("experts_per_token", 4, 1, most_experts),
                                1, experts.experts);
  experts.d_inner = stack.blocks.front().block.d_inner;
  experts.routing = Routing::SoftmaxOfChosen;
  experts.gate = ExpertGate::Clamped;
  mix_blocks(stack, experts);
}

}  // namespace
}  // namespace gpt_oss_rows

constinit const Family gpt_oss_family{.name = "gpt-oss",
                                      .model_types = gpt_oss_rows::types,
                                      .prefixes = gated_prefixes,
                                      .norm = NormKind::RmsNorm,
                                      .positions = Positions::RopeHalf,
                                      .keys = gpt_oss_rows::keys,
                                      .model = gated_model,
                                      .decoder = gpt_oss_rows::blocks,
                                      .heads = gated_heads,
                                      .tied = false,
                                      .attention_bias = true,
                                      .reads_layer_types = true,
                                      .experts_stacked = true,
                                      .rope = {.default_base = 150'000},
                                      .windows = gpt_oss_rows::windows_of,
                                      .read_stack = gpt_oss_rows::read_stack,
                                      .own_keys = gpt_oss_rows::own_keys,
                                      .harmless_keys = gpt_oss_rows::harmless_keys,
                                      .gguf = &gpt_oss_rows::gguf};

}  // namespace attnscope
