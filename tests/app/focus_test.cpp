// The focus: zoom and pan, cross-hair and read-out, swapped axes, used by the robot and checked in pixels.
#include "app/focus_robot.hpp"

namespace attnscope::focus_test {

using namespace attnscope::test;

TEST_CASE("the wheel zooms about the mouse, down to printed values, and back") {
  Robot robot(with("4-a-longer-text.json"));
  SeenMap map(robot);
  const Image whole = robot.pixels();
  const ImVec2 mouse = map.at(0.3f, 0.6f);
  robot.move(mouse);
  robot.frame();
  const std::optional<Cell> under = robot.app().selection().hovered_cell;
  REQUIRE(under);
  CHECK_FALSE(robot.has("Fit"));
  float last = map.fitted;
  for (int notch = 0; notch < 14; ++notch) {
    robot.scroll(1);
    robot.frame();
    CHECK(robot.app().selection().hovered_cell == under);  // the cell under the mouse stays there
    const Box cell = map.cell(robot, *under);
    CHECK(cell.contains({std::floor(mouse.x), std::floor(mouse.y)}));
    CHECK(static_cast<float>(map.fitted * focus(robot).zoom) >= last);
    last = static_cast<float>(map.fitted * focus(robot).zoom);
  }
  CHECK(last >= 48);
  robot.leave();
  robot.frame(2);
  const Image near = robot.pixels();
  const Box cell = map.cell(robot, *under);
  CHECK(colours_in(whole, {mouse.x - 1, mouse.y - 1, 2, 2}) <= 4);
  CHECK(colours_in(near, cell.grown(-4)) > 3);  // a printed number has many shades
  robot.move(mouse);
  scroll_in(robot, -16);
  CHECK(focus(robot).zoom == 1);
  robot.leave();
  robot.frame(2);
  CHECK(cut(robot.pixels(), map.box) == cut(whole, map.box));
}

TEST_CASE("the mark stands on its cell at any zoom, and leaves with it") {
  Robot robot(with("4-a-longer-text.json"));
  SeenMap map(robot);
  const Cell chosen{30, 11};
  robot.click_at({map.cell(robot, chosen).centre_x(), map.cell(robot, chosen).centre_y()});
  REQUIRE(robot.app().selection().cell == chosen);
  robot.key(ImGuiKey_Z);
  robot.leave();
  robot.frame(2);
  CHECK(focus(robot).zoom > 1);
  CHECK(is_framed(robot.pixels(), map.cell(robot, chosen)));
  robot.move(map.at(0.2f, 0.8f));
  scroll_in(robot, 2);
  robot.leave();
  robot.frame(2);
  const Box cell = map.cell(robot, chosen);
  CHECK(is_framed(robot.pixels(), cell));
  robot.key(ImGuiKey_Z);
  robot.frame(2);
  CHECK(focus(robot).zoom == 1);
  CHECK_FALSE(is_framed(robot.pixels(), cell));
  CHECK(is_framed(robot.pixels(), map.cell(robot, chosen)));
}

TEST_CASE("a drag moves the map and chooses nothing; a click without a drag chooses") {
  Robot robot(with("4-a-longer-text.json"));
  SeenMap map(robot);
  const ImVec2 middle = map.at(0.5f, 0.5f);
  const Cell before = robot.app().selection().cell;
  robot.drag(middle, {middle.x - 60, middle.y - 30});  // all of it is in sight: dragging moves nothing
  CHECK(focus(robot).key == 0);
  robot.click_at({map.cell(robot, before).centre_x(), map.cell(robot, before).centre_y()});
  robot.move(middle);
  scroll_in(robot, 8);
  map.look(robot);
  robot.move(map.at(0.5f, 0.5f));
  robot.frame();
  const Cell held = *robot.app().selection().hovered_cell;
  const double key = focus(robot).key, query = focus(robot).query;
  for (const int button : {0, 2}) {
    const ImVec2 from = map.at(0.5f, 0.5f);
    robot.move(from);
    robot.press(button);
    robot.move({from.x - 50, from.y - 40});
    robot.move({from.x - 120, from.y - 90});
    robot.frame();
    CHECK(*robot.app().selection().hovered_cell != Cell{});
    robot.release(button);
    robot.frame();
    CHECK(robot.app().selection().cell == before);
    CHECK(focus(robot).key > key);
    CHECK(focus(robot).query > query);
    CHECK(*robot.app().selection().hovered_cell == held);  // the cell moved with the mouse
    robot.drag({from.x - 120, from.y - 90}, from);
    robot.frame(30);  // the next press is no double click
    CHECK(std::abs(focus(robot).key - key) < 1e-3);
  }
  robot.click_at(map.at(0.5f, 0.5f));
  robot.frame();
  CHECK(robot.app().selection().cell == held);
}

TEST_CASE("a double click zooms to the cell and fits again, choosing only with its first click") {
  Robot robot(with("4-a-longer-text.json"));
  SeenMap map(robot);
  const ImVec2 place = map.at(0.25f, 0.75f);
  robot.click_at(place);
  const Cell cell = robot.app().selection().cell;
  robot.press();
  robot.release();
  robot.frame(2);
  CHECK(focus(robot).zoom > 4);
  CHECK(robot.app().selection().cell == cell);
  robot.frame(40);
  robot.click_at(place);
  robot.press();
  robot.release();
  robot.frame(2);
  CHECK(focus(robot).zoom == 1);
  robot.move(place);
  scroll_in(robot, 3);
  click(robot, "Fit");
  CHECK(focus(robot).zoom == 1);
}

TEST_CASE("the arrow keys bring the chosen cell back into sight") {
  Robot robot(with("4-a-longer-text.json"));
  SeenMap map(robot);
  robot.key(ImGuiKey_Z);
  robot.frame(2);
  const double first = focus(robot).query;
  for (int i = 0; i < 30; ++i) robot.key(ImGuiKey_DownArrow);
  for (int i = 0; i < 25; ++i) robot.key(ImGuiKey_RightArrow);
  robot.frame(2);
  CHECK(focus(robot).query > first + 10);
  const Cell cell = robot.app().selection().cell;
  CHECK(cell == Cell{32, 26});
  CHECK(is_framed(robot.pixels(), map.cell(robot, cell)));
}

TEST_CASE("bars at the edges show where one is and move there; Shift and the wheel go along the columns") {
  Robot robot(with("4-a-longer-text.json"));
  SeenMap map(robot);
  CHECK_FALSE(robot.has("heatmap keys 0"));
  robot.move(map.at(0.1f, 0.1f));
  scroll_in(robot, 6);
  const Box across = box_of(robot, "heatmap keys 0"), down = box_of(robot, "heatmap queries 0");
  robot.drag({across.x + 8, across.centre_y()}, {across.right() + 40, across.centre_y()}, 8);
  map.look(robot);
  CHECK(std::abs(focus(robot).key + map.part(robot).columns - 68) < 1e-3);  // at the end
  robot.click_at({down.centre_x(), down.bottom() - 4});
  robot.frame();
  CHECK(focus(robot).query > 30);
  robot.move(map.at(0.5f, 0.5f));
  const double key = focus(robot).key;
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
  robot.scroll(1);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
  robot.frame();
  CHECK(focus(robot).key < key);
}

TEST_CASE("zoom is shared by a batch, holds for queries and keys of unequal number, and for one token") {
  {
    Robot robot(with("3-two-banks.json"));
    const float width = box_of(robot, "heatmap 0").w;
    robot.move(robot.centre("heatmap 1"));
    scroll_in(robot, 3);
    CHECK(focus(robot).zoom > 1.5);
    CHECK(box_of(robot, "heatmap 0").w == box_of(robot, "heatmap 1").w);
    CHECK(box_of(robot, "heatmap 0").w >= width);
  }
  {
    Robot robot(with("5-cross-attention.json"));
    SeenMap map(robot);
    const Cell last{shown(robot).dimensions.queries - 1, shown(robot).dimensions.keys - 1};
    REQUIRE(last.query != last.key);
    robot.move(map.at(0.97f, 0.97f));
    scroll_in(robot, 4);
    map.look(robot);
    robot.click_at(map.at(0.97f, 0.97f));
    CHECK(robot.app().selection().cell == last);
    robot.leave();
    robot.frame(2);
    CHECK(is_framed(robot.pixels(), map.cell(robot, last)));
  }
  Robot robot({.width = 1600, .height = 1000});
  robot.retype("##Text", "A");
  robot.move(robot.centre("heatmap 0"));
  scroll_in(robot, 10);
  CHECK(robot.app().selection().hovered_cell == Cell{0, 0});
  robot.retype("##Text", "A bird");  // the zoom is clamped to the new size
  robot.move(robot.centre("heatmap 0"));
  scroll_in(robot, -20);
  CHECK(focus(robot).zoom == 1);
}

TEST_CASE("a newly opened document is seen as a whole") {
  Robot robot(with("4-a-longer-text.json"));
  robot.move(robot.centre("heatmap 0"));
  scroll_in(robot, 5);
  robot.app().files().opening.open(example("1-the-cat-sat.json"));
  robot.settle();
  CHECK(focus(robot).zoom == 1);
}

TEST_CASE("hovering lights the row and the column, and reads the cell out beside them") {
  Robot robot({.width = 1600, .height = 1000});
  SeenMap map(robot);
  robot.leave();
  robot.frame(2);
  const Image before = robot.pixels();
  for (const Cell at : {Cell{3, 1}, Cell{5, 5}, Cell{0, 0}, Cell{1, 4}}) {
    const Box cell = map.cell(robot, at);
    robot.move({cell.centre_x(), cell.centre_y()});
    robot.frame(2);
    const Image after = robot.pixels();
    INFO("cell " << at.query << ", " << at.key);
    const float left = map.box.x - 12, above = map.box.y - 9;  // over the labels
    CHECK(pixel(after, left, cell.y + 4) != pixel(before, left, cell.y + 4));
    CHECK(pixel(after, cell.x + 4, above) != pixel(before, cell.x + 4, above));
    // The cell itself keeps its colour.
    CHECK(pixel(after, cell.x + 4, cell.y + 4) == pixel(before, cell.x + 4, cell.y + 4));
    // Only the read-out has this colour. It is drawn, and never over the row or column.
    const Rgba raised = theme(ThemeName::Dark).raised;
    int there = 0, covering = 0;
    const Box around = map.box.grown(60);
    for (int y = static_cast<int>(around.y); y < static_cast<int>(around.bottom()); ++y) {
      for (int x = static_cast<int>(around.x); x < static_cast<int>(around.right()); ++x) {
        if (after.at(x, y) != raised || before.at(x, y) == raised) continue;
        ++there;
        const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
        covering += (fx >= cell.x && fx < cell.right()) || (fy >= cell.y && fy < cell.bottom());
      }
    }
    CHECK(there > 1000);
    CHECK(covering == 0);
  }
}

TEST_CASE("swapped axes mirror the picture, the labels, the mouse and the arrow keys") {
  Robot robot({.width = 1600, .height = 1000});
  SeenMap map(robot);
  robot.leave();
  robot.frame(2);
  const Image before = robot.pixels();
  click(robot, "Swap axes");
  robot.leave();
  robot.frame(2);
  CHECK(focus(robot).turned);
  const Image after = robot.pixels();
  SeenMap turned(robot);
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      const Box was = map.cell(robot, {i, j});
      const Box is = cell_box(turned.box, {0, 0, 6, 6, true}, i, j);
      CHECK(pixel(before, was.x + 6, was.y + 6) == pixel(after, is.x + 6, is.y + 6));
    }
  }
  const Box cell = cell_box(turned.box, {0, 0, 6, 6, true}, 4, 1);
  CHECK(cell.x > cell.y - turned.box.y + turned.box.x);  // query 4 is far to the right, key 1 high up
  robot.click_at({cell.centre_x(), cell.centre_y()});
  CHECK(robot.app().selection().cell == Cell{4, 1});
  robot.leave();
  robot.key(ImGuiKey_RightArrow);
  robot.key(ImGuiKey_DownArrow);
  robot.key(ImGuiKey_DownArrow);
  CHECK(robot.app().selection().cell == Cell{5, 3});
  robot.key(ImGuiKey_Z);
  robot.leave();
  robot.frame(2);
  CHECK(focus(robot).zoom > 1);
  const Box box = box_of(robot, "heatmap 0");
  const double side = static_cast<double>(turned.fitted) * focus(robot).zoom;
  const Part part{focus(robot).query, focus(robot).key, std::min(6.0, static_cast<double>(box.w) / side),
                  std::min(6.0, static_cast<double>(box.h) / side), true};
  CHECK(is_framed(robot.pixels(), cell_box(box, part, 5, 3)));
  robot.key(ImGuiKey_Z);
  robot.key(ImGuiKey_T, ImGuiMod_Shift);
  CHECK_FALSE(focus(robot).turned);
}

}  // namespace attnscope::focus_test
