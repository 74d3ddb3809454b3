// core/tokenizers/text: Unicode normalization forms that keep a text's alignment.
#pragma once

#include "core/tokenizers/text/aligned_text.hpp"

namespace attnscope::tokenizers {

enum class UnicodeForm { nfc, nfd, nfkc, nfkd };

/// Decomposed characters are aligned with the original one, a composed character with the first of its parts.
void to_form(AlignedText& text, UnicodeForm form);

}  // namespace attnscope::tokenizers
