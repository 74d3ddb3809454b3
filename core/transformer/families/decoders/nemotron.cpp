// Nemotron (NVIDIA 2024): LayerNorm whose files hold the weight minus 1, squared ReLU, heads of which half
// turns.
#include <array>
#include <string_view>

#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace nemotron_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"nemotron"});
constexpr auto blocks = names_like<2>(
    llama_attention, {{Up, "layers.{}.mlp.up_proj", Mlp}, {Down, "layers.{}.mlp.down_proj", Mlp}});
constexpr ConfigKeys keys =
    like(like_llama(6144, 32, 48, like_llama(24'576, 4096, 256'000, 0, 0)), [](ConfigKeys& made) {
      made.epsilon = "norm_eps";
      made.default_epsilon = 1e-5;
      made.default_activation = "relu2";
    });
constexpr GgufRules gguf;

}  // namespace
}  // namespace nemotron_rows

constinit const Family nemotron_family{.name = "Nemotron",
                                       .model_types = nemotron_rows::types,
                                       .prefixes = gated_prefixes,
                                       .norm = NormKind::LayerNorm,
                                       .norm_form = NormForm::LessOne,
                                       .positions = Positions::RopeHalf,
                                       .keys = nemotron_rows::keys,
                                       .model = gated_model,
                                       .decoder = nemotron_rows::blocks,
                                       .heads = gated_heads,
                                       .tied = false,
                                       .rope = {.default_share = 0.5, .partial = true},
                                       .gguf = &nemotron_rows::gguf};

}  // namespace attnscope
