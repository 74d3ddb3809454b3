// app/kit/ui: marks for two kinds of text inside a longer text of the interface: a person's own words
// (tokens, names of files, a title), which are never translated, and words of the interface that are
// translated by themselves. The code that composes the text marks both; a table of words has "{}" for them.
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

/// The characters that enclose them. Ui takes them out before it measures and draws.
inline constexpr char own_begin = '\x02', own_end = '\x03';
inline constexpr char inner_begin = '\x04', inner_end = '\x05';
/// Behind own_begin: the numbers of the text are written as the language writes them.
inline constexpr char number_mark = '\x06';

/// Marks the text: never translated, alone or inside a longer text. Marks inside it are removed.
std::string own(std::string_view text);
/// Marks a computed number, with its unit or label, as own words whose decimal signs follow the language.
std::string own_number(std::string_view text);
/// Marks the text: inside a longer text it is translated by itself, with its own words and its inner texts.
std::string inner(std::string_view text);
/// Without marks: for files, the clipboard, IDs.
std::string plain(std::string_view text);
/// The text without marks, to be drawn: own words that run from right to left are isolated, so that the text
/// around them keeps its place.
std::string isolated(std::string_view text);
inline bool has_marks(std::string_view text) {
  return text.find_first_of("\x02\x04") != std::string_view::npos;
}

}  // namespace attnscope
