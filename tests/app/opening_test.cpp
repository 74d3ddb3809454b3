// A file that is opened is read once, and not by the thread of the window.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "robot/robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::opening_test {
namespace {

/// Bytes that a thread, or all of them, have read from files so far.
std::uint64_t bytes_read(const char* whose) {
  std::ifstream file(std::string("/proc/") + whose + "/io");
  std::string name;
  std::uint64_t count = 0;
  while (file >> name >> count)
    if (name == "rchar:") return count;
  return 0;
}

}  // namespace

TEST_CASE("opening: a long document is read once, by another thread", "[opening]") {
  const test::TemporaryDirectory directory;
  constexpr std::uint64_t bytes = 8 << 20;  // smaller than what is opened in the background
  const std::filesystem::path path = directory.write(
      "long.json", R"({"attnscope": 1, "text": ["a b c"], "title": "long"})" + std::string(bytes, ' '));
  Robot robot({.width = 1280, .height = 800});
  REQUIRE(bytes_read("thread-self") > 0);
  const std::uint64_t own = bytes_read("thread-self"), all = bytes_read("self");
  robot.app().files().opening.open(path);
  const std::uint64_t own_after = bytes_read("thread-self"), all_after = bytes_read("self");
  CHECK(robot.document().title == "long");  // it is open at once
  CHECK(own_after - own < bytes / 8);
  CHECK(all_after - all >= bytes);
  CHECK(all_after - all < bytes + bytes / 2);
}

TEST_CASE("opening: what stands in a model is opened behind the window, however short", "[opening]") {
  const test::TemporaryDirectory directory;
  Robot robot({.width = 1280, .height = 800});
  const std::string before = robot.document().title;
  robot.app().files().opening.open(directory / "missing.json");
  CHECK(robot.app().message().find("missing.json") != std::string::npos);  // known at once
  robot.app().files().opening.open(directory.write("broken.json", "{\"attnscope\": 1, "));
  CHECK(robot.app().message().find("broken.json") != std::string::npos);
  CHECK(robot.document().title == before);
}

}  // namespace attnscope::opening_test
