// app/kit/draw: properties of characters by their Unicode block.
#pragma once

#include <string_view>

namespace attnscope {

/// Whether the text may look different from its characters drawn one by one from left to right: true except
/// for Latin, Greek, Cyrillic, Chinese, Japanese and Korean letters and signs without combining marks.
bool needs_shaping(std::string_view text);
/// Whether characters of it run from right to left, or change the order of the text around them.
bool changes_order(std::string_view text);
/// Whether nothing is drawn for a character that no font has: joiners, direction marks, variation selectors
/// (Unicode's Default_Ignorable_Code_Point).
bool is_ignorable(char32_t character);

}  // namespace attnscope
