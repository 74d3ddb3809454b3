#include "app/files/folder.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <dirent.h>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <utility>

#include "core/files/formats/posix.hpp"

namespace attnscope {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

/// Reads the entry, following links; false if a link leads nowhere.
bool look_at(int folder, const char* name, FolderEntry& entry) {
  struct stat status {};
  if (::fstatat(folder, name, &status, 0) != 0) return false;
  entry.is_folder = S_ISDIR(status.st_mode);
  if (!entry.is_folder && !S_ISREG(status.st_mode)) return false;  // a device or a pipe
  entry.name = name;
  entry.bytes = static_cast<std::uint64_t>(status.st_size);
  entry.changed = status.st_mtime;
  return true;
}

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool is_digit_of_name(char c) { return c >= '0' && c <= '9'; }

/// The number that begins at `at`, without leading zeros; `at` moves behind it.
std::string_view digits_at(std::string_view text, std::size_t& at) {
  while (at + 1 < text.size() && text[at] == '0' && is_digit_of_name(text[at + 1])) ++at;
  const std::size_t from = at;
  while (at < text.size() && is_digit_of_name(text[at])) ++at;
  return text.substr(from, at - from);
}

}  // namespace

bool comes_before(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit_of_name(a[i]) && is_digit_of_name(b[j])) {
      const std::string_view one = digits_at(a, i), other = digits_at(b, j);
      if (one.size() != other.size()) return one.size() < other.size();
      if (one != other) return one < other;
      continue;
    }
    const auto left = static_cast<unsigned char>(small(a[i++])),
               right = static_cast<unsigned char>(small(b[j++]));
    if (left != right) return left < right;
  }
  if (i < a.size() || j < b.size()) return i == a.size();
  return a < b;
}

void sort_entries(std::vector<FolderEntry>& entries, FolderOrder order, bool backwards) {
  const auto comes_first = [&](const FolderEntry& a, const FolderEntry& b) {
    if (a.is_folder != b.is_folder) return a.is_folder;
    const FolderEntry &first = backwards ? b : a, &second = backwards ? a : b;
    if (order == FolderOrder::Size && first.bytes != second.bytes && !a.is_folder)
      return first.bytes > second.bytes;
    if (order == FolderOrder::Changed && first.changed != second.changed)
      return first.changed > second.changed;
    return comes_before(first.name, second.name);
  };
  if (!std::is_sorted(entries.begin(), entries.end(), comes_first))
    std::sort(entries.begin(), entries.end(), comes_first);
}

class FolderReading::Work final : public Job {
 public:
  explicit Work(std::filesystem::path path) { folder.path = std::move(path); }

  bool step() override {
    try {
      read();
      sort_entries(folder.entries, FolderOrder::Name, false);
    } catch (const std::exception& error) {
      folder.trouble = error.what();
    }
    const std::lock_guard guard(mutex);
    done = true;
    changed.notify_all();
    return false;
  }

  Folder folder;  // written by the worker until it is done
  std::atomic<std::int64_t> count = 0;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::mutex mutex;  // guards `done`
  std::condition_variable changed;
  bool done = false;

 private:
  void read() {
    const std::unique_ptr<DIR, CloseFolder> open(::opendir(folder.path.c_str()));
    if (!open) {
      folder.trouble = system_error("read", folder.path).what();
      return;
    }
    while (!stop_token().stop_requested()) {
      errno = 0;
      const dirent* next = ::readdir(open.get());
      if (next == nullptr) {
        if (errno != 0) folder.trouble = system_error("read", folder.path).what();
        return;
      }
      const std::string_view name(next->d_name);
      FolderEntry entry;
      if (name == "." || name == ".." || !look_at(::dirfd(open.get()), next->d_name, entry)) continue;
      folder.entries.push_back(std::move(entry));
      ++count;
    }
  }
};

FolderReading FolderReader::read(std::filesystem::path folder) {
  const auto work = std::make_shared<FolderReading::Work>(std::move(folder));
  const auto idle = std::ranges::find_if(workers_, [](const Worker& worker) { return !worker.is_busy(); });
  (idle != workers_.end() ? *idle : workers_.emplace_back()).add(work);
  // The worker shares the work; the copies of the reading share a handle whose destruction cancels it.
  return FolderReading({work.get(), [work](FolderReading::Work*) { work->cancel(); }});
}

bool FolderReading::is_reading() const { return work_ && !wait(std::chrono::milliseconds(0)); }

bool FolderReading::wait(std::chrono::milliseconds longest) const {
  if (!work_) return false;
  std::unique_lock lock(work_->mutex);
  return work_->changed.wait_for(lock, longest, [this] { return work_->done; });
}

double FolderReading::seconds() const {
  return work_ ? std::chrono::duration<double>(std::chrono::steady_clock::now() - work_->start).count() : 0;
}

std::int64_t FolderReading::count() const { return work_ ? work_->count.load() : 0; }

const Folder& FolderReading::folder() const {
  static const Folder none;
  return work_ ? work_->folder : none;
}

}  // namespace attnscope
