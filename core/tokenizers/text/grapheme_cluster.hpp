// core/tokenizers/text: grapheme clusters as Oniguruma's \X matches them.
#pragma once

#include <string>

namespace attnscope::tokenizers {

/// A PCRE2 expression for one extended grapheme cluster, for a match that starts at the start of one: the
/// rules of Unicode (UAX 29) without GB9c, which Oniguruma lacks, too. PCRE2's own \X before 10.43 joins
/// adjacent emoji. Classes are those of utf8proc's Unicode version.
std::string grapheme_cluster_expression();

}  // namespace attnscope::tokenizers
