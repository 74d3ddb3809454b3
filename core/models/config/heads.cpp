#include "core/models/config/heads.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <system_error>

namespace attnscope {
namespace {

using nlohmann::json;
using enum HeadKind;
using enum HeadInput;

constexpr std::optional<Activation> from_config;

constexpr auto sentence_classes = std::to_array<std::string_view>({"IsNext", "NotNext"});
constexpr auto choice_classes = std::to_array<std::string_view>({"choice"});

constexpr auto bert_heads = std::to_array<HeadRow>({
    {"ForMaskedLM", MaskedToken, EveryRow, "cls.predictions.transform.dense",
     "cls.predictions.transform.LayerNorm", "cls.predictions.decoder", "cls.predictions.bias", from_config},
    {"ForPreTraining", MaskedToken, EveryRow, "cls.predictions.transform.dense",
     "cls.predictions.transform.LayerNorm", "cls.predictions.decoder", "cls.predictions.bias", from_config},
    {"LMHeadModel", NextToken, EveryRow, "cls.predictions.transform.dense",
     "cls.predictions.transform.LayerNorm", "cls.predictions.decoder", "cls.predictions.bias", from_config},
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
constexpr auto distilbert_heads = std::to_array<HeadRow>({
    {"ForMaskedLM", MaskedToken, EveryRow, "vocab_transform", "vocab_layer_norm", "vocab_projector", "",
     from_config},
    {"ForMultipleChoice", SequenceClass, FirstRow, "pre_classifier", "", "classifier", "", Activation::Relu,
     false, choice_classes},
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
/// The heads of Llama and of families written like it.
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

std::vector<std::string> classes_of(const HeadRow& row, const ConfigObject& config) {
  if (!row.classes.empty()) return {row.classes.begin(), row.classes.end()};
  constexpr std::size_t most_classes = 4'000'000;  // as many as there may be tokens
  const json* found = config.find("id2label");
  std::vector<std::string> classes;
  if (found == nullptr || !found->is_structured()) return classes;
  for (const auto& [key, label] : found->items()) {
    std::size_t number = most_classes;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (error != std::errc() || end != key.data() + key.size() || number >= most_classes) continue;
    if (number >= classes.size()) classes.resize(number + 1);
    if (label.is_string())
      classes[number] = label.get<std::string>();
    else if (!label.is_null() && !label.is_structured())
      classes[number] = label.dump();
  }
  return classes;
}

}  // namespace attnscope
