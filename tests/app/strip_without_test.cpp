// While the model is shown without its changes the strip has no weights, since they are those with the
// changes: for one text, for cross-attention, and for the self-attention of both stacks.
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "app/model_robot.hpp"
#include "robot/robot.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::strip_without_test {

using namespace attnscope::test;

namespace {

/// Whether anything is drawn in the line below the item.
bool is_drawn_below(Robot& robot, const std::string& label) {
  const RecordedItem* const item = robot.items().find(label);
  REQUIRE(item != nullptr);
  const auto left = static_cast<int>(item->min.x), right = static_cast<int>(item->max.x);
  const int top = static_cast<int>(item->max.y) + 8;  // below the ring of the chosen token
  const Image image = robot.pixels();
  const auto pixel = [&](int x, int y) {
    return image.pixels[static_cast<std::size_t>(y * image.width + x)];
  };
  for (int y = top; y < top + 8; ++y)
    for (int x = left; x < right; ++x)
      if (pixel(x, y) != pixel(left, top)) return true;
  return false;
}

/// `check` reads the picture of the last frame: a pressed button is not shown in one that is drawn again.
template <class Check>
void while_held(Robot& robot, Check check) {
  robot.move(robot.centre("Hold: without"));
  robot.press();
  robot.frame(2);
  check();
  robot.release();
  robot.settle();
}

/// A session of the small T5 that shows one stack's self-attention, with one head zeroed.
std::filesystem::path with_zeroed_head(const TemporaryDirectory& directory, const std::string& stack) {
  return directory.write(
      stack + ".json",
      fmt::format(R"({{"attnscope": 1, "session": 1, "model": {{"path": "t5", "text": "the cat sat",
        "decoder_text": "die Katze", "of": "{0}", "block": 1,
        "heads": [{{"of": "{0}", "block": 1, "head": 0, "kind": "zero"}}]}}, "view": {{"mode": "model"}}}})",
                  stack));
}

}  // namespace

TEST_CASE("while the model is shown without its changes the strip has no weights, of two texts neither") {
  const TemporaryDirectory directory;
  write_small_t5(directory / "t5");
  RobotOptions of_two;
  of_two.width = 1600;
  of_two.file = directory / "t5";
  of_two.height = 1400;
  for (const bool two_texts : {false, true}) {
    INFO(two_texts);
    Robot robot(two_texts ? of_two : with_letters(directory));
    if (!two_texts) type_text(robot, "ab c de a");
    const auto has_weights = [&] {
      if (!two_texts) return is_drawn_below(robot, "token 0");
      return is_drawn_below(robot, "encoder token 0") || is_drawn_below(robot, "decoder token 0");
    };
    robot.click("Head: zero");
    robot.settle();
    REQUIRE(has_weights());
    while_held(robot, [&] { CHECK_FALSE(has_weights()); });
    CHECK(has_weights());
  }
}

TEST_CASE(
    "an encoder's and a decoder's own attention leave the strip while the model is without its changes") {
  const TemporaryDirectory directory;
  write_small_t5(directory / "t5");
  for (const std::string stack : {"encoder", "decoder"}) {
    INFO(stack);
    RobotOptions options;
    options.width = 1600;
    options.height = 1400;
    options.file = with_zeroed_head(directory, stack);
    Robot robot(options);
    robot.settle();
    REQUIRE(model_within(robot).changes.heads.size() == 1);
    const std::string other = stack == "encoder" ? "decoder" : "encoder";
    const auto has_weights = [&](const std::string& of) { return is_drawn_below(robot, of + " token 0"); };
    REQUIRE(has_weights(stack));
    CHECK_FALSE(has_weights(other));  // its tokens are no keys of this attention
    while_held(robot, [&] {
      CHECK(model_state(robot).without_changes);
      CHECK_FALSE(has_weights(stack));
      CHECK_FALSE(has_weights(other));
    });
    CHECK_FALSE(model_state(robot).without_changes);
    CHECK(has_weights(stack));
  }
}

}  // namespace attnscope::strip_without_test
