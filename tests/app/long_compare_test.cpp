// Long results held as B: A, B and A − B on the long map, exact in single cells; where they cannot be
// compared, the page says so.
#include <algorithm>
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_format.hpp"
#include "app/long_robot.hpp"
#include "app/state/regions/long_state.hpp"

namespace attnscope::long_compare_test {

using namespace attnscope::test;

namespace {

constexpr Cell place{1204, 1203};

/// B: as it opens; A: without the division by √dₖ. Zoomed to a cell in the previous-token head.
struct Compared : LongRobot {
  double in_a = 0, in_b = 0;  // the cell's weights, by the formula
  explicit Compared(int width = 1600, int height = 1000, float scale = 1) : LongRobot(width, height, scale) {
    in_b = naive_weight(0, place);
    robot.key(ImGuiKey_Backslash);
    robot.key(ImGuiKey_S);
    robot.settle();
    in_a = naive_weight(0, place);
    robot.app().looking().look_at({.head = 0, .cell = place, .cells = 8});
    robot.settle();
  }
  LongSide side() { return long_view_of(robot.app().view()).side; }
  Box box(std::string_view label) {
    const RecordedItem* const item = robot.items().find(label);
    REQUIRE(item);
    return {item->min.x, item->min.y, item->max.x - item->min.x, item->max.y - item->min.y};
  }
  std::string fourth(double v) const { return std::abs(v) < 0.005 ? tight(v) : fixed(v, 4); }
};

}  // namespace

TEST_CASE("a long result is held as B, and the map shows A, B and A - B exactly", "[long-compare]") {
  Compared c;
  Robot& robot = c.robot;
  REQUIRE(robot.app().held().held_result());
  CHECK(robot.app().held().held_result()->result->layer().is_long());
  REQUIRE(std::abs(c.in_a - c.in_b) > 0.01);
  REQUIRE(robot.has("Side: now − held"));
  CHECK(shows(robot, c.fourth(c.in_a)));

  robot.click("Side: held");
  robot.settle();
  CHECK(c.side() == LongSide::B);
  CHECK(shows(robot, c.fourth(c.in_b)));

  robot.key(ImGuiKey_Slash);
  robot.settle();
  CHECK(c.side() == LongSide::Difference);
  CHECK(shows(robot, c.fourth(c.in_a - c.in_b)));
  CHECK(shows(robot, "now − held of the weights"));
  for (const std::string& sentence : collisions(texts_of(robot))) FAIL_CHECK(sentence);
  robot.app().looking().look_at({.head = {}, .cell = {}, .cells = tokens});
  robot.settle();
  CHECK(shows(robot, "now − held   ·   largest weight in each 4 × 4 block"));
  for (const std::string& sentence : collisions(texts_of(robot))) FAIL_CHECK(sentence);

  // The bar ends at the largest difference of the pictures.
  const Survey &a = c.survey(), &b = *robot.app().held().held_result()->result->layer().surveys.front();
  float most = 0;
  for (std::int64_t i = 0; i < a.known.largest_cells().shape()[1] * a.known.largest_cells().shape()[2]; ++i)
    most = std::max(most, std::abs(a.known.largest_cells().data()[i] - b.known.largest_cells().data()[i]));
  CHECK(shows(robot, fixed(static_cast<double>(most), 2)));
  robot.key(ImGuiKey_Slash);
  robot.settle();
  CHECK(c.side() == LongSide::A);
}

TEST_CASE("long A and B are swapped, let go, and come back from a session", "[long-compare]") {
  Compared c;
  Robot& robot = c.robot;
  robot.key(ImGuiKey_Slash);
  robot.settle();
  const std::filesystem::path path = c.directory / "both.json";
  robot.app().files().saving.save(path);
  robot.key(ImGuiKey_X);
  robot.settle();
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::InverseSqrtDk);
  CHECK(robot.app().held().held_result()->result->document.layer().scaling.kind == Scaling::Kind::Off);
  CHECK(shows(robot, c.fourth(c.in_b - c.in_a)));
  robot.key(ImGuiKey_Backslash, ImGuiMod_Shift);
  robot.settle();
  CHECK_FALSE(robot.app().held().held_result());
  CHECK_FALSE(robot.has("Side: held"));
  CHECK(shows(robot, c.fourth(c.in_b)));
  robot.key(ImGuiKey_Slash);
  robot.frame(2);
  CHECK(robot.app().message().find("Nothing of this length") != std::string::npos);

  robot.app().files().opening.open(path);
  robot.settle();
  REQUIRE(robot.app().held().held_result());
  CHECK(robot.app().held().held_result()->result->layer().is_complete());
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::Off);
  CHECK(c.side() == LongSide::Difference);
  CHECK(shows(robot, c.fourth(c.in_a - c.in_b)));
}

TEST_CASE("a long B of another length, and a short A, are told in one sentence", "[long-compare]") {
  Compared c;
  Robot& robot = c.robot;
  std::string text = long_text();
  for (int i = 0; i < 40; ++i) text += " more";
  robot.app().files().opening.open(c.directory.write("longer.txt", text));
  robot.settle();
  REQUIRE(c.result().is_long());
  for (const char* side : {"Side: now − held", "Side: held"}) {
    robot.click(side);
    robot.settle();
    CHECK(shows(robot, "What is shown has 2,151 tokens"));
  }
  robot.click("Side: now");
  robot.settle();
  CHECK(robot.has("long map"));

  robot.app().files().opening.open(list_examples(ATTNSCOPE_ASSETS).front().path);
  robot.settle();
  CHECK_FALSE(c.result().is_long());
  CHECK(robot.app().message().find("cannot be compared") != std::string::npos);
  for (const ImGuiKey mode : {ImGuiKey_F4, ImGuiKey_F3, ImGuiKey_F2}) {
    robot.key(mode);
    robot.settle();
  }
  robot.key(ImGuiKey_X);
  robot.settle();
  CHECK(c.result().is_long());
  CHECK_FALSE(robot.app().held().held_result()->result->layer().is_long());
  robot.key(ImGuiKey_Slash);
  robot.frame(2);
  CHECK(robot.app().message().find("Nothing of this length") != std::string::npos);
}

TEST_CASE("strips beside A - B have the means of both", "[long-compare]") {
  Compared c;
  Robot& robot = c.robot;
  const Rgba b = theme(ThemeName::Dark).b;
  const auto counts = [&] {
    robot.leave();
    robot.settle();
    const Image image = robot.pixels();
    return std::count_if(image.pixels.begin(), image.pixels.end(), [&](Rgba pixel) {
      const auto near = [&](int shift) {
        return std::abs(static_cast<int>(pixel >> shift & 255u) - static_cast<int>(b >> shift & 255u)) < 48;
      };
      return near(0) && near(8) && near(16);
    });
  };
  robot.app().looking().look_at({.head = {}, .cell = {}, .cells = tokens});
  robot.settle();
  const auto before = counts();
  robot.key(ImGuiKey_Slash);
  CHECK(counts() > before + 20);
}

TEST_CASE("Compare shows A, B and A - B of a long head beside each other, exact in single cells",
          "[long-compare]") {
  Compared c;
  Robot& robot = c.robot;
  robot.key(ImGuiKey_F4);
  robot.app().looking().look_at({.head = 0, .cell = place, .cells = 4});
  robot.settle();
  for (const double v : {c.in_a, c.in_b, c.in_a - c.in_b}) CHECK(shows(robot, c.fourth(v)));
  CHECK(shows(robot, "÷ √8"));
  for (const std::string& sentence : collisions(texts_of(robot))) FAIL_CHECK(sentence);

  // Pointing and clicking in one picture chooses in all three.
  const Box a = c.box("compare A"), b = c.box("compare B"), difference = c.box("compare A-B");
  CHECK(std::abs(a.w - b.w) < 2);
  CHECK(std::abs(a.w - difference.w) < 2);
  robot.click_at({b.x + b.w * 0.1f, b.y + b.h * 0.1f});
  robot.settle();
  CHECK(robot.app().selection().cell.query < place.query);
  const Cell in_b = robot.app().selection().cell;
  robot.click_at({a.x + a.w * 0.1f, a.y + a.h * 0.1f});
  robot.settle();
  CHECK(robot.app().selection().cell == in_b);

  robot.app().looking().look_at({.head = {}, .cell = {}, .cells = tokens});
  robot.settle();
  CHECK(shows(robot, "largest weight in each 8 × 8 block"));
  robot.click("Pool: Mean");
  robot.settle();
  CHECK(shows(robot, "mean weight in each 8 × 8 block"));
  robot.click("difference of head 5");
  robot.settle();
  CHECK(robot.app().selection().head == 5);
  CHECK(shows(robot, "head 5"));
  const Box entropies = c.box("Entropy of every query");
  robot.click_at({entropies.x + entropies.w * 0.25f, entropies.centre_y()});
  robot.settle();
  CHECK(std::abs(static_cast<double>(robot.app().selection().cell.query) - 0.25 * tokens) < 6);

  // Both sides are the same: so are their pictures.
  robot.click("Hold again");
  robot.settle();
  CHECK(shows(robot, "the same: change something"));
  robot.click("Drop");
  robot.settle();
  CHECK(robot.has("Hold this"));
  CHECK_FALSE(robot.has("compare B"));
}

TEST_CASE("Compare shows a long B of its own length, and says why there is no A - B", "[long-compare]") {
  Compared c;
  Robot& robot = c.robot;
  std::string text = long_text();
  for (int i = 0; i < 40; ++i) text += " more";
  robot.app().files().opening.open(c.directory.write("longer.txt", text));
  robot.key(ImGuiKey_F4);
  robot.settle();
  CHECK(robot.has("compare A"));
  CHECK(robot.has("compare B"));
  CHECK_FALSE(robot.has("compare A-B"));
  CHECK(shows(robot, "No difference here"));
  robot.app().looking().look_at({.head = 0, .cell = Cell{2140, 2140}, .cells = 8});  // B has no such place
  robot.settle();
  CHECK(robot.app().selection().cell == Cell{2140, 2140});
  CHECK(robot.has("compare B"));
}

}  // namespace attnscope::long_compare_test
