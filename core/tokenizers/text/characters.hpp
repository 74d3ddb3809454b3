// core/tokenizers/text: single characters as tokenizers class them. Everything here expects valid UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attnscope::tokenizers {

/// Bytes [begin, end) of a text.
struct Range {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};
inline std::string_view cut(std::string_view text, Range range) {
  return text.substr(range.begin, range.size());
}

inline bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }
/// Bytes of the character that begins with this byte.
inline std::size_t character_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}
/// The character that begins at `at`.
char32_t character_at(std::string_view text, std::size_t at);
std::size_t count_characters(std::string_view text);

/// Unicode's White_Space.
bool is_white_space(char32_t);
/// What Python's str.isspace() says: the separators U+001C to U+001F as well.
bool is_python_space(char32_t);
/// What Python's str.strip() leaves of a text.
std::string_view python_stripped(std::string_view text);
/// What `\w` matches: letters, marks, digits, letter numbers, connectors, joiners.
bool is_word_character(char32_t);
/// Categories Nd, Nl, No.
bool is_number(char32_t);
/// ASCII punctuation and symbols, and categories P*.
bool is_punctuation(char32_t);
/// Categories Mn, Mc, Me; the first alone.
bool is_mark(char32_t);
bool is_nonspacing_mark(char32_t);
/// Categories Cc, Cf, Co (assigned characters only, so not Cn).
bool is_other(char32_t);
/// Adds the lower case of one character, without regard for its neighbours; "İ" becomes two.
void append_lower_case(std::u32string& to, char32_t);

/// Valid UTF-8 whatever the bytes are: each longest prefix of a character that breaks off becomes one U+FFFD.
std::string with_replacements(std::string_view bytes);
/// Valid UTF-8 whatever the bytes are: stray bytes become \xNN.
std::string with_stray_bytes_shown(std::string_view bytes);

}  // namespace attnscope::tokenizers
