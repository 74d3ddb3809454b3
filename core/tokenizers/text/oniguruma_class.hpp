// core/tokenizers/text: character sets in Oniguruma's expressions: escapes, properties, and bracketed
// classes. Only the translator's .cpp files include it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/tokenizers/text/oniguruma.hpp"

namespace attnscope::tokenizers {

/// The expression being translated, and the current position.
struct OnigurumaText {
  std::string_view all;
  const IsScript& is_script;
  std::size_t at = 0;
  bool caseless = false;  // (?i) is in effect

  bool at_end() const { return at >= all.size(); }
  bool begins(std::string_view text) const { return all.substr(at).starts_with(text); }
  bool take(std::string_view text);
  /// The next character, which may have several bytes.
  std::string_view character();
  [[noreturn]] void refuse(std::string_view what, std::size_t where) const;
};

/// A set as the inside of a PCRE2 class, "\p{L}\p{M}", and whether it is negated.
struct CharacterSet {
  std::string inside;
  bool negated = false;
};
/// The set as an expression for one character.
std::string as_class(const CharacterSet&);

/// "\x{41}"
std::string code_point(char32_t);
/// Reads \w, \D, \h, \p{Han} and similar, after the backslash; false, without reading anything, for other
/// escapes. `in_class`: outside of a class \w includes six more fractions and superscripts.
bool take_set(OnigurumaText&, bool in_class, CharacterSet& to);
/// Reads an escape for a single character, after the backslash; false for other escapes.
bool take_escaped_character(OnigurumaText&, char32_t& to);
/// Reads a class, after its "[": an expression that matches one character.
std::string take_class(OnigurumaText&);

}  // namespace attnscope::tokenizers
