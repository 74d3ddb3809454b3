#include "core/text/base64.hpp"

#include <array>
#include <cstdint>

namespace attnscope {
namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_base64_digit = 0xFF;

constexpr std::array<std::uint8_t, 256> base64_values() {
  std::array<std::uint8_t, 256> values{};
  for (std::uint8_t& value : values) value = no_base64_digit;
  for (std::size_t i = 0; i < base64_digits.size(); ++i)
    values[static_cast<unsigned char>(base64_digits[i])] = static_cast<std::uint8_t>(i);
  return values;
}

bool is_white_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

std::string base64_text(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? base64_digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::optional<std::string> base64_bytes(std::string_view text) {
  static constexpr auto values = base64_values();
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int digits = 0, padding = 0;
  for (const char c : text) {
    if (is_white_space(c)) continue;
    const std::uint8_t value = values[static_cast<unsigned char>(c)];
    const bool is_padding = c == '=';
    if ((value == no_base64_digit && !is_padding) || (padding > 0 && !is_padding)) return std::nullopt;
    padding += is_padding ? 1 : 0;
    group = group << 6 | (is_padding ? 0u : value);
    if (++digits < 4) continue;
    if (padding > 2) return std::nullopt;
    for (int k = 0; k < 3 - padding; ++k) out += static_cast<char>(group >> (16 - 8 * k) & 255);
    group = 0;
    digits = 0;
  }
  if (digits != 0) return std::nullopt;
  return out;
}

}  // namespace attnscope
