// core/text: what is asked of bytes before they count as text, and how names that come from outside are
// printed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// Offset of the first byte that does not belong to well-formed UTF-8 (Unicode 15, table 3-7); nothing when
/// all do.
std::optional<std::size_t> first_invalid_utf8(std::string_view bytes);
inline bool is_valid_utf8(std::string_view bytes) { return !first_invalid_utf8(bytes); }

/// The character that begins at a byte: U+FFFD and one byte where none does.
struct Decoded {
  char32_t value = 0;
  std::size_t length = 0;  // bytes
};
Decoded decode_at(std::string_view text, std::size_t at);

/// Behind which bytes a reader sees a character end (an extended grapheme cluster): a letter with all its
/// marks, an emoji put together of several. The last one is the text's end; none for an empty text.
std::vector<std::size_t> grapheme_ends(std::string_view text);

/// The bytes in double quotes as messages print them: one line of valid UTF-8 whatever they are. Control and
/// format characters become \u{...}, invalid bytes \x.., and what is longer than `limit` characters is cut
/// with "…".
std::string in_quotes(std::string_view bytes, std::size_t limit = 200);
/// The same without the quotes and the limit: a title from a file's name.
std::string printable(std::string_view bytes);

}  // namespace attnscope
