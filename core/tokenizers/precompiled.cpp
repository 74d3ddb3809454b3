#include "core/tokenizers/precompiled.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::tokenizers {
namespace {

std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i]));
  };
  return byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
}

int base64_value(char digit) {
  if (digit >= 'A' && digit <= 'Z') return digit - 'A';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9') return digit - '0' + 52;
  return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

// A unit of Darts' double array.
bool has_leaf(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
std::uint32_t value_of(std::uint32_t unit) { return unit & 0x7FFF'FFFF; }
std::uint32_t label_of(std::uint32_t unit) { return unit & 0x8000'00FF; }
std::uint32_t offset_of(std::uint32_t unit) { return unit >> 10 << ((unit & 0x200) >> 6); }

/// Replaces `old_count` characters by those of `made`; surplus new characters are inserted, surplus old ones
/// skipped.
void put_in_place(Rewriter& rewriter, std::string_view made, std::size_t old_count) {
  for (std::size_t at = 0; at < made.size(); at += character_size(made[at])) {
    if (old_count > 0) {
      rewriter.replace(character_at(made, at));
      --old_count;
    } else {
      rewriter.insert(character_at(made, at));
    }
  }
  for (; old_count > 0; --old_count) rewriter.skip();
}

}  // namespace

PrecompiledMap::PrecompiledMap(std::string_view bytes) {
  const std::size_t size = bytes.size() < 4 ? 0 : little_endian(bytes, 0);
  if (size == 0 || size % 4 != 0 || size > bytes.size() - 4) {
    throw Error(fmt::format("The precompiled character map of {} bytes states {} bytes of units.",
                            bytes.size(), size));
  }
  units_.reserve(size / 4);
  for (std::size_t at = 4; at < 4 + size; at += 4) units_.push_back(little_endian(bytes, at));
  strings_ = bytes.substr(4 + size);
  if (!is_valid_utf8(strings_)) throw Error("The precompiled character map has strings that are not UTF-8.");
}

std::optional<std::string_view> PrecompiledMap::replacement(std::string_view chunk) const {
  std::uint32_t at = offset_of(units_[0]);
  for (const char letter : chunk) {
    const auto byte = static_cast<unsigned char>(letter);
    at ^= byte;
    if (byte == 0 || at >= units_.size() || label_of(units_[at]) != byte) return std::nullopt;
    const std::uint32_t unit = units_[at];
    at ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    if (at >= units_.size() || value_of(units_[at]) > strings_.size()) return std::nullopt;
    const std::string_view rest = std::string_view(strings_).substr(value_of(units_[at]));
    const std::string_view found = rest.substr(0, rest.find('\0'));
    if (!found.empty() && is_continuation(found.front())) return std::nullopt;
    return found;
  }
  return std::nullopt;
}

void PrecompiledMap::apply(AlignedText& text) const {
  Rewriter rewriter(text);
  const std::string_view old = text.text();
  bool changed = false;
  const auto take = [&](std::string_view chunk) {
    const auto made = replacement(chunk);
    if (!made) return false;
    put_in_place(rewriter, *made, count_characters(chunk));
    changed = true;
    return true;
  };
  std::size_t begin = 0;
  for (const std::size_t end : grapheme_ends(old)) {
    if (end - begin >= 6 || !take(old.substr(begin, end - begin))) {
      for (std::size_t at = begin; at < end; at += character_size(old[at])) {
        const std::size_t next = at + character_size(old[at]);
        if (!take(old.substr(at, next - at))) rewriter.keep_to(next);
      }
    }
    begin = end;
  }
  if (changed) text = rewriter.finish();
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  for (const char digit : text) {
    const int value = base64_value(digit);
    if (value < 0) throw Error(fmt::format("{} is no digit of base64.", in_quotes({&digit, 1})));
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xFF);
    }
  }
  return bytes;
}

}  // namespace attnscope::tokenizers
