#include "core/models/config/heads.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace attnscope {
namespace {

using enum HeadKind;
using enum HeadInput;

constexpr std::optional<Activation> from_config;

constexpr auto bert_heads = std::to_array<HeadRow>({
    {"ForMaskedLM", MaskedToken, EveryRow, "cls.predictions.transform.dense",
     "cls.predictions.transform.LayerNorm", "cls.predictions.decoder", "cls.predictions.bias", from_config},
    {"ForPreTraining", MaskedToken, EveryRow, "cls.predictions.transform.dense",
     "cls.predictions.transform.LayerNorm", "cls.predictions.decoder", "cls.predictions.bias", from_config},
    {"LMHeadModel", NextToken, EveryRow, "cls.predictions.transform.dense",
     "cls.predictions.transform.LayerNorm", "cls.predictions.decoder", "cls.predictions.bias", from_config},
    {"ForSequenceClassification", SequenceClass, Pooled, "", "", "classifier", "", Activation::Identity},
    {"ForTokenClassification", TokenClass, EveryRow, "", "", "classifier", "", Activation::Identity},
    {"ForQuestionAnswering", AnswerSpan, EveryRow, "", "", "qa_outputs", "", Activation::Identity},
});
constexpr auto roberta_heads = std::to_array<HeadRow>({
    {"ForMaskedLM", MaskedToken, EveryRow, "lm_head.dense", "lm_head.layer_norm", "lm_head.decoder",
     "lm_head.bias", Activation::Gelu},
    {"ForCausalLM", NextToken, EveryRow, "lm_head.dense", "lm_head.layer_norm", "lm_head.decoder",
     "lm_head.bias", Activation::Gelu},
    {"ForSequenceClassification", SequenceClass, FirstRow, "classifier.dense", "", "classifier.out_proj", "",
     Activation::Tanh},
    {"ForTokenClassification", TokenClass, EveryRow, "", "", "classifier", "", Activation::Identity},
    {"ForQuestionAnswering", AnswerSpan, EveryRow, "", "", "qa_outputs", "", Activation::Identity},
});
constexpr auto distilbert_heads = std::to_array<HeadRow>({
    {"ForMaskedLM", MaskedToken, EveryRow, "vocab_transform", "vocab_layer_norm", "vocab_projector", "",
     from_config},
    {"ForSequenceClassification", SequenceClass, FirstRow, "pre_classifier", "", "classifier", "",
     Activation::Relu},
    {"ForTokenClassification", TokenClass, EveryRow, "", "", "classifier", "", Activation::Identity},
    {"ForQuestionAnswering", AnswerSpan, EveryRow, "", "", "qa_outputs", "", Activation::Identity},
});
constexpr auto vit_heads = std::to_array<HeadRow>({
    {"ForImageClassification", SequenceClass, FirstRow, "", "", "classifier", "", Activation::Identity},
});
constexpr auto reader_heads = std::to_array<HeadRow>({
    {"ForReferents", TokenClass, EveryRow, "", "", "referent", "", Activation::Identity, true},
    {"ForMaskedWords", MaskedToken, EveryRow, "", "", "masked_word", "", Activation::Identity},
});
constexpr HeadRow of_last_token{"ForSequenceClassification", SequenceClass, LastToken, "", "", "score", "",
                                Activation::Identity};
constexpr HeadRow answer_span{"ForQuestionAnswering", AnswerSpan, EveryRow, "", "", "qa_outputs", "",
                              Activation::Identity};
constexpr auto decoder_heads = std::to_array<HeadRow>({
    of_last_token,
    answer_span,
    {"ForTokenClassification", TokenClass, EveryRow, "", "", "classifier", "", Activation::Identity},
});
/// Llama, and those that are written like it.
constexpr auto gated_heads = std::to_array<HeadRow>({
    of_last_token,
    answer_span,
    {"ForTokenClassification", TokenClass, EveryRow, "", "", "score", "", Activation::Identity},
});

std::span<const HeadRow> heads_of(const FamilyRow& family) {
  if (family.name == "BERT") return bert_heads;
  if (family.name == "RoBERTa") return roberta_heads;
  if (family.name == "DistilBERT") return distilbert_heads;
  if (family.name == "ViT") return vit_heads;
  if (family.name == "AttnScope Reader") return reader_heads;
  if (family.encoder.empty()) {
    if (find_part(family.decoder, Part::Gate) != nullptr) return gated_heads;
    return decoder_heads;
  }
  return {};
}

}  // namespace

const HeadRow* find_head(const FamilyRow& family, std::string_view architecture) {
  const std::span<const HeadRow> heads = heads_of(family);
  const auto at =
      std::ranges::find_if(heads, [&](const HeadRow& row) { return architecture.ends_with(row.ending); });
  return at == heads.end() ? nullptr : &*at;
}

}  // namespace attnscope
