// core/tokenizers/text: translates expressions in Oniguruma's Ruby syntax, which the tokenizers library uses,
// to PCRE2.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace attnscope::tokenizers {

/// Whether PCRE2 knows a script of this name.
using IsScript = std::function<bool(std::string_view)>;

/// An expression that PCRE2 (UTF, UCP, multi-line) matches as Oniguruma matches `expression`: nested classes
/// and intersections (&&) become alternatives and look-aheads; \w, \s, \h, \v, \b and \p{…} get Oniguruma's
/// characters; {1,3}+ is a repetition of a repetition, not possessive; {,3} is a repetition; and (?i) without
/// a colon holds to the end of its group. Throws Error naming the construct and its byte if it has no
/// counterpart.
std::string from_oniguruma(std::string_view expression, const IsScript& is_script);

}  // namespace attnscope::tokenizers
