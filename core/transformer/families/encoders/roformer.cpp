// RoFormer (Su et al. 2021): BERT whose queries and keys turn, in pairs of neighbours, instead of learned
// positions.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace roformer_rows {
namespace {

using enum Part;

constexpr auto types = std::to_array<std::string_view>({"roformer"});
constexpr auto prefixes = std::to_array<std::string_view>({"roformer."});
constexpr auto model = std::to_array<PartName>({
    {TokenTable, "embeddings.word_embeddings"},
    {TypeTable, "embeddings.token_type_embeddings"},
    {EmbeddingNorm, "embeddings.LayerNorm"},
});
constexpr ConfigKeys keys = like(bert_keys, [](ConfigKeys& made) {
  made.default_positions = 1536;
  made.default_vocabulary = 50'000;
});
constexpr auto heads = std::to_array<HeadRow>({
    {"ForMaskedLM", HeadKind::MaskedToken, HeadInput::EveryRow, "cls.predictions.transform.dense",
     "cls.predictions.transform.LayerNorm", "cls.predictions.decoder", "cls.predictions.bias", std::nullopt},
    token_class,
    answer_span,
});
constexpr auto own_keys =
    std::to_array<std::string_view>({"type_vocab_size", "rotary_value", "embedding_size"});

void read_model(const ConfigObject& config, ModelSpec& spec) {
  need_implied(config, roformer_family, "embedding_size", spec.d_model);
  if (config.boolean("rotary_value", false))
    refuse_change(config, roformer_family, "rotary_value", *config.find("rotary_value"));
}

}  // namespace
}  // namespace roformer_rows

constinit const Family roformer_family{.name = "RoFormer",
                                       .model_types = roformer_rows::types,
                                       .prefixes = roformer_rows::prefixes,
                                       .arrangement = Arrangement::PostNorm,
                                       .positions = Positions::RopeInterleaved,
                                       .keys = roformer_rows::keys,
                                       .model = roformer_rows::model,
                                       .encoder = bert_blocks,
                                       .heads = roformer_rows::heads,
                                       .read_model = roformer_rows::read_model,
                                       .own_keys = roformer_rows::own_keys};

}  // namespace attnscope
