#include "app/files/paths.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::vector<std::filesystem::path> assets_places() {
  if (const std::string_view chosen = variable("ATTNSCOPE_ASSETS"); !chosen.empty()) return {chosen};
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  std::vector<std::filesystem::path> places;
  if (!unknown) {
    places.push_back(program.parent_path() / "assets");
    places.push_back(program.parent_path().parent_path() / "share" / "attnscope");
  }
  places.emplace_back(ATTNSCOPE_ASSETS);
  return places;
}

std::filesystem::path assets_directory() {
  const std::vector<std::filesystem::path> places = assets_places();
  const auto at = std::ranges::find_if(places, [](const std::filesystem::path& place) {
    std::error_code unknown;
    return std::filesystem::is_directory(place / "examples", unknown);
  });
  return at == places.end() ? places.back() : *at;
}

void check_assets() {
  std::error_code unknown;
  if (std::filesystem::is_directory(assets_directory() / "examples", unknown)) return;
  std::string looked;
  for (const std::filesystem::path& place : assets_places())
    looked += (looked.empty() ? "" : ", ") + in_quotes(place.native());
  throw Error(
      fmt::format("The program's assets (examples, languages, lessons) are missing; looked in: {}. Put the "
                  "folder assets beside the program, or name it in ATTNSCOPE_ASSETS.",
                  looked));
}

std::filesystem::path opening_picture(const std::filesystem::path& assets) {
  return assets / "examples" / "15-read-by-a-trained-model.json";
}

std::filesystem::path state_directory() {
  const std::filesystem::path chosen = variable("XDG_STATE_HOME"), home = variable("HOME");
  if (chosen.is_absolute()) return chosen / "attnscope";  // its standard says to ignore relative paths
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
  // The names are sorted: a prefix of the first and the last is a prefix of all.
  const std::string &first = names.front(), &end = names.back();
  const auto differ = std::mismatch(first.begin(), first.end(), end.begin(), end.end());
  std::string common(first.begin(), differ.first);
  while (!common.empty() && differ.first != first.end() &&
         (static_cast<unsigned char>(*differ.first) & 0xC0) == 0x80 &&
         static_cast<unsigned char>(common.back()) >= 0x80)
    common.pop_back();  // does not split a character
  const std::size_t slash = text.rfind('/');
  const std::size_t keep = slash == std::string_view::npos ? 0 : slash + 1;
  const std::string longer = std::string(text.substr(0, keep)) + common;
  return longer.size() > text.size() ? longer : std::string(text);
}

}  // namespace attnscope
