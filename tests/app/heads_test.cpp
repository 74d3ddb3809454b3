// Head intervention in the window: mute and solo by the badge, the menu of a head, keys, presets, and the
// output's change below.
#include <catch2/catch_test_macros.hpp>

#include "app/state/regions/stage_look.hpp"
#include "heads_robot.hpp"

namespace attnscope::heads_test {

using namespace attnscope::test;

TEST_CASE("a click on the badge mutes a head, another lets it sound again", "[heads]") {
  Wide robot;
  const Document before = robot.document();
  robot.leave();
  const double bright = brightness(robot, 0);
  test::click(robot, "badge 0");
  CHECK(kind_of(robot.document(), 0) == Kind::Mute);
  CHECK(robot.app().selection().head == 3);  // the click does not choose a head
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Intervention));
  const LayerResult& r = shown(robot);
  CHECK(r.trace[Stage::Intervention]->matrix(0, 0).isZero(0));
  REQUIRE(r.measures.output_change.size() == 6);
  robot.leave();
  robot.frame(2);
  CHECK(brightness(robot, 0) < 0.6 * bright);  // faint, not gone
  CHECK(brightness(robot, 0) > 0.1 * bright);
  test::click(robot, "badge 0");
  CHECK(robot.document() == before);
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Softmax));
  CHECK_FALSE(robot.has("restore all heads"));
}

TEST_CASE("Shift and a click on the badge soloes a head", "[heads]") {
  Wide robot;
  const Document before = robot.document();
  shift_click(robot, "badge 5");
  CHECK(edit::is_soloed(robot.document(), 5));
  shift_click(robot, "badge 2");
  CHECK(edit::is_soloed(robot.document(), 2));
  shift_click(robot, "badge 2");
  CHECK(robot.document() == before);
}

TEST_CASE("the menu of a head replaces its pattern", "[heads]") {
  Wide robot;
  const auto pattern = [&] { return shown(robot).trace[Stage::Intervention]->matrix(0, 4).eval(); };
  choose_in_menu(robot, 4, "Uniform");
  CHECK(kind_of(robot.document(), 4) == Kind::Uniform);
  CHECK(pattern()(2, 0) == 1.0f / 3);
  choose_in_menu(robot, 4, "Previous token");
  CHECK(pattern()(2, 1) == 1);
  choose_in_menu(robot, 4, "Same token");
  CHECK(pattern()(2, 2) == 1);
  choose_in_menu(robot, 4, "First token");
  CHECK(pattern()(2, 0) == 1);
  choose_in_menu(robot, 4, "Its own");
  CHECK(robot.document().layer().interventions.empty());
  choose_in_menu(robot, 4, "Mute");
  CHECK(kind_of(robot.document(), 4) == Kind::Mute);
  choose_in_menu(robot, 4, "Solo");
  CHECK(edit::is_soloed(robot.document(), 4));
}

TEST_CASE("a pattern frozen as it is stays when everything before it changes", "[heads]") {
  Wide robot;
  const auto before = shown(robot).trace[Stage::Softmax]->matrix(0, 6).eval();
  choose_in_menu(robot, 6, "Freeze the pattern");
  REQUIRE(kind_of(robot.document(), 6) == Kind::Frozen);
  for (const OutputChange& row : shown(robot).measures.output_change) CHECK(row.change == 0);
  robot.key(ImGuiKey_S);
  robot.settle();
  CHECK(shown(robot).trace[Stage::Intervention]->matrix(0, 6) == before);
  CHECK(shown(robot).trace[Stage::Softmax]->matrix(0, 6) != before);
  robot.retype("##Text", "The cat sat");  // another shape: the frozen pattern is dropped
  CHECK(robot.document().layer().interventions.empty());
}

TEST_CASE("a pattern that holds NaN is not frozen, and the window says why", "[heads]") {
  const test::TemporaryDirectory directory;
  Document document = sentence("The cat sat on the mat", 8, 64);
  document.layer().softmax = SoftmaxKind::Naive;
  document.layer().scaling = {Scaling::Kind::Factor, 1e5f};
  Robot robot({.width = 1600, .height = 1000, .file = saved(directory, document)});
  robot.settle();
  REQUIRE(shown(robot).measures.head(0, 0).not_finite > 0);
  CHECK(robot.has("not finite 0"));
  choose_in_menu(robot, 0, "Freeze the pattern");
  CHECK(robot.document().layer().interventions.empty());
  CHECK(robot.document().layer().heads == 8);
  CHECK(robot.app().message().find("cannot be frozen") != std::string::npos);
}

TEST_CASE("a head is built to look at one thing, the others keep their weights", "[heads]") {
  struct Row {
    const char* label;
    const char* name;
    std::int64_t seen;  // of the fourth token
  };
  for (const Row& row : {Row{"the previous token", "previous token", 2},
                         Row{"the same token", "same token", 3}, Row{"the first token", "first token", 0},
                         Row{"the next token", "next token", 4}, Row{"all tokens equally", "uniform", 0}}) {
    INFO(row.label);
    Wide robot;
    robot.key(ImGuiKey_N);  // no mask: the next token can be seen
    robot.settle();
    const Document before = robot.document();
    choose_in_menu(robot, 4, row.label);
    CHECK(robot.document().layer().weights.head_names[4] == row.name);
    CHECK(shown(robot).measures.row(0, 4, 3).strongest == row.seen);
    CHECK(shown(robot).measures.head(0, 4).is_uniform == (std::string_view(row.name) == "uniform"));
    CHECK(robot.document().layer().weights[Parameter::WQuery]->matrix().middleCols(0, 32) ==
          before.layer().weights[Parameter::WQuery]->matrix().middleCols(0, 32));
    CHECK(shown(robot).measures.head(0, 5).entropy > 0);
  }
}

TEST_CASE("a preset that has nothing to read says so", "[heads]") {
  Wide robot;
  test::choose(robot, "Weights source", "Random");
  const Document before = robot.document();
  choose_in_menu(robot, 1, "the first token");
  CHECK(robot.document() == before);
  CHECK(robot.app().message().find("hand-built embeddings") != std::string::npos);
}

TEST_CASE("keys mute, solo and restore the chosen head and open its menu", "[heads]") {
  Wide robot;
  const auto press = [&](ImGuiKey key) {
    robot.key(key, ImGuiMod_Shift);
    robot.settle();
  };
  press(ImGuiKey_M);
  CHECK(kind_of(robot.document(), 3) == Kind::Mute);
  press(ImGuiKey_S);
  CHECK(edit::is_soloed(robot.document(), 3));
  press(ImGuiKey_R);
  CHECK(robot.document().layer().interventions.empty());
  robot.key(ImGuiKey_3);  // hidden: the menu shows the region again
  robot.frame();
  REQUIRE_FALSE(robot.has("head 3"));
  press(ImGuiKey_H);
  robot.frame(2);
  CHECK(robot.has("head 3"));
  REQUIRE(robot.has("Uniform"));
  // It stands beside its thumbnail.
  const ImVec2 row = robot.centre("Mute"), head = robot.centre("head 3");
  CHECK(row.x > head.x);
  CHECK(std::abs(row.y - head.y) < 200);
  robot.key(ImGuiKey_DownArrow);  // the list has the keyboard
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(has_intervention(robot.document()));
}

TEST_CASE("the output's change stands below the heads, token by token", "[heads]") {
  Wide robot;
  CHECK_FALSE(robot.has("output change"));
  test::click(robot, "badge 3");
  REQUIRE(robot.has("output change"));
  robot.leave();
  const Image still = robot.pixels();
  const RecordedItem bars = *robot.items().find("output change");
  const float width = bars.max.x - bars.min.x;
  robot.move({bars.min.x + width * 4.5f / 6, bars.min.y + 4});
  robot.frame();
  CHECK(robot.app().selection().hovered_cell->query == 4);  // previews the row everywhere
  robot.press();
  robot.release();
  robot.leave();
  robot.frame();
  CHECK(robot.app().selection().cell.query == 4);
  CHECK_FALSE((robot.pixels() == still));
  test::click(robot, "restore all heads");
  CHECK(robot.document().layer().interventions.empty());
  CHECK(shown(robot).measures.output_change.empty());
  CHECK_FALSE(robot.has("output change"));
}

}  // namespace attnscope::heads_test
