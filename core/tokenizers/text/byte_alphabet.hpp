// core/tokenizers/text: the alphabet of byte-level tokenizers: a visible character for each of the 256 bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnscope::tokenizers {

/// Bytes 33–126, 161–172 and 174–255 map to the characters of the same number; the other 68, in order, to
/// U+0100, U+0101, …, so that the space is U+0120 and the line feed U+010A.
char32_t character_of_byte(unsigned char byte);
std::optional<unsigned char> byte_of_character(char32_t character);

/// Each byte as its character.
std::string in_byte_alphabet(std::string_view bytes);
/// The bytes that these characters mean; nothing if the text has any other character.
std::optional<std::string> from_byte_alphabet(std::string_view text);

/// The byte of "<0x0A>", the form in vocabularies with byte fallback; nothing for any other token.
std::optional<unsigned char> byte_of_fallback_token(std::string_view token);
std::string fallback_token(unsigned char byte);

}  // namespace attnscope::tokenizers
