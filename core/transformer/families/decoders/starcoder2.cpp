// StarCoder2 (Lozhkov et al. 2024): grouped heads, LayerNorm, biases everywhere, a window in every block.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace starcoder2_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"starcoder2"});
constexpr auto blocks =
    names_like<2>(llama_attention, {{Up, "layers.{}.mlp.c_fc", Mlp}, {Down, "layers.{}.mlp.c_proj", Mlp}});
constexpr ConfigKeys keys =
    like(like_llama(3072, 30, 24, like_llama(12'288, 4096, 49'152, 2, 0)), [](ConfigKeys& made) {
      made.epsilon = "norm_epsilon";
      made.default_epsilon = 1e-5;
      made.default_activation = "gelu_pytorch_tanh";
      made.head_width = "";
    });
constexpr auto own_keys = std::to_array<std::string_view>({"sliding_window"});
// Older configs name the kinds of norm and MLP, which are always these.
constexpr auto harmless_keys = std::to_array<std::string_view>({"norm_type", "mlp_type"});
constexpr GgufRules gguf;

std::vector<std::int64_t> windows_of(const ConfigObject& config, std::size_t count) {
  const bool has_window = config.find("sliding_window") != nullptr;
  return std::vector<std::int64_t>(count, has_window ? window_width(config) : 0);
}

}  // namespace
}  // namespace starcoder2_rows

constinit const Family starcoder2_family{.name = "StarCoder2",
                                         .model_types = starcoder2_rows::types,
                                         .prefixes = gated_prefixes,
                                         .norm = NormKind::LayerNorm,
                                         .positions = Positions::RopeHalf,
                                         .keys = starcoder2_rows::keys,
                                         .model = gated_model,
                                         .decoder = starcoder2_rows::blocks,
                                         .heads = gated_heads,
                                         .attention_bias = true,
                                         .mlp_bias = true,
                                         .attention_bias_key = "use_bias",
                                         .mlp_bias_key = "use_bias",
                                         .windows = starcoder2_rows::windows_of,
                                         .own_keys = starcoder2_rows::own_keys,
                                         .harmless_keys = starcoder2_rows::harmless_keys,
                                         .gguf = &starcoder2_rows::gguf};

}  // namespace attnscope
