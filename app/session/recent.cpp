#include "app/session/recent.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/posix.hpp"

namespace attnscope {
namespace {

constexpr std::uint64_t longest_list = 1 << 20;  // bytes

}  // namespace

Recent::Recent(std::filesystem::path directory) {
  if (!directory.empty()) file_ = directory / "recent";
  read();
}

void Recent::read() {
  if (file_.empty()) return;
  try {
    const std::string text = read_whole(file_, longest_list);
    paths_.clear();
    for (std::size_t at = 0; at < text.size() && paths_.size() < most;) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (text[at] == '/') paths_.emplace_back(text.substr(at, end - at));
      at = end + 1;
    }
  } catch (const Error&) {  // the first run has no such file
  }
}

void Recent::add(const std::filesystem::path& path) {
  std::error_code unknown;
  std::filesystem::path whole = std::filesystem::weakly_canonical(path, unknown);
  if (unknown || whole.native().find('\n') != std::string::npos) return;
  read();
  std::erase(paths_, whole);
  paths_.insert(paths_.begin(), std::move(whole));
  if (paths_.size() > most) paths_.resize(most);
  if (file_.empty()) return;
  std::string text;
  for (const std::filesystem::path& known : paths_) text += known.native() + "\n";
  try {
    std::filesystem::create_directories(file_.parent_path(), unknown);
    write_atomically(file_, std::array{std::string_view(text)});
  } catch (const Error&) {
  }
}

}  // namespace attnscope
