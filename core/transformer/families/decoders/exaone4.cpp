// EXAONE 4 (LG AI Research 2025): norms what attention and the MLP add. Three of four blocks have a window;
// the others have no positions.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace exaone4_rows {
namespace {

using enum Part;

constexpr auto types = std::to_array<std::string_view>({"exaone4"});
constexpr auto blocks = std::to_array<PartName>({
    {Query, "layers.{}.self_attn.q_proj"},
    {Key, "layers.{}.self_attn.k_proj"},
    {Value, "layers.{}.self_attn.v_proj"},
    {Output, "layers.{}.self_attn.o_proj"},
    head_norm_names[0],
    head_norm_names[1],
    {AfterAttentionNorm, "layers.{}.post_attention_layernorm"},
    {Gate, "layers.{}.mlp.gate_proj"},
    {Up, "layers.{}.mlp.up_proj"},
    {Down, "layers.{}.mlp.down_proj"},
    {AfterMlpNorm, "layers.{}.post_feedforward_layernorm"},
    {FinalNorm, "norm"},
});
constexpr ConfigKeys keys =
    like(like_llama(16'384, 2048, 102'400, 32, 0), [](ConfigKeys& made) { made.default_epsilon = 1e-5; });
constexpr GgufRules gguf{.full_every = 4};
constexpr std::string_view pattern_key = "sliding_window_pattern";
constexpr auto own_keys = std::to_array<std::string_view>({"sliding_window", "layer_types", pattern_key});

/// The number of blocks from one without a window to the next: a number, or the length of "LLLG".
int pattern_of(const ConfigObject& config) {
  const nlohmann::json* found = config.find(pattern_key);
  if (found == nullptr || !found->is_string()) return config.whole(pattern_key, 4, 1, most_blocks);
  const std::string text = found->get<std::string>();
  const std::size_t local = text.find_first_not_of('L');
  if (text.empty() || local + 1 != text.size() || text[local] != 'G')
    config.fail(pattern_key, "a number or letters L and a last G", *found);
  return static_cast<int>(text.size());
}

std::vector<std::int64_t> windows_of(const ConfigObject& config, std::size_t count) {
  const std::int64_t width = window_width(config);
  return windows_by_pattern(config, width, width == 0 ? 1 : pattern_of(config), count);
}

}  // namespace
}  // namespace exaone4_rows

constinit const Family exaone4_family{.name = "EXAONE 4",
                                      .model_types = exaone4_rows::types,
                                      .prefixes = gated_prefixes,
                                      .arrangement = Arrangement::After,
                                      .norm = NormKind::RmsNorm,
                                      .positions = Positions::RopeHalf,
                                      .keys = exaone4_rows::keys,
                                      .model = gated_model,
                                      .decoder = exaone4_rows::blocks,
                                      .heads = gated_heads,
                                      .tied = false,
                                      .reads_layer_types = true,
                                      .turns_in_windows = true,
                                      .windows = exaone4_rows::windows_of,
                                      .own_keys = exaone4_rows::own_keys,
                                      .gguf = &exaone4_rows::gguf};

}  // namespace attnscope
