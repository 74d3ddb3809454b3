// core/text: the tokens of a tokenizer's vocabulary as a person reads them.
#pragma once

#include <string>
#include <vector>

namespace attnscope {

/// Tokens as tokenize() of a tokenizer gives them, for the eye: bytes that are spelled as letters ("Ġcat",
/// "Ã©", as GPT-2 has it) become their text, or \xNN where they are a part of a character; "▁" becomes a
/// space; a line end is "↵", a tab "⇥", nothing but spaces "␣" each; an empty token is "". What holds letters
/// that spell no byte stays as it is, and so does what spells no text, unless another token of the list shows
/// that bytes are spelled.
std::vector<std::string> shown_labels(const std::vector<std::string>& tokens);

/// Tokens letter by letter, word marks included: only what is no letter is written out, as printable() does.
std::vector<std::string> spelled_labels(const std::vector<std::string>& tokens);

}  // namespace attnscope
