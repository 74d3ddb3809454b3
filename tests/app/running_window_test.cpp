// The socket by which a program asks a running window to open a file: its answers, sockets that killed
// programs left, folders of other users.
#include "app/window/running_window.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/window_robot.hpp"
#include "core/base/error.hpp"
#include "support/program.hpp"
#include "support/wait.hpp"

namespace attnscope::running_window_test {

using namespace attnscope::test;

namespace {

/// An environment variable that is changed within a scope.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A socket at which no process listens any more.
void leave_socket(const std::filesystem::path& path) {
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.native().copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

}  // namespace

TEST_CASE("a window hears which file it is to open", "[same-window]") {
  const TemporaryDirectory directory;
  const std::filesystem::path socket = directory / "window";
  CHECK_FALSE(ask_running_window(socket, {"/a.npz", ""}));
  WindowDoor door(socket);
  REQUIRE(door.is_open());
  CHECK_FALSE(door.take());
  std::atomic<int> told = 0;
  door.when_asked([&told] { ++told; });
  const std::string odd = "/it's\n\"ü\"/b.npz";
  CHECK(ask_running_window(socket, {"/a.npz", "layers.3"}));
  CHECK(ask_running_window(socket, {odd, ""}));
  CHECK(told == 2);
  const std::optional<OpenRequest> first = door.take(), second = door.take();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->file == "/a.npz");
  CHECK(first->layer == "layers.3");
  CHECK(second->file == odd);
  CHECK_FALSE(door.take());
  CHECK_FALSE(ask_running_window(socket, {"not/from/the/root", ""}));
  CHECK_FALSE(door.take());
}

TEST_CASE("a socket that a killed program left is taken over, one that is listened at is not",
          "[same-window]") {
  const TemporaryDirectory directory;
  const std::filesystem::path socket = directory / "window";
  leave_socket(socket);
  CHECK_FALSE(ask_running_window(socket, {"/a.npz", ""}));
  {
    WindowDoor door(socket);
    REQUIRE(door.is_open());
    CHECK_FALSE(WindowDoor(socket).is_open());
    CHECK(ask_running_window(socket, {"/a.npz", ""}));
    CHECK(door.take());
  }
  CHECK_FALSE(exists(socket));
  CHECK(WindowDoor(socket).is_open());
  CHECK_FALSE(WindowDoor(directory / std::string(200, 'x')).is_open());
}

TEST_CASE("a folder of another user is not used", "[same-window]") {
  const TemporaryDirectory directory;
  const Variable display("DISPLAY", ":7.0"), wayland("WAYLAND_DISPLAY", "");
  const Variable runtime("XDG_RUNTIME_DIR", directory.path().native());
  const std::filesystem::path socket = window_socket();
  CHECK(socket == directory / "attnscope/window-7-0");
  CHECK((std::filesystem::status(directory / "attnscope").permissions() & std::filesystem::perms::mask) ==
        std::filesystem::perms::owner_all);
  REQUIRE(::chmod((directory / "attnscope").c_str(), 0777) == 0);
  CHECK_THROWS_AS(window_socket(), Error);
  std::filesystem::remove(directory / "attnscope");
  std::filesystem::create_directory_symlink(directory.path(), directory / "attnscope");
  CHECK_THROWS_AS(window_socket(), Error);
}

TEST_CASE("a second file opens in the window that is there", "[window][same-window]") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  const TemporaryDirectory home;
  VirtualDisplay screen{1920, 1200};
  const Variable display("DISPLAY", screen.name()), wayland("WAYLAND_DISPLAY", "");
  const Variable runtime("XDG_RUNTIME_DIR", home.path().native());
  const std::filesystem::path first = home.write("first.txt", "one two three");
  home.write("second.txt", "four five");
  WindowProgram program(screen, home.path(), {"open", "--same-window", first.native()});
  CHECK(wait_until([&] { return program.title().starts_with("first.txt"); }));
  const Outcome asked = run(home, "open --same-window second.txt");
  CHECK(asked.exit_code == 0);
  CHECK(asked.out == "opened in the window that was there\n");
  CHECK(wait_until([&] { return program.title().starts_with("second.txt"); }));
  CHECK(program.rests());
  CHECK(program.closes());
  CHECK_FALSE(ask_running_window(window_socket(), {"/a.npz", ""}));
}

TEST_CASE("open says in a sentence what is not there", "[cli][same-window]") {
  const TemporaryDirectory directory;
  check_refusal(directory, "open --same-window missing.npz", 1, "\"missing.npz\": No such file");
  check_refusal(directory, "open", 2, "FILE");
}

}  // namespace attnscope::running_window_test
