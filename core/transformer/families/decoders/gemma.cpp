// Gemma (Gemma Team 2024): Llama whose norms multiply by 1 + w. Gemma 2: norms around attention and MLP,
// windows in every second block, soft caps. Gemma 3 (2025): no caps, norms of heads, five blocks with a
// window to one without, each kind with rotary settings of its own.
#include <array>
#include <cmath>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace gemma_rows {
namespace {

using enum Part;

constexpr auto gemma_types = std::to_array<std::string_view>({"gemma"});
constexpr auto gemma2_types = std::to_array<std::string_view>({"gemma2"});
constexpr auto gemma3_types = std::to_array<std::string_view>({"gemma3_text"});
constexpr auto gemma2_blocks =
    names_like<2>(gated_blocks, {{AfterAttentionNorm, "layers.{}.post_attention_layernorm"},
                                 {MlpNorm, "layers.{}.pre_feedforward_layernorm"},
                                 {AfterMlpNorm, "layers.{}.post_feedforward_layernorm"}});
constexpr auto gemma3_blocks = names_like<2>(gemma2_blocks, head_norm_names);
constexpr ConfigKeys gemma2_keys = like(llama_keys, [](ConfigKeys& made) {
  made.activation = "hidden_activation";
  made.default_width = 2304;
  made.default_layers = 26;
  made.default_heads = 8;
  made.default_inner = 9216;
  made.default_positions = 8192;
  made.default_activation = "gelu_pytorch_tanh";
  made.default_vocabulary = 256'000;
  made.default_kv_heads = 4;
  made.default_head_width = 256;
});
constexpr ConfigKeys gemma_keys = like(gemma2_keys, [](ConfigKeys& made) {
  made.activation = "hidden_act";
  made.default_width = 3072;
  made.default_layers = 28;
  made.default_heads = 16;
  made.default_inner = 24'576;
  made.default_kv_heads = 16;
});
constexpr ConfigKeys gemma3_keys = like(gemma2_keys, [](ConfigKeys& made) {
  made.default_positions = 131'072;
  made.default_vocabulary = 262'208;
});
// transformers reads hidden_act alone.
constexpr auto gemma_harmless = std::to_array<std::string_view>({"hidden_activation"});
constexpr auto gemma3_own = std::to_array<std::string_view>(
    {"sliding_window", "layer_types", "query_pre_attn_scalar", "attn_logit_softcapping",
     "final_logit_softcapping", "sliding_window_pattern", "_sliding_window_pattern",
     "use_bidirectional_attention"});
constexpr auto own_keys =
    std::to_array<std::string_view>({"sliding_window", "layer_types", "query_pre_attn_scalar",
                                     "attn_logit_softcapping", "final_logit_softcapping"});
// transformers reads hidden_activation instead of hidden_act.
constexpr auto harmless_keys = std::to_array<std::string_view>({"hidden_act", "sliding_window_size"});
constexpr GgufRules gemma_gguf,
    gemma3_gguf{
        .architecture = "gemma3", .full_every = 6, .local_base = 10'000, .blocks_scaled_by_width = 62};
constexpr GgufRules gemma2_gguf{.window = 4096,
                                .every_second = true,
                                .score_cap = 50,
                                .logit_cap = 30,
                                .blocks_scaled_by_width = 46};  // 27B; the smaller ones by √(width of a head)

std::vector<std::int64_t> windows_of(const ConfigObject& config, std::size_t blocks) {
  const std::int64_t width = window_width(config);
  if (config.find("layer_types") != nullptr) return windows_by_type(config, width, blocks);
  std::vector<std::int64_t> windows(blocks, 0);
  for (std::size_t i = 0; i < blocks; i += 2) windows[i] = width;
  return windows;
}

/// A soft cap: JSON null means no cap, a missing key the usual one.
double cap_of(const ConfigObject& config, std::string_view key, double usual) {
  return config.number(key, config.has(key) ? 0 : usual);
}

void read_scores(const ConfigObject& config, StackSpec& stack, double usual_cap) {
  const double scale = 1 / std::sqrt(config.number("query_pre_attn_scalar", 256));
  const auto cap = static_cast<float>(cap_of(config, "attn_logit_softcapping", usual_cap));
  for (LayerSpec& block : stack.blocks) {
    block.scaling = scaling_of(scale, block.d_k);
    block.soft_cap = cap;
  }
}
void read_gemma2(const ConfigObject& config, StackSpec& stack) { read_scores(config, stack, 50); }
/// transformers has the cap of Gemma 3's scores in its config and does not use it.
void read_gemma3(const ConfigObject& config, StackSpec& stack) {
  read_scores(config, stack, 0);
  for (LayerSpec& block : stack.blocks) block.soft_cap = 0;
}

void read_gemma2_model(const ConfigObject& config, ModelSpec& spec) {
  spec.logit_cap = cap_of(config, "final_logit_softcapping", 30);
}
void read_gemma3_model(const ConfigObject& config, ModelSpec& spec) {
  spec.logit_cap = cap_of(config, "final_logit_softcapping", 0);
}

/// Files of the first Gemma say "gelu" and mean its tanh form, as transformers reads them.
void read_gemma(const ConfigObject& config, StackSpec& stack) {
  const std::string name = config.text("hidden_act", "gelu_pytorch_tanh");
  const Activation made =
      name == "gelu" ? Activation::GeluTanh : activation_named(config, "hidden_act", name);
  set_blocks(stack, [&](BlockSettings& block) { block.activation = made; });
}

std::vector<std::int64_t> gemma3_windows(const ConfigObject& config, std::size_t blocks) {
  const int older = config.whole("_sliding_window_pattern", 6, 1, most_blocks);
  std::int64_t width = window_width(config);
  // In both directions a query sees this many keys on each side, its own not counted.
  if (config.boolean("use_bidirectional_attention", false)) width = width / 2;
  return windows_by_pattern(config, width, config.whole("sliding_window_pattern", older, 1, most_blocks),
                            blocks);
}

}  // namespace
}  // namespace gemma_rows

constinit const Family gemma_family{.name = "Gemma",
                                    .model_types = gemma_rows::gemma_types,
                                    .prefixes = gated_prefixes,
                                    .norm = NormKind::RmsNormOnePlus,
                                    .positions = Positions::RopeHalf,
                                    .keys = gemma_rows::gemma_keys,
                                    .model = gated_model,
                                    .decoder = gated_blocks,
                                    .heads = gated_heads,
                                    .scaled_embeddings = true,
                                    .read_stack = gemma_rows::read_gemma,
                                    .harmless_keys = gemma_rows::gemma_harmless,
                                    .gguf = &gemma_rows::gemma_gguf};

namespace {
constexpr Family gemma2_family_row{.name = "Gemma 2",
                                   .model_types = gemma_rows::gemma2_types,
                                   .prefixes = gated_prefixes,
                                   .arrangement = Arrangement::Sandwich,
                                   .norm = NormKind::RmsNormOnePlus,
                                   .positions = Positions::RopeHalf,
                                   .keys = gemma_rows::gemma2_keys,
                                   .model = gated_model,
                                   .decoder = gemma_rows::gemma2_blocks,
                                   .heads = gated_heads,
                                   .scaled_embeddings = true,
                                   .reads_layer_types = true,
                                   .windows = gemma_rows::windows_of,
                                   .read_stack = gemma_rows::read_gemma2,
                                   .read_model = gemma_rows::read_gemma2_model,
                                   .own_keys = gemma_rows::own_keys,
                                   .harmless_keys = gemma_rows::harmless_keys,
                                   .gguf = &gemma_rows::gemma2_gguf};
}  // namespace

constinit const Family gemma2_family = gemma2_family_row;

constinit const Family gemma3_family = like(gemma2_family_row, [](Family& made) {
  made.name = "Gemma 3";
  made.model_types = gemma_rows::gemma3_types;
  made.keys = gemma_rows::gemma3_keys;
  made.decoder = gemma_rows::gemma3_blocks;
  made.rope = {.default_base = 1'000'000, .by_type = true, .local_base = "rope_local_base_freq"};
  made.windows = gemma_rows::gemma3_windows;
  made.read_stack = gemma_rows::read_gemma3;
  made.read_model = gemma_rows::read_gemma3_model;
  made.own_keys = gemma_rows::gemma3_own;
  made.gguf = &gemma_rows::gemma3_gguf;
});

}  // namespace attnscope
