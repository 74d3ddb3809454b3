#include "app/session/closed.hpp"

#include <algorithm>
#include <chrono>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "app/files/file_kinds.hpp"
#include "core/files/document/session_file.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "closed-", ending = ".json";

std::int64_t milliseconds_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// "closed-1763826000123-4711-A title.json": milliseconds since 1970, process id, title.
std::string name_for(std::string_view title) {
  return fmt::format("{}{:015}-{}-{}", prefix, milliseconds_now(), ::getpid(), suggested_name(title, ending));
}

bool read_name(const fs::path& path, ClosedEntry& entry) {
  const std::string whole = path.filename().native();
  std::string_view name = whole;
  if (!name.starts_with(prefix) || !name.ends_with(ending)) return false;
  name = name.substr(prefix.size(), name.size() - prefix.size() - ending.size());
  const std::size_t program = name.find('-'), title = name.find('-', program + 1);
  if (program == std::string_view::npos || title == std::string_view::npos || program > 15) return false;
  std::int64_t when = 0;
  for (const char c : name.substr(0, program)) {
    if (c < '0' || c > '9') return false;
    when = 10 * when + (c - '0');
  }
  entry = {path, std::string(name.substr(title + 1)), when / 1000};
  return true;
}

}  // namespace

std::vector<ClosedEntry> Closed::list() const {
  std::vector<ClosedEntry> all;
  std::error_code none;
  if (directory_.empty()) return all;
  for (fs::directory_iterator entry(directory_, none), end; !none && entry != end; entry.increment(none)) {
    ClosedEntry closed;
    if (read_name(entry->path(), closed)) all.push_back(std::move(closed));
  }
  std::sort(all.begin(), all.end(),
            [](const ClosedEntry& a, const ClosedEntry& b) { return a.path.native() > b.path.native(); });
  return all;
}

void Closed::add(Autosave::State state) {
  if (directory_.empty()) return;
  const fs::path path = directory_ / name_for(state.document.title);
  writing_.push_back(make_errand([this, path, state = std::move(state)] {
    fs::create_directories(path.parent_path());
    write_document(session_to_json(state.document, state.view, state.held ? &*state.held : nullptr), path);
    drop_old();
  }));
  worker_.add(writing_.back());
}

fs::path Closed::take(const fs::path& session, std::string_view title) {
  if (directory_.empty()) return {};
  const fs::path to = directory_ / name_for(title);
  std::error_code refused;
  fs::rename(session, to, refused);
  return refused ? fs::path() : to;
}

bool Closed::wait() {
  worker_.wait();
  bool good = true;
  for (const auto& one : std::exchange(writing_, {})) {
    if (one->result()) continue;
    trouble_ = one->error();
    good = false;
  }
  return good;
}

void Closed::drop_old() const {
  std::uintmax_t bytes = 0;
  std::size_t kept = 0;
  for (const ClosedEntry& entry : list()) {
    std::error_code gone;
    bytes += fs::file_size(entry.path, gone);
    if (kept == 0 || (kept < most && bytes <= most_bytes)) {
      ++kept;
    } else {
      fs::remove(entry.path, gone);
    }
  }
}

}  // namespace attnscope
