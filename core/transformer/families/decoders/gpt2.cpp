// GPT-2 (Radford et al. 2019), and GPT-BigCode (Ben Allal et al. 2023), StarCoder: with one head of keys, and
// matrices as PyTorch has them.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace gpt2_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto gpt2_types = std::to_array<std::string_view>({"gpt2"});
constexpr auto bigcode_types = std::to_array<std::string_view>({"gpt_bigcode"});
constexpr auto bigcode_own =
    std::to_array<std::string_view>({"scale_attn_weights", "multi_query", "num_key_value_heads"});
// How attention's softmax is rounded, and how the model was run.
constexpr auto bigcode_harmless = std::to_array<std::string_view>(
    {"summary_type", "summary_use_proj", "summary_activation", "summary_first_dropout",
     "summary_proj_to_labels", "n_ctx", "attention_softmax_in_fp32", "scale_attention_softmax_in_fp32",
     "inference_runner", "pad_key_length", "pre_allocate_kv_cache", "validate_runner_input", "max_batch_size",
     "max_sequence_length"});
constexpr auto gpt2_prefixes = std::to_array<std::string_view>({"transformer."});
constexpr auto gpt2_aliases = std::to_array<KeyAlias>({{"hidden_size", "n_embd"},
                                                       {"num_hidden_layers", "n_layer"},
                                                       {"num_attention_heads", "n_head"},
                                                       {"max_position_embeddings", "n_positions"}});
constexpr auto gpt2_model = std::to_array<PartName>({
    {TokenTable, "wte"},
    {PositionTable, "wpe"},
    {Logits, "lm_head"},
});
constexpr auto gpt2_blocks = std::to_array<PartName>({
    {AttentionNorm, "h.{}.ln_1"},
    {QueryKeyValue, "h.{}.attn.c_attn", Always},
    {Output, "h.{}.attn.c_proj", Always},
    {MlpNorm, "h.{}.ln_2"},
    {Up, "h.{}.mlp.c_fc", Always},
    {Down, "h.{}.mlp.c_proj", Always},
    {FinalNorm, "ln_f"},
});
constexpr ConfigKeys keys{.width = "n_embd",
                          .layers = "n_layer",
                          .heads = "n_head",
                          .kv_heads = "",
                          .inner = "n_inner",
                          .positions = "n_positions",
                          .epsilon = "layer_norm_epsilon",
                          .activation = "activation_function",
                          .default_width = 768,
                          .default_layers = 12,
                          .default_heads = 12,
                          .default_inner = 0,
                          .default_positions = 1024,
                          .default_epsilon = 1e-5,
                          .default_activation = "gelu_new"};
constexpr auto own_keys =
    std::to_array<std::string_view>({"scale_attn_weights", "scale_attn_by_inverse_layer_idx"});
// The head that summary_… describes is not computed. reorder_and_upcast_attn changes rounding alone.
constexpr auto harmless_keys = std::to_array<std::string_view>(
    {"summary_type", "summary_use_proj", "summary_activation", "summary_proj_to_labels",
     "reorder_and_upcast_attn", "n_ctx", "predict_special_tokens"});
constexpr GgufRules gguf;

void read_stack(const ConfigObject& config, StackSpec& stack) {
  const bool scaled = config.boolean("scale_attn_weights", true);
  const bool by_depth = config.boolean("scale_attn_by_inverse_layer_idx", false);
  for (std::size_t i = 0; i < stack.blocks.size(); ++i) {
    LayerSpec& block = stack.blocks[i];
    const double scale = scaled ? scale_of(block) : 1, depth = by_depth ? static_cast<double>(i + 1) : 1;
    block.scaling = scaling_of(scale / depth, block.d_k);
  }
}

void read_bigcode(const ConfigObject& config, StackSpec& stack) {
  const bool scaled = config.boolean("scale_attn_weights", true);
  const bool one = config.boolean("multi_query", true);
  need_implied(config, gpt_bigcode_family, "num_key_value_heads", one ? 1 : stack.blocks.front().heads);
  for (LayerSpec& block : stack.blocks) {
    if (!scaled) block.scaling = scaling_of(1, block.d_k);
    if (one) block.kv_heads = 1;
  }
}

constexpr Family gpt2{.name = "GPT-2",
                      .model_types = gpt2_types,
                      .prefixes = gpt2_prefixes,
                      .positions = Positions::Learned,
                      .fused = FusedOrder::Stacked,
                      .input_output = true,
                      .keys = keys,
                      .model = gpt2_model,
                      .decoder = gpt2_blocks,
                      .aliases = gpt2_aliases,
                      .heads = decoder_heads,
                      .read_stack = read_stack,
                      .own_keys = own_keys,
                      .harmless_keys = harmless_keys,
                      .gguf = &gguf};

}  // namespace
}  // namespace gpt2_rows

constinit const Family gpt2_family = gpt2_rows::gpt2;

constinit const Family gpt_bigcode_family = like(gpt2_rows::gpt2, [](Family& made) {
  made.name = "GPT-BigCode";
  made.model_types = gpt2_rows::bigcode_types;
  made.input_output = false;
  made.fused = FusedOrder::Grouped;  // of one head of keys all stacked, of as many as heads head by head
  made.keys.default_activation = "gelu_pytorch_tanh";
  made.read_stack = gpt2_rows::read_bigcode;
  made.own_keys = gpt2_rows::bigcode_own;
  made.harmless_keys = gpt2_rows::bigcode_harmless;
  made.gguf = nullptr;
});

}  // namespace attnscope
