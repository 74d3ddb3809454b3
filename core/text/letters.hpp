// core/text: single characters, and the form of texts for searching without case and accents.
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

/// Whether the character is a letter of any script.
bool is_letter(char32_t);
char32_t lower_case(char32_t);
/// Appends the character as UTF-8.
void append_utf8(std::string& to, char32_t character);

/// The form for searching: without case, accents and variants. "Größe" and "GROSSE" become "grosse", "dₖ"
/// becomes "dk". Invalid UTF-8 is returned unchanged.
std::string search_form(std::string_view text);

}  // namespace attnscope
