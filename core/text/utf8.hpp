// core/text: what is asked of bytes before they count as text, and how names that come from outside are
// printed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

/// Offset of the first byte that does not belong to well-formed UTF-8 (Unicode 15, table 3-7); nothing when
/// all do.
std::optional<std::size_t> first_invalid_utf8(std::string_view bytes);
inline bool is_valid_utf8(std::string_view bytes) { return !first_invalid_utf8(bytes); }

/// The bytes in double quotes as messages print them: one line of valid UTF-8 whatever they are. Control and
/// format characters become \u{...}, invalid bytes \x.., and what is longer than `limit` characters is cut
/// with "…".
std::string in_quotes(std::string_view bytes, std::size_t limit = 200);
/// The same without the quotes and the limit: a title from a file's name.
std::string printable(std::string_view bytes);

}  // namespace attnscope
