// DistilBERT (Sanh et al. 2019).
#include <array>
#include <string_view>

#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace distilbert_rows {
namespace {

using enum Part;
using enum BiasRule;

using enum HeadKind;
using enum HeadInput;

constexpr auto distilbert_types = std::to_array<std::string_view>({"distilbert"});
constexpr auto distilbert_prefixes = std::to_array<std::string_view>({"distilbert."});
constexpr auto distilbert_aliases = std::to_array<KeyAlias>(
    {{"hidden_size", "dim"}, {"num_hidden_layers", "n_layers"}, {"num_attention_heads", "n_heads"}});
constexpr auto distilbert_blocks = std::to_array<PartName>({
    {Query, "transformer.layer.{}.attention.q_lin", Always},
    {Key, "transformer.layer.{}.attention.k_lin", Always},
    {Value, "transformer.layer.{}.attention.v_lin", Always},
    {Output, "transformer.layer.{}.attention.out_lin", Always},
    {AfterAttentionNorm, "transformer.layer.{}.sa_layer_norm"},
    {Up, "transformer.layer.{}.ffn.lin1", Always},
    {Down, "transformer.layer.{}.ffn.lin2", Always},
    {AfterMlpNorm, "transformer.layer.{}.output_layer_norm"},
});
constexpr ConfigKeys keys = like(bert_keys, [](ConfigKeys& made) {
  made.width = "dim";
  made.layers = "n_layers";
  made.heads = "n_heads";
  made.inner = "hidden_dim";
  made.epsilon = "";
  made.activation = "activation";
  made.default_layers = 6;
});
constexpr auto distilbert_heads = std::to_array<HeadRow>({
    {"ForMaskedLM", MaskedToken, EveryRow, "vocab_transform", "vocab_layer_norm", "vocab_projector", "",
     std::nullopt},
    {"ForMultipleChoice", SequenceClass, FirstRow, "pre_classifier", "", "classifier", "", Activation::Relu,
     false, choice_classes},
    {"ForSequenceClassification", SequenceClass, FirstRow, "pre_classifier", "", "classifier", "",
     Activation::Relu},
    token_class,
    answer_span,
});
// The table of positions is read from the files, sinusoids or not.
constexpr auto harmless_keys = std::to_array<std::string_view>({"sinusoidal_pos_embds", "tie_weights_"});

}  // namespace
}  // namespace distilbert_rows

constinit const Family distilbert_family{.name = "DistilBERT",
                                         .model_types = distilbert_rows::distilbert_types,
                                         .prefixes = distilbert_rows::distilbert_prefixes,
                                         .arrangement = Arrangement::PostNorm,
                                         .keys = distilbert_rows::keys,
                                         .model = bert_tables,
                                         .encoder = distilbert_rows::distilbert_blocks,
                                         .aliases = distilbert_rows::distilbert_aliases,
                                         .heads = distilbert_rows::distilbert_heads,
                                         .harmless_keys = distilbert_rows::harmless_keys};

}  // namespace attnscope
