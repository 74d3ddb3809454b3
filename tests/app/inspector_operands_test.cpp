// Numbers of vectors in the inspector: edited where they are given, explained where they follow from others.
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/inspector_robot.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "core/edits/numbers.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::inspector_operands_test {

using namespace attnscope::test;

namespace {

/// Two heads that share keys and values, four queries, five keys, dₖ 3, d_v 2.
std::filesystem::path given_document(const TemporaryDirectory& directory) {
  return directory.write("given.json", R"({"attnscope": 1, "title": "given", "given": {
    "query": [[[[1, 2, 3], [-1, 0.5, 2], [0, 1, -2], [0.25, 0, 1]], [[2, 2, 1], [1, 0, 0], [3, -1, 1], [0, 0, 1]]]],
    "key": [[[[1, 0, 0], [0, 1, 0], [0.5, -0.5, 1], [2, 1, -1], [0, 0, 0.5]]]],
    "value": [[[[1, -1], [2, 0.5], [0, 1], [-1, 3], [0.5, 0.5]]]]}})");
}

}  // namespace

TEST_CASE("given numbers are edited where they stand") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000, .file = given_document(directory)});
  const CellPlace at = place_of(robot);
  robot.click("Products: dim");
  robot.frame();
  const auto number = [&](const TensorPtr& tensor, std::int64_t h, std::int64_t row, std::int64_t d) {
    return tensor->matrix(at.b, h)(row, d);
  };
  const float q_was = number(robot.document().input.given().query, at.h, at.query, 1);
  robot.click("operand q");  // its middle: dimension 1 of 3
  robot.frame(2);
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.type("1.75");
  robot.settle();
  CHECK(number(robot.document().input.given().query, at.h, at.query, 1) == 1.75f);
  CHECK(near(products_of(shown(robot), at, ProductOrder::Size).sum(), score_of(shown(robot), at), 1e-12));
  CHECK(near(static_cast<double>(cell_of(robot, Stage::Score, 0, 2, static_cast<int>(at.key))),
             score_of(shown(robot), at), 1e-6));
  robot.key(ImGuiKey_Escape);  // leaves it as it is
  robot.settle();
  CHECK(number(robot.document().input.given().query, at.h, at.query, 1) == 1.75f);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(number(robot.document().input.given().query, at.h, at.query, 1) == q_was);
  // Sorted by size, the row that is edited keeps its place.
  robot.click("Products: size");
  robot.frame();
  const std::vector<std::int64_t> order = products_of(shown(robot), at, ProductOrder::Size).order;
  robot.click("operand k");
  robot.frame(2);
  CHECK(state(robot).held_order == order);
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.type("90");
  robot.settle();
  CHECK(number(robot.document().input.given().key, at.kv, at.key, order[1]) == 90);
  CHECK(robot.centre("product " + std::to_string(order[0])).y <
        robot.centre("product " + std::to_string(order[1])).y);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(robot.centre("product " + std::to_string(order[0])).y >
        robot.centre("product " + std::to_string(order[1])).y);
  // The value's numbers are on the page of vectors; Alt and a drag scrubs.
  robot.click("Inspector: Vectors");
  robot.frame();
  const float was = number(robot.document().input.given().value, at.kv, at.key, 0);
  const ImVec2 middle = robot.centre("operand v");
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, true);
  robot.drag({middle.x - 60, middle.y}, {middle.x - 60, middle.y - 40});
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, false);
  robot.settle();
  CHECK(near(static_cast<double>(number(robot.document().input.given().value, at.kv, at.key, 0)),
             static_cast<double>(was) + 0.4, 1e-5));
  CHECK_FALSE(robot.has("operand x"));  // given numbers have no earlier stage
}

TEST_CASE("a number that follows from others leads to them") {
  Robot robot(usual);
  const Document before = robot.document();
  robot.click("operand k");
  robot.frame(2);
  REQUIRE(robot.has("Show column in W_K"));
  robot.click("Show column in W_K");
  robot.settle();
  CHECK(editing_of(robot.app().view()).weights == Editable::KeyWeights);
  CHECK(robot.has("weight map"));
  const ZoomRange across = editing_of(robot.app().view()).across;
  CHECK(across.from == 3 / 8.f);  // the columns of head 3
  CHECK(across.to == 4 / 8.f);
  robot.click("step weight");
  CHECK(robot.has("heatmap 0"));
  robot.click("operand q");
  robot.frame(2);
  robot.click("Show token vectors");
  robot.settle();
  CHECK(stage_look_of(robot.app().view()).vectors == Stage::Embed);
  robot.click("Inspector: Vectors");
  robot.frame();
  robot.click("operand z");
  robot.frame(2);
  robot.click("Show the row's weights");
  robot.frame();
  CHECK(state(robot).page == InspectorPage::Row);
  CHECK(robot.document() == before);
}

TEST_CASE("hovering vectors and the output strip tells their numbers") {
  Robot robot(usual);
  const CellPlace at = place_of(robot);
  const LayerResult& r = shown(robot);
  const auto says = [&](const std::string& words) {
    return robot.app().view().hint.find(words) != std::string::npos;
  };
  robot.move(robot.centre("contribution"));
  robot.frame();
  const double weight = static_cast<double>(r.trace[Stage::Drop]->matrix(at.b, at.h)(at.query, at.key));
  const double v = static_cast<double>(vector_of(r, Stage::Value, at.b, at.kv, at.key)[4]);
  CHECK(says(fixed(weight, 4) + " × " + fixed(v, 4) + " = " + fixed(weight * v, 4)));
  robot.click("Inspector: Vectors");
  robot.frame();
  for (const auto& [label, stage] :
       {std::pair{"operand q", Stage::Query}, std::pair{"operand v", Stage::Value},
        std::pair{"operand z", Stage::Mix}}) {
    robot.move(robot.centre(label));
    robot.frame();
    const std::int64_t row = stage == Stage::Value ? at.key : at.query;
    CHECK(says(fixed(static_cast<double>(vector_of(r, stage, at.b, at.h, row)[4]), 6)));
  }
  robot.move(robot.centre("operand y"));
  robot.frame();
  CHECK(says(fixed(static_cast<double>(vector_of(r, Stage::Output, at.b, 0, at.query)[32]), 6)));
  robot.move(robot.centre("cosine"));
  robot.frame(60);
}

}  // namespace attnscope::inspector_operands_test
