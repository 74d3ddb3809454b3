// Tooltips are beside the widget that they explain, never over it.
#include <algorithm>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/kit/widgets/widgets.hpp"

namespace attnscope::tooltip_test {

using namespace attnscope::test;

namespace {

bool overlap(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

}  // namespace

TEST_CASE("a tip covers neither what it explains nor the screen's edge") {
  const ImVec2 screen{1280, 720};
  for (const ImVec2 size : {ImVec2{300, 60}, {300, 140}, {300, 220}}) {
    for (float x = 0; x < 1280; x += 40) {
      for (float y = 0; y < 720; y += 30) {
        for (const ImVec2 of : {ImVec2{24, 24}, {200, 28}, {600, 10}, {40, 300}}) {
          const Box near{x, y, std::min(of.x, screen.x - x), std::min(of.y, screen.y - y)};
          const Box tip = place_of_tip(screen, near, size, 8, Clear::OfBox);
          INFO(near.x << ", " << near.y << ", " << near.w << " x " << near.h);
          CHECK_FALSE(overlap(tip, near));
          CHECK((tip.x >= 0 && tip.y >= 0 && tip.right() <= screen.x && tip.bottom() <= screen.y));
        }
      }
    }
  }
}

TEST_CASE("the tip of a control stands beside it, that of a cell beside its row and column") {
  const ImVec2 screen{1600, 1000}, size{300, 120};
  const Box control{16, 300, 232, 28}, cell{700, 400, 40, 40};
  const Box beside = place_of_tip(screen, control, size, 8, Clear::OfBox);
  CHECK(beside.x > control.right());  // the controls below stay in sight
  const Box off = place_of_tip(screen, cell, size, 8, Clear::OfRowAndColumn);
  CHECK_FALSE(overlap(off, {0, cell.y, screen.x, cell.h}));
  CHECK_FALSE(overlap(off, {cell.x, 0, cell.w, screen.y}));
}

TEST_CASE("no tooltip lies over what a dialog has covered until the mouse moves") {
  Robot robot({.width = 1600, .height = 1000});
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  constexpr const char* words = "Chips show the row of the chosen query.";
  const ImVec2 place = robot.centre("Direction: query → keys");
  robot.move(place);
  REQUIRE(keys_drawn(robot).contains(words));
  robot.key(ImGuiKey_O, ImGuiMod_Ctrl);
  robot.settle();
  REQUIRE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK_FALSE(keys_drawn(robot, 4).contains(words));
  robot.move({place.x + 3, place.y});
  CHECK(keys_drawn(robot).contains(words));
}

}  // namespace attnscope::tooltip_test
