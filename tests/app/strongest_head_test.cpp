// When the effects of all heads are known, one click shows the strongest head.
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>

#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/views/model/facts.hpp"
#include "core/engine/model/model_reading.hpp"
#include "robot/layout.hpp"

namespace attnscope::strongest_head_test {

using namespace attnscope::test;

namespace {

void from_palette(Robot& robot, std::string_view action) {
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type(action);
  robot.frame(2);
  robot.key(ImGuiKey_Enter);
  robot.settle();
}

}  // namespace

TEST_CASE("the head with the largest effect is offered when all are known, and a click looks at it",
          "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  const ModelReadingPtr reading = robot.app().model();
  REQUIRE(reading);
  REQUIRE(reading->effects);
  REQUIRE(reading->effects->known == std::ssize(reading->effects->heads));
  std::size_t strongest = 0;
  for (std::size_t i = 0; i < reading->effects->heads.size(); ++i)
    if (std::abs(reading->effects->effects[i].top_logit_change) >
        std::abs(reading->effects->effects[strongest].top_logit_change))
      strongest = i;
  const HeadPlace place = reading->effects->heads[strongest];
  CHECK(strongest_head(*reading) == ModelHead{AttentionOf::Decoder, place.block, place.head});

  robot.app().looking().look_at({.head = (place.head + 1) % 4, .cell = Cell{1, 0}, .cells = {}});
  robot.settle();
  REQUIRE(robot.has("Strongest head"));
  CHECK(shows(robot, "strongest head " + std::to_string(place.block) + "." + std::to_string(place.head)));
  robot.click("Strongest head");
  robot.settle();
  CHECK(robot.document().within.read().block == place.block);
  CHECK(robot.app().selection().head == place.head);
  CHECK(model_state_of(robot.app().view()).locked);
  CHECK(robot.app().selection().cell.query == reading->prediction->row);

  ModelReading partly = *reading;
  EffectsReading effects = *reading->effects;
  --effects.known;
  partly.effects = std::make_shared<const EffectsReading>(effects);
  CHECK_FALSE(strongest_head(partly));  // the next effect may be the largest
}

TEST_CASE("in a low window the map of the head has the room of the offer", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory, {.width = 1024, .height = 600}));
  type_text(robot, "ab c de a");
  CHECK_FALSE(robot.has("Strongest head"));
  CHECK(robot.has("score previous token"));
  const std::optional<ModelHead> head = strongest_head(*robot.app().model());
  REQUIRE(head);
  robot.app().looking().look_at({.head = (head->head + 1) % 4, .cell = Cell{1, 0}, .cells = {}});
  robot.settle();
  from_palette(robot, "Look at the strongest head");
  CHECK(robot.document().within.read().block == head->block);
  CHECK(robot.app().selection().head == head->head);
  CHECK(robot.app().selection().cell.query == robot.app().model()->prediction->row);
  CHECK(model_state_of(robot.app().view()).locked);
}

TEST_CASE("in a low window the picture of the chosen head is large enough to be looked at", "[model]") {
  const auto is_large = [](Robot& robot) {
    robot.settle();
    const RecordedItem* const map = robot.items().find("model map 0");
    REQUIRE(map != nullptr);
    CHECK(map->max.y - map->min.y >= 112);  // cells are whole pixels
    CHECK(robot.has("score previous token"));
    std::vector<PlacedText> beside = texts_of(robot);  // a long sentence continues beyond its field
    std::erase_if(beside, [](const PlacedText& text) { return text.x0 < 720 || text.y0 < 112; });
    for (const std::string& pair : collisions(beside)) FAIL_CHECK(pair);
  };
  const TemporaryDirectory directory;
  {
    Robot robot(with_letters(directory, {.width = 1024, .height = 600}));
    type_text(robot, "ab c de a");
    is_large(robot);
  }
  Robot robot(
      {.width = 1024, .height = 600, .file = std::filesystem::path(ATTNSCOPE_ASSETS) / "models/induction"});
  is_large(robot);
  robot.resize(1600, 1000);
  robot.settle();
  CHECK(robot.has("score effect on logit"));  // there is room for all of them
}

TEST_CASE("without a model the palette says that there is no strongest head") {
  Robot robot;
  const Document before = robot.document();
  robot.app().view().mode = Mode::Model;
  robot.settle();
  from_palette(robot, "Look at the strongest head");
  CHECK(robot.app().message() == "No model is open.");
  CHECK(robot.document() == before);
}

}  // namespace attnscope::strongest_head_test
