// BERT (Devlin et al. 2018) and RoBERTa (Liu et al. 2019), XLM-RoBERTa, CamemBERT.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"

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
constexpr auto bert_model = names_like<2>(
    bert_tables, {{TypeTable, "embeddings.token_type_embeddings"}, {Pooler, "pooler.dense", Always}});
/// RoBERTa's vocabulary is larger than BERT's.
constexpr ConfigKeys roberta_keys =
    like(bert_keys, [](ConfigKeys& made) { made.default_vocabulary = 50'265; });
constexpr auto sentence_classes = std::to_array<std::string_view>({"IsNext", "NotNext"});
constexpr HeadRow bert_words(std::string_view ending, HeadKind kind) {
  constexpr std::string_view dense = "cls.predictions.transform.dense",
                             norm = "cls.predictions.transform.LayerNorm", out = "cls.predictions.decoder",
                             bias = "cls.predictions.bias";
  return {ending, kind, EveryRow, dense, norm, out, bias, std::nullopt};
}
constexpr auto bert_heads = std::to_array<HeadRow>({
    bert_words("ForMaskedLM", MaskedToken),
    bert_words("ForPreTraining", MaskedToken),
    bert_words("LMHeadModel", NextToken),
    {"ForNextSentencePrediction", SequenceClass, Pooled, "", "", "cls.seq_relationship", "",
     Activation::Identity, false, sentence_classes},
    pooled_choice,
    linear_head("ForSequenceClassification", SequenceClass, Pooled, "classifier"),
    token_class,
    answer_span,
});
constexpr auto roberta_heads = std::to_array<HeadRow>({
    {"ForMaskedLM", MaskedToken, EveryRow, "lm_head.dense", "lm_head.layer_norm", "lm_head.decoder",
     "lm_head.bias", Activation::Gelu},
    {"ForCausalLM", NextToken, EveryRow, "lm_head.dense", "lm_head.layer_norm", "lm_head.decoder",
     "lm_head.bias", Activation::Gelu},
    pooled_choice,
    {"ForSequenceClassification", SequenceClass, FirstRow, "classifier.dense", "", "classifier.out_proj", "",
     Activation::Tanh},
    token_class,
    answer_span,
});
constexpr GgufRules gguf{.architecture = "bert", .names = gguf_post_norms};
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

constexpr Family family{.name = "BERT",
                        .model_types = bert_types,
                        .prefixes = bert_prefixes,
                        .arrangement = Arrangement::PostNorm,
                        .keys = bert_keys,
                        .model = bert_model,
                        .encoder = bert_blocks,
                        .heads = bert_heads,
                        .may_decode = true,
                        .own_keys = own_keys,
                        .harmless_keys = harmless_keys,
                        .gguf = &gguf};

}  // namespace
}  // namespace bert_rows

constinit const Family bert_family = bert_rows::family;

constinit const Family roberta_family = like(bert_rows::family, [](Family& made) {
  made.name = "RoBERTa";
  made.gguf = nullptr;
  made.model_types = bert_rows::roberta_types;
  made.prefixes = bert_rows::roberta_prefixes;
  made.keys = bert_rows::roberta_keys;
  made.heads = bert_rows::roberta_heads;
  made.read_model = bert_rows::read_roberta;
});

}  // namespace attnscope
