// app/kit/ui: what stands inside a longer text of the interface without being part of its sentence: a
// person's own words (tokens, names of files, a title), which are never translated, and words of the
// interface, which are translated by themselves. Both are marked where they come from, and a table of words
// has "{}" for them.
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

/// The characters that enclose them. Ui takes them out before it measures and draws.
inline constexpr char own_begin = '\x02', own_end = '\x03';
inline constexpr char inner_begin = '\x04', inner_end = '\x05';
/// Behind own_begin: the numbers of the text are written as the language writes them.
inline constexpr char number_mark = '\x06';

/// The text, marked: never translated, alone or inside a longer text. What is marked already, stays so.
std::string own(std::string_view text);
/// The text, marked like own words, but the decimal signs of its numbers are those of the language: a number
/// that was computed, with what belongs to it.
std::string own_number(std::string_view text);
/// The text, marked: translated by itself where it stands inside a longer text, with own words and inner
/// texts of its own.
std::string inner(std::string_view text);
/// Without marks: for files, the clipboard, IDs.
std::string plain(std::string_view text);
/// Without marks, to be drawn: words that run from right to left keep their order to themselves, so that what
/// stands around them stays where it is.
std::string isolated(std::string_view text);
inline bool has_marks(std::string_view text) {
  return text.find_first_of("\x02\x04") != std::string_view::npos;
}

}  // namespace attnscope
