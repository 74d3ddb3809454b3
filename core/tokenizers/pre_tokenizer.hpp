// core/tokenizers: how a text is cut into the words that a model reads one by one: a list of steps, each a
// value.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/tokenizers/text/aligned_text.hpp"
#include "core/tokenizers/text/regex.hpp"

namespace attnscope::tokenizers {

/// What becomes of the delimiters that a text is cut at.
enum class Delimiters { removed, isolated, merged_with_previous, merged_with_next, contiguous };

/// GPT-2's expression, which ByteLevel cuts with.
inline constexpr const char* gpt2_expression =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// The words are read in the byte alphabet from here on.
struct ByteLevel {
  bool add_prefix_space = false;
  bool use_expression = true;  // cut with gpt2_expression first
};
struct Split {
  Pattern pattern;
  Delimiters delimiters = Delimiters::isolated;
  bool invert = false;  // the delimiters are what the pattern does not match
};
/// White space separates and vanishes, punctuation characters stand alone.
struct BertWords {};
/// Runs of word characters and runs of other visible characters.
struct Whitespace {};
struct WhitespaceSplit {};
/// Spaces become `replacement`, which begins words.
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

/// A text and its words, none of them empty, from left to right.
struct Words {
  AlignedText text;
  std::vector<Range> ranges;
  bool bytes = false;  // each byte of a word is to be read as its character of the byte alphabet

  /// All of a text as one word.
  explicit Words(AlignedText all);
  /// Writes the text in the byte alphabet when it is to be read so.
  void spell_bytes();
};

/// Throws Error when an expression gives up.
void pre_tokenize(const PreTokenizer& pre_tokenizer, Words& words);

}  // namespace attnscope::tokenizers
