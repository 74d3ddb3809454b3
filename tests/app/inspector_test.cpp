// The inspector: every control of it, used by the robot.
#include <algorithm>
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/inspector_robot.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "core/edits/heads.hpp"
#include "core/files/document/open.hpp"
#include "robot/layout.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::inspector_test {

using namespace attnscope::test;

namespace {

/// The pixels of the inspector in the last frame, below its tabs.
std::vector<Rgba> card(Robot& robot) {
  const Image all = robot.pixels();
  std::vector<Rgba> part;
  for (int y = 170; y < 780; ++y)
    for (int x = all.width - 364; x < all.width; ++x) part.push_back(all.at(x, y));
  return part;
}

}  // namespace

TEST_CASE("the tabs and K turn the pages") {
  Robot robot(usual);
  REQUIRE(robot.has("operand q"));
  robot.click("Inspector: Row");
  CHECK(state(robot).page == InspectorPage::Row);
  CHECK(robot.has("row key 0"));
  CHECK_FALSE(robot.has("step score"));
  robot.click("Inspector: Neurons");
  CHECK(robot.has("neuron 0"));
  robot.click("Inspector: Vectors");
  CHECK((robot.has("operand x") && robot.has("operand y") && robot.has("operand z")));
  robot.key(ImGuiKey_K);
  CHECK(state(robot).page == InspectorPage::Cell);
  robot.key(ImGuiKey_K);
  CHECK(state(robot).page == InspectorPage::Row);
  robot.click("Inspector: Cell");
  robot.frame();
  CHECK(robot.has("step score"));
}

TEST_CASE("a pinned card stays with the locked cell while the mouse looks at others") {
  Robot robot(usual);
  const auto hover = [&](float dx, float dy) {
    const ImVec2 middle = robot.centre("heatmap 0");
    robot.move({middle.x + dx, middle.y + dy});
    robot.frame(2);
    return card(robot);
  };
  robot.leave();
  robot.frame(2);
  const std::vector<Rgba> locked = card(robot);
  CHECK(hover(-120, 60) != locked);  // it follows
  robot.click("Pin");
  CHECK(state(robot).pinned);
  robot.leave();
  robot.frame(2);
  const std::vector<Rgba> pinned = card(robot);
  CHECK(hover(-120, 60) == pinned);
  CHECK(robot.app().selection().hovered_cell);
  robot.move(robot.centre("head 5"));
  robot.frame(2);
  CHECK(robot.app().selection().shown_head() == 5);
  CHECK(card(robot) == pinned);
  // A click elsewhere chooses another cell, and the card goes there; I lets it follow again.
  robot.click("heatmap 0");
  CHECK(card(robot) != pinned);
  robot.key(ImGuiKey_I);
  CHECK_FALSE(state(robot).pinned);
  // I over a cell pins that cell.
  hover(-120, 60);
  const Cell under = *robot.app().selection().hovered_cell;
  robot.key(ImGuiKey_I);
  CHECK(state(robot).pinned);
  CHECK(robot.app().selection().cell == under);
  CHECK(robot.app().selection().locked);
}

TEST_CASE("a click on a step shows its stage in the focus, and the arrows step on and back") {
  Robot robot(usual);
  const Cell cell = robot.app().selection().cell;
  const std::vector<Rgba> weights = card(robot);
  for (const auto& [step, stage] :
       {std::pair{"step score", Stage::Score}, std::pair{"step scaled", Stage::Scale},
        std::pair{"step masked", Stage::Mask}, std::pair{"step weight", Stage::Softmax}}) {
    INFO(step);
    robot.click(step);
    CHECK(stage_look_of(robot.app().view()).stage == Plane(stage));
    CHECK(robot.app().selection().cell == cell);
  }
  robot.click("step shifted");  // part of the softmax: it has no stage to show
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Softmax));
  robot.click("Step back");
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Mask));
  robot.leave();
  robot.frame(2);
  CHECK(card(robot) != weights);  // the large number and the mark change, too
  robot.click("Step back");
  robot.click("Step back");
  robot.click("Step back");  // the score is the first step
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Score));
  robot.click("Step on");
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Scale));
  robot.key(ImGuiKey_Period);
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Mask));
  // The stage replaces vectors in the focus.
  show_vectors(robot.app().view(), Stage::Query);
  robot.frame(2);
  robot.click("step scaled");
  CHECK_FALSE(stage_look_of(robot.app().view()).vectors);
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Scale));
}

TEST_CASE("every setting that makes a step has its line") {
  Robot robot({.width = 1600, .height = 1300});
  const auto click_step = [&](const char* step) {
    robot.click(step);
    return stage_look_of(robot.app().view()).stage;
  };
  Document changed = robot.document();
  changed.layer().soft_cap = 4;
  changed.layer().positions = Positions::Alibi;
  changed.layer().dropout.rate = 0.25f;
  changed = edit::intervention(std::move(changed), 3, Intervention::Kind::Uniform);
  const TemporaryDirectory directory;
  save_document(changed, directory / "all.json");
  robot.app().files().opening.open(directory / "all.json");
  robot.settle();
  REQUIRE(robot.app().selection().head == 3);
  CHECK(click_step("step capped") == Plane(Stage::Cap));
  CHECK(click_step("step + position") == Plane(Stage::Bias));
  CHECK(click_step("step weight") == Plane(Stage::Softmax));  // its own, which intervention replaced
  CHECK(click_step("step replaced") == Plane(Stage::Intervention));
  CHECK(click_step("step mixed") == Plane(Stage::Drop));
  const float weight = cell_of(robot, Stage::Intervention, 3, 2, 1);
  CHECK(near(static_cast<double>(weight), 1.0 / 3, 1e-6));
  inspector_of(robot.app().view()).pinned = true;
  robot.click("head 0");  // a head that is not replaced: its weight is the one in use
  robot.settle();
  CHECK_FALSE(robot.has("step replaced"));
  CHECK(click_step("step weight") == Plane(Stage::Intervention));
}

TEST_CASE("hovering a product tells both numbers, and the segments sort the table") {
  Robot robot(usual);
  const CellPlace at = place_of(robot);
  const Products p = products_of(shown(robot), at, ProductOrder::Size);
  for (const std::int64_t d : {p.order[0], p.order[5]}) {
    const auto i = static_cast<std::size_t>(d);
    robot.move(robot.centre("product " + std::to_string(d)));
    robot.frame();
    const std::string formula = fixed(static_cast<double>(p.q[i]), 4) + " × " +
                                fixed(static_cast<double>(p.k[i]), 4) + " = " + fixed(p.product[i], 4);
    CHECK(robot.app().view().hint.find(formula) != std::string::npos);
    CHECK(robot.app().view().hint.find(fixed(100 * p.product[i] / score_of(shown(robot), at), 1) + " %") !=
          std::string::npos);
  }
  const auto above = [&](std::int64_t a, std::int64_t b) {
    return robot.centre("product " + std::to_string(a)).y < robot.centre("product " + std::to_string(b)).y;
  };
  CHECK(above(p.order[0], p.order[1]));
  robot.click("Products: dim");
  robot.frame();
  CHECK(state(robot).products == ProductOrder::Dimension);
  CHECK(above(0, 1));
  CHECK(above(6, 7));
  robot.click("Products: sign");
  robot.frame();
  const std::vector<std::int64_t> by_sign = ordered(p.product, ProductOrder::Sign);
  CHECK(above(by_sign[0], by_sign[7]));
  robot.click("Products: size");
  CHECK(state(robot).products == ProductOrder::Size);
}

TEST_CASE("products that do not fit are summed, and scrolled or clicked into sight") {
  Robot robot({.width = 1280, .height = 720});
  robot.click("Heads");
  robot.frame(2);
  robot.type_number("Head count value", "1");
  const Products p = products_of(shown(robot), place_of(robot), ProductOrder::Size);
  REQUIRE(p.order.size() == 64);
  const auto row = [&](std::size_t i) { return "product " + std::to_string(p.order[i]); };
  REQUIRE(robot.has(row(0)));
  REQUIRE(robot.has("more products"));
  CHECK_FALSE(robot.has(row(40)));
  robot.click("more products");
  robot.frame(2);
  CHECK_FALSE(robot.has(row(0)));
  robot.move(robot.centre("operand q"));
  for (int i = 0; i < 40 && !robot.has(row(63)); ++i) robot.scroll(-3);
  robot.frame(2);
  CHECK(robot.has(row(63)));
  robot.click("more products");  // from the end of the list to its beginning
  robot.frame(2);
  CHECK(robot.has(row(0)));
}

TEST_CASE("the row page previews, locks and sorts keys") {
  Robot robot(usual);
  robot.click("Inspector: Row");
  const std::int64_t query = robot.app().selection().cell.query;
  robot.move(robot.centre("row key 0"));
  robot.frame();
  CHECK(robot.app().selection().hovered_cell == Cell{query, 0});
  CHECK(robot.app().selection().cell != Cell{query, 0});
  robot.click("row key 0");
  CHECK(robot.app().selection().cell == Cell{query, 0});
  const auto above = [&](const char* a, const char* b) { return robot.centre(a).y < robot.centre(b).y; };
  CHECK(above("row key 0", "row key 1"));
  robot.click("Row order: by weight");
  robot.frame();
  CHECK(state(robot).row_by_weight);
  CHECK(above("row key 1", "row key 0"));  // "cat" has the largest weight of "sat"
  robot.click("Row order: by position");
  CHECK_FALSE(state(robot).row_by_weight);
  robot.move(robot.centre("row fact effective keys"));
  robot.frame(60);
  CHECK(robot.has("row fact on previous"));
}

TEST_CASE("long rows scroll, and the chosen key comes into sight") {
  Robot robot(usual);
  std::string text;
  for (int i = 0; i < 200; ++i) text += "word" + std::to_string(i) + " ";
  robot.retype("##Text", text);
  REQUIRE(shown(robot).dimensions.keys == 200);
  robot.click("Inspector: Row");
  robot.frame(3);
  REQUIRE(robot.has("row key 0"));
  CHECK_FALSE(robot.has("row key 150"));
  robot.move(robot.centre("row key 2"));
  for (int i = 0; i < 200 && !robot.has("row key 150"); ++i) robot.scroll(-3);
  CHECK(robot.has("row key 150"));
  CHECK_FALSE(robot.has("row key 0"));
  // A session keeps the scroll position of the list.
  CHECK(state(robot).key_row > 100);
  inspector_of(robot.app().view()).key_row = 60;
  robot.frame(3);
  CHECK(robot.has("row key 60"));
  CHECK_FALSE(robot.has("row key 59"));
  // A key chosen elsewhere scrolls the list.
  robot.leave();
  robot.key(ImGuiKey_LeftArrow);
  robot.frame(3);
  CHECK(robot.has("row key " + std::to_string(robot.app().selection().cell.key)));
}

TEST_CASE("no text of a page stands in another's way") {
  for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1600, 1000}}) {
    Robot robot({.width = width, .height = height});
    for (int page = 0; page < 4; ++page) {
      inspector_of(robot.app().view()).page = static_cast<InspectorPage>(page);
      robot.settle();
      std::vector<PlacedText> mine;
      for (const PlacedText& text : texts_of(robot))
        if (text.x0 > static_cast<float>(width) - (width < 1400 ? 280.f : 368.f) && text.y0 > 112 &&
            text.y1 < static_cast<float>(height) - 210)
          mine.push_back(text);
      INFO("page " << page << " at " << width);
      CHECK(mine.size() > 12);
      for (const std::string& sentence : collisions(mine)) FAIL_CHECK(sentence);
    }
  }
}

TEST_CASE("every page stands at any size and for any layer") {
  const TemporaryDirectory directory;
  const char* const texts[] = {
      R"({"attnscope": 1, "text": ["One"], "d_model": 4, "heads": 4})",  // n 1, dₖ 1
      R"({"attnscope": 1, "text": ["a b c", "d e"], "d_model": 128, "heads": 1, "linear": true})",  // batch
      R"({"attnscope": 1, "text": ["a b c d"], "memory": ["e f"], "positions": "rope-half", "d_v": 3})",
      R"({"attnscope": 1, "text": ["a b c d"], "softmax": "naive", "scale": 1000, "weights": "random"})",
      R"({"attnscope": 1, "text": ["a b"], "extra_key": true, "zero_key": true,
          "mask": {"causal": true, "padding": false, "mistake": "diagonal"}})"};
  for (const char* text : texts) {
    Robot robot({.width = 1280, .height = 720, .file = directory.write("layer.json", text)});
    INFO(text + robot.app().message());
    REQUIRE(robot.document().title != "The cat sat on the mat");
    for (const auto& [width, height] :
         {std::pair{1600, 1000}, std::pair{700, 420}, std::pair{900, 260}, std::pair{1, 1}}) {
      robot.resize(width, height);
      for (int page = 0; page < 4; ++page) {
        inspector_of(robot.app().view()).page = static_cast<InspectorPage>(page);
        for (const bool large : {false, true}) {
          inspector_of(robot.app().view()).expanded = large;
          robot.frame(2);
          if (width == 1600) CHECK(robot.has("Inspector: Row"));
        }
      }
    }
  }
}

}  // namespace attnscope::inspector_test
