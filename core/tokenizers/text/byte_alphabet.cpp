#include "core/tokenizers/text/byte_alphabet.hpp"

#include <array>

#include <fmt/format.h>

#include "core/text/letters.hpp"
#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers {
namespace {

constexpr bool is_its_own_character(unsigned byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

constexpr std::array<char32_t, 256> make_byte_characters() {
  std::array<char32_t, 256> made{};
  char32_t next = 256;
  for (unsigned byte = 0; byte < 256; ++byte) made[byte] = is_its_own_character(byte) ? byte : next++;
  return made;
}

constexpr std::array<char32_t, 256> byte_characters = make_byte_characters();

constexpr std::array<int, 324> make_character_bytes() {
  std::array<int, 324> made{};
  made.fill(-1);
  for (int byte = 0; byte < 256; ++byte) made[byte_characters[static_cast<unsigned>(byte)]] = byte;
  return made;
}

constexpr std::array<int, 324> character_bytes = make_character_bytes();

int hexadecimal(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

}  // namespace

char32_t character_of_byte(unsigned char byte) { return byte_characters[byte]; }

std::optional<unsigned char> byte_of_character(char32_t character) {
  if (character >= character_bytes.size() || character_bytes[character] < 0) return std::nullopt;
  return static_cast<unsigned char>(character_bytes[character]);
}

std::string in_byte_alphabet(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) append_utf8(text, character_of_byte(static_cast<unsigned char>(byte)));
  return text;
}

std::optional<std::string> from_byte_alphabet(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); at += character_size(text[at])) {
    const auto byte = byte_of_character(character_at(text, at));
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

std::optional<unsigned char> byte_of_fallback_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  const int high = hexadecimal(token[3]), low = hexadecimal(token[4]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<unsigned char>(high * 16 + low);
}

std::string fallback_token(unsigned char byte) { return fmt::format("<0x{:02X}>", byte); }

}  // namespace attnscope::tokenizers
