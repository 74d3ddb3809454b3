// The neuron view: its strips, their order, and its numbers, narrow and large.
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/inspector_robot.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/views/inspector/numbers.hpp"
#include "app/views/parts/strips.hpp"

namespace attnscope::neuron_test {

using namespace attnscope::test;

namespace {

Robot& with_neurons(Robot& robot) {
  robot.click("Inspector: Neurons");
  robot.frame();
  return robot;
}

/// Hovers the first cell of the strips of the narrow form; returns the status line, which names it.
std::string hint_at_first_cell(Robot& robot, int key) {
  const ImVec2 row = robot.centre("neuron " + std::to_string(key));
  robot.move({row.x - 164 + 82, row.y});  // the row is 328 wide, its strips begin at 76
  robot.frame();
  return robot.app().view().hint;
}

}  // namespace

TEST_CASE("strips keep factors, order and the largest magnitude") {
  const std::vector<float> values{1, -4, 2};
  const std::vector<std::int64_t> order{2, 0, 1};
  const StripMatrix strip = strip_of(values, 0.5, order);
  CHECK((strip(0, 0) == 1 && strip(0, 1) == 0.5f && strip(0, 2) == -2));
  CHECK(largest_of(strip) == 2);
  CHECK(largest_of(strip_of(std::vector<float>{0, NAN, INFINITY})) == 1);
}

TEST_CASE("rows of the neuron view preview and lock their keys") {
  Robot robot({.width = 1600, .height = 1000});
  with_neurons(robot);
  const std::int64_t query = robot.app().selection().cell.query;
  robot.move(robot.centre("neuron 2"));
  robot.frame();
  CHECK(robot.app().selection().hovered_cell == Cell{query, 2});
  robot.click("neuron 2");
  CHECK(robot.app().selection().cell == Cell{query, 2});
}

TEST_CASE("hovering a dimension tells q, k and their product") {
  Robot robot({.width = 1600, .height = 1000});
  with_neurons(robot);
  CellPlace at = place_of(robot);
  at.key = 0;
  const Products p = products_of(shown(robot), at, ProductOrder::Dimension);
  const double q = static_cast<double>(p.q[0]), k = static_cast<double>(p.k[0]);
  const std::string expected = fixed(k, 3) + " = " + fixed(q * k, 3) + "  of " + fixed(p.sum(), 2);
  const std::string told = hint_at_first_cell(robot, 0);
  INFO(told);
  CHECK(told.find("dim 0") == 0);
  CHECK(told.find("q " + fixed(q, 3)) != std::string::npos);
  CHECK(told.find(expected) != std::string::npos);
  robot.click("Strip: v");
  robot.frame();
  CHECK(state(robot).strip == NeuronStrip::Value);
  const double weight = static_cast<double>(shown(robot).trace[Stage::Softmax]->matrix(0, at.h)(at.query, 0));
  const double v = static_cast<double>(vector_of(shown(robot), Stage::Value, 0, at.kv, 0)[0]);
  CHECK(hint_at_first_cell(robot, 0).find(fixed(v, 3) + " = " + fixed(weight * v, 3)) != std::string::npos);
  robot.click("Strip: k");
  CHECK(state(robot).strip == NeuronStrip::Key);
  robot.click("Strip: q × k");
  CHECK(state(robot).strip == NeuronStrip::Product);
}

TEST_CASE("dimensions sorted by contribution begin with the one that gives the chosen key most") {
  Robot robot({.width = 1600, .height = 1000});
  with_neurons(robot);
  const Products p = products_of(shown(robot), place_of(robot), ProductOrder::Size);
  REQUIRE(p.order[0] != 0);
  robot.click("Dimensions: by contribution");
  robot.frame();
  CHECK(state(robot).by_contribution);
  const std::string first = "dim " + std::to_string(p.order[0]) + ":";
  CHECK(hint_at_first_cell(robot, 1).find(first) == 0);
  CHECK(hint_at_first_cell(robot, 0).find(first) == 0);  // the order is the chosen key's in every row
  robot.click("Dimensions: in order");
  robot.frame();
  CHECK(hint_at_first_cell(robot, 1).find("dim 0:") == 0);
}

TEST_CASE("in a narrow window a switch sorts the dimensions") {
  Robot robot({.width = 1280, .height = 720});
  with_neurons(robot);
  robot.click("Dimensions by contribution");
  CHECK(state(robot).by_contribution);
  robot.click("Dimensions by contribution");
  CHECK_FALSE(state(robot).by_contribution);
}

TEST_CASE("the neuron view stands large in the place of the focus") {
  Robot robot({.width = 1600, .height = 1000});
  REQUIRE(robot.has("heatmap 0"));
  robot.key(ImGuiKey_E);
  CHECK(state(robot).expanded);
  CHECK(robot.has("large neuron 0"));
  CHECK_FALSE(robot.has("heatmap 0"));
  CHECK(robot.has("step score"));  // the card stays beside it
  robot.click("large neuron 0");
  CHECK(robot.app().selection().cell.key == 0);
  robot.click("Dimensions: by contribution");
  CHECK(state(robot).by_contribution);
  robot.move(robot.centre("large neuron query"));
  robot.frame();
  robot.click("Close neurons");
  robot.frame();
  CHECK(robot.has("heatmap 0"));
  with_neurons(robot);
  robot.click("Neurons large");
  CHECK(state(robot).expanded);
  robot.key(ImGuiKey_Escape);
  CHECK_FALSE(state(robot).expanded);
  CHECK(robot.app().selection().locked);  // the next Esc unlocks
  robot.key(ImGuiKey_Escape);
  CHECK_FALSE(robot.app().selection().locked);
  // Weights that are chosen for the focus are shown there.
  robot.key(ImGuiKey_E);
  robot.click("Inspector: Cell");
  robot.frame();
  robot.click("operand q");
  robot.frame(2);
  robot.click("Show column in W_Q");
  robot.settle();
  CHECK(robot.has("weight map"));
}

TEST_CASE("the neuron view of a long text scrolls") {
  Robot robot({.width = 1600,
               .height = 1000,
               .file = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "4-a-longer-text.json"});
  robot.key(ImGuiKey_E);
  robot.frame(2);
  const std::int64_t last = shown(robot).dimensions.keys - 1;
  const std::string label = "large neuron " + std::to_string(last);
  CHECK_FALSE(robot.has(label));
  robot.move(robot.centre("large neuron 3"));
  for (int i = 0; i < 60 && !robot.has(label); ++i) robot.scroll(-4);
  CHECK(robot.has(label));
  CHECK_FALSE(robot.has("large neuron 0"));
}

}  // namespace attnscope::neuron_test
