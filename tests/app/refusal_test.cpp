// Documents that cannot be computed: the last picture stays, dimmed with a reason, the wrong number is red,
// remedies are a click away.
#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/compare_robot.hpp"
#include "app/state/regions/controls_state.hpp"
#include "robot/layout.hpp"

namespace attnscope::refusal_test {

using test::colour_at;
using test::item;

namespace {

bool tells(Robot& robot, const std::string& words) {
  const Notices notices = robot.app().view().notices;
  const std::vector<PlacedText> texts = texts_of(robot);
  robot.app().view().notices = notices;  // reading the texts dismisses the notices
  return std::any_of(texts.begin(), texts.end(),
                     [&](const PlacedText& t) { return t.text.find(words) != std::string::npos; });
}

/// Whether something red is drawn at the number of a control.
bool has_red(Robot& robot, const RecordedItem& number) {
  const Image picture = robot.pixels();
  const Rgba red = theme(ThemeName::Dark).error;
  for (int y = static_cast<int>(number.min.y); y < static_cast<int>(number.max.y); ++y)
    for (int x = static_cast<int>(number.min.x); x < static_cast<int>(number.max.x); ++x)
      if (picture.at(x, y) == red) return true;
  return false;
}

/// Whether a control shows its number in red.
bool is_red(Robot& robot, const std::string& control) {
  return has_red(robot, item(robot, control + " value"));
}

/// The field of a number, all of it selected.
void begin_typing(Robot& robot, const std::string& control) {
  robot.click(control + " value");
  robot.frame(2);  // the field appears, then takes the keyboard
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
}

int brightness(Rgba c) { return static_cast<int>((c & 0xFFu) + ((c >> 8) & 0xFFu) + ((c >> 16) & 0xFFu)); }

/// Of the cell The → The, which has the whole weight of its row.
int brightness_of_map(Robot& robot) {
  const RecordedItem& map = item(robot, "heatmap 0");
  return brightness(colour_at(robot.pixels(), {map.min.x + 5, map.min.y + 5}));
}

}  // namespace

TEST_CASE("a stale picture is dimmed and says why, also after the message is closed") {
  Robot robot({.width = 1600, .height = 2400});     // high enough for the column with all sections unfolded
  controls_of(robot.app().view()).more.fill(true);  // also shows widths d_model / heads, with 0 heads, too
  robot.settle();
  robot.leave();
  robot.frame(2);
  const int bright = brightness_of_map(robot);
  REQUIRE(bright > 500);
  for (const char* heads : {"3", "0", "-1"}) {
    INFO(heads);
    robot.type_number("Head count value", heads);
    robot.leave();
    robot.frame(2);
    CHECK(robot.app().shown()->layer().dimensions.heads == 8);
    CHECK(brightness_of_map(robot) < bright / 2);
    CHECK(tells(robot, "not computed"));
    CHECK(is_red(robot, "Head count"));
    CHECK_FALSE(is_red(robot, "d_model"));
    robot.click("Dismiss");
    robot.leave();
    robot.frame(2);
    CHECK_FALSE(robot.has("Dismiss"));
    CHECK(robot.app().message().empty());
    CHECK(brightness_of_map(robot) < bright / 2);
    CHECK(tells(robot, "not computed:"));
    CHECK(is_red(robot, "Head count"));
  }
  robot.type_number("Head count value", "8");
  robot.leave();
  robot.frame(2);
  CHECK(brightness_of_map(robot) == bright);
  CHECK_FALSE(tells(robot, "not computed"));
  CHECK_FALSE(is_red(robot, "Head count"));
}

TEST_CASE("the remedy is a button, in the card and in the line that stays of it") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  robot.type_number("Head count value", "3");
  REQUIRE(robot.has("heads: use 4"));
  REQUIRE(robot.has("d_model: use 66"));
  robot.click("d_model: use 66");
  robot.settle();
  CHECK(robot.app().shown()->layer().dimensions.d_model == 66);
  CHECK(robot.app().shown()->layer().dimensions.heads == 3);
  CHECK(robot.app().message().empty());
  robot.type_number("d_model value", "65");
  CHECK(is_red(robot, "d_model"));
  CHECK_FALSE(is_red(robot, "Head count"));
  robot.click("Dismiss");
  robot.frame();
  robot.click("d_model: use 66");
  robot.settle();
  CHECK(robot.app().shown()->layer().dimensions.d_model == 66);
  CHECK_FALSE(robot.has("Not computed"));
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);  // a remedy is undone like any change
  robot.settle();
  CHECK(robot.document().layer().d_model == 65);
}

TEST_CASE("d_model 6000 is refused with the range that is true, and nothing speaks of W_Q") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  robot.type_number("d_model value", "6000");
  CHECK(robot.app().message() == "d_model is 6000; it must be from 1 to 4096.");
  CHECK(robot.has("d_model: use 4096"));
  CHECK(is_red(robot, "d_model"));
  CHECK(robot.app().shown()->layer().dimensions.d_model == 64);
}

TEST_CASE("the stale picture is dimmed in Walk and Compare, too, and out of no hand's reach") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  robot.type_number("Head count value", "7");
  for (const ImGuiKey mode : {ImGuiKey_F3, ImGuiKey_F4}) {
    robot.key(mode);
    robot.settle();
    CHECK(tells(robot, "not computed"));
    CHECK(robot.has("heads: use 8"));
  }
  robot.key(ImGuiKey_F2);
  robot.settle();
  robot.leave();
  robot.click("heatmap 0");  // the dimming takes no clicks
  robot.settle();
  CHECK(robot.app().selection().locked);
  robot.click("heads: use 8");
  robot.settle();
  CHECK(robot.app().message().empty());
  CHECK(robot.app().view().refusal.empty());
}

TEST_CASE("d_k can be chosen: d_model becomes heads times it, and Compare names it") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  robot.key(ImGuiKey_Backslash);
  robot.settle();
  robot.type_number("d_k value", "64");
  CHECK(robot.app().shown()->layer().dimensions.d_k == 64);
  CHECK(robot.app().shown()->layer().dimensions.d_model == 512);
  CHECK(robot.app().shown()->layer().dimensions.heads == 8);
  robot.click("d_k less");
  robot.settle();
  CHECK(robot.app().shown()->layer().dimensions.d_k == 32);
  robot.key(ImGuiKey_F4);
  robot.settle();
  CHECK(tells(robot, "dₖ 32"));
  CHECK(tells(robot, "dₖ 8"));
  robot.key(ImGuiKey_F2);
  robot.settle();
  robot.type_number("Head count value", "7");
  CHECK(tells(robot, "36.57"));  // 256 / 7: no whole number
  CHECK(is_red(robot, "d_k"));
}

TEST_CASE("d_k of its own leaves d_model alone, and any number of heads fits") {
  Robot robot({.width = 1600, .height = 2400});  // high enough for the column with all sections unfolded
  controls_of(robot.app().view()).more.fill(true);
  robot.settle();
  robot.click("Free d_k");
  robot.type_number("d_k value", "24");
  const auto dimensions = [&] { return robot.app().shown()->layer().dimensions; };
  CHECK((dimensions().d_k == 24 && dimensions().d_v == 24 && dimensions().d_model == 64));
  robot.type_number("Head count value", "7");
  CHECK(robot.app().view().refusal.empty());
  CHECK((dimensions().heads == 7 && dimensions().d_k == 24));
  robot.type_number("d_k value", "5000");
  CHECK(robot.app().view().refusal == "d_k is 5000; it must be from 1 to 4096, or 0 for d_model / heads.");
  CHECK(is_red(robot, "d_k"));
  robot.click("dₖ: use 4096");  // 64 / 7 is no whole number
  robot.settle();
  CHECK(robot.app().view().refusal.empty());
  CHECK((dimensions().heads == 7 && dimensions().d_k == 4096));
  robot.type_number("Head count value", "8");
  robot.type_number("d_k value", "5000");
  robot.click("dₖ: use d_model / heads");
  robot.settle();
  CHECK(robot.app().view().refusal.empty());
  CHECK((dimensions().heads == 8 && dimensions().d_k == 8));
}

TEST_CASE("a number is red while it is typed, with its sentence, and takes nothing with it on the way") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  const RecordedItem field = item(robot, "d_model value");
  const Document before = robot.document();
  begin_typing(robot, "d_model");
  CHECK_FALSE(has_red(robot, field));
  for (const char* digit : {"6", "5"}) {
    robot.type(digit);
    robot.frame();
    INFO(digit);
    CHECK(has_red(robot, field));
    CHECK(robot.app().view().hint.starts_with("d_model 6"));
  }
  const std::string sentence = robot.app().view().hint;
  CHECK(robot.document() == before);
  CHECK(robot.app().view().refusal.empty());  // the last valid number is used
  robot.key(ImGuiKey_Backspace);
  robot.type("4");
  robot.frame();
  CHECK_FALSE(has_red(robot, field));
  CHECK(robot.app().view().hint != sentence);
  robot.type("x");
  robot.frame();
  CHECK(has_red(robot, field));
  CHECK(robot.app().view().hint == "A number is expected here.");
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK(robot.document() == before);
  CHECK_FALSE(is_red(robot, "d_model"));
  robot.type_number("d_model value", "65");
  CHECK(robot.app().view().refusal == sentence);
}

TEST_CASE("a typed number is one step, and counts when the field is left by a click or Tab") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  const Document before = robot.document();
  begin_typing(robot, "d_model");
  for (const char* digit : {"1", "2", "8"}) {
    robot.type(digit);
    robot.frame(80);  // longer than the pause that ends a step of typing
    CHECK(robot.document() == before);
  }
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(robot.document().layer().d_model == 128);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.document().layer().d_model == 64);
  begin_typing(robot, "d_model");
  robot.type("32");
  robot.frame();
  robot.click("heatmap 0");
  robot.settle();
  CHECK(robot.document().layer().d_model == 32);
  begin_typing(robot, "d_model");
  robot.type("48");
  robot.frame();
  robot.key(ImGuiKey_Tab);
  robot.settle();
  CHECK(robot.document().layer().d_model == 48);
  begin_typing(robot, "d_model");
  robot.type("96");
  robot.frame();
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK(robot.document().layer().d_model == 48);
}

}  // namespace attnscope::refusal_test
