// Compare: every control used by the robot, the colours of the pictures, and states with little to compare.
#include <cmath>

#include "app/compare_robot.hpp"
#include "app/state/compare_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/window/render.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::compare_test {

using namespace attnscope::test;

TEST_CASE("while nothing is held Compare says so, and one click starts it") {
  Comparing robot;
  REQUIRE(robot.has("Hold this"));
  CHECK(robot.has("Divide by sqrt(d_k)"));  // A can be edited
  CHECK_FALSE(robot.has("Swap"));
  CHECK_FALSE(robot.has("compare B 0"));
  const Image empty = below_the_bar(robot);
  click(robot, "Hold, then switch scaling off");
  robot.leave();
  REQUIRE(robot.app().held().held_result());
  CHECK(robot.held().document.layer().scaling.kind == Scaling::Kind::InverseSqrtDk);
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::Off);
  CHECK(robot.has("compare B 0"));
  CHECK(robot.has("compare A-B 0"));
  CHECK(robot.has("What differs in A"));
  CHECK_FALSE((below_the_bar(robot) == empty));
  // The scale is off now: the same click switches it on.
  click(robot, "Drop");
  CHECK_FALSE(robot.app().held().held_result());
  click(robot, "Hold, then switch scaling on");
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::InverseSqrtDk);
  CHECK(robot.held().document.layer().scaling.kind == Scaling::Kind::Off);
}

TEST_CASE("holding by the button leaves the Document; what is the same is said") {
  Comparing robot;
  const Document before = robot.document();
  click(robot, "Hold this");
  REQUIRE(robot.app().held().held_result());
  CHECK(robot.document() == before);
  CHECK(robot.app().shown() == robot.app().held().held_result()->result);
}

TEST_CASE("the switches of A change A and leave B") {
  Comparing robot;
  click(robot, "Hold this");
  const Document before = robot.document();
  click(robot, "Divide by sqrt(d_k)");
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::Off);
  for (const char* mask : {"Mask: None", "Mask: Padding", "Mask: Both", "Mask: Causal"}) {
    click(robot, mask);
    const std::string_view name(mask);
    CHECK(robot.document().layer().masking.causal == (name == "Mask: Both" || name == "Mask: Causal"));
    CHECK(robot.document().layer().masking.padding == (name == "Mask: Both" || name == "Mask: Padding"));
  }
  const ImVec2 knob = robot.centre("Temperature");
  robot.drag(knob, {knob.x + 30, knob.y});
  robot.settle();
  CHECK(robot.document().layer().temperature > 1.2f);
  robot.type_number("Temperature value", "0.5");
  CHECK(robot.document().layer().temperature == 0.5f);
  CHECK(robot.held().document == before);
  CHECK(shown(robot).document == robot.document());
}

TEST_CASE("hold, change, swap and swap back gives the same pixels") {
  Comparing robot;
  click(robot, "Hold this");
  robot.key(ImGuiKey_S);
  robot.settle();
  robot.leave();
  robot.frame(2);
  const Image before = below_the_bar(robot);
  const Document a = robot.document(), b = robot.held().document;
  click(robot, "Swap");
  CHECK(robot.document() == b);
  CHECK(robot.held().document == a);
  robot.leave();
  robot.frame(2);
  CHECK_FALSE((below_the_bar(robot) == before));
  robot.key(ImGuiKey_X);
  robot.settle();
  robot.leave();
  robot.frame(2);
  CHECK(robot.document() == a);
  CHECK(robot.held().document == b);
  CHECK((below_the_bar(robot) == before));
}

TEST_CASE("a swap shows B at once") {
  Comparing robot;
  click(robot, "Hold this");
  robot.key(ImGuiKey_S);
  robot.settle();
  const ResultPtr a = robot.app().shown(), b = robot.app().held().held_result()->result;
  robot.app().held().swap();  // before any frame, before the engine
  CHECK(robot.app().shown() == b);
  CHECK(robot.app().held().held_result()->result == a);
  robot.settle();
  CHECK(shown(robot).document == b->document);
}

TEST_CASE("Hold again takes what A is now") {
  Comparing robot;
  click(robot, "Hold this");
  robot.key(ImGuiKey_S);
  robot.settle();
  click(robot, "Hold again");
  CHECK(robot.held().document.layer().scaling.kind == Scaling::Kind::Off);
  CHECK(robot.held().document == robot.document());
}

TEST_CASE("the difference can be signed, its size, or a ratio; by click and by key") {
  Comparing robot;
  click(robot, "Hold, then switch scaling off");
  const auto look = [&] {
    robot.leave();
    robot.frame(2);
    return below_the_bar(robot);
  };
  DifferenceKind& kind = compare_of(robot.app().view()).difference;
  const Image minus = look();
  click(robot, "Difference: |now − held|");
  CHECK(kind == DifferenceKind::Magnitude);
  const Image size = look();
  click(robot, "Difference: ratio");
  CHECK(kind == DifferenceKind::Ratio);
  const Image ratio = look();
  CHECK_FALSE((minus == size));
  CHECK_FALSE((minus == ratio));
  CHECK_FALSE((size == ratio));
  robot.key(ImGuiKey_Slash);
  CHECK(kind == DifferenceKind::Signed);
  CHECK((look() == minus));
  click(robot, "Difference: ratio");
  click(robot, "Difference: now − held");
  CHECK(kind == DifferenceKind::Signed);
}

TEST_CASE("the stage is chosen for all three pictures; keys do not leave the four") {
  Comparing robot;
  click(robot, "Hold, then switch scaling off");
  click(robot, "Stage: Scores");
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Score));
  Pair pair(robot);
  // The scale comes after the scores: their difference is 0.
  CHECK(pair.stats.range({Stage::Score, Plane::Kind::Difference}, 0, 3).high == 0);
  click(robot, "Stage: Scaled");
  CHECK(pair.stats.range({Stage::Scale, Plane::Kind::Difference}, 0, 3).high > 1);
  click(robot, "Stage: Masked");
  click(robot, "Stage: Weights");
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Softmax));
  for (int i = 0; i < 4; ++i) robot.key(ImGuiKey_Period);
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Softmax));
  for (int i = 0; i < 9; ++i) robot.key(ImGuiKey_Comma);
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Score));
}

TEST_CASE("one hover in all three pictures, a click chooses") {
  Comparing robot;
  click(robot, "Hold, then switch scaling off");
  for (const char* map : {"compare A 0", "compare B 0", "compare A-B 0"}) {
    INFO(map);
    robot.leave();
    robot.frame(2);
    const Image before = below_the_bar(robot);
    robot.move(cell_on(robot, map, {4, 1}, 6));
    robot.frame(2);
    CHECK(robot.hovered() == Cell{4, 1});
    CHECK_FALSE((below_the_bar(robot) == before));
  }
  robot.click_at(cell_on(robot, "compare B 0", {5, 2}, 6));
  robot.leave();
  CHECK(robot.app().selection().cell == Cell{5, 2});
  CHECK(robot.app().selection().locked);
}

TEST_CASE("the third picture wears the colours of the difference, zero-centred to its own largest") {
  Comparing robot;
  click(robot, "Hold, then switch scaling off");
  robot.leave();
  robot.frame(2);
  Pair pair(robot);
  const std::int64_t h = robot.app().selection().head;
  const auto a = pair.a->layer().trace[Stage::Softmax]->matrix(0, h),
             b = pair.b->layer().trace[Stage::Softmax]->matrix(0, h);
  double largest = 0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j)
      largest = std::max(largest, std::abs(static_cast<double>(a(i, j)) - static_cast<double>(b(i, j))));
  const Image image = robot.pixels();
  const Colormap& map = colormap(theme(ThemeName::Dark).scores);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      if (Cell{i, j} == robot.app().selection().cell) continue;  // the frame of the cell is drawn there
      // Near the corner, where no number is printed.
      const ImVec2 at = cell_on(robot, "compare A-B 0", {i, j}, 6, 0.12f);
      const Rgba seen = colour_at(image, at);
      const double value = static_cast<double>(a(i, j)) - static_cast<double>(b(i, j));
      const auto place = static_cast<int>(std::lround((value / largest + 1) / 2 * 255));
      INFO("cell " << i << ", " << j << ": " << value);
      CHECK(is_near(map, place, seen));
    }
  }
}

TEST_CASE("A and B share one range, whichever has the larger scores") {
  Comparing robot;
  click(robot, "Hold, then switch scaling off");
  click(robot, "Stage: Scaled");
  robot.leave();
  robot.frame(2);
  Pair pair(robot);
  double largest = 0;  // of all heads: the usual range
  for (const ResultPtr& result : {pair.a, pair.b})
    for (const float v : result->layer().trace[Stage::Scale]->values())
      largest = std::max(largest, std::abs(static_cast<double>(v)));
  const Image image = robot.pixels();
  const Colormap& map = colormap(theme(ThemeName::Dark).scores);
  int checked = 0;
  for (const auto& [name, result] : {std::pair{"compare A 0", pair.a}, std::pair{"compare B 0", pair.b}}) {
    const auto values = result->layer().trace[Stage::Scale]->matrix(0, robot.app().selection().head);
    for (int i = 0; i < 6; ++i) {
      const double value = static_cast<double>(values(i, 5));
      const ImVec2 at = cell_on(robot, name, {i, 5}, 6, 0.12f);
      const Rgba seen = colour_at(image, at);
      const auto place = static_cast<int>(std::lround((value / largest + 1) / 2 * 255));
      INFO(name << " row " << i << ": " << value);
      CHECK(is_near(map, place, seen));
      ++checked;
    }
  }
  CHECK(checked == 12);
}

TEST_CASE("the plots below preview and choose rows and heads") {
  Comparing robot;
  click(robot, "Hold, then switch scaling off");
  for (const char* plot : {"compare entropy per row", "compare largest weights"}) {
    INFO(plot);
    const RecordedItem& area = item(robot, plot);
    const float y = (area.min.y + area.max.y) / 2;
    robot.move({area.max.x - 2, y});
    robot.frame();
    CHECK(robot.hovered().query == 5);
    robot.move({area.min.x + 2, y});
    robot.frame();
    CHECK(robot.hovered().query == 0);
    robot.click_at({area.max.x - 2, y});
    CHECK(robot.app().selection().cell.query == 5);
    robot.click_at({area.min.x + 2, y});
    CHECK(robot.app().selection().cell.query == 0);
  }
  for (const char* place : {"compare entropy of head ", "difference of head "}) {
    robot.move(robot.centre(place + std::string("6")));
    robot.frame();
    CHECK(robot.app().selection().hovered_head == 6);
    robot.click(place + std::string("2"));
    CHECK(robot.app().selection().head == 2);
    robot.click(place + std::string("3"));
    CHECK(robot.app().selection().head == 3);
    robot.leave();
  }
}

TEST_CASE("Compare is drawn at any size, with one head, many heads and long texts") {
  for (const char* file :
       {"1-the-cat-sat.json", "2-three-tokens.json", "4-a-longer-text.json", "5-cross-attention.json"}) {
    Robot robot({.width = 1280, .height = 720, .file = examples / file});
    robot.settle();
    robot.key(ImGuiKey_F4);
    robot.settle();
    click(robot, "Hold, then switch scaling off");
    CHECK(robot.has("compare A-B 0"));
    CHECK(robot.has("Stage: Weights"));
    CHECK(robot.has("Temperature"));
  }
  for (const auto& [width, height] : {std::pair{1, 1}, {300, 200}, {640, 400}, {900, 500}, {500, 1400}}) {
    Robot robot({.width = width, .height = height});
    robot.settle();
    robot.key(ImGuiKey_F4);
    robot.key(ImGuiKey_Backslash);
    robot.key(ImGuiKey_S);
    robot.settle();
    robot.frame(2);
    CHECK(robot.app().held().held_result());
  }
}

TEST_CASE("key 4 hides the plots of Compare too") {
  Comparing robot({.width = 1600, .height = 720});
  click(robot, "Hold, then switch scaling off");
  CHECK(robot.has("compare entropy per row"));
  const float before = item(robot, "compare A 0").max.y;
  robot.key(ImGuiKey_4);
  robot.frame(2);
  CHECK_FALSE(robot.has("compare entropy per row"));
  CHECK(item(robot, "compare A 0").max.y > before);
}

TEST_CASE("an idle window stays idle in Compare") {
  Comparing robot;
  click(robot, "Hold, then switch scaling off");
  robot.leave();
  robot.frame(3);
  CHECK_FALSE(robot.app().wants_frame());
  const Image before = robot.pixels();
  robot.frame(30);
  CHECK(robot.app().textures().painted() == 0);
  CHECK((robot.pixels() == before));
}

TEST_CASE("render draws Compare of a document, which holds nothing") {
  const TemporaryDirectory directory;
  RenderOptions request;
  request.file = examples / "1-the-cat-sat.json";
  request.out = directory / "compare.png";
  request.width = 1280;
  request.height = 720;
  request.view = "compare";
  render_picture(request);
  const auto compare = std::filesystem::file_size(request.out);
  CHECK(compare > 10'000);
}

}  // namespace attnscope::compare_test
