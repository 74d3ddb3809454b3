// core/text: single characters, and texts as one compares them when case and accents do not matter.
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

/// A letter of any script.
bool is_letter(char32_t);
char32_t lower_case(char32_t);
/// Adds the character as UTF-8.
void append_utf8(std::string& to, char32_t character);

/// As one searches for it: without case, accents and variants: "Größe" and "GROSSE" become "grosse", "dₖ"
/// becomes "dk". What is no valid UTF-8 stays as it is.
std::string search_form(std::string_view text);

}  // namespace attnscope
