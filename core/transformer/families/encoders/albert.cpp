// ALBERT (Lan et al. 2019): BERT whose blocks share their weights, and whose embeddings are narrower.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace albert_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"albert"});
constexpr auto prefixes = std::to_array<std::string_view>({"albert."});
constexpr auto model =
    names_like<3>(bert_tables, {{TypeTable, "embeddings.token_type_embeddings"},
                                {EmbeddingMap, "encoder.embedding_hidden_mapping_in", Always},
                                {Pooler, "pooler", Always}});
/// "{}" is the number of the group.
constexpr auto blocks = std::to_array<PartName>({
    {Query, "encoder.albert_layer_groups.{}.albert_layers.0.attention.query", Always},
    {Key, "encoder.albert_layer_groups.{}.albert_layers.0.attention.key", Always},
    {Value, "encoder.albert_layer_groups.{}.albert_layers.0.attention.value", Always},
    {Output, "encoder.albert_layer_groups.{}.albert_layers.0.attention.dense", Always},
    {AfterAttentionNorm, "encoder.albert_layer_groups.{}.albert_layers.0.attention.LayerNorm"},
    {Up, "encoder.albert_layer_groups.{}.albert_layers.0.ffn", Always},
    {Down, "encoder.albert_layer_groups.{}.albert_layers.0.ffn_output", Always},
    {AfterMlpNorm, "encoder.albert_layer_groups.{}.albert_layers.0.full_layer_layer_norm"},
});
constexpr ConfigKeys keys = like(bert_keys, [](ConfigKeys& made) {
  made.default_width = 4096;
  made.default_heads = 64;
  made.default_inner = 16'384;
  made.default_activation = "gelu_new";
  made.default_vocabulary = 30'000;
});
constexpr auto heads = std::to_array<HeadRow>({
    {"ForMaskedLM", HeadKind::MaskedToken, HeadInput::EveryRow, "predictions.dense", "predictions.LayerNorm",
     "predictions.decoder", "predictions.bias", std::nullopt},
    pooled_choice,
    linear_head("ForSequenceClassification", HeadKind::SequenceClass, HeadInput::Pooled, "classifier"),
    token_class,
    answer_span,
});
constexpr auto own_keys = std::to_array<std::string_view>(
    {"type_vocab_size", "embedding_size", "num_hidden_groups", "inner_group_num"});
constexpr auto harmless_keys = std::to_array<std::string_view>(
    {"down_scale_factor", "gap_size", "net_structure_type", "num_memory_blocks", "classifier_dropout_prob"});

void read_model(const ConfigObject& config, ModelSpec& spec) {
  need_implied(config, albert_family, "inner_group_num", 1);
  spec.embedding_width = config.whole("embedding_size", 128, 1, most_width);
}

}  // namespace
}  // namespace albert_rows

constinit const Family albert_family{.name = "ALBERT",
                                     .model_types = albert_rows::types,
                                     .prefixes = albert_rows::prefixes,
                                     .arrangement = Arrangement::PostNorm,
                                     .keys = albert_rows::keys,
                                     .model = albert_rows::model,
                                     .encoder = albert_rows::blocks,
                                     .heads = albert_rows::heads,
                                     .groups_key = "num_hidden_groups",
                                     .read_model = albert_rows::read_model,
                                     .own_keys = albert_rows::own_keys,
                                     .harmless_keys = albert_rows::harmless_keys};

}  // namespace attnscope
