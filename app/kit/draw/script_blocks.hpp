// app/kit/draw: what is known of characters by the block they stand in.
#pragma once

#include <string_view>

namespace attnscope {

/// Whether the text may look different from its characters drawn one by one from left to right: all but
/// Latin, Greek, Cyrillic, Chinese, Japanese and Korean letters and signs without combining marks.
bool needs_shaping(std::string_view text);
/// Whether characters of it run from right to left, or change the order of what stands around them.
bool changes_order(std::string_view text);
/// Whether nothing is drawn for the character where no font has it: joiners, marks of direction, variation
/// selectors (Unicode's Default_Ignorable_Code_Point).
bool is_ignorable(char32_t character);

}  // namespace attnscope
