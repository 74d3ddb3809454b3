// core/models/opened: pairs of texts for activation patching: a first pair, a corrupted text with as many
// tokens as another, and the token that a user's answer means. For any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/models/opened/opened_model.hpp"

namespace attnscope {

/// Two texts with equal numbers of tokens, and the two answers whose logit difference is measured.
struct TextPair {
  std::string clean, corrupted;
  std::string answer, other;  // single tokens or classes; empty: each text's likeliest
};

/// A pair that suits the model's predictions. Nothing for models of pictures, and if no text with as many
/// tokens was found.
std::optional<TextPair> first_pair(const OpenedModel&);

/// The text with one word replaced by another of its words, so that it has as many tokens and reads almost
/// the same. Capitalised words are tried first, those that occur more than once before the others, each group
/// from the end of the text. Empty if none was found within the first few dozen tries, and for models of
/// pictures.
std::string corrupted_like(const OpenedModel&, const ModelText& clean);

/// The token that a word means, with a leading space if the vocabulary has it so, or the class of that name.
struct AnswerToken {
  std::optional<std::int64_t> id;
  std::string problem;  // why there is none
};
AnswerToken answer_token(const OpenedModel&, std::string_view words);

}  // namespace attnscope
