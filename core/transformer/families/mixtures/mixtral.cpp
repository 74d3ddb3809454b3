// Mixtral (Jiang et al. 2024): Mistral whose MLPs are mixtures of experts.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/mixture_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace mixtral_rows {
namespace {

using enum Part;

constexpr auto types = std::to_array<std::string_view>({"mixtral"});
constexpr auto blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.input_layernorm"},
    {Query, "layers.{}.self_attn.q_proj"},
    {Key, "layers.{}.self_attn.k_proj"},
    {Value, "layers.{}.self_attn.v_proj"},
    {Output, "layers.{}.self_attn.o_proj"},
    {MlpNorm, "layers.{}.post_attention_layernorm"},
    {Router, "layers.{}.block_sparse_moe.gate"},
    {ExpertGate, "layers.{}.block_sparse_moe.experts.{}.w1"},
    {ExpertUp, "layers.{}.block_sparse_moe.experts.{}.w3"},
    {ExpertDown, "layers.{}.block_sparse_moe.experts.{}.w2"},
    {FinalNorm, "norm"},
});
constexpr ConfigKeys keys =
    like(like_llama(14'336, 131'072, 32'000, 8, 0), [](ConfigKeys& made) { made.default_epsilon = 1e-5; });
constexpr auto own_keys =
    std::to_array<std::string_view>({"sliding_window", "num_local_experts", "num_experts_per_tok"});
constexpr auto harmless_keys = std::to_array<std::string_view>({"router_jitter_noise"});
// The architecture of its GGUF files is "llama", see read_gguf_config().
constexpr GgufRules gguf{
    .architecture = "llama with experts", .interleaved = true, .experts = ExpertSettings{.normalised = true}};

std::vector<std::int64_t> windows_of(const ConfigObject& config, std::size_t count) {
  const bool has_window = config.find("sliding_window") != nullptr;
  return std::vector<std::int64_t>(count, has_window ? window_width(config) : 0);
}

void read_stack(const ConfigObject& config, StackSpec& stack) {
  ExpertSettings experts;
  experts.experts = config.whole("num_local_experts", 8, 1, most_experts);
  experts.chosen = config.whole("num_experts_per_tok", 2, 1, experts.experts);
  experts.d_inner = stack.blocks.front().block.d_inner;
  experts.normalised = true;
  mix_blocks(stack, experts);
}

}  // namespace
}  // namespace mixtral_rows

constinit const Family mixtral_family{.name = "Mixtral",
                                      .model_types = mixtral_rows::types,
                                      .prefixes = gated_prefixes,
                                      .norm = NormKind::RmsNorm,
                                      .positions = Positions::RopeHalf,
                                      .keys = mixtral_rows::keys,
                                      .model = gated_model,
                                      .decoder = mixtral_rows::blocks,
                                      .heads = gated_heads,
                                      .tied = false,
                                      .rope = {.default_base = 1'000'000},
                                      .windows = mixtral_rows::windows_of,
                                      .read_stack = mixtral_rows::read_stack,
                                      .own_keys = mixtral_rows::own_keys,
                                      .harmless_keys = mixtral_rows::harmless_keys,
                                      .gguf = &mixtral_rows::gguf};

}  // namespace attnscope
