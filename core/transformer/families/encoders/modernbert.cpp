// ModernBERT (Warner et al. 2024): norms in front, of which the first block has none before its attention,
// RoPE, gated MLPs, a window on both sides in two of three blocks.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"
#include "core/transformer/families/windows.hpp"

namespace attnscope {
namespace modernbert_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"modernbert"});
constexpr auto prefixes = std::to_array<std::string_view>({"model."});
constexpr auto model =
    std::to_array<PartName>({{TokenTable, "embeddings.tok_embeddings"}, {EmbeddingNorm, "embeddings.norm"}});
constexpr auto blocks = std::to_array<PartName>({
    {AttentionNorm, "layers.{}.attn_norm"},
    {QueryKeyValue, "layers.{}.attn.Wqkv", Attention},
    {Output, "layers.{}.attn.Wo", Attention},
    {MlpNorm, "layers.{}.mlp_norm"},
    {GateUp, "layers.{}.mlp.Wi", Mlp},
    {Down, "layers.{}.mlp.Wo", Mlp},
    {FinalNorm, "final_norm"},
});
constexpr ConfigKeys keys = like(bert_keys, [](ConfigKeys& made) {
  made.epsilon = "norm_eps";
  made.activation = "hidden_activation";
  made.default_layers = 22;
  made.default_inner = 1152;
  made.default_positions = 8192;
  made.default_epsilon = 1e-5;
  made.default_vocabulary = 50'368;
});
constexpr auto heads = std::to_array<HeadRow>({
    {"ForMaskedLM", HeadKind::MaskedToken, HeadInput::EveryRow, "head.dense", "head.norm", "decoder", "",
     Activation::Gelu},
});
constexpr auto own_keys = std::to_array<std::string_view>(
    {"layer_types", "local_attention", "norm_bias", "global_attn_every_n_layers", "global_rope_theta",
     "decoder_bias", "classifier_activation", "classifier_bias"});
// Heads of classes are not computed; the rest says how the published program computes, not what.
constexpr auto harmless_keys = std::to_array<std::string_view>(
    {"classifier_pooling", "classifier_dropout", "cls_token_id", "sep_token_id", "initializer_cutoff_factor",
     "embedding_dropout", "mlp_dropout", "deterministic_flash_attn", "sparse_prediction",
     "sparse_pred_ignore_index", "reference_compile", "repad_logits_with_grad", "position_embedding_type",
     "layer_norm_eps"});

/// A window of half the width on each side; every third block, the first one included, has none.
std::vector<std::int64_t> windows_of(const ConfigObject& config, std::size_t count) {
  const std::int64_t width = config.whole("local_attention", 128, 2, most_positions) / 2;
  if (config.find("layer_types") != nullptr) return windows_by_type(config, width, count);
  const auto every = static_cast<std::size_t>(config.whole("global_attn_every_n_layers", 3, 1, most_blocks));
  std::vector<std::int64_t> windows(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    if (i % every != 0) windows[i] = width;
  return windows;
}

void read_model(const ConfigObject& config, ModelSpec&) {
  if (config.boolean("classifier_bias", false))
    refuse_change(config, modernbert_family, "classifier_bias", *config.find("classifier_bias"));
  if (config.text("classifier_activation", "gelu") != "gelu")
    refuse_change(config, modernbert_family, "classifier_activation", *config.find("classifier_activation"));
  // transformers applies it to the blocks with a window, too, and no published model has it.
  if (const nlohmann::json* scaling = config.find("rope_scaling"); scaling != nullptr && !scaling->empty())
    refuse_change(config, modernbert_family, "rope_scaling", *scaling);
  if (config.boolean("norm_bias", false))
    refuse_change(config, modernbert_family, "norm_bias", *config.find("norm_bias"));
}

}  // namespace
}  // namespace modernbert_rows

constinit const Family modernbert_family{.name = "ModernBERT",
                                         .model_types = modernbert_rows::types,
                                         .prefixes = modernbert_rows::prefixes,
                                         .norm_form = NormForm::WeightOnly,
                                         .positions = Positions::RopeHalf,
                                         .fused = FusedOrder::Stacked,
                                         .keys = modernbert_rows::keys,
                                         .model = modernbert_rows::model,
                                         .encoder = modernbert_rows::blocks,
                                         .heads = modernbert_rows::heads,
                                         .reads_layer_types = true,
                                         .first_unnormed = true,
                                         .rope = {.base = "global_rope_theta",
                                                  .default_base = 160'000,
                                                  .by_type = true,
                                                  .local_base = "local_rope_theta"},
                                         .windows = modernbert_rows::windows_of,
                                         .read_model = modernbert_rows::read_model,
                                         .own_keys = modernbert_rows::own_keys,
                                         .harmless_keys = modernbert_rows::harmless_keys};

}  // namespace attnscope
