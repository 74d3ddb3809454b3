// core/transformer/families: names and heads that families share. Only the files of families include it.
#pragma once

#include <array>
#include <string_view>

#include "core/transformer/families/family.hpp"

namespace attnscope {

inline constexpr auto llama_prefixes = std::to_array<std::string_view>({"model.", "transformer."});
inline constexpr auto choice_classes = std::to_array<std::string_view>({"choice"});

inline constexpr HeadRow of_last_token{
    "ForSequenceClassification", HeadKind::SequenceClass, HeadInput::LastToken, "", "", "score", "",
    Activation::Identity};
inline constexpr HeadRow answer_span{
    "ForQuestionAnswering", HeadKind::AnswerSpan, HeadInput::EveryRow, "", "", "qa_outputs", "",
    Activation::Identity};
inline constexpr auto decoder_heads = std::to_array<HeadRow>({
    of_last_token,
    answer_span,
    {"ForTokenClassification", HeadKind::TokenClass, HeadInput::EveryRow, "", "", "classifier", "",
     Activation::Identity},
});
/// The heads of Llama and of families written like it.
inline constexpr auto gated_heads = std::to_array<HeadRow>({
    of_last_token,
    answer_span,
    {"ForTokenClassification", HeadKind::TokenClass, HeadInput::EveryRow, "", "", "score", "",
     Activation::Identity},
});

}  // namespace attnscope
