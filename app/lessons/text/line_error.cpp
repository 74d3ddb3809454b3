#include "app/lessons/text/line_error.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/files/formats/json_reader.hpp"

namespace attnscope::lessons {

namespace {

std::string_view key_named_by(const Error& error) {
  const auto* const field = dynamic_cast<const FieldError*>(&error);
  return field == nullptr ? std::string_view() : std::string_view(field->key());
}

/// The position at which the parts of a key follow each other; the parts that are not found are left in
/// `key`.
std::size_t find_key(std::string_view text, std::string_view& key) {
  std::size_t at = 0;
  while (!key.empty()) {
    const std::size_t end = std::min(key.find('.'), key.size());
    const std::string_view part = key.substr(0, std::min(end, key.find('[')));
    const std::size_t found = text.find(fmt::format("\"{}\"", part), at);
    if (found == text.npos) break;
    at = found;
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  return at;
}

}  // namespace

int JsonPlace::line_of_key(std::string_view key) const {
  const auto at = static_cast<std::ptrdiff_t>(find_key(text, key));
  return line + static_cast<int>(std::count(text.begin(), text.begin() + at, '\n'));
}

int JsonPlace::line_of(const Error& error) const { return line_of_key(key_named_by(error)); }

bool JsonPlace::has_key_of(const Error& error) const {
  std::string_view key = key_named_by(error);
  if (key.empty()) return false;
  find_key(text, key);
  return key.empty();
}

}  // namespace attnscope::lessons
