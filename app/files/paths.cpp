#include "app/files/paths.hpp"

#include <algorithm>
#include <cstdlib>

namespace attnscope {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::filesystem::path assets_directory() {
  const std::string_view chosen = variable("ATTNSCOPE_ASSETS");
  return chosen.empty() ? ATTNSCOPE_ASSETS : chosen;
}

std::filesystem::path opening_picture(const std::filesystem::path& assets) {
  return assets / "examples" / "15-read-by-a-trained-model.json";
}

std::filesystem::path state_directory() {
  const std::filesystem::path chosen = variable("XDG_STATE_HOME"), home = variable("HOME");
  if (chosen.is_absolute())
    return chosen / "attnscope";  // a relative one is to be ignored, says its standard
  return home.is_absolute() ? home / ".local/state/attnscope" : std::filesystem::path{};
}

std::filesystem::path typed_path(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  if (first == std::string_view::npos) return {};
  text = text.substr(first, last - first + 1);
  const std::string_view home = variable("HOME");
  if (text == "~") return home;
  if (text.starts_with("~/") && !home.empty()) return std::filesystem::path(home) / text.substr(2);
  return text;
}

std::filesystem::path home_directory() {
  const std::filesystem::path home = variable("HOME");
  return home.is_absolute() ? home : std::filesystem::path("/");
}

std::vector<std::string> completions(std::string_view text, const std::filesystem::path& folder) {
  const std::size_t slash = text.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? text : text.substr(slash + 1);
  const std::string_view before = text.substr(0, text.size() - last.size());
  const std::filesystem::path directory = folder / typed_path(before);
  std::vector<std::string> names;
  std::error_code none;
  for (std::filesystem::directory_iterator entry(directory, none), end; !none && entry != end;
       entry.increment(none)) {
    std::string name = entry->path().filename().native();
    if (!name.starts_with(last) || (name.starts_with('.') && !last.starts_with('.'))) continue;
    std::error_code unknown;
    if (entry->is_directory(unknown)) name += '/';
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string completed_path(std::string_view text, const std::filesystem::path& folder) {
  const std::vector<std::string> names = completions(text, folder);
  if (names.empty()) return std::string(text);
  // Sorted: what the first and the last share, all share.
  const std::string &first = names.front(), &end = names.back();
  const auto differ = std::mismatch(first.begin(), first.end(), end.begin(), end.end());
  std::string common(first.begin(), differ.first);
  while (!common.empty() && differ.first != first.end() &&
         (static_cast<unsigned char>(*differ.first) & 0xC0) == 0x80 &&
         static_cast<unsigned char>(common.back()) >= 0x80)
    common.pop_back();  // not half a character
  const std::size_t slash = text.rfind('/');
  const std::size_t keep = slash == std::string_view::npos ? 0 : slash + 1;
  const std::string longer = std::string(text.substr(0, keep)) + common;
  return longer.size() > text.size() ? longer : std::string(text);
}

}  // namespace attnscope
