// tests: a directory of its own for each test, removed with everything in it.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <stdlib.h>
#include <string>
#include <string_view>

namespace attnscope::test {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "attnscope-test-XXXXXX").native();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  /// Writes a file into it and says where.
  std::filesystem::path write(std::string_view name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

  /// "file 0.txt", "file 1.txt", …: all of them names of one file, which are made and removed much faster
  /// than as many files.
  void write_many(int count) const {
    const std::filesystem::path first = write("file 0.txt", "");
    for (int i = 1; i < count; ++i)
      std::filesystem::create_hard_link(first, path_ / ("file " + std::to_string(i) + ".txt"));
  }

  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The message of the Error that `run` throws; empty if it throws none.
template <class Exception, class Run>
std::string message_of(Run run) {
  try {
    run();
  } catch (const Exception& error) {
    return error.what();
  }
  return {};
}

/// Whether it is one line that begins and ends like a sentence.
inline bool is_sentence(std::string_view text) {
  return !text.empty() && text.ends_with('.') && text.find('\n') == std::string_view::npos;
}

}  // namespace attnscope::test
