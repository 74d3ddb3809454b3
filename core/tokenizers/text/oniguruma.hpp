// core/tokenizers/text: expressions as Oniguruma reads them in Ruby's syntax, which is what the tokenizers
// library uses, written for PCRE2.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace attnscope::tokenizers {

/// Whether PCRE2 knows the name of a script.
using IsScript = std::function<bool(std::string_view)>;

/// An expression that PCRE2 (UTF, UCP, multi-line) matches as Oniguruma matches `expression`: nested classes
/// and intersections (&&) become alternatives and look-aheads, \w, \s, \h, \v, \b and \p{…} have Oniguruma's
/// characters, a {1,3}+ repeats instead of being possessive, {,3} is a repetition, and (?i) without a colon
/// holds to the end of its group. Throws Error, which says what and at which byte, for what has no
/// counterpart.
std::string from_oniguruma(std::string_view expression, const IsScript& is_script);

}  // namespace attnscope::tokenizers
