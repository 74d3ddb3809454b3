// core/tokenizers/text: character classes of tokenizers. All functions but the last two expect valid UTF-8.
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
/// The number of bytes of the character whose first byte is `first`.
inline std::size_t character_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}
/// The character that begins at `at`.
char32_t character_at(std::string_view text, std::size_t at);
std::size_t count_characters(std::string_view text);

/// Unicode's White_Space.
bool is_white_space(char32_t);
/// Python's str.isspace(): White_Space and the separators U+001C to U+001F.
bool is_python_space(char32_t);
/// Python's str.strip().
std::string_view python_stripped(std::string_view text);
/// The characters that `\w` matches: letters, marks, digits, letter numbers, connectors, joiners.
bool is_word_character(char32_t);
/// Categories Nd, Nl, No.
bool is_number(char32_t);
/// ASCII punctuation and symbols, and categories P*.
bool is_punctuation(char32_t);
/// Categories Mn, Mc, Me; is_nonspacing_mark(): Mn alone.
bool is_mark(char32_t);
bool is_nonspacing_mark(char32_t);
/// Categories Cc, Cf, Co (assigned characters only, so not Cn).
bool is_other(char32_t);
/// Adds the lower case of one character, independent of its neighbours; "İ" becomes two characters.
void append_lower_case(std::u32string& to, char32_t);

/// The text as valid UTF-8: each maximal subpart of an invalid character becomes one U+FFFD.
std::string with_replacements(std::string_view bytes);
/// The text as valid UTF-8: invalid bytes become \xNN.
std::string with_stray_bytes_shown(std::string_view bytes);

}  // namespace attnscope::tokenizers
