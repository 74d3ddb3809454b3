// The real program in a real window on a display without a screen: it starts, takes clicks, rests and ends.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "app/files/paths.hpp"
#include "app/state/start_state.hpp"
#include "support/temporary_directory.hpp"
#include "tests/robot/child_process.hpp"
#include "tests/robot/robot.hpp"
#include "tests/robot/virtual_display.hpp"

namespace attnscope::window_test {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto patience = 30s;  // for a sanitized program on a busy machine

bool wait_until(const std::function<bool()>& condition) {
  for (const auto end = Clock::now() + patience; Clock::now() < end; std::this_thread::sleep_for(5ms))
    if (condition()) return true;
  return false;
}

/// The program, its display and its window, once that shows something. What it remembers is its own.
struct Running {
  test::TemporaryDirectory state;  // never a person's own
  VirtualDisplay display{1920, 1200};
  std::optional<ChildProcess> program;
  VirtualDisplay::Window window = 0;
  double first_frame_milliseconds = 0;

  explicit Running(const std::string& layout = {}, bool first_launch = false) {
    if (!layout.empty() && !display.set_layout(layout)) SKIP("setxkbmap is not installed (x11-xkb-utils)");
    if (!first_launch) {
      StartState left;
      left.left = true;
      write_start(state / "attnscope", left);
    }
    display.move_pointer(1900, 1190);  // beside the window: nothing hovers
    const auto start = Clock::now();
    program.emplace(std::vector<std::string>{ATTNSCOPE_PROGRAM},
                    ChildProcess::Options{{"DISPLAY=" + display.name(), "LANGUAGE=en",
                                           "XDG_STATE_HOME=" + state.path().native()},
                                          -1,
                                          false});
    REQUIRE(wait_until([this] {
      const auto found = display.find("AttnScope");
      if (found) window = *found;
      return found || !program->running();
    }));
    REQUIRE(program->running());
    REQUIRE(wait_until(
        [this] { return (display.pixel(window, 4, 4) & 0xFFFFFF) != 0; }));  // no theme is black there
    first_frame_milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }

  /// The picture once it stands still.
  Image picture() {
    Image last;
    const bool still = wait_until([&] {
      std::this_thread::sleep_for(150ms);
      Image now = display.pixels(window);
      std::swap(now, last);
      return now == last;
    });
    REQUIRE(still);
    return last;
  }
};

/// A window that begins as the program's does.
RobotOptions as_started(int width, int height) {
  return {
      .width = width, .height = height, .system_fonts = true, .opening = opening_picture(assets_directory())};
}

/// Share of pixels that differ; 1 when the sizes do.
double difference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return 1;
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    count += (a.pixels[i] & 0xFFFFFF) != (b.pixels[i] & 0xFFFFFF);
  return static_cast<double>(count) / static_cast<double>(a.pixels.size());
}

}  // namespace

TEST_CASE("the window shows what the robot sees, takes a click, rests and closes") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  Robot robot(as_started(1600, 1000));
  Running session;
  const Image before = session.picture();
  std::printf("window: first frame %.0f ms after start\n", session.first_frame_milliseconds);
  CHECK(session.first_frame_milliseconds < 10'000);   // a busy machine; the printed figure is what counts
  CHECK(difference(before, robot.pixels()) < 0.005);  // the milliseconds in the top bar

  const ImVec2 place = robot.centre("Divide by sqrt(d_k)");
  robot.click("Divide by sqrt(d_k)");
  robot.leave();
  robot.settle();
  session.display.click(session.window, static_cast<int>(place.x), static_cast<int>(place.y));
  CHECK(wait_until([&] { return difference(session.display.pixels(session.window), before) > 0.02; }));
  session.display.move_pointer(1900, 1190);  // takes the tooltip away
  CHECK(difference(session.picture(), robot.pixels()) < 0.005);

  std::this_thread::sleep_for(1s);  // the last look for late tooltips
  const auto used = session.program->processor_time();
  std::this_thread::sleep_for(2s);
  const double share = (session.program->processor_time() - used).count() / 2;
  std::printf("window: %.1f %% of a processor while idle\n", 100 * share);
  CHECK(share < 0.02);

  session.display.close(session.window);
  CHECK(session.program->wait(patience) == 0);
}

TEST_CASE("the first launch offers three things to try, the second does not when they were put away") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  Robot robot(as_started(1600, 1000));
  const Image without = robot.pixels();
  robot.app().offer_start();
  robot.settle();
  const ImVec2 close = robot.centre("Leave the first steps");
  Running session({}, true);
  CHECK(difference(session.picture(), robot.pixels()) < 0.005);
  session.display.click(session.window, static_cast<int>(close.x), static_cast<int>(close.y));
  session.display.move_pointer(1900, 1190);
  CHECK(wait_until([&] { return difference(session.display.pixels(session.window), without) < 0.005; }));
  CHECK(read_start(session.state / "attnscope").left);
  session.display.close(session.window);
  CHECK(session.program->wait(patience) == 0);
}

TEST_CASE("the window follows its size and closes at once while it computes") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  Running session;
  session.picture();
  session.display.resize(session.window, 1280, 720);
  const Image small = session.picture();
  CHECK(small.width == 1280);
  CHECK(small.height == 720);
  CHECK((small.at(1270, 710) & 0xFFFFFF) != 0);  // painted into its last corner
  Robot robot(as_started(1280, 720));
  CHECK(difference(small, robot.pixels()) < 0.005);
  const ImVec2 place = robot.centre("Divide by sqrt(d_k)");
  session.display.click(session.window, static_cast<int>(place.x), static_cast<int>(place.y));
  session.display.close(session.window);
  CHECK(session.program->wait(patience) == 0);
}

TEST_CASE("what is typed in one moment arrives without another event") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  const std::string text = "thirty letters typed in one go";
  Robot robot(as_started(1600, 1000));
  Running session;
  session.picture();
  const ImVec2 field = robot.centre("##Text");
  session.display.click(session.window, static_cast<int>(field.x), static_cast<int>(field.y));
  session.display.press(session.window, 'a', true);
  session.display.type(session.window, text);
  const auto strip = [](const Image& whole) {
    Image part(whole.width, 80);
    for (int y = 0; y < part.height; ++y)
      for (int x = 0; x < part.width; ++x) part.at(x, y) = whole.at(x, 48 + y);
    return part;
  };
  robot.click("##Text");
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.type(text);
  robot.settle();
  CHECK(difference(strip(session.picture()), strip(robot.pixels())) < 0.001);
  std::this_thread::sleep_for(7s);  // until what was told has gone
  const auto used = session.program->processor_time();
  std::this_thread::sleep_for(2s);
  CHECK((session.program->processor_time() - used).count() / 2 < 0.02);  // and then it rests
}

TEST_CASE("on a German keyboard plus is plus") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  Running session("de");
  const Image before = session.picture();
  session.display.press(session.window, '+', false);  // where an American keyboard has ]
  std::this_thread::sleep_for(500ms);
  CHECK(difference(session.picture(), before) < 0.005);
  session.display.press(session.window, '+', true);
  CHECK(wait_until([&] { return difference(session.display.pixels(session.window), before) > 0.05; }));
  session.display.press(session.window, '-', true);
  CHECK(difference(session.picture(), before) < 0.01);
}

TEST_CASE("without a display the program says what to do instead") {
  ChildProcess program(
      {"sh", "-c", "exec '" ATTNSCOPE_PROGRAM "' 2>&1 | grep -q 'no display: use .attnscope render'"},
      {{"DISPLAY="}, -1, true});
  CHECK(program.wait(patience) == 0);
  ChildProcess again({ATTNSCOPE_PROGRAM}, {{"DISPLAY="}, -1, true});
  CHECK(again.wait(patience) == 1);
}

}  // namespace attnscope::window_test
