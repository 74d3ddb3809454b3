// core/text: readable labels for the tokens of a vocabulary.
#pragma once

#include <string>
#include <vector>

namespace attnscope {

/// Tokens from a tokenizer's tokenize(), made readable: bytes spelled as characters ("Ġcat", "Ã©", as in
/// GPT-2) become their text, or \xNN if they are a part of a character; "▁" becomes a space; a line end "↵",
/// a tab "⇥"; in a token of spaces alone each is "␣"; an empty token is "". A token with characters that
/// spell no byte stays unchanged. So does a token whose bytes are not UTF-8, unless another token of the list
/// shows that bytes are spelled.
std::vector<std::string> shown_labels(const std::vector<std::string>& tokens);

/// Tokens unchanged, including word marks; only characters that cannot be shown are escaped, as by
/// printable().
std::vector<std::string> spelled_labels(const std::vector<std::string>& tokens);

}  // namespace attnscope
