// GPT-Neo (Black et al. 2021): GPT-2 whose scores are not scaled and of which chosen blocks have a window.
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace gpt_neo_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"gpt_neo"});
constexpr auto prefixes = std::to_array<std::string_view>({"transformer."});
constexpr auto aliases =
    std::to_array<KeyAlias>({{"num_attention_heads", "num_heads"}, {"num_hidden_layers", "num_layers"}});
constexpr auto model =
    std::to_array<PartName>({{TokenTable, "wte"}, {PositionTable, "wpe"}, {Logits, "lm_head"}});
constexpr auto blocks = std::to_array<PartName>({
    {AttentionNorm, "h.{}.ln_1"},
    {Query, "h.{}.attn.attention.q_proj"},
    {Key, "h.{}.attn.attention.k_proj"},
    {Value, "h.{}.attn.attention.v_proj"},
    {Output, "h.{}.attn.attention.out_proj", Always},
    {MlpNorm, "h.{}.ln_2"},
    {Up, "h.{}.mlp.c_fc", Always},
    {Down, "h.{}.mlp.c_proj", Always},
    {FinalNorm, "ln_f"},
});
constexpr ConfigKeys keys{.width = "hidden_size",
                          .layers = "num_layers",
                          .heads = "num_heads",
                          .kv_heads = "",
                          .inner = "intermediate_size",
                          .positions = "max_position_embeddings",
                          .epsilon = "layer_norm_epsilon",
                          .activation = "activation_function",
                          .default_width = 2048,
                          .default_layers = 24,
                          .default_heads = 16,
                          .default_inner = 0,
                          .default_positions = 2048,
                          .default_epsilon = 1e-5,
                          .default_activation = "gelu_new"};
constexpr auto own_keys = std::to_array<std::string_view>({"attention_types", "window_size"});
// attention_layers repeats attention_types. The head that summary_… describes is not computed.
constexpr auto harmless_keys = std::to_array<std::string_view>(
    {"attention_layers", "summary_type", "summary_use_proj", "summary_activation", "summary_first_dropout",
     "summary_proj_to_labels", "embed_dropout", "resid_dropout", "classifier_dropout",
     "gradient_checkpointing"});

/// "global" or "local" of each block: [[[names], times], …], by default 12 times global and local.
std::vector<std::int64_t> windows_of(const ConfigObject& config, std::size_t count) {
  constexpr std::string_view key = "attention_types";
  const std::int64_t width = config.whole("window_size", 256, 1, most_positions);
  std::vector<std::int64_t> windows;
  const nlohmann::json* types = config.find(key);
  const auto fail = [&] {
    config.fail(key, fmt::format("lists [[\"global\" or \"local\", …], times] for {} blocks", count), *types);
  };
  if (types == nullptr && config.find("attention_layers") != nullptr)
    config.refuse("attention_types",
                  "it is missing beside attention_layers; it says which blocks have a window.");
  if (types == nullptr) {
    for (std::size_t i = 0; i < count; ++i) windows.push_back(i % 2 == 0 ? 0 : width);
    return windows;
  }
  if (!types->is_array()) fail();
  for (const nlohmann::json& one : *types) {
    if (!one.is_array() || one.size() != 2 || !one[0].is_array() || !one[1].is_number_unsigned() ||
        one[1].get<std::uint64_t>() > most_blocks)
      fail();
    for (std::uint64_t i = 0; i < one[1].get<std::uint64_t>(); ++i)
      for (const nlohmann::json& name : one[0]) {
        if ((name != "global" && name != "local") || windows.size() == count) fail();
        windows.push_back(name == "local" ? width : 0);
      }
  }
  if (windows.size() != count) fail();
  return windows;
}

void read_stack(const ConfigObject&, StackSpec& stack) {
  for (LayerSpec& block : stack.blocks) block.scaling = scaling_of(1, block.d_k);
}

}  // namespace
}  // namespace gpt_neo_rows

constinit const Family gpt_neo_family{.name = "GPT-Neo",
                                      .model_types = gpt_neo_rows::types,
                                      .prefixes = gpt_neo_rows::prefixes,
                                      .positions = Positions::Learned,
                                      .keys = gpt_neo_rows::keys,
                                      .model = gpt_neo_rows::model,
                                      .decoder = gpt_neo_rows::blocks,
                                      .aliases = gpt_neo_rows::aliases,
                                      .heads = gated_heads,
                                      .windows = gpt_neo_rows::windows_of,
                                      .read_stack = gpt_neo_rows::read_stack,
                                      .own_keys = gpt_neo_rows::own_keys,
                                      .harmless_keys = gpt_neo_rows::harmless_keys};

}  // namespace attnscope
