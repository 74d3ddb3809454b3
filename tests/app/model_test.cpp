// The window with a model: typed text runs through it, a change of a layer changes the later ones, undo and
// sessions restore it.
#include "core/edits/model.hpp"

#include <catch2/catch_test_macros.hpp>

#include "app/pages/model/state/model_state.hpp"
#include "app/workspace/workspace.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/opened/opened_model.hpp"
#include "robot/robot.hpp"
#include "support/letters_gpt.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

fs::path small_model(const TemporaryDirectory& directory) {
  write_letters_gpt(directory / "letters");
  return directory / "letters";
}

RobotOptions with_file(const fs::path& file) {
  RobotOptions options;
  options.width = 1400;
  options.height = 900;
  options.file = file;
  return options;
}

const ModelContext& within(const Robot& robot) { return robot.document().within.read(); }

/// The weights of the shown layer's head.
Tensor shown_weights(Robot& robot, std::int64_t head) {
  const LayerResult& layer = robot.app().shown()->layer();
  Tensor copy(Shape{layer.dimensions.queries, layer.dimensions.keys});
  copy.matrix() = (*layer.trace[Stage::Softmax]).matrix(0, head);
  return copy;
}

/// Those of the model itself.
Tensor run_weights(const Robot& robot, std::int64_t head) {
  const ModelContext& at = within(robot);
  const Model& model = *at.model->model;
  const ModelTokens tokens = tokens_of(*at.model, at.input);
  ThreadPool pool(1);
  const Work work{pool, {}};
  RunRequest request;
  request.changes = at.changes;
  const ModelRun run = run_model(model, tokens.input, request, work);
  return head_weights(model, run, at.of, static_cast<std::size_t>(at.block), head, work);
}

/// The logits of the last token, as the window's model has them.
std::vector<float> logits(Robot& robot) {
  const ModelReading* const reading = robot.app().workspace().models.shown_of(robot.document());
  REQUIRE(reading != nullptr);
  REQUIRE(reading->run);
  const KeptRows& all = reading->run->logits;
  const float* const last = all.row(all.rows() - 1);
  return {last, last + all.width};
}

std::string words_of_changes(const Robot& robot) {
  std::string all;
  for (const edit::ChangeWords& change : edit::list_of_changes(within(robot))) all += change.line();
  return all;
}

double distance(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  double worst = 0;
  for (std::int64_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, static_cast<double>(std::abs(a.data()[i] - b.data()[i])));
  return worst;
}

}  // namespace

TEST_CASE("a model's folder opens in its own mode, its layer is the model's", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_file(small_model(directory)));
  robot.settle();
  CHECK(robot.app().view().mode == Mode::Model);
  REQUIRE(within(robot));
  CHECK(within(robot).model->name == "letters");
  CHECK_FALSE(robot.app().workspace().is_edited());
  for (std::int64_t h = 0; h < 4; ++h) CHECK(distance(shown_weights(robot, h), run_weights(robot, h)) < 5e-6);
}

TEST_CASE("a text that is typed runs through the model", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_file(small_model(directory)));
  robot.retype("##Text", "abc de ab");
  CHECK(within(robot).input.text == "abc de ab");
  const LayerResult& layer = robot.app().shown()->layer();
  CHECK(layer.dimensions.queries == 7);  // ab c ␣ d e ␣ ab
  CHECK(distance(shown_weights(robot, 1), run_weights(robot, 1)) < 5e-6);

  SECTION("a text without a token is refused, and what was there stays") {
    robot.click("##Text");
    robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
    robot.key(ImGuiKey_Delete);
    robot.settle();
    CHECK_FALSE(robot.app().message().empty());
    CHECK(robot.app().shown()->layer().dimensions.queries == 7);
  }
  SECTION("undo brings the text back") {
    robot.key(ImGuiKey_Escape);
    robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    robot.settle();
    CHECK(within(robot).input.text != "abc de ab");
  }
}

TEST_CASE("what is changed in a layer is changed inside the model", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_file(small_model(directory)));
  robot.retype("##Text", "abc de ab");
  robot.key(ImGuiKey_Escape);
  robot.key(ImGuiKey_F2);
  robot.settle();
  const Tensor divided = shown_weights(robot, 2);

  robot.key(ImGuiKey_S);
  robot.settle();
  REQUIRE(within(robot).changes.blocks.size() == 1);
  CHECK(within(robot).changes.blocks[0].scale == 1);
  CHECK(distance(shown_weights(robot, 2), divided) > 1e-3);
  CHECK(distance(shown_weights(robot, 2), run_weights(robot, 2)) < 5e-6);

  robot.key(ImGuiKey_S);
  robot.settle();
  CHECK(within(robot).changes.empty());
  CHECK(distance(shown_weights(robot, 2), divided) == 0);

  SECTION("a head that is muted is zeroed in the model") {
    robot.key(ImGuiKey_M, ImGuiMod_Shift);
    robot.settle();
    REQUIRE(within(robot).changes.heads.size() == 1);
    CHECK(within(robot).changes.heads[0].kind == HeadChange::Kind::Zero);
  }
  SECTION("other positions stay inside the model, and O finds some that the layer can have") {
    const std::vector<float> before = logits(robot);
    robot.key(ImGuiKey_O);
    robot.settle();
    REQUIRE(within(robot).changes.blocks.size() == 1);
    REQUIRE(within(robot).changes.blocks[0].attention);
    CHECK(within(robot).changes.blocks[0].attention->read().positions == Positions::Alibi);
    CHECK(words_of_changes(robot) == "layer 1 · ALiBi");
    CHECK(distance(shown_weights(robot, 2), run_weights(robot, 2)) < 5e-6);
    CHECK(logits(robot) != before);
    robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    robot.settle();
    CHECK(within(robot).changes.empty());
    CHECK(logits(robot) == before);
  }
}

TEST_CASE("linear attention and a painted mask act inside the model", "[model]") {
  const TemporaryDirectory directory;
  RobotOptions options = with_file(small_model(directory));
  options.height = 1700;  // the whole column of controls is in sight
  Robot robot(options);
  robot.retype("##Text", "abc de ab");
  robot.key(ImGuiKey_Escape);
  robot.key(ImGuiKey_F2);
  robot.settle();
  const std::vector<float> before = logits(robot);
  robot.click("More: Softmax");
  robot.settle();
  robot.click("Linear attention");
  robot.settle();
  REQUIRE(within(robot));
  CHECK(words_of_changes(robot) == "layer 1 · linear attention");
  const std::vector<float> linear = logits(robot);
  CHECK(linear != before);
  robot.click("Mask picture");
  robot.settle();
  REQUIRE(within(robot));
  CHECK(words_of_changes(robot) == "layer 1 · linear attention · painted mask");
  CHECK(logits(robot) != linear);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(logits(robot) == linear);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(within(robot).changes.empty());
  CHECK(logits(robot) == before);
  SECTION("what the model cannot do takes the layer out of it, says why, and undo brings it back") {
    robot.click("Zero key");
    robot.settle();
    CHECK_FALSE(within(robot));
    CHECK(robot.app().message() ==
          "Inside a model a layer keeps its keys. This layer stands by itself now. Ctrl+Z goes back.");
    robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    robot.settle();
    CHECK(within(robot));
    CHECK(distance(shown_weights(robot, 2), run_weights(robot, 2)) < 5e-6);
  }
}

TEST_CASE("a session brings back the settings of a layer inside the model", "[model][session]") {
  const TemporaryDirectory directory;
  const fs::path model = small_model(directory), file = directory / "kept.json";
  std::vector<float> kept;
  {
    RobotOptions options = with_file(model);
    options.height = 1700;
    Robot robot(options);
    robot.retype("##Text", "abc de ab");
    robot.key(ImGuiKey_Escape);
    robot.key(ImGuiKey_F2);
    robot.key(ImGuiKey_O);
    robot.settle();
    robot.click("Mask picture");
    robot.settle();
    kept = logits(robot);
    robot.app().files().saving.save(file);
    robot.settle();
  }
  Robot robot(with_file(file));
  robot.settle();
  CHECK(words_of_changes(robot) == "layer 1 · ALiBi · painted mask");
  CHECK(logits(robot) == kept);
}

TEST_CASE("a session keeps the model by its path", "[model][session]") {
  const TemporaryDirectory directory;
  const fs::path model = small_model(directory), file = directory / "kept.json";
  {
    Robot robot(with_file(model));
    robot.retype("##Text", "abc de ab");
    robot.key(ImGuiKey_Escape);
    robot.key(ImGuiKey_F2);
    robot.key(ImGuiKey_S);
    robot.settle();
    robot.app().files().saving.save(file);
    robot.settle();
  }
  CHECK(fs::file_size(file) < 20'000);
  {
    Robot robot(with_file(file));
    robot.settle();
    REQUIRE(within(robot));
    CHECK(within(robot).input.text == "abc de ab");
    CHECK(within(robot).changes.blocks.size() == 1);
    CHECK(robot.app().view().mode == Mode::Explore);
    CHECK(distance(shown_weights(robot, 2), run_weights(robot, 2)) < 5e-6);
    CHECK_FALSE(robot.app().workspace().is_edited());
  }
  SECTION("a model that has moved is asked for, and found again by its fingerprint") {
    fs::rename(model, directory / "elsewhere");
    write_letters_gpt(directory / "another", 2);
    Robot robot(with_file(file));
    robot.settle();
    CHECK(robot.app().message().find("letters") != std::string::npos);
    CHECK_FALSE(within(robot));
    robot.app().files().opening.open(directory / "another");
    robot.settle();
    CHECK(within(robot).changes.empty());
    robot.app().files().opening.open(directory / "elsewhere");
    robot.settle();
    CHECK(within(robot).input.text == "abc de ab");
    CHECK(within(robot).changes.blocks.size() == 1);
  }
}

TEST_CASE("a model that was closed with changes is reopened as it was", "[model]") {
  const TemporaryDirectory directory;
  RobotOptions options = with_file(small_model(directory));
  options.state = directory / "state";
  {
    Robot robot(options);
    robot.retype("##Text", "abc de ab");
    robot.key(ImGuiKey_Escape);
    robot.key(ImGuiKey_F2);
    robot.key(ImGuiKey_S);
    robot.settle();
    robot.app().close({});
    robot.app().files().keeping.finish_closing();
  }
  options.file.reset();
  Robot robot(options);
  robot.settle();
  CHECK_FALSE(within(robot));
  robot.app().files().opening.reopen({});
  robot.settle();
  REQUIRE(within(robot));
  CHECK(within(robot).input.text == "abc de ab");
  CHECK(within(robot).changes.blocks.size() == 1);
  CHECK(robot.app().workspace().is_edited());
  CHECK(distance(shown_weights(robot, 2), run_weights(robot, 2)) < 5e-6);
}

}  // namespace attnscope
