// core/text: parses a number that must be the whole text, such as the value of an option.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace attnscope {

/// The number; nothing if the text is anything but one number.
template <class T>
std::optional<T> whole_text_as(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace attnscope
