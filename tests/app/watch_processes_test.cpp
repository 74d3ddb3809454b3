// The Watch page with several processes, and with one that has ended: which of them is shown, and the message
// when one ends.
#include <chrono>

#include <catch2/catch_test_macros.hpp>

#include "app/views/watch/parts.hpp"
#include "app/watch_robot.hpp"

namespace attnscope::watch_processes_test {
namespace {

using namespace attnscope::test;
using namespace std::chrono_literals;

const RobotOptions wide{.width = 1600, .height = 1000};

bool ends(Robot& robot, WatchEnd end) {
  return comes(robot, [&] {
    const WatchConnection& now = shown_watch(robot).connection;
    return now.state == WatchConnection::State::Ended && now.end == end;
  });
}

/// The page with two processes, of which the one that sent last is shown.
struct TwoProcesses {
  TwoProcesses() {
    first.pass(4);
    second.pass(6);
    show_watch_page(robot);
    REQUIRE(shows_tokens(robot, 6));
  }
  WatchFolder folder;
  WatchedProcess first{folder, 0}, second{folder, 1};
  Robot robot{wide};
};

}  // namespace

TEST_CASE("watch: a closed watch, an ended process and a killed one are told apart", "[watch]") {
  const WatchFolder folder;
  OtherProcess other;
  WatchedProcess process(folder);
  process.writer.set(watch_format::Pid, other.pid());
  process.writer.set(watch_format::StartTime, 0);
  process.generate(4, 1);
  Robot robot(wide);
  show_watch_page(robot);
  REQUIRE(shows_tokens(robot, 5));
  SECTION("the watch is closed, and its process ends later") {
    process.writer.close();
    REQUIRE(ends(robot, WatchEnd::WatchClosed));
    CHECK(shows(robot, "watch closed"));
    CHECK_FALSE(shows(robot, "process ended"));
    other.end();
    REQUIRE(ends(robot, WatchEnd::ProcessEnded));
    CHECK(shows(robot, "process ended"));
    CHECK_FALSE(shows(robot, "watch closed"));
  }
  SECTION("the process is killed") {
    other.end();
    REQUIRE(ends(robot, WatchEnd::ProcessGone));
    CHECK(shows(robot, "process gone"));
    CHECK_FALSE(shows(robot, "process ended"));
  }
  CHECK(shown_watch(robot).text->keys == 5);
}

TEST_CASE("watch: one of several processes is chosen, and stays while it lives", "[watch]") {
  TwoProcesses two;
  Robot& robot = two.robot;
  CHECK_FALSE(watch_state(robot).is_chosen);
  robot.click("Watched process");
  robot.settle();
  robot.click("###watched process 1");
  REQUIRE(shows_tokens(robot, 4));
  CHECK(shown_watch(robot).connection.path == two.first.writer.path());

  // One that begins now and calls watch() is added to the list.
  WatchedProcess third(two.folder, 2);
  third.pass(3);
  robot.app().files().opening.open(third.writer.path());
  frames_for(robot, 1500ms);
  CHECK(shown_watch(robot).text->keys == 4);
  CHECK(watched_choices(shown_watch(robot).connection).size() == 3);
  robot.click("File");
  robot.settle();
  CHECK(robot.has("###watched process 2"));
  robot.key(ImGuiKey_Escape);
  robot.settle();

  // When a process ends, its last pass stays: none of the others replaces it.
  two.first.writer.close();
  REQUIRE(ends(robot, WatchEnd::WatchClosed));
  frames_for(robot, 1500ms);
  CHECK(shown_watch(robot).text->keys == 4);
  WatchedProcess fourth(two.folder, 3);
  fourth.pass(2);
  REQUIRE(shows_tokens(robot, 2));
  CHECK_FALSE(watch_state(robot).is_chosen);
}

TEST_CASE("watch: where none was chosen the next living process follows, but not into a pause", "[watch]") {
  TwoProcesses two;
  Robot& robot = two.robot;
  robot.key(ImGuiKey_Space);
  two.second.writer.close();
  REQUIRE(ends(robot, WatchEnd::WatchClosed));
  frames_for(robot, 1500ms);
  CHECK(shown_watch(robot).text->keys == 6);
  robot.key(ImGuiKey_Space);
  CHECK(shows_tokens(robot, 4));
}

TEST_CASE("watch: the palette leads to the next process, and back to the first", "[watch]") {
  TwoProcesses two;
  Robot& robot = two.robot;
  for (const std::int64_t tokens : {4, 6}) {
    robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
    robot.settle();
    robot.type("watch the next process");
    robot.settle();
    robot.key(ImGuiKey_Enter);
    REQUIRE(shows_tokens(robot, tokens));
  }
}

}  // namespace attnscope::watch_processes_test
