// core/tokenizers/text: sets of characters of Oniguruma's expressions: escapes, properties, and classes in
// square brackets. For the translator's .cpp files only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/tokenizers/text/oniguruma.hpp"

namespace attnscope::tokenizers {

/// Where the translator stands in an expression.
struct OnigurumaText {
  std::string_view all;
  const IsScript& is_script;
  std::size_t at = 0;
  bool caseless = false;  // (?i) holds here

  bool at_end() const { return at >= all.size(); }
  bool begins(std::string_view text) const { return all.substr(at).starts_with(text); }
  bool take(std::string_view text);
  /// The next character, which may have several bytes.
  std::string_view character();
  [[noreturn]] void refuse(std::string_view what, std::size_t where) const;
};

/// A set as the inside of a class of PCRE2, "\p{L}\p{M}", and whether it is what is not in it.
struct CharacterSet {
  std::string inside;
  bool negated = false;
};
/// As an expression for one character.
std::string as_class(const CharacterSet&);

/// "\x{41}"
std::string code_point(char32_t);
/// \w, \D, \h, \p{Han} and their like, after the backslash; false, and nothing is read, for other escapes.
/// `in_class`: \w has six fractions and superscripts more outside of a class.
bool take_set(OnigurumaText&, bool in_class, CharacterSet& to);
/// An escape that stands for one character, after the backslash; false for other ones.
bool take_escaped_character(OnigurumaText&, char32_t& to);
/// A class, after its "[": an expression that matches one character.
std::string take_class(OnigurumaText&);

}  // namespace attnscope::tokenizers
