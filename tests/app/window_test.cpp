// The real program in a real window on a virtual display: it starts, takes clicks, idles and ends.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/files/paths.hpp"
#include "app/state/start_state.hpp"
#include "app/window_robot.hpp"
#include "support/temporary_directory.hpp"
#include "tests/robot/robot.hpp"

namespace attnscope::window_test {

using namespace attnscope::test;

namespace {

/// The program as it starts without arguments, on a display of its own.
struct Running {
  TemporaryDirectory home;  // never the user's own
  VirtualDisplay display{1920, 1200};
  std::optional<WindowProgram> program;

  explicit Running(const std::string& layout = {}, bool first_launch = false) {
    if (!layout.empty() && !display.set_layout(layout)) SKIP("setxkbmap is not installed (x11-xkb-utils)");
    if (!first_launch) {
      StartState left;
      left.left = true;
      write_start(state(), left);
    }
    program.emplace(display, home.path());
  }
  std::filesystem::path state() const { return home / "attnscope"; }
};

/// A window that begins as the program's does.
RobotOptions as_started(int width, int height) {
  return {
      .width = width, .height = height, .system_fonts = true, .opening = opening_picture(assets_directory())};
}

}  // namespace

TEST_CASE("the window shows what the robot sees, takes a click, rests and closes") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  Robot robot(as_started(1600, 1000));
  const Image before = robot.pixels();
  const auto start = std::chrono::steady_clock::now();
  Running session;
  WindowProgram& program = *session.program;
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  std::printf("window: first frame %.0f ms after start, its display's included\n", taken.count());
  CHECK(program.shows(before));

  const ImVec2 place = robot.centre("Divide by sqrt(d_k)");
  robot.click("Divide by sqrt(d_k)");
  robot.leave();
  robot.settle();
  REQUIRE(difference(robot.pixels(), before) > 0.02);
  program.click(static_cast<int>(place.x), static_cast<int>(place.y));
  program.leave();
  CHECK(program.shows(robot.pixels()));
  CHECK(program.rests());
  CHECK(program.closes());
}

TEST_CASE("the first launch offers three things to try, the second does not when they were put away") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  Robot robot(as_started(1600, 1000));
  const Image without = robot.pixels();
  robot.app().offer_start();
  robot.settle();
  const ImVec2 close = robot.centre("Leave the first steps");
  Running session({}, true);
  WindowProgram& program = *session.program;
  CHECK(program.shows(robot.pixels()));
  program.click(static_cast<int>(close.x), static_cast<int>(close.y));
  program.leave();
  CHECK(program.shows(without));
  CHECK(read_start(session.state()).left);
  CHECK(program.closes());
}

TEST_CASE("the window follows its size and closes at once while it computes") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  Robot robot(as_started(1280, 720));
  Running session;
  WindowProgram& program = *session.program;
  session.display.resize(program.window(), 1280, 720);
  REQUIRE(program.shows(robot.pixels()));
  CHECK((program.pixels().at(1270, 710) & 0xFFFFFF) != 0);  // painted into its last corner
  const ImVec2 place = robot.centre("Divide by sqrt(d_k)");
  program.click(static_cast<int>(place.x), static_cast<int>(place.y));
  CHECK(program.closes());
}

TEST_CASE("what is typed in one moment arrives without another event") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  const std::string text = "thirty letters typed in one go";
  Robot robot(as_started(1600, 1000));
  Running session;
  WindowProgram& program = *session.program;
  REQUIRE(program.shows(robot.pixels()));
  const ImVec2 field = robot.centre("##Text");
  program.click(static_cast<int>(field.x), static_cast<int>(field.y));
  session.display.press(program.window(), 'a', true);
  session.display.type(program.window(), text);
  const auto strip = [](const Image& whole) {
    Image part(whole.width, 80);
    for (int y = 0; y < std::min(part.height, whole.height - 48); ++y)
      for (int x = 0; x < part.width; ++x) part.at(x, y) = whole.at(x, 48 + y);
    return part;
  };
  const Image before = strip(robot.pixels());
  robot.click("##Text");
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.type(text);
  robot.settle();
  const Image expected = strip(robot.pixels());
  REQUIRE(difference(before, expected) > 0.01);
  CHECK(wait_until([&] { return difference(strip(program.pixels()), expected) < 0.001; }));
  CHECK(program.rests());
}

TEST_CASE("on a German keyboard plus is plus") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  Robot robot(as_started(1600, 1000));
  const Image before = robot.pixels();
  Running session("de");
  WindowProgram& program = *session.program;
  REQUIRE(program.shows(before));
  session.display.press(program.window(), '+',
                        false);  // the key of ] on an American keyboard, which would act
  session.display.press(program.window(), '+', true);
  CHECK(wait_until([&] { return difference(program.pixels(), before) > 0.05; }));
  session.display.press(program.window(), '-', true);
  CHECK(program.shows(before));
  robot.key(ImGuiKey_RightBracket);
  robot.settle();
  CHECK(difference(robot.pixels(), before) > 2 * WindowProgram::same);
}

TEST_CASE("the speaker's window that was closed comes back with its key, and the program ends with it open") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  const TemporaryDirectory home;
  VirtualDisplay display{1920, 1200};
  WindowProgram program(display, home.path(),
                        {(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons/04-why-divide.md").native()});
  const auto has_notes = [&] { return display.find("speaker notes").has_value(); };
  REQUIRE(program.rests());  // the lesson is open
  display.press(program.window(), "F5");
  display.press(program.window(), "n");
  REQUIRE(wait_until(has_notes));
  display.close(*display.find("speaker notes"));
  REQUIRE(wait_until([&] { return !has_notes(); }));
  display.press(program.window(), "n");
  CHECK(wait_until(has_notes));
  CHECK(program.closes());
}

TEST_CASE("without a display the program says what to do instead") {
  ChildProcess program(
      {"sh", "-c", "exec '" + program_path() + "' 2>&1 | grep -q 'no display: use .attnscope render'"},
      {{"DISPLAY="}, -1, true});
  CHECK(program.wait(patience) == 0);
  ChildProcess again({program_path()}, {{"DISPLAY="}, -1, true});
  CHECK(again.wait(patience) == 1);
}

}  // namespace attnscope::window_test
