// ELECTRA (Clark et al. 2020): BERT whose embeddings may be narrower than its blocks.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace electra_rows {
namespace {

using enum Part;

constexpr auto types = std::to_array<std::string_view>({"electra"});
constexpr auto prefixes = std::to_array<std::string_view>({"electra."});
constexpr auto model = names_like<2>(bert_tables, {{TypeTable, "embeddings.token_type_embeddings"},
                                                   {EmbeddingMap, "embeddings_project", BiasRule::Always}});
constexpr ConfigKeys keys = like(bert_keys, [](ConfigKeys& made) {
  made.default_width = 256;
  made.default_heads = 4;
  made.default_inner = 1024;
});
constexpr auto heads = std::to_array<HeadRow>({
    {"ForMaskedLM", HeadKind::MaskedToken, HeadInput::EveryRow, "generator_predictions.dense",
     "generator_predictions.LayerNorm", "generator_lm_head", "generator_lm_head.bias", Activation::Gelu},
    {"ForSequenceClassification", HeadKind::SequenceClass, HeadInput::FirstRow, "classifier.dense", "",
     "classifier.out_proj", "", Activation::Gelu},
    token_class,
    answer_span,
});
constexpr auto own_keys = std::to_array<std::string_view>({"type_vocab_size", "embedding_size"});
// The head that summary_… describes is not computed.
constexpr auto harmless_keys = std::to_array<std::string_view>(
    {"summary_type", "summary_use_proj", "summary_activation", "summary_last_dropout"});

void read_model(const ConfigObject& config, ModelSpec& spec) {
  spec.embedding_width = config.whole("embedding_size", 128, 1, most_width);
  if (spec.embedding_width == spec.d_model) spec.embedding_width = 0;
}

}  // namespace
}  // namespace electra_rows

constinit const Family electra_family{.name = "ELECTRA",
                                      .model_types = electra_rows::types,
                                      .prefixes = electra_rows::prefixes,
                                      .arrangement = Arrangement::PostNorm,
                                      .keys = electra_rows::keys,
                                      .model = electra_rows::model,
                                      .encoder = bert_blocks,
                                      .heads = electra_rows::heads,
                                      .read_model = electra_rows::read_model,
                                      .own_keys = electra_rows::own_keys,
                                      .harmless_keys = electra_rows::harmless_keys};

}  // namespace attnscope
