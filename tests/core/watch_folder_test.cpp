// The folder of processes' streams, and which of them a window takes.
#include "core/watch/watch_folder.hpp"

#include <cstdlib>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "support/temporary_directory.hpp"
#include "support/watch_writer.hpp"

namespace attnscope::watch_folder_test {

using attnscope::test::is_sentence;
using attnscope::test::message_of;
using attnscope::test::TemporaryDirectory;
using attnscope::test::WatchWriter;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

/// A process that has ended.
std::uint64_t gone_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return static_cast<std::uint64_t>(child);
}

std::string stream_file(std::uint64_t pid, int number) {
  return fmt::format("watch-{}-{}.attnwatch", pid, number);
}

}  // namespace

TEST_CASE("the folder is the one that is named, else one of this user", "[watch]") {
  const char* const before = std::getenv("ATTNSCOPE_WATCH_FOLDER");
  const std::string kept = before ? before : "";
  ::setenv("ATTNSCOPE_WATCH_FOLDER", "/some/where", 1);
  CHECK(watch_folder() == "/some/where");
  ::unsetenv("ATTNSCOPE_WATCH_FOLDER");
  const std::string own = fmt::format("attnscope-{}", ::geteuid());
  if (::access("/dev/shm", W_OK | X_OK) == 0) CHECK(watch_folder() == fs::path("/dev/shm") / own);
  if (before) ::setenv("ATTNSCOPE_WATCH_FOLDER", kept.c_str(), 1);
}

TEST_CASE("a folder that others could write to is refused", "[watch]") {
  const TemporaryDirectory directory;
  const auto refusal = [](const fs::path& folder) {
    const std::string message = message_of<Error>([&] { find_streams(folder); });
    INFO(message);
    CHECK((message.empty() || is_sentence(message)));
    CHECK(message == message_of<Error>([&] { remove_dead_streams({}, folder); }));
    return message;
  };
  CHECK(refusal(directory / "none").empty());
  fs::create_directory(directory / "own");
  ::chmod((directory / "own").c_str(), 0700);
  CHECK(refusal(directory / "own").empty());
  fs::create_directory_symlink(directory / "own", directory / "link");
  CHECK_THAT(refusal(directory / "link"), ContainsSubstring("link"));
  CHECK_THAT(refusal(directory.write("file", "")), ContainsSubstring("no folder"));
  ::chmod((directory / "own").c_str(), 0777);
  CHECK_THAT(refusal(directory / "own"), ContainsSubstring("others"));
  if (::geteuid() != 0) return;
  ::chmod((directory / "own").c_str(), 0700);
  REQUIRE(::chown((directory / "own").c_str(), 12345, 12345) == 0);
  CHECK_THAT(refusal(directory / "own"), ContainsSubstring("another user"));
}

TEST_CASE("streams are listed with their process, living ones first", "[watch]") {
  const TemporaryDirectory directory;
  const auto own = static_cast<std::uint64_t>(::getpid());
  const WatchWriter first(directory / stream_file(own, 0)), second(directory / stream_file(own, 12));
  const std::uint64_t gone = gone_process();
  WatchWriter dead(directory / stream_file(gone, 3), watch_format::least_capacity, nullptr);
  dead.set(watch_format::Pid, gone);
  dead.set(watch_format::Closed, 1);
  directory.write("watch-1-1.attnwatch", "no stream");
  directory.write("readme.txt", "");
  directory.write("watch-x-1.attnwatch", std::string(5000, 'x'));
  fs::create_symlink(first.path(), directory / stream_file(own, 9));
  WatchWriter unfinished(directory / ("." + stream_file(own, 4) + ".new"));
  const std::vector<FoundStream> found = find_streams(directory.path());
  REQUIRE(found.size() == 3);
  CHECK(found[0].path == second.path());
  CHECK(found[0].number == 12);
  CHECK(found[0].module == "TestModel");
  CHECK(found[0].alive);
  CHECK_FALSE(found[0].closed);
  CHECK(found[1].path == first.path());
  CHECK(found[2].process.pid == gone);
  CHECK_FALSE(found[2].alive);
  CHECK(found[2].closed);
  CHECK(found[2].module.empty());
  CHECK(find_streams(directory.path()) == found);
}

TEST_CASE("what dead processes left is removed, but for what is shown", "[watch]") {
  const TemporaryDirectory directory;
  const auto own = static_cast<std::uint64_t>(::getpid());
  const std::uint64_t gone = gone_process();
  const WatchWriter living(directory / stream_file(own, 0));
  WatchWriter dead(directory / stream_file(gone, 0)), shown(directory / stream_file(gone, 1)),
      reused(directory / stream_file(own, 7));
  dead.set(watch_format::Pid, gone);
  shown.set(watch_format::Pid, gone);
  reused.set(watch_format::StartTime, 1);  // the number belongs to another process now
  directory.write("." + stream_file(gone, 2) + ".new", "half");
  directory.write("other.txt", "");
  const std::vector<fs::path> kept{shown.path()};
  remove_dead_streams(kept, directory.path());
  CHECK(fs::exists(living.path()));
  CHECK_FALSE(fs::exists(dead.path()));
  CHECK(fs::exists(shown.path()));
  CHECK_FALSE(fs::exists(reused.path()));
  CHECK(fs::exists(directory / "other.txt"));
  CHECK(directory.entries() == 3);
  remove_dead_streams({}, directory.path());
  CHECK(directory.entries() == 2);
}

}  // namespace attnscope::watch_folder_test
