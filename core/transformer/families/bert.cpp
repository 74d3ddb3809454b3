// BERT (Devlin et al. 2018) and RoBERTa (Liu et al. 2019), XLM-RoBERTa, CamemBERT.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_heads.hpp"

namespace attnscope {
namespace bert_rows {
namespace {

using enum Part;
using enum BiasRule;

using enum HeadKind;
using enum HeadInput;

constexpr auto bert_types = std::to_array<std::string_view>({"bert"});
constexpr auto bert_prefixes = std::to_array<std::string_view>({"bert."});
constexpr auto roberta_types = std::to_array<std::string_view>({"roberta", "xlm-roberta", "camembert"});
constexpr auto roberta_prefixes = std::to_array<std::string_view>({"roberta."});
constexpr auto bert_model = std::to_array<PartName>({
    {TokenTable, "embeddings.word_embeddings"},
    {PositionTable, "embeddings.position_embeddings"},
    {TypeTable, "embeddings.token_type_embeddings"},
    {EmbeddingNorm, "embeddings.LayerNorm"},
    {Pooler, "pooler.dense", Always},
});
constexpr auto bert_blocks = std::to_array<PartName>({
    {Query, "encoder.layer.{}.attention.self.query", Always},
    {Key, "encoder.layer.{}.attention.self.key", Always},
    {Value, "encoder.layer.{}.attention.self.value", Always},
    {Output, "encoder.layer.{}.attention.output.dense", Always},
    {AfterAttentionNorm, "encoder.layer.{}.attention.output.LayerNorm"},
    {Up, "encoder.layer.{}.intermediate.dense", Always},
    {Down, "encoder.layer.{}.output.dense", Always},
    {AfterMlpNorm, "encoder.layer.{}.output.LayerNorm"},
});
constexpr ConfigKeys bert_keys{.width = "hidden_size",
                               .layers = "num_hidden_layers",
                               .heads = "num_attention_heads",
                               .kv_heads = "",
                               .inner = "intermediate_size",
                               .positions = "max_position_embeddings",
                               .epsilon = "layer_norm_eps",
                               .activation = "hidden_act",
                               .default_width = 768,
                               .default_layers = 12,
                               .default_heads = 12,
                               .default_inner = 3072,
                               .default_positions = 512,
                               .default_epsilon = 1e-12,
                               .default_activation = "gelu",
                               .default_vocabulary = 30'522};
/// RoBERTa's vocabulary is larger than BERT's.
constexpr ConfigKeys roberta_keys = [] {
  ConfigKeys keys = bert_keys;
  keys.default_vocabulary = 50'265;
  return keys;
}();
constexpr auto sentence_classes = std::to_array<std::string_view>({"IsNext", "NotNext"});
constexpr auto bert_heads = std::to_array<HeadRow>({
    {"ForMaskedLM", MaskedToken, EveryRow, "cls.predictions.transform.dense",
     "cls.predictions.transform.LayerNorm", "cls.predictions.decoder", "cls.predictions.bias", std::nullopt},
    {"ForPreTraining", MaskedToken, EveryRow, "cls.predictions.transform.dense",
     "cls.predictions.transform.LayerNorm", "cls.predictions.decoder", "cls.predictions.bias", std::nullopt},
    {"LMHeadModel", NextToken, EveryRow, "cls.predictions.transform.dense",
     "cls.predictions.transform.LayerNorm", "cls.predictions.decoder", "cls.predictions.bias", std::nullopt},
    {"ForNextSentencePrediction", SequenceClass, Pooled, "", "", "cls.seq_relationship", "",
     Activation::Identity, false, sentence_classes},
    {"ForMultipleChoice", SequenceClass, Pooled, "", "", "classifier", "", Activation::Identity, false,
     choice_classes},
    {"ForSequenceClassification", SequenceClass, Pooled, "", "", "classifier", "", Activation::Identity},
    {"ForTokenClassification", TokenClass, EveryRow, "", "", "classifier", "", Activation::Identity},
    {"ForQuestionAnswering", AnswerSpan, EveryRow, "", "", "qa_outputs", "", Activation::Identity},
});
constexpr auto roberta_heads = std::to_array<HeadRow>({
    {"ForMaskedLM", MaskedToken, EveryRow, "lm_head.dense", "lm_head.layer_norm", "lm_head.decoder",
     "lm_head.bias", Activation::Gelu},
    {"ForCausalLM", NextToken, EveryRow, "lm_head.dense", "lm_head.layer_norm", "lm_head.decoder",
     "lm_head.bias", Activation::Gelu},
    {"ForMultipleChoice", SequenceClass, Pooled, "", "", "classifier", "", Activation::Identity, false,
     choice_classes},
    {"ForSequenceClassification", SequenceClass, FirstRow, "classifier.dense", "", "classifier.out_proj", "",
     Activation::Tanh},
    {"ForTokenClassification", TokenClass, EveryRow, "", "", "classifier", "", Activation::Identity},
    {"ForQuestionAnswering", AnswerSpan, EveryRow, "", "", "qa_outputs", "", Activation::Identity},
});
constexpr auto own_keys = std::to_array<std::string_view>({"type_vocab_size", "is_decoder"});
// Settings of the programs that trained BERT, TinyBERT (emb_size is the width) and DNABERT (whose own program
// has a recurrent network behind the last block).
constexpr auto harmless_keys = std::to_array<std::string_view>(
    {"directionality", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
     "pooler_size_per_head", "pooler_type", "embedding_size", "emb_size", "rnn", "rnn_hidden",
     "num_rnn_layer", "split"});

/// Positions count from the one after the padding's.
void read_roberta(const ConfigObject& config, ModelSpec& spec) {
  spec.padding_id = config.whole("pad_token_id", 1, 0, most_vocabulary);
  spec.first_position = *spec.padding_id + 1;
}

}  // namespace
}  // namespace bert_rows

constinit const Family bert_family{.name = "BERT",
                                   .model_types = bert_rows::bert_types,
                                   .prefixes = bert_rows::bert_prefixes,
                                   .arrangement = Arrangement::PostNorm,
                                   .keys = bert_rows::bert_keys,
                                   .model = bert_rows::bert_model,
                                   .encoder = bert_rows::bert_blocks,
                                   .heads = bert_rows::bert_heads,
                                   .may_decode = true,
                                   .own_keys = bert_rows::own_keys,
                                   .harmless_keys = bert_rows::harmless_keys};

constinit const Family roberta_family{.name = "RoBERTa",
                                      .model_types = bert_rows::roberta_types,
                                      .prefixes = bert_rows::roberta_prefixes,
                                      .arrangement = Arrangement::PostNorm,
                                      .keys = bert_rows::roberta_keys,
                                      .model = bert_rows::bert_model,
                                      .encoder = bert_rows::bert_blocks,
                                      .heads = bert_rows::roberta_heads,
                                      .may_decode = true,
                                      .read_model = bert_rows::read_roberta,
                                      .own_keys = bert_rows::own_keys,
                                      .harmless_keys = bert_rows::harmless_keys};

}  // namespace attnscope
