// Cohere's Command R (2024): attention and MLP read one norm, a LayerNorm without bias. Command R7B
// ("cohere2"): the same; three of four blocks have a window, the others have no positions.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace cohere_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto cohere_types = std::to_array<std::string_view>({"cohere"});
constexpr auto cohere2_types = std::to_array<std::string_view>({"cohere2"});
constexpr auto blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {Query, "layers.{}.self_attn.q_proj", Attention},
    {Key, "layers.{}.self_attn.k_proj", Attention},
    {Value, "layers.{}.self_attn.v_proj", Attention},
    {Output, "layers.{}.self_attn.o_proj", Attention},
    {Gate, "layers.{}.mlp.gate_proj"},
    {Up, "layers.{}.mlp.up_proj"},
    {Down, "layers.{}.mlp.down_proj"},
    {FinalNorm, "norm"},
});
constexpr ConfigKeys keys =
    like(like_llama(8192, 40, 64, like_llama(22'528, 8192, 256'000, 0, 0)), [](ConfigKeys& made) {
      made.epsilon = "layer_norm_eps";
      made.default_epsilon = 1e-5;
    });
constexpr auto cohere_own = std::to_array<std::string_view>({"logit_scale"});
constexpr auto cohere2_own = std::to_array<std::string_view>(
    {"logit_scale", "sliding_window", "layer_types", "sliding_window_pattern", "position_embedding_type"});
// Notes on the order of the blocks, which layer_types or the pattern says.
constexpr auto cohere2_harmless =
    std::to_array<std::string_view>({"layer_switch", "order_of_interleaved_layers", "rotary_pct"});
constexpr GgufRules cohere_gguf{.architecture = "command-r", .scales = GgufScales::Logits},
    cohere2_gguf{.window = 4096, .full_every = 4, .scales = GgufScales::Logits};

void read_model(const ConfigObject& config, ModelSpec& spec) {
  spec.logit_scale = config.number("logit_scale", 0.0625);
}

std::vector<std::int64_t> windows_of(const ConfigObject& config, std::size_t count) {
  const int pattern = config.whole("sliding_window_pattern", 4, 1, most_blocks);
  return windows_by_pattern(config, window_width(config), pattern, count);
}

constexpr Family cohere{.name = "Cohere",
                        .model_types = cohere_types,
                        .prefixes = gated_prefixes,
                        .arrangement = Arrangement::Parallel,
                        .norm = NormKind::LayerNorm,
                        .norm_form = NormForm::WeightOnly,
                        .positions = Positions::RopeInterleaved,
                        .keys = keys,
                        .model = gated_model,
                        .decoder = blocks,
                        .heads = gated_heads,
                        .rope = {.default_base = 500'000},
                        .read_model = read_model,
                        .own_keys = cohere_own,
                        .gguf = &cohere_gguf};

}  // namespace
}  // namespace cohere_rows

constinit const Family cohere_family = cohere_rows::cohere;

constinit const Family cohere2_family = like(cohere_rows::cohere, [](Family& made) {
  made.name = "Cohere 2";
  made.model_types = cohere_rows::cohere2_types;
  made.reads_layer_types = true;
  made.windows = cohere_rows::windows_of;
  made.rope.default_base = 10'000;
  made.turns_in_windows = true;
  made.own_keys = cohere_rows::cohere2_own;
  made.harmless_keys = cohere_rows::cohere2_harmless;
  made.gguf = &cohere_rows::cohere2_gguf;
});

}  // namespace attnscope
