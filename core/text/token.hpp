// core/text: tokens of a text, which also label rows and columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attnscope {

/// Whether a token looks like a special token of models ([CLS], [SEP], [PAD], <s>, </s>, <|endoftext|>): at
/// least three bytes including the square or angle brackets around it, and no space.
bool is_written_as_special(std::string_view token);

struct Token {
  std::string text;                   // the label; never empty
  std::int32_t id = -1;               // in a model's vocabulary; -1 = none
  std::int64_t begin = -1, end = -1;  // its bytes in Sequence::text; -1 = not in the text
  bool special = false;               // not a word: [CLS], </s>
  bool unknown = false;               // not in the vocabulary; `text` is as the user wrote it

  Token() = default;
  /// A label: without id and place in a text; special if it looks like it.
  Token(std::string label) : text(std::move(label)), special(is_written_as_special(text)) {}  // NOLINT
  Token(std::string_view label) : Token(std::string(label)) {}                                // NOLINT
  Token(const char* label) : Token(std::string(label)) {}                                     // NOLINT

  /// Whether the two tokens are equal to a layer, wherever they are in their texts.
  bool is_same(const Token& other) const {
    return id == other.id && special == other.special && unknown == other.unknown && text == other.text;
  }
  bool operator==(const Token&) const = default;
};

/// Makes a token for each label.
std::vector<Token> label_tokens(const std::vector<std::string>& labels);
/// The tokens' texts as a list; joined() puts a space between them.
std::vector<std::string> texts_of(const std::vector<Token>&);
std::string joined(const std::vector<Token>&);

}  // namespace attnscope
