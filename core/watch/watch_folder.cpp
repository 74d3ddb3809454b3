#include "core/watch/watch_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <tuple>
#include <unistd.h>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/text/whole_text.hpp"
#include "core/watch/watch_header.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

std::string variable_of_watch(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Process and number in "watch-41822-0.attnwatch".
struct StreamName {
  std::uint64_t pid = 0, number = 0;
};
std::optional<StreamName> stream_name(std::string_view name) {
  constexpr std::string_view begin = "watch-", end = ".attnwatch";
  if (!name.starts_with(begin) || !name.ends_with(end) || name.size() < begin.size() + end.size())
    return std::nullopt;
  name = name.substr(begin.size(), name.size() - begin.size() - end.size());
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto pid = whole_text_as<std::uint64_t>(name.substr(0, dash));
  const auto number = whole_text_as<std::uint64_t>(name.substr(dash + 1));
  if (!pid || !number) return std::nullopt;
  return StreamName{*pid, *number};
}

/// The process in a stream's name; also of an unfinished one, ".watch-41822-0.attnwatch.new" and similar.
std::optional<std::uint64_t> pid_in_name(std::string_view name) {
  const std::size_t begin = name.find("watch-"), end = name.find(".attnwatch");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
  const auto found = stream_name(std::string(name.substr(begin, end - begin)) + ".attnwatch");
  return found ? std::optional(found->pid) : std::nullopt;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code unreadable;
  for (fs::directory_iterator entry(folder, unreadable), end; !unreadable && entry != end;
       entry.increment(unreadable))
    files.push_back(entry->path());
  return files;
}

/// Nothing if the file is not a stream or no longer exists.
std::optional<WatchHeader> header_of(const fs::path& path) {
  try {
    const Descriptor file = open_watch_file(path, O_RDONLY);
    std::array<std::byte, watch_format::header_bytes> bytes{};
    read_exactly(file, path, 0, bytes.data(), bytes.size());
    return read_watch_header(bytes, path.native());
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

fs::path watch_folder() {
  if (const std::string chosen = variable_of_watch("ATTNSCOPE_WATCH_FOLDER"); !chosen.empty()) return chosen;
  const std::string own = fmt::format("attnscope-{}", ::geteuid());
  const fs::path shared = "/dev/shm";
  std::error_code unreadable;
  if (fs::is_directory(shared, unreadable) && ::access(shared.c_str(), W_OK | X_OK) == 0) return shared / own;
  if (const std::string runtime = variable_of_watch("XDG_RUNTIME_DIR"); !runtime.empty())
    return fs::path(runtime) / "attnscope";
  return fs::path("/tmp") / own;
}

void check_watch_folder(const fs::path& folder) {
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0) {
    if (errno == ENOENT) return;
    throw system_error("read", folder);
  }
  const std::string name = in_quotes(folder.native());
  if (S_ISLNK(found.st_mode))
    throw Error(name + " is a link: streams are looked for in a folder of your own.");
  if (!S_ISDIR(found.st_mode)) throw Error(name + " is no folder: streams are looked for in one.");
  if (found.st_uid != ::geteuid())
    throw Error(name + " belongs to another user: streams are looked for in a folder of your own.");
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw Error(name + " can be written by others: streams are looked for in a folder of your own.");
}

bool FoundStream::operator==(const FoundStream& other) const {
  const auto all = [](const FoundStream& s) {
    return std::tie(s.path, s.module, s.process.pid, s.process.start_time, s.number, s.alive, s.closed);
  };
  return all(*this) == all(other);
}

std::vector<FoundStream> find_streams(const fs::path& folder) {
  check_watch_folder(folder);
  std::vector<FoundStream> found;
  for (const fs::path& path : files_in(folder)) {
    const auto name = stream_name(path.filename().native());
    if (!name) continue;
    const auto header = header_of(path);
    if (!header) continue;
    found.push_back({path, header->facts.module, header->process, name->number, header->process.is_alive(),
                     header->closed});
  }
  std::ranges::sort(found, [](const FoundStream& a, const FoundStream& b) {
    const auto rank = [](const FoundStream& s) {
      return std::tuple(s.alive, s.process.start_time, s.process.pid, s.number);
    };
    return rank(a) > rank(b);
  });
  return found;
}

void remove_dead_streams(std::span<const fs::path> shown, const fs::path& folder) {
  check_watch_folder(folder);
  for (const fs::path& path : files_in(folder)) {
    const auto pid = pid_in_name(path.filename().native());
    struct stat status {};
    if (!pid || std::ranges::find(shown, path) != shown.end() || ::lstat(path.c_str(), &status) != 0 ||
        !S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
      continue;
    const auto header = header_of(path);
    const StreamProcess process = header ? header->process : StreamProcess{*pid, 0};
    if (!process.is_alive()) ::unlink(path.c_str());
  }
}

}  // namespace attnscope
