// core/text: a number that is the whole of a text, as it is typed behind an option.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace attnscope {

/// The number that the text is; nothing when it is none, or more than one.
template <class T>
std::optional<T> whole_text_as(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace attnscope
