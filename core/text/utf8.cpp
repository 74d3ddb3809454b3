#include "core/text/utf8.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

namespace attnscope {
namespace {

/// The number of bytes of the character at `at`, and its code point; 0 bytes if it is not well-formed.
std::size_t decode(std::string_view bytes, std::size_t at, utf8proc_int32_t& code_point) {
  const auto* start = reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()) + at;
  const utf8proc_ssize_t length =
      utf8proc_iterate(start, static_cast<utf8proc_ssize_t>(bytes.size() - at), &code_point);
  return length > 0 ? static_cast<std::size_t>(length) : 0;
}

/// Whether a character would break the line, hide or reorder the rest of a message.
bool disturbs_a_line(utf8proc_int32_t code_point) {
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return true;
    default: return false;
  }
}

std::string escaped(std::string_view bytes, std::size_t limit) {
  std::string text;
  std::size_t characters = 0;
  for (std::size_t at = 0; at < bytes.size(); ++characters) {
    if (characters == limit) return text + "…";
    utf8proc_int32_t code_point = 0;
    const std::size_t length = decode(bytes, at, code_point);
    if (length == 0) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[at]));
    } else if (disturbs_a_line(code_point)) {
      text += fmt::format("\\u{{{:x}}}", static_cast<unsigned>(code_point));
    } else {
      text += bytes.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return text;
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    utf8proc_int32_t code_point = 0;
    const std::size_t length = decode(bytes, at, code_point);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

Decoded decode_at(std::string_view text, std::size_t at) {
  utf8proc_int32_t code_point = 0;
  const std::size_t length = decode(text, at, code_point);
  return length == 0 ? Decoded{U'\uFFFD', 1} : Decoded{static_cast<char32_t>(code_point), length};
}

std::vector<std::size_t> grapheme_ends(std::string_view text) {
  std::vector<std::size_t> ends;
  utf8proc_int32_t state = 0;
  char32_t before = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto [value, length] = decode_at(text, at);
    const auto code = [](char32_t c) { return static_cast<utf8proc_int32_t>(c); };
    if (at > 0 && utf8proc_grapheme_break_stateful(code(before), code(value), &state)) ends.push_back(at);
    before = value;
    at += length;
  }
  if (!text.empty()) ends.push_back(text.size());
  return ends;
}

std::string in_quotes(std::string_view bytes, std::size_t limit) { return '"' + escaped(bytes, limit) + '"'; }

std::string printable(std::string_view bytes) { return escaped(bytes, bytes.size()); }

}  // namespace attnscope
