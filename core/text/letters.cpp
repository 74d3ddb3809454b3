#include "core/text/letters.hpp"

#include <cstdlib>

#include <utf8proc.h>

namespace attnscope {

bool is_letter(char32_t character) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(character))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return true;
    default: return false;
  }
}

char32_t lower_case(char32_t character) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(character)));
}

void append_utf8(std::string& to, char32_t character) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(character), bytes);
  to.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

std::string search_form(std::string_view text) {
  constexpr auto options = static_cast<utf8proc_option_t>(
      UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK);
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()), &made, options);
  std::string out = size < 0
                        ? std::string(text)
                        : std::string(reinterpret_cast<const char*>(made), static_cast<std::size_t>(size));
  std::free(made);  // the library allocates with malloc
  return out;
}

}  // namespace attnscope
