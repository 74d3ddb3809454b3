// core/text: checks that bytes are UTF-8, and prints untrusted names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// Offset of the first byte that is not part of well-formed UTF-8 (Unicode 15, table 3-7); nothing if all
/// are.
std::optional<std::size_t> first_invalid_utf8(std::string_view bytes);
inline bool is_valid_utf8(std::string_view bytes) { return !first_invalid_utf8(bytes); }

/// The character at a byte; U+FFFD with a length of one byte if there is none.
struct Decoded {
  char32_t value = 0;
  std::size_t length = 0;  // bytes
};
Decoded decode_at(std::string_view text, std::size_t at);

/// The byte offsets at which extended grapheme clusters end: a letter with all its marks, an emoji of several
/// characters. The last is the end of the text; none for an empty text.
std::vector<std::size_t> grapheme_ends(std::string_view text);

/// The bytes in double quotes for messages: always one line of valid UTF-8. Control and format characters
/// become \u{...}, invalid bytes \x.., and text beyond `limit` characters is replaced by "…".
std::string in_quotes(std::string_view bytes, std::size_t limit = 200);
/// The same without quotes and limit, for titles from file names.
std::string printable(std::string_view bytes);

}  // namespace attnscope
