// core/tokenizers/text: what a reader takes for one character, as Oniguruma's \X finds it.
#pragma once

#include <string>

namespace attnscope::tokenizers {

/// An expression of PCRE2 for one extended grapheme cluster, where a match begins at the begin of one: the
/// rules of Unicode (UAX 29) without GB9c, which Oniguruma has not, either. PCRE2's own \X of before 10.43
/// joins emoji that stand side by side. Classes are those of the Unicode version of utf8proc.
std::string grapheme_cluster_expression();

}  // namespace attnscope::tokenizers
