#include "core/tokenizers/text/characters.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <utf8proc.h>

#include "core/text/letters.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::tokenizers {
namespace {

utf8proc_category_t category(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character));
}

bool is_between(char32_t character, char32_t first, char32_t last) {
  return character >= first && character <= last;
}

/// Size of the truncated character at `at` (Unicode's maximal subpart); at least 1.
std::size_t broken_size(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u;
  };
  const unsigned first = byte(at), second = byte(at + 1);
  const bool has_second = first == 0xE0                   ? second >= 0xA0 && second <= 0xBF
                          : first == 0xED                 ? second >= 0x80 && second <= 0x9F
                          : first == 0xF0                 ? second >= 0x90 && second <= 0xBF
                          : first == 0xF4                 ? second >= 0x80 && second <= 0x8F
                          : first >= 0xE1 && first < 0xF4 ? second >= 0x80 && second <= 0xBF
                                                          : false;
  if (!has_second) return 1;
  return first >= 0xF0 && (byte(at + 2) & 0xC0) == 0x80 ? 3 : 2;
}

template <class Show>
std::string with_broken(std::string_view bytes, Show show) {
  std::string text;
  text.reserve(bytes.size());
  while (const auto at = first_invalid_utf8(bytes)) {
    const std::size_t size = broken_size(bytes, *at);
    text += bytes.substr(0, *at);
    show(text, bytes.substr(*at, size));
    bytes.remove_prefix(*at + size);
  }
  return text += bytes;
}

}  // namespace

char32_t character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[at + i]));
  };
  const char32_t first = byte(0);
  if (first < 0x80) return first;
  if (first < 0xE0) return (first & 0x1F) << 6 | (byte(1) & 0x3F);
  if (first < 0xF0) return (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  return (first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !is_continuation(byte); }));
}

bool is_white_space(char32_t character) {
  if (character < 0x80) return character == ' ' || is_between(character, 9, 13);
  return character == 0x85 || character == 0xA0 || character == 0x1680 ||
         is_between(character, 0x2000, 0x200A) || character == 0x2028 || character == 0x2029 ||
         character == 0x202F || character == 0x205F || character == 0x3000;
}

bool is_python_space(char32_t character) {
  return is_white_space(character) || is_between(character, 0x1C, 0x1F);
}

std::string_view python_stripped(std::string_view text) {
  while (!text.empty() && is_python_space(character_at(text, 0))) text.remove_prefix(character_size(text[0]));
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && is_continuation(text[last])) --last;
    if (!is_python_space(character_at(text, last))) break;
    text.remove_suffix(text.size() - last);
  }
  return text;
}

bool is_word_character(char32_t character) {
  switch (category(character)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC: return true;
    default: break;
  }
  // Joiners, and alphabetic symbols: circled, squared and negative letters.
  return character == 0x200C || character == 0x200D || is_between(character, 0x24B6, 0x24E9) ||
         is_between(character, 0x1F130, 0x1F149) || is_between(character, 0x1F150, 0x1F169) ||
         is_between(character, 0x1F170, 0x1F189);
}

bool is_number(char32_t character) {
  const utf8proc_category_t kind = category(character);
  return kind == UTF8PROC_CATEGORY_ND || kind == UTF8PROC_CATEGORY_NL || kind == UTF8PROC_CATEGORY_NO;
}

bool is_punctuation(char32_t character) {
  if (character < 0x80) {
    return is_between(character, '!', '/') || is_between(character, ':', '@') ||
           is_between(character, '[', '`') || is_between(character, '{', '~');
  }
  const utf8proc_category_t kind = category(character);
  return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO;
}

bool is_mark(char32_t character) {
  const utf8proc_category_t kind = category(character);
  return kind >= UTF8PROC_CATEGORY_MN && kind <= UTF8PROC_CATEGORY_ME;
}

bool is_nonspacing_mark(char32_t character) { return category(character) == UTF8PROC_CATEGORY_MN; }

bool is_other(char32_t character) {
  const utf8proc_category_t kind = category(character);
  return kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CF || kind == UTF8PROC_CATEGORY_CO;
}

void append_lower_case(std::u32string& to, char32_t character) {
  if (character ==
      U'\u0130') {  // the only one that SpecialCasing.txt makes two of, whatever stands around it
    to += U"i\u0307";
  } else {
    to += lower_case(character);
  }
}

std::string with_replacements(std::string_view bytes) {
  return with_broken(bytes, [](std::string& text, std::string_view) { text += "\uFFFD"; });
}

std::string with_stray_bytes_shown(std::string_view bytes) {
  return with_broken(bytes, [](std::string& text, std::string_view broken) {
    for (const char byte : broken) text += fmt::format("\\x{:02X}", static_cast<unsigned char>(byte));
  });
}

}  // namespace attnscope::tokenizers
