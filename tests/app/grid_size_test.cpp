// How large the pictures of all heads are: they fill the canvas up to a limit, and the bars of effects shrink
// first.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/draw/texture.hpp"
#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/gl/offscreen.hpp"
#include "app/model_robot.hpp"
#include "app/views/model/grid_layout.hpp"
#include "robot/layout.hpp"

namespace attnscope::grid_size_test {
namespace {

using namespace attnscope::test;

/// Plans grids at scale 1.
class Planner {
 public:
  GridPlan plan(const GridPart& part, float width, float height) {
    return plan(std::vector<GridPart>{part}, width, height);
  }
  GridPlan plan(const std::vector<GridPart>& parts, float width, float height) {
    GridPlan made;
    target_.bind();
    host_.frame(64, 64, 1.0f / 60, [&] {
      ImGui::Begin("plan", nullptr, ImGuiWindowFlags_NoDecoration);
      const Ui ui(theme(ThemeName::Dark), host_.fonts(), textures_, 1);
      made = plan_layers(ui, {0, 0, width, height}, parts, 0);
      ImGui::End();
    });
    textures_.end_frame();
    return made;
  }

 private:
  OffscreenContext context_;
  Framebuffer target_{64, 64};
  ImGuiHost host_{nullptr, false};
  TextureCache textures_;
};

GridPart part_of(int layers, int heads, int group, std::int64_t tokens) {
  GridPart part;
  part.heads.assign(static_cast<std::size_t>(layers), heads);
  part.group = group;
  part.effects = true;
  part.queries = part.keys = tokens;
  return part;
}

bool apart(const Box& a, const Box& b) {
  return a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
}

/// Where the last bar ends.
float right_end(const GridPlan& plan) {
  float end = 0;
  for (const GridPlan::Layer& layer : plan.layers) end = std::max(end, layer.effect.right());
  return end;
}

float widest_bar(const GridPlan& plan) {
  float widest = 0;
  for (const GridPlan::Layer& layer : plan.layers) widest = std::max(widest, layer.effect.w);
  return widest;
}

/// How wide the first head in sight is for the mouse: its picture and the gap round it.
float width_of_first_head(Robot& robot) {
  const RecordedItem* const grid = robot.items().find("All heads");
  REQUIRE(grid != nullptr);
  const ImVec2 from = grid->min, to = grid->max;
  std::optional<ModelHead> first;
  float width = 0;
  for (float x = from.x; x < to.x; x += 1) {
    robot.move({x, from.y + 12});
    robot.frame();
    const std::optional<ModelHead> hovered = model_state(robot).hovered;
    if (!first) first = hovered;
    if (first && hovered == first) width += 1;
  }
  robot.leave();
  robot.settle();
  return width;
}

}  // namespace

TEST_CASE("pictures of a small model grow until the canvas is used, up to 160 pixels", "[model]") {
  Planner planner;
  const GridPlan small = planner.plan(part_of(2, 4, 1, 14), 928, 540);
  CHECK(small.side >= 150);
  CHECK(small.side <= 160);
  // Here the height is the limit.
  const GridPlan deep = planner.plan(part_of(4, 4, 1, 14), 928, 540);
  CHECK(deep.side >= 110);
  CHECK(deep.height <= deep.window.h);
}

TEST_CASE("heads keep 20 pixels beside bars of at most a quarter of the width", "[model]") {
  Planner planner;
  for (const std::int64_t tokens : {14, 17, 40}) {
    INFO(tokens << " tokens");
    // It scrolls: 30 layers of 9 heads in a window of 1024 x 600.
    const GridPlan scrolled = planner.plan(part_of(30, 9, 3, tokens), 504, 218);
    CHECK(scrolled.height > scrolled.window.h);
    CHECK(scrolled.side >= 20);
    CHECK(widest_bar(scrolled) <= 504 * 0.25f);
    // The width is the limit: the bars get narrower, with fewer words above them.
    const GridPlan narrow = planner.plan(part_of(12, 12, 1, tokens), 380, 330);
    CHECK(narrow.height <= narrow.window.h);
    CHECK(narrow.side >= 20);
    CHECK(right_end(narrow) <= 380);
    REQUIRE(narrow.parts.size() == 1);
    CHECK(narrow.parts[0].x + narrow.parts[0].room <= 380 + 24);
  }
}

TEST_CASE("banks use the width of a large screen", "[model]") {
  Planner planner;
  const GridPlan wide = planner.plan(part_of(12, 12, 1, 14), 3168, 1700);
  CHECK(wide.side >= 120);
  CHECK(right_end(wide) >= 3168 * 0.75f);
  CHECK(right_end(wide) <= 3168);
  const GridPlan banks = planner.plan(part_of(30, 9, 3, 14), 3168, 1700);
  CHECK(right_end(banks) >= 3168 * 0.92f);
  CHECK(right_end(banks) <= 3168);
}

TEST_CASE("an encoder stands above its decoder where that makes the pictures larger", "[model]") {
  Planner planner;
  const auto attentions = [](int layers, int heads) {
    std::vector<GridPart> all{part_of(layers, heads, 1, 16), part_of(layers, heads, 1, 16),
                              part_of(layers, heads, 1, 16)};
    all[0].of = AttentionOf::Encoder;
    all[0].effects = all[2].effects = false;
    all[2].of = AttentionOf::Cross;
    return all;
  };
  const GridPlan plan = planner.plan(attentions(2, 4), 928, 500);
  CHECK(plan.side >= 75);
  CHECK(plan.height <= plan.window.h);
  REQUIRE(plan.cells.size() == 24);
  float encoder = 0, decoder = 500;
  for (const GridPlan::Cell& cell : plan.cells) {
    CHECK(cell.box.y >= plan.window.y);
    CHECK(cell.box.bottom() <= plan.window.bottom());
    CHECK(cell.box.right() <= 928);
    if (cell.head.of == AttentionOf::Encoder)
      encoder = std::max(encoder, cell.box.bottom());
    else
      decoder = std::min(decoder, cell.box.y);
  }
  // The numbers of the lower columns stand between the two.
  for (const GridPlan::Column& column : plan.columns)
    if (column.of != AttentionOf::Encoder) CHECK((column.y > encoder + 20 && column.y < decoder - 10));
  for (std::size_t i = 0; i < plan.cells.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(apart(plan.cells[i].box, plan.cells[j].box));
  // Many layers side by side: the height is the limit.
  const GridPlan deep = planner.plan(attentions(12, 4), 928, 500);
  CHECK(deep.side >= 30);
  REQUIRE(deep.cells.size() == 144);
  CHECK(deep.cells.front().box.y == deep.cells.back().box.y - 11 * deep.pitch);
}

TEST_CASE("the heads of two layers are large in the window, and no words collide", "[model]") {
  LettersRobot robot({.blocks = 2});
  CHECK(width_of_first_head(robot) >= 150);
  for (const std::string& pair : collisions(texts_of(robot))) FAIL_CHECK(pair);
}

TEST_CASE("the heads of many layers stay readable in a small window", "[model]") {
  LettersRobot robot({.width = 1024, .height = 600, .blocks = 40});
  CHECK(width_of_first_head(robot) >= 21);
  model_state_of(robot.app().view()).grid_scroll = 0;
  robot.settle();
  const RecordedItem* const grid = robot.items().find("All heads");
  REQUIRE(grid != nullptr);
  const ImVec2 from = grid->min, to = grid->max;
  std::vector<PlacedText> inside;
  for (const PlacedText& text : texts_of(robot))
    if (text.x0 >= from.x && text.x1 <= to.x && text.y0 >= from.y - 40 && text.y1 <= to.y)
      inside.push_back(text);
  CHECK(inside.size() > 4);
  for (const std::string& pair : collisions(inside)) FAIL_CHECK(pair);
}

}  // namespace attnscope::grid_size_test
