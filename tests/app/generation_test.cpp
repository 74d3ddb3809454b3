// A model appends tokens to its text in the window: one, several, back and forth, another choice, and the
// same text as the command line samples.
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/readouts/text/sampling.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::generation_view_test {
namespace {

using test::TemporaryDirectory;
using test::type_text;
using test::with_letters;
using Tokens = std::vector<std::int64_t>;

const ModelState& state(Robot& robot) { return model_state_of(robot.app().view()); }
const ModelContext& within(const Robot& robot) { return robot.document().within.read(); }
Tokens continued(const Robot& robot) { return within(robot).input.continued; }

void begin(Robot& robot) {
  type_text(robot, "ab c d");
  robot.leave();
  robot.key(ImGuiKey_G);
  robot.settle();
  REQUIRE(state(robot).screen == ModelScreen::Generation);
}

/// Runs until no token is appended any more.
void let_play(Robot& robot) {
  for (int i = 0; i < 200 && state(robot).to_append > 0; ++i) robot.settle();
  robot.settle();
}

/// The tokens that run_more() and sample() append, from the start.
Tokens expected_tokens(const Robot& robot, int count, const SamplingSettings& settings) {
  const OpenedModel& opened = *within(robot).model;
  ThreadPool pool(2);
  const Work work{pool, {}};
  ModelText text = within(robot).input;
  text.continued.clear();
  ModelInput input = tokens_of(opened, text).input;
  for (int i = 0; i < count; ++i) {
    const ModelRun run = run_model(*opened.model, input, {.logits = LogitRows::Last}, work);
    const std::span last(run.logits.row(run.logits.rows() - 1), static_cast<std::size_t>(run.logits.width));
    text.continued.push_back(sample(last, settings, input.ids.size()));
    input = tokens_of(opened, text).input;
  }
  return text.continued;
}

}  // namespace

TEST_CASE("Space appends the likeliest token, and every step can be gone back to", "[model][generation]") {
  const TemporaryDirectory directory;
  const auto [width, height] = GENERATE(std::pair{1600, 1000}, std::pair{1280, 720});
  Robot robot(with_letters(directory, {.width = width, .height = height}));
  begin(robot);
  for (int i = 0; i < 3; ++i) {
    robot.key(ImGuiKey_Space);
    let_play(robot);
  }
  const Tokens three = continued(robot);
  CHECK(three == expected_tokens(robot, 3, {}));
  CHECK(robot.has("step 3"));
  // Back twice: the text stays, the prediction is the one from which token 1 was chosen.
  robot.key(ImGuiKey_Backspace);
  robot.settle();
  robot.key(ImGuiKey_Backspace);
  robot.settle();
  CHECK(continued(robot) == three);
  REQUIRE(state(robot).predicted_row);
  CHECK(robot.app().selection().cell.query == *state(robot).predicted_row);
  // Forward to the end, where the next token is a new one.
  robot.key(ImGuiKey_Space);
  robot.settle();
  robot.key(ImGuiKey_Space);
  robot.settle();
  CHECK(continued(robot) == three);
  CHECK_FALSE(state(robot).predicted_row);
  robot.key(ImGuiKey_Space);
  let_play(robot);
  CHECK(continued(robot).size() == 4);
  robot.key(ImGuiKey_Home);
  robot.settle();
  CHECK(robot.app().selection().cell.query == 4);  // the last token of the text: ab ␣ c ␣ d
  robot.key(ImGuiKey_End);
  robot.settle();
  CHECK_FALSE(state(robot).predicted_row);
  robot.click("step 2");
  robot.settle();
  CHECK(robot.app().selection().cell.query == 6);

  SECTION("another token chosen there takes the place of what followed") {
    std::string label;
    const std::string last = " " + std::to_string(three[2]);
    for (const RecordedItem& item : robot.items().items())
      if (label.empty() && item.label.starts_with("predicted ") && !item.label.ends_with(last))
        label = item.label;
    REQUIRE_FALSE(label.empty());
    robot.click(label);
    robot.settle();
    CHECK(continued(robot) == Tokens{three[0], three[1], std::stoll(label.substr(label.rfind(' ') + 1))});
    robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    robot.settle();
    CHECK(continued(robot).size() == 4);
  }
  SECTION("what follows is dropped when it is asked for") {
    robot.click("Drop later");
    robot.settle();
    CHECK(continued(robot) == Tokens{three[0], three[1]});
    robot.click("Drop all");
    robot.settle();
    CHECK(continued(robot).empty());
    CHECK_FALSE(robot.has("step 1"));
  }
  SECTION("a click in the cache looks at its layer and key") {
    robot.click("Key/value cache");
    robot.settle();
    CHECK(within(robot).block == 1);
    CHECK(state(robot).locked);
    CHECK(robot.app().selection().cell.query == 6);
  }
}

TEST_CASE("the step of a text that was left is no row of the model opened next", "[model][generation]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  write_letters_gpt(directory / "other", 2, 16);
  begin(robot);
  for (int i = 0; i < 3; ++i) {
    robot.key(ImGuiKey_Space);
    let_play(robot);
  }
  robot.key(ImGuiKey_Backspace);
  robot.settle();
  REQUIRE(state(robot).predicted_row);
  SECTION("nor of a text that is typed in its place") {
    robot.retype("##Text", "ed ce dda eed c");
    robot.settle();
    CHECK_FALSE(state(robot).predicted_row);
    robot.key(ImGuiKey_Escape);
    robot.leave();
    robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    robot.settle();
    CHECK(continued(robot).size() == 3);
    CHECK(state(robot).predicted_row);
    return;
  }
  robot.app().files().opening.open(directory / "other");
  robot.settle();
  REQUIRE(continued(robot).empty());
  CHECK_FALSE(state(robot).predicted_row);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(continued(robot).size() == 3);
  CHECK(state(robot).predicted_row);
}

TEST_CASE("many tokens at once are one step of undo, and can be stopped", "[model][generation]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  begin(robot);
  robot.click("Generate");
  let_play(robot);
  const Tokens all = continued(robot);
  const Tokens expected = expected_tokens(robot, 16, {});
  REQUIRE(all.size() <= expected.size());
  CHECK(all == Tokens(expected.begin(), expected.begin() + std::ssize(all)));
  CHECK((all.size() == 16 || all.back() == 7));  // or the text ended
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(continued(robot).empty());
  robot.leave();
  robot.key(ImGuiKey_Space, ImGuiMod_Shift);
  robot.key(ImGuiKey_Space, ImGuiMod_Shift);
  robot.settle();
  CHECK(state(robot).to_append == 0);
  CHECK(continued(robot).size() < 16);
}

TEST_CASE("drawn tokens are those of the command line with the same seed", "[model][generation]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  begin(robot);
  robot.click("Next is: Sampled");
  robot.frame(2);
  robot.click("Seed of sampling more");
  robot.frame(2);
  robot.click("Top k more");
  robot.click("Top k more");
  robot.click("Top k more");
  robot.frame(2);
  REQUIRE(state(robot).generation.seed == 2);
  REQUIRE(state(robot).generation.top_k == 5);
  for (int i = 0; i < 4; ++i) {
    robot.leave();
    robot.key(ImGuiKey_Space);
    let_play(robot);
  }
  CHECK(continued(robot) == expected_tokens(robot, 4, {.temperature = 1, .top_k = 5, .top_p = 1, .seed = 2}));
}

TEST_CASE("a text that fills the model's positions goes no further", "[model][generation]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  begin(robot);
  for (int i = 0; i < 4; ++i) {
    robot.leave();
    robot.key(ImGuiKey_Space, ImGuiMod_Shift);
    let_play(robot);
  }
  const std::int64_t rows = robot.app().shown()->layer().dimensions.queries;
  CHECK(rows <= letters_gpt_positions);
  CHECK(state(robot).to_append == 0);
  CHECK(continued(robot) == expected_tokens(robot, static_cast<int>(continued(robot).size()), {}));
}

}  // namespace attnscope::generation_view_test
