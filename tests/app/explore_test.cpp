// Explore, used by the robot: every control is clicked, dragged or typed into; the Document and the pixels
// are checked.
#include <algorithm>
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/state/regions/stage_look.hpp"
#include "core/edits/edits.hpp"
#include "robot/robot.hpp"

namespace attnscope::explore_test {

namespace {

const std::filesystem::path examples = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples";

Cell locked_cell(Robot& robot) { return robot.app().selection().cell; }

}  // namespace

TEST_CASE("the opening picture is the sentence with eight hand-built heads") {
  Robot robot;
  robot.settle();
  REQUIRE(robot.app().shown());
  CHECK(robot.app().message().empty());
  CHECK(robot.document().input.sequences[0].text == "The cat sat on the mat");
  CHECK(robot.document().layer().heads == 8);
  CHECK(robot.document().layer().d_model == 64);
  CHECK(robot.document().layer().masking.causal);
  CHECK(robot.document().layer().weights.head_names.size() == 8);
  CHECK(robot.app().selection().locked);
}

TEST_CASE("the mask segments change Document and pixels") {
  Robot robot;
  robot.settle();
  robot.leave();
  const Image causal = robot.pixels();
  robot.click("Mask: None");
  robot.settle();
  robot.leave();
  CHECK_FALSE(robot.document().layer().masking.causal);
  CHECK(robot.app().shown()->layer().measures.row(0, 0, 0).allowed == 6);
  CHECK_FALSE((robot.pixels() == causal));
  robot.click("Mask: Both");
  robot.settle();
  CHECK((robot.document().layer().masking.causal && robot.document().layer().masking.padding));
  robot.click("Mask: Causal");
  robot.settle();
  robot.leave();
  CHECK_FALSE(robot.document().layer().masking.padding);
}

TEST_CASE("the new picture stands in the frame after the switch was turned") {
  Robot robot;
  robot.settle();
  const ResultPtr before = robot.app().shown();
  robot.click("Divide by sqrt(d_k)");  // its last event is the release, whose frame submits the Document
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::Off);
  robot.frame(1);
  REQUIRE(robot.app().shown() != before);
  CHECK(robot.app().shown()->document.layer().scaling.kind == Scaling::Kind::Off);
  // Only what depends on the factor was computed: the projections and scores are the same tensors as before.
  CHECK(robot.app().shown()->layer().trace[Stage::Score] == before->layer().trace[Stage::Score]);
  CHECK(robot.app().shown()->layer().trace[Stage::Scale] != before->layer().trace[Stage::Scale]);
}

TEST_CASE("typing Chinese makes Chinese tokens") {
  Robot robot({.system_fonts = true});
  robot.settle();
  const Image before = robot.pixels();
  robot.retype("##Text", "我爱猫");
  REQUIRE(texts_of(robot.document().input.sequences[0].tokens) == std::vector<std::string>{"我", "爱", "猫"});
  CHECK(robot.app().shown()->layer().dimensions.keys == 3);
  CHECK_FALSE((robot.pixels() == before));
}

TEST_CASE("the chosen cell is found again after the sentence was typed anew") {
  Robot robot;
  robot.settle();
  const Cell chosen = locked_cell(robot);
  robot.retype("##Text", "A");
  CHECK(locked_cell(robot) == Cell{0, 0});
  robot.type(" bird in the hand");
  robot.settle();
  CHECK(locked_cell(robot) == chosen);
}

TEST_CASE("hovering previews a cell, a click locks it, Esc unlocks it, arrows move it") {
  Robot robot;
  robot.settle();
  const Cell first = locked_cell(robot);
  const ImVec2 middle = robot.centre("heatmap 0");
  robot.move({middle.x + 10, middle.y + 10});
  robot.frame();
  CHECK(robot.app().selection().hovered_cell == Cell{3, 3});
  CHECK(locked_cell(robot) == first);
  robot.click_at({middle.x + 10, middle.y + 10});
  CHECK(locked_cell(robot) == Cell{3, 3});
  CHECK(robot.app().selection().locked);
  robot.leave();
  robot.frame();
  CHECK_FALSE(robot.app().selection().hovered_cell);
  robot.key(ImGuiKey_UpArrow);
  robot.key(ImGuiKey_LeftArrow);
  CHECK(locked_cell(robot) == Cell{2, 2});
  robot.key(ImGuiKey_Escape);
  CHECK_FALSE(robot.app().selection().locked);
}

TEST_CASE("thumbnails preview on hover and choose on click") {
  Robot robot;
  robot.settle();
  robot.move(robot.centre("head 5"));
  robot.frame();
  CHECK(robot.app().selection().shown_head() == 5);
  CHECK(robot.app().selection().head == 3);
  robot.click("head 5");
  robot.leave();
  robot.frame(2);
  CHECK(robot.app().selection().shown_head() == 5);
}

TEST_CASE("token chips choose the query, or the key in the other direction") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  robot.click("token 4");
  CHECK(locked_cell(robot).query == 4);
  robot.click("Direction: key ← queries");
  robot.frame();
  robot.click("token 0");
  CHECK(locked_cell(robot) == Cell{4, 0});
}

TEST_CASE("sliders drag, type and go back on a double click") {
  Robot robot;
  robot.settle();
  const ImVec2 knob = robot.centre("Temperature");
  robot.drag(knob, {knob.x + 40, knob.y});
  robot.settle();
  CHECK(robot.document().layer().temperature > 1.5f);
  robot.type_number("Temperature value", "0.5");
  CHECK(robot.document().layer().temperature == 0.5f);
  robot.type_number("Scale value", "0.25");
  CHECK(robot.document().layer().scaling == Scaling{Scaling::Kind::Factor, 0.25f});
  robot.type_number("Temperature value", "0");
  CHECK(robot.app().message().find("temperature") != std::string::npos);
  CHECK(robot.app().shown()->document.layer().temperature == 0.5f);
}

TEST_CASE("the other controls of the column") {
  Robot robot({.width = 1600, .height = 1200});
  robot.settle();
  robot.click("Seed more");
  robot.settle();
  CHECK(robot.document().layer().weights.seed == 8);
  robot.click("Positions kind");
  robot.frame(2);
  robot.click("None");
  robot.settle();
  CHECK(robot.document().layer().positions == Positions::None);
  robot.click("Pad to more");
  robot.settle();
  CHECK(robot.app().shown()->layer().dimensions.keys == 7);
  robot.click("Weights source");
  robot.frame(2);
  robot.click("Random");
  robot.settle();
  CHECK(robot.document().layer().weights.recipe == Recipe::Random);
  CHECK(robot.document().embedding == Embedding::Gaussian);
  robot.click("Biases");
  robot.settle();
  CHECK(robot.app().shown()->document.layer().weights[Parameter::BQuery]);
  const ImVec2 header = robot.centre("Positions");
  robot.click_at(header);
  robot.frame();
  CHECK_FALSE(robot.has("Positions kind"));
}

TEST_CASE("the soft-cap bounds the scores before the mask") {
  Robot robot({.width = 1600, .height = 1200});
  robot.settle();
  CHECK(robot.app().shown()->layer().trace[Stage::Cap] == robot.app().shown()->layer().trace[Stage::Scale]);
  robot.click("Soft-cap");
  robot.settle();
  REQUIRE(robot.document().layer().soft_cap > 0);
  robot.type_number("Cap value", "0.5");
  const Tensor& capped = *robot.app().shown()->layer().trace[Stage::Cap];
  for (const float x : capped.values()) CHECK(std::abs(x) <= 0.5f);
  robot.click("Soft-cap");
  robot.settle();
  CHECK(robot.document().layer().soft_cap == 0);
}

TEST_CASE("noise hides the hand-built pattern") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  const double before = robot.app().shown()->layer().measures.head(0, 0).entropy;
  const ImVec2 knob = robot.centre("Noise");
  robot.drag(knob, {knob.x + 80, knob.y});
  robot.settle();
  CHECK(robot.document().layer().weights.noise > 0.5f);
  CHECK(robot.app().shown()->layer().measures.head(0, 0).entropy != before);
}

TEST_CASE("stage, range, theme: looks change, the Document does not") {
  Robot robot;
  robot.settle();
  const Document document = robot.document();
  robot.click("Stage: Scores");
  robot.frame(2);
  CHECK(stage_look_of(robot.app().view()).stage == Stage::Score);
  const Image scores = robot.pixels();
  robot.click("Range: Head");
  robot.leave();
  robot.frame(2);
  CHECK(stage_look_of(robot.app().view()).range == RangeMode::Head);
  CHECK_FALSE((robot.pixels() == scores));
  robot.click("Look");
  robot.frame(2);
  robot.click("Light");
  robot.frame(2);
  CHECK(robot.app().view().theme == ThemeName::Light);
  CHECK(robot.document() == document);
}

TEST_CASE("every example opens from the menu") {
  Robot robot;
  robot.settle();
  for (const Example& example : list_examples(ATTNSCOPE_ASSETS)) {
    robot.click("File");
    robot.frame(2);
    robot.click(example.name);
    robot.settle();
    INFO(example.name);
    // A layer of a model has the model's name.
    const bool in_model = static_cast<bool>(robot.document().within.read());
    CHECK(robot.document().title == (in_model ? "reader · layer 2" : example.name));
    CHECK(robot.app().message().empty());
    CHECK(robot.app().shown()->document.title == robot.document().title);
  }
}

TEST_CASE("the worked example shows its exact weights") {
  Robot robot({.file = examples / "2-three-tokens.json"});
  robot.settle();
  const Trace& trace = robot.app().shown()->layer().trace;
  const auto weights = trace[Stage::Softmax]->matrix(0, 0);
  const double expected[3][3] = {
      {0.4011, 0.1978, 0.4011}, {0.4011, 0.4011, 0.1978}, {0.5035, 0.2483, 0.2483}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) CHECK(std::abs(static_cast<double>(weights(i, j)) - expected[i][j]) < 5e-5);
  }
  const auto out = trace[Stage::Concat]->matrix(0);
  CHECK(std::abs(static_cast<double>(out(0, 0)) - 1.0000) < 5e-5);
  CHECK(std::abs(static_cast<double>(out(0, 1)) - 1.7967) < 5e-5);
}

TEST_CASE("a batch stands side by side and a click changes the sequence") {
  Robot robot({.width = 1600, .height = 1000, .file = examples / "3-two-banks.json"});
  robot.settle();
  REQUIRE(robot.has("heatmap 0"));
  REQUIRE(robot.has("heatmap 1"));
  robot.click("heatmap 1");
  robot.settle();
  CHECK(robot.app().selection().sequence == 1);
  robot.click("##Text 1");
  robot.settle();
  CHECK(robot.app().selection().sequence == 0);
}

TEST_CASE("every picture knows which run made its numbers") {
  Robot robot;
  robot.settle();
  const auto run_of = [&](Stage stage) { return robot.app().shown()->layer().made_in[stage]; };
  const std::uint64_t scores = run_of(Stage::Score), weights = run_of(Stage::Softmax);
  robot.key(ImGuiKey_S);
  robot.settle();
  CHECK(run_of(Stage::Score) == scores);
  CHECK(run_of(Stage::Softmax) > weights);
}

}  // namespace attnscope::explore_test
