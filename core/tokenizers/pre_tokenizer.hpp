// core/tokenizers: cuts a text into words, which the model encodes one by one: a list of steps, each a value.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/tokenizers/text/aligned_text.hpp"
#include "core/tokenizers/text/regex.hpp"

namespace attnscope::tokenizers {

/// What happens to the delimiters at which a text is cut.
enum class Delimiters { removed, isolated, merged_with_previous, merged_with_next, contiguous };

/// GPT-2's expression, used by ByteLevel.
inline constexpr const char* gpt2_expression =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// From here on, words are read in the byte alphabet.
struct ByteLevel {
  bool add_prefix_space = false;
  bool use_expression = true;  // cut with gpt2_expression first
};
struct Split {
  Pattern pattern;
  Delimiters delimiters = Delimiters::isolated;
  bool invert = false;  // the delimiters are what the pattern does not match
};
/// White space separates words and is dropped; each punctuation character is a word.
struct BertWords {};
/// Words are runs of word characters and runs of other visible characters.
struct Whitespace {};
struct WhitespaceSplit {};
/// Spaces become `replacement`, which begins a word.
struct Metaspace {
  enum class Prepend { always, first, never };

  std::string replacement = "\u2581";  // one character
  Prepend prepend = Prepend::always;
  bool split = true;
};
struct Digits {
  bool individual = false;
};
struct Punctuation {
  Delimiters delimiters = Delimiters::isolated;
};

using PreTokenizerStep =
    std::variant<ByteLevel, Split, BertWords, Whitespace, WhitespaceSplit, Metaspace, Digits, Punctuation>;
using PreTokenizer = std::vector<PreTokenizerStep>;

/// A text and its words from left to right; no word is empty.
struct Words {
  AlignedText text;
  std::vector<Range> ranges;
  bool bytes = false;  // each byte of a word means its character of the byte alphabet

  /// The whole text as one word.
  explicit Words(AlignedText all);
  /// Rewrites the text in the byte alphabet if `bytes` is set.
  void spell_bytes();
};

/// Throws Error if an expression exceeds its limits.
void pre_tokenize(const PreTokenizer& pre_tokenizer, Words& words);

}  // namespace attnscope::tokenizers
