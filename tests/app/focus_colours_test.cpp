// The focus: A − B, the float64 error, colour maps, the logarithm and the ends of the colour bar.
#include <array>

#include "app/files/paths.hpp"
#include "app/focus_robot.hpp"
#include "app/results/background_errors.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "core/attention/run_stage.hpp"
#include "core/edits/edits.hpp"
#include "core/files/document/open.hpp"
#include "core/files/formats/safetensors.hpp"
#include "support/temporary_directory.hpp"
#include "support/wait.hpp"

namespace attnscope::focus_colours_test {

using namespace attnscope::test;

TEST_CASE("A − B can be chosen once something is held") {
  Robot robot({.width = 1600, .height = 1000});
  robot.click("Kind: now − held");  // explains how, changes nothing
  robot.frame(2);
  CHECK(stage_look_of(robot.app().view()).stage == Stage::Softmax);
  robot.key(ImGuiKey_Backslash);
  robot.key(ImGuiKey_S);
  robot.settle();
  click(robot, "Kind: now − held");
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Softmax, Plane::Kind::Difference));
  click(robot, "Stage: Scores");  // the same kind of another stage
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Score, Plane::Kind::Difference));
  click(robot, "Kind: Value");
  CHECK(stage_look_of(robot.app().view()).stage == Stage::Score);
}

TEST_CASE("the float64 error is drawn in its own range, for every stage") {
  Robot robot({.width = 1600, .height = 1000});
  SeenMap map(robot);
  click(robot, "Kind: Δ f64");
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Softmax, Plane::Kind::Error));
  CHECK(stage_look_of(robot.app().view()).range == RangeMode::Head);
  ThreadPool pool(1);
  for (const auto& [name, stage] : {std::pair{"Stage: Scores", Stage::Score},
                                    {"Stage: Masked", Stage::Mask},
                                    {"Stage: Weights", Stage::Softmax}}) {
    INFO(name);
    if (stage != Stage::Softmax) click(robot, name);
    if (stage == Stage::Softmax) click(robot, "Stage: Weights");
    CHECK(stage_look_of(robot.app().view()).stage == Plane(stage, Plane::Kind::Error));
    robot.leave();
    robot.frame(2);
    const Trace errors = float64_error({pool, {}}, robot.document(), shown(robot).trace);
    const auto error = errors[stage]->matrix(0, robot.app().selection().head);
    float most = 0;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < (stage == Stage::Score ? 6 : i + 1); ++j)
        most = std::max(most, std::abs(error(i, j)));
    REQUIRE(most > 0);
    CHECK(most < 1e-4f);
    const Image image = robot.pixels();
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j <= i; ++j) {
        const Box cell = map.cell(robot, {i, j});
        CHECK(pixel(image, cell.x + 5, cell.y + 5) ==
              colour_of({theme(ThemeName::Dark).scores, -most, most, true}, error(i, j)));
      }
    }
  }
  click(robot, "Kind: Value");
  CHECK(stage_look_of(robot.app().view()).range == RangeMode::All);
  CHECK(stage_look_of(robot.app().view()).stage == Stage::Softmax);
}

TEST_CASE(
    "large errors are computed behind the scenes, can be let go, and are refused when they are too large") {
  Document document = open_document(example("1-the-cat-sat.json"));
  std::string text;
  for (int i = 0; i < 160; ++i) text += "word" + std::to_string(i) + " ";
  document = edit::text(std::move(document), 0, text);
  const ResultPtr result = Pipeline(make_cpu_backend(1)).run(document);
  BackgroundErrors errors(1);
  const auto task = errors.start(result), dropped = errors.start(result);
  dropped->cancel();
  REQUIRE(wait_until([&] { return task->is_done() && dropped->is_done(); }));
  REQUIRE(task->result());
  CHECK(task->progress() == float64_error_steps);
  CHECK((*task->result())[Stage::Softmax]->shape() == result->layer().trace[Stage::Softmax]->shape());
  CHECK(dropped->result() == nullptr);

  const auto large = std::make_shared<Result>();
  for (int i = 0; i < 1880; ++i) text += "w ";
  large->document = edit::text(std::move(document), 0, text);
  const auto layer = std::make_shared<LayerResult>();
  layer->document = large->document;
  layer->dimensions = check(large->document);
  large->layers.push_back(layer);
  const auto refused = errors.start(large);
  REQUIRE(wait_until([&] { return refused->is_done(); }));
  CHECK(refused->result() == nullptr);
  CHECK(refused->error().find("8 heads of 2,040 × 2,040") != std::string::npos);

  // The next request waits behind these.
  std::vector<std::shared_ptr<ErrorTask>> before;
  for (int i = 0; i < 50; ++i) before.push_back(errors.start(result));
  ResultStats stats(result, &errors);
  CHECK(stats.tensor(Plane(Stage::Softmax, Plane::Kind::Error)) == nullptr);  // this call starts it
  CHECK(stats.is_computing());
  CHECK(stats.matrix(Plane(Stage::Softmax, Plane::Kind::Error), 0, 0).isZero());
  CHECK(stats.range(Plane(Stage::Softmax, Plane::Kind::Error), 0, 0).high == 0);
  for (const std::shared_ptr<ErrorTask>& task_before : before) task_before->cancel();
  REQUIRE(wait_until([&] { return !stats.is_computing(); }));
  REQUIRE(stats.tensor(Plane(Stage::Softmax, Plane::Kind::Error)));
  CHECK(stats.range(Plane(Stage::Softmax, Plane::Kind::Error), 0, 0).high > 0);
}

TEST_CASE("weights wear the chosen map, by themselves or by their logarithm") {
  Robot robot({.width = 1600, .height = 1000});
  SeenMap map(robot);
  const auto check_colours = [&](const ColourScale& scale) {
    robot.leave();
    robot.frame(2);
    const Image image = robot.pixels();
    const auto weights = shown(robot).trace[Stage::Softmax]->matrix(0, robot.app().selection().head);
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j <= i; ++j) {
        const Box cell = map.cell(robot, {i, j});
        CHECK(pixel(image, cell.x + 5, cell.y + 5) == colour_of(scale, weights(i, j)));
      }
    }
  };
  for (const auto& [name, which] : {std::pair{"Viridis", Map::Viridis},
                                    {"Cividis", Map::Cividis},
                                    {"Blues", Map::BluesDark},
                                    {"Grey", Map::Grey},
                                    {"Magma", Map::Weights}}) {
    INFO(name);
    choose(robot, "Colours", name);
    check_colours({which, 0, 1});
  }
  robot.key(ImGuiKey_L);
  CHECK(focus(robot).log);
  check_colours({Map::Weights, 1e-4f, 1, false, true});
  click(robot, "Range: Head");
  const auto weights = shown(robot).trace[Stage::Softmax]->matrix(0, robot.app().selection().head);
  float least = 1;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) least = std::min(least, weights(i, j));
  check_colours({Map::Weights, least, 1, false, true});
  choose(robot, "Colours", "Logarithmic");
  CHECK_FALSE(focus(robot).log);
  click(robot, "Stage: Scores");
  robot.key(ImGuiKey_L);
  CHECK_FALSE(focus(robot).log);
  CHECK(robot.app().message().find("Only weights") != std::string::npos);
}

TEST_CASE("the ends of the colour bar can be dragged and go back") {
  Robot robot({.width = 1600, .height = 1000});
  const Box bar = box_of(robot, "Colour bar");
  const ImVec2 high = robot.centre("Range high end"), low = robot.centre("Range low end");
  robot.drag(high, {high.x - bar.w * 0.4f, high.y}, 8);
  robot.frame(2);
  const ViewState& view = robot.app().view();
  CHECK(stage_look_of(view).range == RangeMode::Lock);
  CHECK(std::abs(stage_look_of(view).locked_range[1] - 0.6f) < 0.02f);
  CHECK(stage_look_of(view).locked_range[0] == 0);
  robot.drag(low, {low.x + bar.w * 0.5f, low.y}, 8);
  robot.frame(2);
  CHECK(std::abs(stage_look_of(view).locked_range[0] - 0.3f) < 0.02f);
  const ImVec2 end = robot.centre("Range high end");
  robot.drag(end, {end.x - 3 * bar.w, end.y}, 8);  // it stops at the other end
  CHECK(stage_look_of(view).locked_range[1] > stage_look_of(view).locked_range[0]);
  robot.frame(40);
  robot.click("Range high end");
  robot.press();
  robot.release();
  robot.frame(2);
  CHECK(stage_look_of(view).range == RangeMode::All);

  click(robot, "Stage: Scaled");
  const ImVec2 score_end = robot.centre("Range low end");
  robot.drag(score_end, {score_end.x + bar.w * 0.25f, score_end.y}, 8);
  robot.frame(2);
  CHECK(stage_look_of(view).range == RangeMode::Lock);
  CHECK(stage_look_of(view).locked_range[0] ==
        -stage_look_of(view).locked_range[1]);  // scores stay centred on zero
  const Image before = robot.pixels();
  robot.move({bar.centre_x(), bar.centre_y()});
  robot.frame(2);
  CHECK((robot.pixels() != before));  // the value under the mouse
}

TEST_CASE("a file with many small weights opens on the logarithm, one with large ones does not") {
  const TemporaryDirectory directory;
  const Tensor zeros(Shape{1, 1, 80, 4});  // every weight is 1/80
  const std::filesystem::path path = directory / "even.safetensors";
  write_safetensors(path,
                    std::array{NamedTensor{"Q", &zeros}, NamedTensor{"K", &zeros}, NamedTensor{"V", &zeros}});
  Robot robot({.width = 1280, .height = 800});
  robot.settle();
  CHECK_FALSE(focus_of(robot.app().view()).log);
  robot.app().files().opening.open(path);
  robot.settle();
  CHECK(focus_of(robot.app().view()).log);
  robot.app().files().opening.open(list_examples(assets_directory()).front().path);
  robot.settle();
  CHECK_FALSE(focus_of(robot.app().view()).log);
}

}  // namespace attnscope::focus_colours_test
