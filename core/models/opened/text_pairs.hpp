// core/models/opened: pairs of texts for activation patching: one to begin with, a text that is as long as
// another in its tokens, and which token a person means with an answer. For any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/models/opened/opened_model.hpp"

namespace attnscope {

/// Two texts with as many tokens, and what they are asked for: the logit of one answer less that of the
/// other.
struct TextPair {
  std::string clean, corrupted;
  std::string answer, other;  // single tokens or classes; empty: the likeliest of each text
};

/// A pair that suits what the model predicts. Nothing of models of pictures, and where no text with as many
/// tokens was found.
std::optional<TextPair> first_pair(const OpenedModel&);

/// The text with one word exchanged for another of its words, so that it has as many tokens and reads almost
/// alike: a word that comes twice is exchanged first, at its last place. Empty where none was found among the
/// first few dozen tries, and of models of pictures.
std::string corrupted_like(const OpenedModel&, const ModelText& clean);

/// The token that is meant by a word, with the space before it where the vocabulary has it so, or the class
/// of that name.
struct AnswerToken {
  std::optional<std::int64_t> id;
  std::string problem;  // a sentence where there is none
};
AnswerToken answer_token(const OpenedModel&, std::string_view words);

}  // namespace attnscope
