// core/text: from a sentence to tokens, by Unicode's own rules.
#pragma once

#include <string_view>
#include <vector>

#include "core/text/token.hpp"

namespace attnscope {

/// Cuts valid UTF-8 into words and punctuation. A word is a run of letters, marks, digits and connectors
/// (it's, d_model, 3.14 stay whole); every other visible character is a token of its own; each Han, Hiragana
/// or Katakana character is a token of its own, since those scripts put no spaces between words (Hangul words
/// have spaces and stay whole); a character keeps its combining marks, variation selectors and
/// zero-width-joiner sequences. A marker of models written out, [CLS], [pad], </s>, <|endoftext|>, is one
/// token. White space and control characters separate and vanish. Text is normalised to
/// NFC first, so equal-looking words are equal tokens; begin and end are bytes of the text as it was. Throws
/// Error naming the byte offset when `text` is not valid UTF-8.
std::vector<Token> tokenize(std::string_view text);

}  // namespace attnscope
