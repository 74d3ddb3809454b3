// app/ui: a person's own words (tokens, names of files, a title) inside the texts of the interface. They are
// marked where they come from, so that whatever is said around them can be translated and they cannot.
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

/// The characters that enclose them. Ui takes them out before it measures and draws.
inline constexpr char own_begin = '\x02', own_end = '\x03';

/// The text, marked: never translated, alone or inside a longer text. What is marked already, stays so.
std::string own(std::string_view text);
/// Without marks: for files, the clipboard, IDs.
std::string plain(std::string_view text);
/// Without marks, to be drawn: words that run from right to left keep their order to themselves, so that what
/// stands around them stays where it is.
std::string isolated(std::string_view text);
inline bool has_marks(std::string_view text) { return text.find(own_begin) != std::string_view::npos; }

}  // namespace attnscope
