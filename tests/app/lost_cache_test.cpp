// A text that becomes shorter than its cache: the window says so, and undo restores the cache.
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/hands_robot.hpp"

namespace attnscope::lost_cache_test {

using namespace attnscope::test;

namespace {

RobotOptions with_cache() {
  RobotOptions options{.width = 1600, .height = 1000};
  options.file = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "10-kv-cache.json";
  return options;
}

}  // namespace

TEST_CASE("cached tokens that go with a replaced sentence are told, and undo brings them back") {
  Robot robot(with_cache());
  robot.settle();
  const int cached = robot.document().input.cached;
  REQUIRE(cached > 0);
  robot.retype("##Text", "a cat");
  CHECK(robot.document().input.cached == 0);
  CHECK(robot.app().message() ==
        "Too few tokens are left for what was cached, so nothing is cached now. Ctrl+Z goes back.");
  robot.key(ImGuiKey_Enter);
  robot.settle();
  for (int steps = 0; robot.document().input.cached == 0 && steps < 6; ++steps) undo(robot);
  CHECK(robot.document().input.cached == cached);
}

TEST_CASE("a sentence that still has what is cached keeps it, without a word") {
  Robot robot(with_cache());
  robot.settle();
  const int cached = robot.document().input.cached;
  robot.retype("##Text", "The cat sat on the mat because it was very warm");
  CHECK(robot.document().input.cached == cached);
  CHECK(robot.app().message().find("cached") == std::string::npos);
}

}  // namespace attnscope::lost_cache_test
