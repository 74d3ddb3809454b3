// An encoder-decoder in the window: both texts are typed, the strip has the tokens of both, a token dims the
// heads of its attention, the next token is appended to the decoder's text.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "app/pages/model/state/model_state.hpp"
#include "app/views/model/grid_picture.hpp"
#include "core/attention/run_stage.hpp"
#include "core/edits/within.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/models/run_heads.hpp"
#include "robot/layout.hpp"
#include "robot/robot.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::two_texts_test {
namespace {

using test::TemporaryDirectory;

RobotOptions with_t5(const TemporaryDirectory& directory, int width = 1600, int height = 1000) {
  write_small_t5(directory / "t5");
  RobotOptions options;
  options.width = width;
  options.height = height;
  options.file = directory / "t5";
  return options;
}

const ModelContext& within(const Robot& robot) { return robot.document().within.read(); }

void type_both(Robot& robot) {
  robot.retype("##Text 1", "the cat sat on the mat");
  robot.retype("##Text 2", "die Katze");
  CHECK(robot.app().selection().sequence == 0);  // both belong to one sequence, not to a batch
  robot.key(ImGuiKey_Escape);
  robot.settle();
}

bool says(Robot& robot, const std::string& words) {
  for (const PlacedText& text : texts_of(robot))
    if (text.text.find(words) != std::string::npos) return true;
  return false;
}

/// Clicks the head in the grid; its place is found by moving over the grid.
void click_head(Robot& robot, const ModelHead& wanted) {
  const RecordedItem* const grid = robot.items().find("All heads");
  REQUIRE(grid != nullptr);
  const ImVec2 from = grid->min, to = grid->max;
  for (float y = from.y + 12; y < to.y; y += 24) {
    for (float x = from.x + 12; x < to.x; x += 24) {
      robot.move({x, y});
      robot.frame();
      if (model_state_of(robot.app().view()).hovered != wanted) continue;
      robot.click_at({x, y});
      robot.settle();
      return;
    }
  }
  FAIL("no such head in the grid");
}

}  // namespace

TEST_CASE("both texts are typed, and the decoder goes on with its own", "[model][two_texts]") {
  const TemporaryDirectory directory;
  Robot robot(with_t5(directory));
  robot.settle();
  CHECK(robot.has("##Text 1"));
  REQUIRE(robot.has("##Text 2"));
  type_both(robot);
  CHECK(within(robot).input.text == "the cat sat on the mat");
  CHECK(within(robot).input.decoder_text == "die Katze");
  CHECK(robot.has("encoder token 6"));
  CHECK_FALSE(robot.has("encoder token 7"));
  CHECK(robot.has("decoder token 2"));  // <pad> die Katze
  CHECK_FALSE(robot.has("decoder token 3"));
  CHECK(says(robot, "Next token"));

  std::string label;
  for (const RecordedItem& item : robot.items().items())
    if (label.empty() && item.label.starts_with("predicted ")) label = item.label;
  REQUIRE_FALSE(label.empty());
  robot.click(label);
  robot.settle();
  CHECK(within(robot).input.continued.size() == 1);
  CHECK(robot.has("decoder token 3"));
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK_FALSE(robot.has("decoder token 3"));
}

TEST_CASE("Ctrl+L goes to the text of the attention that is looked at", "[model][two_texts]") {
  const TemporaryDirectory directory;
  Robot robot(with_t5(directory));
  type_both(robot);
  for (const AttentionOf of : {AttentionOf::Decoder, AttentionOf::Encoder, AttentionOf::Cross}) {
    click_head(robot, {of, 1, 2});
    const std::string text = within(robot).input.text, decoder_text = *within(robot).input.decoder_text;
    const bool encoder = of == AttentionOf::Encoder;
    CHECK(shown_text_index(robot.document(), 0) == (encoder ? 0u : 1u));
    robot.key(ImGuiKey_L, ImGuiMod_Ctrl);
    robot.frame(6);
    robot.type(encoder ? "the mat" : of == AttentionOf::Decoder ? "Katze" : "die");
    robot.key(ImGuiKey_Escape);
    robot.settle();
    CHECK((within(robot).input.text != text) == encoder);
    CHECK((within(robot).input.decoder_text != decoder_text) == !encoder);
  }
}

TEST_CASE("encoder, decoder and cross-attention stand side by side and are opened", "[model][two_texts]") {
  const TemporaryDirectory directory;
  const auto [width, height] = GENERATE(std::pair{1600, 1000}, std::pair{1280, 720});
  Robot robot(with_t5(directory, width, height));
  type_both(robot);
  for (const char* name : {"encoder", "decoder", "cross-attention"}) CHECK(says(robot, name));
  struct Expected {
    AttentionOf of;
    std::int64_t queries, keys;
  };
  for (const Expected& expected :
       {Expected{AttentionOf::Encoder, 7, 7}, {AttentionOf::Decoder, 3, 3}, {AttentionOf::Cross, 3, 7}}) {
    click_head(robot, {expected.of, 1, 2});
    CHECK(within(robot).of == expected.of);
    CHECK(within(robot).block == 1);
    const Dimensions& d = robot.app().shown()->layer().dimensions;
    CHECK(d.queries == expected.queries);
    CHECK(d.keys == expected.keys);
    CHECK(robot.has("encoder token 6"));  // both texts stay in sight
    CHECK(robot.has("decoder token 2"));
    // The layer on screen is the model's.
    const OpenedModel& opened = *within(robot).model;
    ThreadPool pool(1);
    const Work work{pool, {}};
    const ModelRun run = run_model(*opened.model, tokens_of(opened, within(robot).input).input, {}, work);
    const Tensor weights = head_weights(*opened.model, run, expected.of, 1, 2, work);
    const LayerResult& layer = robot.app().shown()->layer();
    const auto shown = layer.trace[weights_stage(layer.document)]->matrix(0, 2);
    CHECK((shown - weights.matrix()).cwiseAbs().maxCoeff() < 5e-6f);
    for (const std::string& sentence : collisions(texts_of(robot))) FAIL_CHECK(sentence);
  }
}

TEST_CASE("a token dims heads of the attentions that have it", "[model][two_texts]") {
  const TemporaryDirectory directory;
  Robot robot(with_t5(directory));
  type_both(robot);
  for (const auto& [label, stack] : {std::pair{"encoder token 1", AttentionOf::Encoder},
                                     std::pair{"decoder token 1", AttentionOf::Decoder}}) {
    robot.move(robot.centre(label));
    robot.frame(2);
    CHECK(robot.app().selection().hovered_token == 1);
    CHECK(robot.app().selection().hovered_stack == stack);
  }
  robot.leave();
  robot.frame(2);
  CHECK_FALSE(robot.app().selection().hovered_token);
  CHECK_FALSE(robot.app().selection().hovered_stack);
}

TEST_CASE("O brings the model's own positions back, which need its learned table", "[model][two_texts]") {
  const TemporaryDirectory directory;
  Robot robot(with_t5(directory));
  robot.settle();
  type_both(robot);
  click_head(robot, {AttentionOf::Encoder, 1, 2});
  robot.key(ImGuiKey_F2);
  robot.settle();
  REQUIRE(within(robot).of == AttentionOf::Encoder);
  REQUIRE(robot.document().layer().positions == Positions::RelativeBuckets);
  robot.key(ImGuiKey_O);
  robot.settle();
  CHECK(robot.document().layer().positions == Positions::None);
  CHECK(within(robot).changes.blocks.size() == 1);
  robot.key(ImGuiKey_O);
  robot.settle();
  CHECK(robot.document().layer().positions == Positions::RelativeBuckets);
  CHECK(within(robot).changes.empty());
}

TEST_CASE("cross-attention that is taken out of its model says why and keeps the names of its keys",
          "[model][two_texts][session]") {
  const TemporaryDirectory directory;
  RobotOptions options = with_t5(directory);
  const std::filesystem::path kept = directory / "kept.json";
  Sequence names;
  {
    Robot robot(options);
    robot.settle();
    type_both(robot);
    click_head(robot, {AttentionOf::Cross, 1, 2});
    robot.key(ImGuiKey_F2);
    robot.settle();
    REQUIRE(within(robot).of == AttentionOf::Cross);
    robot.key(ImGuiKey_O);
    robot.settle();
    CHECK_FALSE(within(robot));
    CHECK(robot.app().message() ==
          "Inside a model the attention to the encoder keeps its mask, its positions and its softmax. This "
          "layer stands by itself now. Ctrl+Z goes back.");
    REQUIRE(robot.document().input.memory.size() == 1);
    names = robot.document().input.memory.front();
    robot.app().files().saving.save(kept);
    robot.settle();
  }
  options.file = kept;
  Robot robot(options);
  robot.settle();
  CHECK(robot.app().message().empty());
  REQUIRE(robot.document().input.memory.size() == 1);
  CHECK(texts_of(robot.document().input.memory.front().tokens) == texts_of(names.tokens));
}

}  // namespace attnscope::two_texts_test
