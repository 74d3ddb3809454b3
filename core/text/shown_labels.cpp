#include "core/text/shown_labels.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// Whether GPT-2's byte alphabet maps the byte to the character of the same number.
bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

/// The byte of a character; the bytes that do not map to their own number have 0x100, 0x101, … in their
/// order.
std::optional<unsigned> byte_of(char32_t character) {
  if (character < 0x100)
    return stands_for_itself(character) ? std::optional<unsigned>(character) : std::nullopt;
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 0x100; ++byte)
    if (!stands_for_itself(byte) && next++ == character) return byte;
  return std::nullopt;
}

/// The bytes that a token spells.
struct Spelled {
  std::string bytes;
  bool has_shifted = false;  // has characters above 0xFF: Ġ, Ł
  bool has_others = false;   // has characters beyond ASCII
};

/// Whether the bytes have control characters that no token contains: letters of Czech, Latvian or Turkish
/// would map to them. Tokens contain only those of white space, and only together with white space.
bool has_odd_controls(std::string_view bytes) {
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; };
  if (std::ranges::none_of(bytes, is_control)) return false;
  return bytes.find_first_not_of(" \n\r\t") != bytes.npos;
}

std::optional<Spelled> spelled_by(std::string_view token) {
  Spelled spelled;
  for (std::size_t at = 0; at < token.size();) {
    const Decoded next = decode_at(token, at);
    const std::optional<unsigned> byte = byte_of(next.value);
    if (!byte) return std::nullopt;
    spelled.bytes += static_cast<char>(*byte);
    spelled.has_shifted = spelled.has_shifted || next.value >= 0x100;
    spelled.has_others = spelled.has_others || next.value >= 0x80;
    at += next.length;
  }
  return has_odd_controls(spelled.bytes) ? std::nullopt : std::optional(spelled);
}

/// The text, with invalid bytes as \xNN.
std::string readable(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t good = first_invalid_utf8(bytes).value_or(bytes.size());
    text += bytes.substr(0, good);
    bytes.remove_prefix(good);
    if (bytes.empty()) break;
    text += fmt::format("\\x{:02X}", static_cast<unsigned char>(bytes[0]));
    bytes.remove_prefix(1);
  }
  return text;
}

/// The text as a visible label of one line.
std::string visible(std::string text) {
  if (text.empty()) return "\"\"";
  const bool is_space = text.find_first_not_of(' ') == text.npos;
  std::string label;
  for (const char c : text) {
    if (c == '\n') {
      label += "↵";
    } else if (c == '\t') {
      label += "⇥";
    } else if (is_space) {
      label += "␣";
    } else {
      label += c;
    }
  }
  return printable(label);
}

std::string with_spaces(std::string_view text) {
  constexpr std::string_view mark = "\u2581";
  std::string spaced;
  while (!text.empty()) {
    const bool is_mark = text.starts_with(mark);
    spaced += is_mark ? ' ' : text[0];
    text.remove_prefix(is_mark ? mark.size() : 1);
  }
  return spaced;
}

}  // namespace

std::vector<std::string> shown_labels(const std::vector<std::string>& tokens) {
  const bool spells_bytes = std::ranges::any_of(tokens, [](const std::string& token) {
    const std::optional<Spelled> spelled = spelled_by(token);
    return spelled && spelled->has_shifted && is_valid_utf8(spelled->bytes);
  });
  std::vector<std::string> labels;
  for (const std::string& token : tokens) {
    const std::optional<Spelled> spelled = spelled_by(token);
    labels.push_back(visible(spells_bytes && spelled && spelled->has_others ? readable(spelled->bytes)
                                                                            : with_spaces(token)));
  }
  return labels;
}

std::vector<std::string> spelled_labels(const std::vector<std::string>& tokens) {
  std::vector<std::string> labels;
  for (const std::string& token : tokens) labels.push_back(token.empty() ? "\"\"" : printable(token));
  return labels;
}

}  // namespace attnscope
