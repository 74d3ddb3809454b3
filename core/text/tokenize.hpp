// core/text: cuts a text into tokens by Unicode's rules.
#pragma once

#include <string_view>
#include <vector>

#include "core/text/token.hpp"

namespace attnscope {

/// Cuts valid UTF-8 into words and punctuation. A word is a run of letters, marks, digits and connectors
/// (it's, d_model, 3.14 stay whole); every other visible character is a token of its own. Each Han, Hiragana
/// or Katakana character is a token, since those scripts put no spaces between words (Hangul words have
/// spaces and stay whole). A character keeps its combining marks, variation selectors and zero-width-joiner
/// sequences. A written special token of models, [CLS], [pad], </s>, <|endoftext|>, is one token. White space
/// and control characters separate tokens and are dropped. Text is normalised to NFC first, so that
/// equal-looking words are equal tokens; begin and end are bytes of the original text. Throws Error naming
/// the byte offset if `text` is not valid UTF-8.
std::vector<Token> tokenize(std::string_view text);

}  // namespace attnscope
