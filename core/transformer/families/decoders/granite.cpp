// Granite (IBM 2024): Llama with multipliers of the embeddings, the scores, what blocks add, and the logits.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace granite_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"granite"});
constexpr auto blocks = names_like(gated_blocks, {{Gate, "layers.{}.mlp.gate_proj", Mlp},
                                                  {Up, "layers.{}.mlp.up_proj", Mlp},
                                                  {Down, "layers.{}.mlp.down_proj", Mlp}});
constexpr auto own_keys = std::to_array<std::string_view>(
    {"embedding_multiplier", "attention_multiplier", "residual_multiplier", "logits_scaling"});
constexpr GgufRules gguf{.interleaved = true, .scales = GgufScales::LogitsDivided};

void read_stack(const ConfigObject& config, StackSpec& stack) {
  const double scale = config.number("attention_multiplier", 1);
  for (LayerSpec& block : stack.blocks) block.scaling = scaling_of(scale, block.d_k);
  stack.residual_scale = config.number("residual_multiplier", 1);
}

void read_model(const ConfigObject& config, ModelSpec& spec) {
  spec.embedding_scale = config.number("embedding_multiplier", 1);
  spec.logit_scale = 1 / config.number("logits_scaling", 1);
}

}  // namespace
}  // namespace granite_rows

constinit const Family granite_family{.name = "Granite",
                                      .model_types = granite_rows::types,
                                      .prefixes = gated_prefixes,
                                      .norm = NormKind::RmsNorm,
                                      .positions = Positions::RopeHalf,
                                      .keys = like_llama(11'008, 2048, 32'000, 0, 0),
                                      .model = gated_model,
                                      .decoder = granite_rows::blocks,
                                      .heads = gated_heads,
                                      .tied = false,
                                      .read_stack = granite_rows::read_stack,
                                      .read_model = granite_rows::read_model,
                                      .own_keys = granite_rows::own_keys,
                                      .gguf = &granite_rows::gguf};

}  // namespace attnscope
