// A second backend in Model mode: which one runs the model, the time of each, and what the chosen one left to
// the CPU. The second backend is a test double.
#include <algorithm>
#include <memory>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/files/paths.hpp"
#include "app/views/backends/switch.hpp"
#include "controls_robot.hpp"
#include "robot/layout.hpp"
#include "support/second_backend.hpp"

namespace attnscope::backends_model_test {

using test::SecondBackend;
using test::told_at;

TEST_CASE("backends: a model is run by the one that is chosen, and both times stand side by side",
          "[backends]") {
  const auto second = std::make_shared<SecondBackend>();
  const std::string remark = "The graphics card has no room for all weights of the model.";
  Robot robot({.width = 1600,
               .height = 1000,
               .second = second,
               .rows =
                   [&](std::int64_t weights, std::string&) {
                     CHECK(weights > 1000);
                     return std::make_shared<test::SecondRows>(second->name(), remark);
                   },
               .file = assets_directory() / "models/reader"});
  robot.settle();
  const auto reading = [&] { return robot.app().model(); };
  const auto time = [&](std::size_t choice) { return robot.app().backends().model_time(choice); };
  REQUIRE(reading());
  CHECK(reading()->backend.empty());
  REQUIRE(time(0));
  CHECK_FALSE(time(1));
  CHECK(shows(robot, time_words(*time(0))));
  const ModelReadingPtr before = reading();
  robot.key(ImGuiKey_U);
  robot.settle();
  CHECK(reading()->backend == second->name());
  CHECK(reading()->run != before->run);
  CHECK(reading()->prediction->before == before->prediction->before);
  REQUIRE(time(0));
  REQUIRE(time(1));
  CHECK(shows(robot, time_words(*time(1))));
  CHECK(robot.app().backends().model_ratio() == std::max(*time(0), *time(1)) / std::min(*time(0), *time(1)));
  CHECK(told_at(robot, "Backend").contains(remark));
  robot.key(ImGuiKey_U);
  robot.settle();
  CHECK(reading()->backend.empty());
  CHECK(reading()->backend_note.empty());
}

}  // namespace attnscope::backends_model_test
