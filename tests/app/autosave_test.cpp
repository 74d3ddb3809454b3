// What survives a crash: a change is on disk within a second, a killed program's session is restored by the
// next start, sessions of running programs are left alone; and the list of recent files.
#include "app/session/autosave.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/session/recent.hpp"
#include "app/session/session.hpp"
#include "app/window_robot.hpp"
#include "core/base/error.hpp"
#include "core/files/document/open.hpp"
#include "core/files/document/session_file.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::autosave_test {

using namespace attnscope::test;
using namespace std::chrono_literals;

namespace {

std::set<std::string> names_in(const std::filesystem::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.insert(entry.path().filename().native());
  return names;
}

/// The one session that is kept there; empty when there is none.
std::filesystem::path kept_in(const std::filesystem::path& directory) {
  std::filesystem::path found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(directory, none))
    if (entry.path().filename().native().starts_with("open-") && entry.path().extension() == ".json")
      found = entry.path();
  return found;
}

RobotOptions desk(const std::filesystem::path& state) {
  return {.width = 1600, .height = 1000, .state = state};
}

/// A process that saves this state and is killed as soon as it is on disk.
void keep_and_be_killed(const std::filesystem::path& directory, const Autosave::State& state) {
  const pid_t child = fork();
  if (child == 0) {
    Autosave autosave(directory);
    autosave.write(state);
    autosave.wait();
    kill(getpid(), SIGKILL);
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
}

Autosave::State a_state(float temperature) {
  Document document =
      open_document(std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "2-three-tokens.json");
  document.layer().temperature = temperature;
  ViewState view;
  view.mode = Mode::Compare;
  return {document, view_to_json(view, {}), {}};
}

}  // namespace

TEST_CASE("a change is on disk within a second, and gone after a clean end", "[autosave]") {
  const TemporaryDirectory directory;
  {
    Robot robot(desk(directory.path()));
    robot.frame(70);
    robot.app().files().keeping.keeper()->autosave().wait();
    CHECK(kept_in(directory.path()).empty());  // the example by itself is nothing to lose
    robot.key(ImGuiKey_S);
    robot.frame(57);  // with the key's own frames 59 of the 60 in a second
    robot.app().files().keeping.keeper()->autosave().wait();
    const std::filesystem::path file = kept_in(directory.path());
    REQUIRE_FALSE(file.empty());
    CHECK(open_any(file).document.layer().scaling.kind == Scaling::Kind::Off);

    click(robot, "head 5");  // a changed selection is saved, too
    robot.key(ImGuiKey_F4);
    robot.frame(57);
    robot.app().files().keeping.keeper()->autosave().wait();
    std::vector<std::string> lost;
    const Looks looks = view_from_json(open_any(file).view, {}, lost);
    CHECK(lost.empty());
    CHECK(looks.view.mode == Mode::Compare);
    CHECK(looks.selection.head == 5);

    const auto written = std::filesystem::last_write_time(file);
    robot.frame(120);  // nothing changes: nothing is written
    robot.app().files().keeping.keeper()->autosave().wait();
    CHECK(std::filesystem::last_write_time(file) == written);
    CHECK_FALSE(robot.app().files().keeping.keep_in());
  }
  CHECK(kept_in(directory.path()).empty());
  CHECK(names_in(directory.path()).empty());
}

TEST_CASE("what a killed program had open comes back, once", "[autosave]") {
  const TemporaryDirectory directory;
  keep_and_be_killed(directory.path(), a_state(2.5f));
  REQUIRE_FALSE(kept_in(directory.path()).empty());
  {
    Robot robot(desk(directory.path()));
    CHECK(robot.document().layer().temperature == 1);
    const Document example = robot.document();
    robot.app().files().opening.restore();
    CHECK(robot.app().message().starts_with("Restored what was open when AttnScope ended unexpectedly."));
    robot.settle();
    CHECK(robot.document().layer().temperature == 2.5f);
    CHECK(robot.app().view().mode == Mode::Compare);
    CHECK(kept_in(directory.path()) ==
          robot.app().files().keeping.keeper()->autosave().file());  // until it is written anew
    robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    robot.settle();
    CHECK(robot.document() == example);
  }
  Robot again(desk(directory.path()));
  again.app().files().opening.restore();
  again.settle();
  CHECK(again.app().message().empty());
}

TEST_CASE("programs that live are left alone, and each dead one comes back to one other", "[autosave]") {
  const TemporaryDirectory directory;
  Autosave alive(directory.path());
  alive.write(a_state(3));
  alive.wait();
  Autosave other(directory.path());
  CHECK(alive.file() != other.file());
  CHECK(other.take_over().empty());
  keep_and_be_killed(directory.path(), a_state(4));
  std::this_thread::sleep_for(20ms);  // file times tell them apart
  keep_and_be_killed(directory.path(), a_state(5));
  const std::filesystem::path newest = other.take_over();
  REQUIRE(newest == other.file());
  CHECK(open_any(newest).document.layer().temperature == 5);
  Autosave third(directory.path());
  REQUIRE_FALSE(third.take_over().empty());
  CHECK(open_any(third.file()).document.layer().temperature == 4);
  CHECK(third.take_over().empty());
  CHECK(open_any(alive.file()).document.layer().temperature == 3);
}

TEST_CASE("a damaged leftover is restored as far as it is good", "[autosave]") {
  const TemporaryDirectory directory;
  keep_and_be_killed(directory.path(), a_state(2.5f));
  const std::filesystem::path file = kept_in(directory.path());
  const std::string text = bytes_of(file);
  std::filesystem::resize_file(file, text.size() * 2 / 3);
  {
    Robot robot(desk(directory.path()));
    robot.app().files().opening.restore();
    robot.settle();
    CHECK(robot.app().message().starts_with("Restored"));
    CHECK(robot.app().message().find("damaged") != std::string::npos);
    CHECK(robot.document().title == "Three tokens by hand");
  }
  keep_and_be_killed(directory.path(), a_state(2.5f));
  std::filesystem::resize_file(kept_in(directory.path()), 30);
  Robot robot(desk(directory.path()));
  const Document before = robot.document();
  robot.app().files().opening.restore();
  robot.settle();
  CHECK(robot.app().message().find("cannot be restored") != std::string::npos);
  CHECK(robot.document() == before);
}

TEST_CASE("where nothing can be written the window says so once and goes on", "[autosave]") {
  const TemporaryDirectory directory;
  directory.write("file", "no directory");
  Robot robot(desk(directory / "file" / "below"));
  const std::string message = robot.app().message(), folder = (directory / "file" / "below").native();
  CHECK(message.find("will not survive a crash: Cannot write \"" + folder + "\": ") != std::string::npos);
  CHECK(is_sentence(message));
  robot.key(ImGuiKey_Escape);
  robot.key(ImGuiKey_S);
  robot.frame(90);
  CHECK(robot.app().message().empty());
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::Off);
  robot.app().files().opening.restore();
  CHECK(robot.app().message().empty());
}

TEST_CASE("a full disk is told once, and the last good copy stays", "[autosave]") {
  const TemporaryDirectory directory;
  Autosave autosave(directory.path());
  autosave.write(a_state(2));
  autosave.wait();
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tiny{64, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tiny);
  autosave.write(a_state(3));
  autosave.wait();
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(autosave.trouble().find("will not survive a crash") != std::string::npos);
  CHECK(autosave.trouble().empty());
  CHECK(open_any(autosave.file()).document.layer().temperature == 2);
  CHECK(names_in(directory.path()).size() == 2);  // the copy and its lock, no leftovers
}

TEST_CASE("kill -9 in the middle of the work: the next window shows it again", "[autosave]") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  const TemporaryDirectory home;
  const std::filesystem::path state = home / "attnscope";
  const std::string example = list_examples(ATTNSCOPE_ASSETS).front().path;
  const auto is_off = [&] {
    try {
      const std::filesystem::path file = kept_in(state);
      return !file.empty() && open_any(file).document.layer().scaling.kind == Scaling::Kind::Off;
    } catch (const Error&) {  // the program has just replaced it
      return false;
    }
  };
  VirtualDisplay display(1920, 1200);
  {
    Robot robot({.width = 1600, .height = 1000, .system_fonts = true, .file = example});
    const ImVec2 place = robot.centre("Divide by sqrt(d_k)");
    WindowProgram program(display, home.path(), {example});
    REQUIRE(program.shows(robot.pixels()));  // from here on the window reacts to a click
    program.click(static_cast<int>(place.x), static_cast<int>(place.y));
    REQUIRE(wait_until(is_off));
  }  // SIGKILL
  const std::filesystem::path left = kept_in(state);
  REQUIRE_FALSE(left.empty());
  REQUIRE(wait_until([&] { return !display.find("AttnScope"); }));
  WindowProgram program(display, home.path());
  REQUIRE(wait_until([&] { return kept_in(state) != left && is_off(); }));
  REQUIRE(program.closes());
  CHECK(kept_in(state).empty());
}

TEST_CASE("the last ten files are remembered, newest first, by every window", "[autosave]") {
  const TemporaryDirectory directory;
  Recent recent(directory / "state"), other(directory / "state");
  for (int i = 0; i < 12; ++i) recent.add(directory.write(std::to_string(i) + ".txt", "words"));
  CHECK(recent.paths().size() == Recent::most);
  CHECK(recent.paths().front().filename() == "11.txt");
  recent.add(directory / "5.txt");
  CHECK(recent.paths().front().filename() == "5.txt");
  CHECK(recent.paths().size() == Recent::most);
  CHECK(std::ranges::count(recent.paths(), "5.txt", [](const auto& path) { return path.filename(); }) == 1);
  other.add(directory / "0.txt");  // keeps the entry of the first window
  CHECK(other.paths()[1].filename() == "5.txt");
  CHECK(Recent(directory / "state").paths() == other.paths());
  directory.write("state/recent", std::string("relative\n/ok.json\n\0\xFF\n", 22));
  CHECK(Recent(directory / "state").paths().front() == "/ok.json");
  CHECK(Recent("").paths().empty());
}

TEST_CASE("the file menu opens recent files and greys those that are gone", "[autosave]") {
  const TemporaryDirectory directory, state;
  const std::filesystem::path one = directory.write("one.txt", "one two three"),
                              two = directory.write("two.txt", "four");
  Robot robot(desk(state.path()));
  robot.app().files().opening.open(one);
  robot.settle();
  robot.app().files().opening.open(two);
  robot.settle();
  REQUIRE(robot.document().title == "two.txt");
  std::filesystem::remove(two);
  robot.click("File");
  robot.frame(3);
  const std::string told = robot.app().message();
  click(robot, "recent " + two.native());  // grey: nothing happens
  CHECK(robot.app().message() == told);
  click(robot, "recent " + one.native());
  CHECK(robot.document().title == "one.txt");
}

}  // namespace attnscope::autosave_test
