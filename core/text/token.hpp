// core/text: what a sentence is cut into, and what labels a row or a column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attnscope {

/// Whether a token is written like a marker of models: [CLS], [SEP], [PAD], <s>, </s>, <|endoftext|>: at
/// least three bytes between square or angle brackets, the brackets included, and no space.
bool is_written_as_special(std::string_view token);

struct Token {
  std::string text;                   // as it is shown; never empty
  std::int32_t id = -1;               // in the vocabulary of a model; -1 = of none
  std::int64_t begin = -1, end = -1;  // its bytes of Sequence::text; -1 = it is no part of the text
  bool special = false;               // stands for no word: [CLS], </s>
  bool unknown = false;               // `text` is what a person wrote, and the vocabulary does not have it

  Token() = default;
  /// A label: of no vocabulary and no text, special where it is written so.
  Token(std::string label) : text(std::move(label)), special(is_written_as_special(text)) {}  // NOLINT
  Token(std::string_view label) : Token(std::string(label)) {}                                // NOLINT
  Token(const char* label) : Token(std::string(label)) {}                                     // NOLINT

  /// Whether it means the same to a layer, wherever it stands in its text.
  bool is_same(const Token& other) const {
    return id == other.id && special == other.special && unknown == other.unknown && text == other.text;
  }
  bool operator==(const Token&) const = default;
};

/// A label each.
std::vector<Token> label_tokens(const std::vector<std::string>& labels);
/// What the tokens say, one after the other; with a space between them.
std::vector<std::string> texts_of(const std::vector<Token>&);
std::string joined(const std::vector<Token>&);

}  // namespace attnscope
