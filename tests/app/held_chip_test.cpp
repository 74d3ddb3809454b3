// The chip of the held state in Explore; comparison of two different heads.
#include "app/views/held/held_chip.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/compare_robot.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/state/compare_state.hpp"
#include "app/views/held/settings.hpp"
#include "robot/layout.hpp"

namespace attnscope::held_chip_test {

TEST_CASE("ages are told in seconds, minutes and hours") {
  CHECK(age_words(-1) == "0 s ago");
  CHECK(age_words(12.9) == "12 s ago");
  CHECK(age_words(61) == "1 min ago");
  CHECK(age_words(3 * 3600 + 5) == "3 h ago");
}

TEST_CASE("holding shows a chip with what differs and its age; it compares, its cross lets go") {
  for (const int width : {1280, 1600}) {
    Robot robot({.width = width, .height = 1000, .system_fonts = true});
    robot.settle();
    CHECK_FALSE(robot.has("Held"));
    CHECK_FALSE(robot.app().clock_in());
    robot.key(ImGuiKey_Backslash);
    robot.settle();
    REQUIRE(robot.has("Held"));
    CHECK(shows(robot, "as now"));
    robot.key(ImGuiKey_S);
    robot.settle();
    CHECK(shows(robot, "÷ √8"));
    robot.frame(60 * 12);
    CHECK(shows(robot, "s ago"));
    REQUIRE(robot.app().clock_in());  // the window draws again when the age changes
    CHECK(*robot.app().clock_in() <= 1.1);
    robot.click("Held");
    robot.settle();
    CHECK(robot.app().view().mode == Mode::Compare);
    CHECK_FALSE(robot.has("Held"));
    robot.key(ImGuiKey_F2);
    robot.settle();
    robot.click("Drop what is held");
    robot.settle();
    CHECK_FALSE(robot.app().held().held_result());
    CHECK_FALSE(robot.has("Held"));
    CHECK(robot.app().view().mode == Mode::Explore);
  }
}

TEST_CASE("the field that finds gives up its words only beside the chip of what is held") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  const auto width = [&] { return test::item(robot, "Find").max.x - test::item(robot, "Find").min.x; };
  const float usual = width();
  robot.key(ImGuiKey_Backslash);
  robot.settle();
  REQUIRE(robot.has("Held"));
  CHECK(width() < usual);
  robot.key(ImGuiKey_F4);
  robot.settle();
  REQUIRE(robot.app().view().mode == Mode::Compare);
  REQUIRE_FALSE(robot.has("Held"));
  CHECK(width() == usual);
}

TEST_CASE("Compare names the layers of a file and the width of a head") {
  Document now, held;
  for (Document* document : {&now, &held}) {
    const auto tensor = std::make_shared<const Tensor>(Shape{1, 1, 2, document == &now ? 4 : 8});
    document->input.numbers = Given{tensor, tensor, tensor};
  }
  now.title = "model.safetensors · blocks.7.attn";
  held.title = "model.safetensors · blocks.3.attn";
  const std::vector<SettingDifference> differences = differing_settings(now, held);
  const auto of = [&](std::string_view name) {
    const auto at = std::find_if(differences.begin(), differences.end(),
                                 [&](const SettingDifference& d) { return d.name == name; });
    REQUIRE(at != differences.end());
    return plain(at->a) + " | " + plain(at->b);
  };
  CHECK(differences.front().name == "layer");
  CHECK(of("layer") == "blocks.7.attn | blocks.3.attn");
  CHECK(of("width of a head") == "dₖ 4 | dₖ 8");
}

TEST_CASE("another head of what is held stands beside the shown one, and the difference is theirs") {
  test::Comparing robot;
  robot.key(ImGuiKey_Backslash);
  robot.settle();
  robot.key(ImGuiKey_S);
  robot.settle();
  const Image same = test::below_the_bar(robot);
  REQUIRE(robot.has("Held head more"));
  robot.click("Held head more");
  robot.settle();
  robot.leave();
  robot.settle();
  const std::int64_t now = robot.app().selection().head, held = now + 1;
  CHECK(compare_of(robot.app().view()).held_head == held);
  CHECK(robot.app().selection().head == now);
  CHECK_FALSE((test::below_the_bar(robot) == same));
  CHECK(shows(robot, "head " + std::to_string(now) + " − head " + std::to_string(held)));

  ResultStats stats(robot.app().shown());
  stats.compare_with(robot.app().held().held_result()->result);
  const Plane difference(Stage::Softmax, Plane::Kind::Difference);
  const auto expected = [&](std::int64_t h, std::int64_t other) {
    return Eigen::MatrixXf(robot.app().shown()->layer().trace[Stage::Softmax]->matrix(0, h) -
                           robot.held().trace[Stage::Softmax]->matrix(0, other));
  };
  stats.pair_heads(now, held);
  CHECK((stats.matrix(difference, 0, now) - expected(now, held)).cwiseAbs().maxCoeff() == 0);
  CHECK((stats.matrix(difference, 0, 0) - expected(0, 0)).cwiseAbs().maxCoeff() == 0);
  const double moved = stats.moved(0, now)->mean;
  stats.pair_heads(-1, -1);
  CHECK((stats.matrix(difference, 0, now) - expected(now, now)).cwiseAbs().maxCoeff() == 0);
  CHECK(std::abs(stats.moved(0, now)->mean - moved) > 1e-3);

  robot.key(ImGuiKey_X);  // the sides are swapped, each with its head
  robot.settle();
  CHECK(robot.app().selection().head == held);
  CHECK(compare_of(robot.app().view()).held_head == now);
  robot.key(ImGuiKey_X);
  robot.settle();
  robot.click("Held head less");  // the shown head: each head is compared with itself again
  robot.settle();
  robot.leave();
  robot.settle();
  CHECK(compare_of(robot.app().view()).held_head == -1);
  CHECK((test::below_the_bar(robot) == same));
}

}  // namespace attnscope::held_chip_test
