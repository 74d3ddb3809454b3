// The Watch page in every size, theme and language: its words fit and overlap nothing. With
// ATTNSCOPE_WATCH_PICTURES=FOLDER its pictures are written, to be looked at.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/kit/draw/image.hpp"
#include "app/state/regions/token_look.hpp"
#include "app/watch_robot.hpp"

namespace attnscope::watch_sizes_test {
namespace {

using namespace attnscope::test;

struct WatchWindow {
  int width, height;
  const char* language;
  ThemeName theme;
};
constexpr WatchWindow windows[] = {
    {1600, 1000, "en", ThemeName::Dark}, {1600, 1000, "de", ThemeName::Light},
    {1280, 720, "de", ThemeName::Dark},  {1280, 720, "en", ThemeName::Contrast},
    {800, 600, "en", ThemeName::Dark},   {800, 600, "de", ThemeName::Dark}};

void keep_picture(Robot& robot, const WatchWindow& window, const char* what) {
  const char* const folder = std::getenv("ATTNSCOPE_WATCH_PICTURES");
  if (folder == nullptr) return;
  save_png(robot.pixels(),
           std::filesystem::path(folder) / fmt::format("{}-{}-{}-{}.png", what, window.width, window.language,
                                                       static_cast<int>(window.theme)));
}

std::string faults(Robot& robot) {
  robot.leave();
  robot.settle();
  const std::vector<PlacedText> texts = texts_of(robot);
  std::vector<std::string> found = collisions(texts);
  for (const PlacedText& text : texts)
    if (text.x1 > static_cast<float>(robot.width()) + 1 || text.y1 > static_cast<float>(robot.height()) + 1 ||
        text.x0 < -1)
      found.push_back(text.text + " is outside");
  return fmt::format("{}", fmt::join(found, "\n"));
}

Robot robot_of(const WatchWindow& window) {
  RobotOptions options{.width = window.width, .height = window.height, .theme = window.theme};
  options.system_fonts = std::getenv("ATTNSCOPE_WATCH_PICTURES") != nullptr;
  return Robot(options);
}

}  // namespace

TEST_CASE("watch: the empty page has room in every window, theme and language", "[watch]") {
  const WatchFolder folder;
  for (const WatchWindow& window : windows) {
    INFO(window.width << " " << window.language);
    Robot robot = robot_of(window);
    robot.app().view().language = window.language;
    show_watch_page(robot);
    CHECK(faults(robot) == "");
    keep_picture(robot, window, "empty");
  }
}

TEST_CASE("watch: a page with a process has room in every window, theme and language", "[watch]") {
  const WatchFolder folder;
  const WatchedProcess other(folder, 0);  // so that there is a choice
  WatchedProcess process(folder, 1, 30, 9, 3);
  process.generate(16, 13);
  for (const WatchWindow& window : windows) {
    INFO(window.width << " " << window.language);
    Robot robot = robot_of(window);
    robot.app().view().language = window.language;
    show_watch_page(robot);
    REQUIRE(shows_tokens(robot, 29));
    watch_state(robot).layer = 17;
    watch_state(robot).head = 5;
    robot.settle();
    CHECK(faults(robot) == "");
    keep_picture(robot, window, "live");
    robot.key(ImGuiKey_LeftArrow);
    watch_state(robot).colour = WatchColour::Change;
    token_look_of(robot.app().view()).direction = Direction::KeyToQueries;
    CHECK(faults(robot) == "");
    keep_picture(robot, window, "change");
    token_look_of(robot.app().view()).direction = Direction::QueryToKeys;
    robot.key(ImGuiKey_Backslash);
    robot.key(ImGuiKey_End);  // a later row than the held one
    robot.key(ImGuiKey_Slash);
    robot.settle();
    CHECK(watch_state(robot).differs);
    CHECK(faults(robot) == "");
    keep_picture(robot, window, "held");
    watch_state(robot).offers = {
        {"/models/SmolLM2-135M-Instruct", "SmolLM2-135M-Instruct", "Hugging Face", true},
        {"/models/other.gguf", "other", "", false}};
    CHECK(faults(robot) == "");
    keep_picture(robot, window, "offer");
    watch_state(robot).calls_large = true;
    CHECK(faults(robot) == "");
    keep_picture(robot, window, "calls");
    watch_state(robot).calls_large = false;
    watch_state(robot).offers.clear();
  }
}

TEST_CASE("watch: heads of over 100 tokens wear the largest weight of a cell unless the mean is chosen",
          "[watch]") {
  const WatchFolder folder;
  WatchedProcess process(folder, 0, 3, 4, 2, 140);
  process.pass(90);
  Robot robot(RobotOptions{.width = 1600, .height = 1000});
  show_watch_page(robot);
  REQUIRE(shows_tokens(robot, 90));
  CHECK(shows(robot, "mean of each cell"));
  process.pass(20);
  REQUIRE(shows_tokens(robot, 110));
  CHECK(shows(robot, "largest of each cell"));
  CHECK(faults(robot) == "");
  watch_state(robot).pools_maximum = false;
  robot.settle();
  CHECK(shows(robot, "mean of each cell"));
}

}  // namespace attnscope::watch_sizes_test
