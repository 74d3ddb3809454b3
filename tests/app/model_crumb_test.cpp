// A layer of a model in Explore: the page names its model, leads back to it, and shows the model's prediction
// while the layer is changed.
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_format.hpp"
#include "app/model_robot.hpp"
#include "core/readouts/text/prediction.hpp"
#include "robot/layout.hpp"

namespace attnscope::model_crumb_test {
namespace {

using namespace attnscope::test;

const char* const up = "Up to the model";

/// Of a token, in per cent with one place.
std::string per_cent(std::span<const float> logits, std::int64_t id) {
  return fixed(100 * Softmax(logits)[static_cast<std::size_t>(id)], 1);
}

}  // namespace

TEST_CASE("a layer in Explore names its model, and a click leads back to it", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  CHECK_FALSE(robot.has(up));  // the model itself is on screen
  robot.key(ImGuiKey_F2);
  robot.settle();
  REQUIRE(robot.has(up));
  bool names_layer = false;
  const RecordedItem* const item = robot.items().find(up);
  REQUIRE(item != nullptr);
  const ImVec2 min = item->min, max = item->max;
  const std::string layer = "Layer " + std::to_string(robot.document().within.read().block);
  for (const PlacedText& text : texts_of(robot))
    names_layer = names_layer || (text.text == layer && text.x0 > min.x && text.x1 < max.x &&
                                  text.y0 > min.y && text.y1 < max.y);
  CHECK(names_layer);
  robot.click(up);
  robot.settle();
  CHECK(robot.app().view().mode == Mode::Model);
}

TEST_CASE("the crumb says how often Esc is pressed until it leads to the model", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_F2);
  robot.settle();
  robot.app().looking().look_at({.head = {}, .cell = Cell{2, 1}, .cells = {}});
  robot.settle();
  for (const bool locked : {true, false}) {
    REQUIRE(robot.app().selection().locked == locked);
    REQUIRE(robot.app().view().mode == Mode::Explore);
    const RecordedItem* const item = robot.items().find(up);
    REQUIRE(item != nullptr);
    const ImVec2 min = item->min, max = item->max;
    int times = 0;
    for (const PlacedText& text : texts_of(robot))
      times += text.text == "Esc" && text.x0 > min.x && text.x1 < max.x && text.y0 > min.y && text.y1 < max.y;
    CHECK(times == (locked ? 2 : 1));
    robot.key(ImGuiKey_Escape);
    robot.settle();
  }
  CHECK(robot.app().view().mode == Mode::Model);
}

TEST_CASE("a layer that stands in no model has no way up", "[model]") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  CHECK_FALSE(robot.has(up));
  CHECK_FALSE(robot.has("Prediction of the model"));
}

TEST_CASE("the model's prediction before and after stands in Explore while its layer is changed", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_F2);
  robot.settle();
  REQUIRE(robot.has("Prediction of the model"));
  {
    const ModelAlone model(robot);
    const std::int64_t first = likeliest(model.logits(model.clean), 1)[0].id;
    CHECK(shows(robot, per_cent(model.logits(model.clean), first) + " %"));
    CHECK_FALSE(shows(robot, per_cent(model.logits(model.clean), first) + " → "));
  }
  robot.key(ImGuiKey_S);
  robot.settle();
  const ModelAlone model(robot);
  REQUIRE_FALSE(model.within.changes.empty());
  const std::int64_t first = likeliest(model.logits(model.clean), 1)[0].id;
  CHECK(shows(robot, per_cent(model.logits(model.clean), first) + " → " +
                         per_cent(model.logits(model.changed), first) + " %"));
}

}  // namespace attnscope::model_crumb_test
