// A step's task counts as done only if the user did it.
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/lesson_robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::lesson_done_test {

using namespace attnscope::test;

TEST_CASE("what a step begins with was not done", "[lessons][lesson_player]") {
  const TemporaryDirectory directory;
  std::string text = bytes_of(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons" / "04-why-divide.md");
  const std::size_t condition = text.find("d_k <= 4\n");
  REQUIRE(condition != text.npos);
  text.replace(condition, 8, "d_k <= 4096");
  Player player;
  player.app().files().opening.open(directory.write("begun.md", text));
  player.settle();
  player.app().lessons().go_to({(directory / "begun.md").native(), 5});
  player.settle();
  CHECK_FALSE(player.state().reached.contains(5));
  player.click("d_k less");
  player.settle();
  CHECK(player.state().reached.contains(5));
}

}  // namespace attnscope::lesson_done_test
