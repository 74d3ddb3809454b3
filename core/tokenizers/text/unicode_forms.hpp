// core/tokenizers/text: Unicode's normalization forms of a text that keeps its alignment.
#pragma once

#include "core/tokenizers/text/aligned_text.hpp"

namespace attnscope::tokenizers {

enum class UnicodeForm { nfc, nfd, nfkc, nfkd };

/// What one character decomposes into stands for that character; what is composed stands for the first of its
/// parts.
void to_form(AlignedText& text, UnicodeForm form);

}  // namespace attnscope::tokenizers
