// ESM-2 (Lin et al. 2022), a model of proteins: BERT with norms in front, RoPE, and embeddings scaled by the
// share of masked tokens. Its tokens are letters.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace esm_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"esm"});
constexpr auto prefixes = std::to_array<std::string_view>({"esm."});
constexpr auto model = std::to_array<PartName>({
    {TokenTable, "embeddings.word_embeddings"},
    {Pooler, "pooler.dense", Always},
});
constexpr auto blocks = std::to_array<PartName>({
    {AttentionNorm, "encoder.layer.{}.attention.LayerNorm"},
    {Query, "encoder.layer.{}.attention.self.query", Always},
    {Key, "encoder.layer.{}.attention.self.key", Always},
    {Value, "encoder.layer.{}.attention.self.value", Always},
    {Output, "encoder.layer.{}.attention.output.dense", Always},
    {MlpNorm, "encoder.layer.{}.LayerNorm"},
    {Up, "encoder.layer.{}.intermediate.dense", Always},
    {Down, "encoder.layer.{}.output.dense", Always},
    {FinalNorm, "encoder.emb_layer_norm_after"},
});
constexpr ConfigKeys keys = like(bert_keys, [](ConfigKeys& made) {
  made.activation = "";
  made.default_positions = 1026;
  made.default_vocabulary = 33;
});
constexpr auto heads = std::to_array<HeadRow>({
    {"ForMaskedLM", HeadKind::MaskedToken, HeadInput::EveryRow, "lm_head.dense", "lm_head.layer_norm",
     "lm_head.decoder", "lm_head.bias", Activation::Gelu},
    token_class,
});
constexpr auto own_keys =
    std::to_array<std::string_view>({"token_dropout", "mask_token_id", "emb_layer_norm_before",
                                     "is_folding_model", "position_embedding_type", "hidden_act"});
constexpr auto harmless_keys =
    std::to_array<std::string_view>({"esmfold_config", "vocab_list", "classifier_dropout"});

void read_model(const ConfigObject& config, ModelSpec& spec) {
  for (const std::string_view key : {"emb_layer_norm_before", "is_folding_model"})
    if (config.boolean(key, false)) refuse_change(config, esm_family, key, *config.find(key));
  if (config.text("hidden_act", "gelu") != "gelu")
    refuse_change(config, esm_family, "hidden_act", *config.find("hidden_act"));
  if (const nlohmann::json* kind = config.find("position_embedding_type");
      kind == nullptr || *kind != "rotary")
    config.refuse("position_embedding_type", "\"rotary\" was expected: ESM-1 has learned positions.");
  if (config.boolean("token_dropout", false))
    spec.dropped_token = config.whole("mask_token_id", 32, 0, most_vocabulary);
}

}  // namespace
}  // namespace esm_rows

constinit const Family esm_family{.name = "ESM-2",
                                  .model_types = esm_rows::types,
                                  .prefixes = esm_rows::prefixes,
                                  .positions = Positions::RopeHalf,
                                  .keys = esm_rows::keys,
                                  .model = esm_rows::model,
                                  .encoder = esm_rows::blocks,
                                  .heads = esm_rows::heads,
                                  .read_model = esm_rows::read_model,
                                  .own_keys = esm_rows::own_keys,
                                  .harmless_keys = esm_rows::harmless_keys};

}  // namespace attnscope
