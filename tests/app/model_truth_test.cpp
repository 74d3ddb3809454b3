// The page of a model is truthful: long texts are visible, stale pictures are dimmed, numbers of different
// versions of the model are not mixed, and texts from files are read unchanged.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/exports/model_tables.hpp"
#include "app/kit/ui/number_words.hpp"
#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/views/model/facts.hpp"
#include "app/views/model/grid_picture.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/models/run_heads.hpp"
#include "robot/layout.hpp"

namespace attnscope::model_truth_test {
namespace {

using namespace attnscope::test;

/// The letters' model with room for more tokens.
RobotOptions with_many_letters(const TemporaryDirectory& directory, int positions) {
  RobotOptions options = with_letters(directory);
  std::ofstream(directory / "letters" / "config.json") << fmt::format(
      R"({{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 16, "n_head": 4,
        "n_layer": 3, "n_positions": {}, "vocab_size": 8, "eos_token_id": 7}})",
      positions);
  write_random_gpt(directory / "letters", {3, 16, 8, positions});
  return options;
}

std::string letters(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "acdecadceedc"[i * 7 % 12];
  return text;
}

/// The pixels of a widget.
std::vector<Rgba> pixels_of(Robot& robot, const char* label) {
  const RecordedItem* const item = robot.items().find(label);
  REQUIRE(item != nullptr);
  const ImVec2 min = item->min, max = item->max;
  const Image image = robot.pixels();
  std::vector<Rgba> pixels;
  for (int y = static_cast<int>(min.y); y < static_cast<int>(max.y); ++y)
    for (int x = static_cast<int>(min.x); x < static_cast<int>(max.x); ++x) pixels.push_back(image.at(x, y));
  return pixels;
}

/// The contrast of pixels: how far they are from their mean.
double contrast(const std::vector<Rgba>& pixels) {
  const auto light = [](Rgba pixel) {
    return static_cast<double>((pixel & 0xFF) + (pixel >> 8 & 0xFF) + (pixel >> 16 & 0xFF));
  };
  double sum = 0, away = 0;
  for (const Rgba pixel : pixels) sum += light(pixel);
  for (const Rgba pixel : pixels) away += std::abs(light(pixel) - sum / static_cast<double>(pixels.size()));
  return away / static_cast<double>(pixels.size());
}

}  // namespace

TEST_CASE("of many weights the grid shows the largest, and by their logarithm the small ones", "[model]") {
  const TemporaryDirectory directory;
  with_many_letters(directory, 256);
  const OpenedModelPtr opened = open_whole_model(directory / "letters");
  ThreadPool pool(1);
  const Work work{pool, {}};
  RunRequest request;
  request.picture_side = 32;
  ModelInput input;
  for (int i = 0; i < 128; ++i) input.ids.push_back(i * 5 % 7);
  const ModelRun run = run_model(*opened->model, input, request, work);
  GridPlan plan;
  plan.window = {0, 0, 16, 16};
  plan.cells = {{{AttentionOf::Decoder, 1, 2}, {0, 0, 16, 16}}};  // a pixel is eight rows of eight weights
  const Colormap& map = colormap(Map::Weights);
  const Tensor weights = head_weights(*opened->model, run, AttentionOf::Decoder, 1, 2, work);
  for (const float low : {0.f, 1e-4f}) {
    const Image image = GridPainter{.plan = plan,
                                    .spec = opened->model->spec,
                                    .run = run,
                                    .map = map,
                                    .high = 1,
                                    .norms = nullptr,
                                    .low = low,
                                    .by_maximum = true}
                            .paint();
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x <= y; ++x) {
        float most = 0;
        for (int i = 8 * y; i < 8 * y + 8; ++i)
          for (int j = 8 * x; j < 8 * x + 8; ++j) most = std::max(most, weights.matrix()(i, j));
        const int place = map_index(most, low, 1, low > 0);
        const auto at = [&](int index) { return map[static_cast<std::size_t>(std::clamp(index, 0, 255))]; };
        INFO(x << " " << y << " " << most);
        CHECK((image.at(x, y) == at(place) || image.at(x, y) == at(place - 1) ||
               image.at(x, y) == at(place + 1)));
      }
  }
}

TEST_CASE("a long text is pooled by its maximum, and L acts on grid and head alike", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_many_letters(directory, 256));
  type_text(robot, "ab c de a");
  CHECK_FALSE(shows(robot, "max"));
  type_text(robot, letters(160));
  focus_of(robot.app().view()).log = false;
  robot.settle();
  CHECK(shows(robot, "max 0"));
  CHECK(shows(robot, "0 … ≥ "));  // of the large picture: it clips where the grid does
  const std::vector<Rgba> grid = pixels_of(robot, "All heads"), head = pixels_of(robot, "model map 0");
  robot.key(ImGuiKey_L);
  robot.settle();
  CHECK(focus_of(robot.app().view()).log);
  CHECK(shows(robot, "max, log 1e−4"));
  CHECK(pixels_of(robot, "All heads") != grid);
  CHECK(pixels_of(robot, "model map 0") != head);
  const std::vector<PlacedText> texts = texts_of(robot);
  CHECK(std::ranges::any_of(texts, [](const PlacedText& text) {  // of the large picture
    return text.text.starts_with("log ") && text.text.find(" … ") != std::string::npos;
  }));
  stage_look_of(robot.app().view()).stage =
      Plane(Stage::Score);  // of the layer in Explore: L is not refused here
  robot.key(ImGuiKey_L);
  robot.settle();
  CHECK_FALSE(focus_of(robot.app().view()).log);
  CHECK(pixels_of(robot, "All heads") == grid);
  CHECK(robot.app().view().keyboard.notice.name == "Colours by the weight itself");
  robot.key(ImGuiKey_L);
  robot.settle();
  CHECK(robot.app().view().keyboard.notice.name == "Colours by the logarithm of the weight");
}

TEST_CASE("the colour bar of the grid is the switch between weight and logarithm, and says which",
          "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_many_letters(directory, 256));
  type_text(robot, letters(160));
  focus_of(robot.app().view()).log = false;
  robot.settle();
  robot.leave();
  robot.settle();
  const std::vector<Rgba> grid = pixels_of(robot, "All heads"), head = pixels_of(robot, "model map 0");
  for (const bool log : {true, false}) {
    INFO(log);
    robot.click("Grid scale");
    robot.settle();
    robot.leave();
    robot.settle();
    CHECK(focus_of(robot.app().view()).log == log);
    CHECK(shows(robot, log ? "max, log 1e−4" : "max 0"));
    CHECK((pixels_of(robot, "All heads") == grid) != log);
    CHECK((pixels_of(robot, "model map 0") == head) != log);
  }
  robot.click("Grid scale");
  robot.settle();
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);  // one step, as L is
  robot.settle();
  CHECK_FALSE(focus_of(robot.app().view()).log);
  model_state_of(robot.app().view()).colour = HeadColour::Entropy;  // no weights: there is nothing to switch
  robot.settle();
  CHECK_FALSE(robot.has("Grid scale"));
}

TEST_CASE("a text from a file is read by the open model, line by line", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  const auto model = model_within(robot).model;
  const std::string text = "ab c\nde a\n";
  robot.app().files().opening.open(directory.write("code.txt", text));
  robot.settle();
  CHECK(model_within(robot).model == model);
  CHECK(model_within(robot).input.text == text);
  CHECK(robot.app().view().mode == Mode::Model);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(model_within(robot).model == model);
  CHECK(model_within(robot).input.text != text);
  // A file that is no text is refused by name, and the model stays.
  robot.app().files().opening.open(directory.write("broken.txt", "ab \xFF"));
  robot.settle();
  CHECK(model_within(robot).model == model);
  CHECK(robot.app().message().find("UTF-8") != std::string::npos);
}

TEST_CASE("a folder that holds no model is called that", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  std::filesystem::create_directories(directory / "empty");
  robot.app().files().opening.open(directory / "empty");
  robot.settle();
  CHECK(robot.app().message().find("is a folder without config.json") != std::string::npos);
}

TEST_CASE("the title of the grid and its colour bar stand apart in a narrow window", "[model]") {
  LettersRobot robot({.width = 1024, .height = 600});
  for (const bool log : {false, true}) {
    focus_of(robot.app().view()).log = log;
    robot.settle();
    for (const std::string& pair : collisions(texts_of(robot))) FAIL_CHECK(pair);
  }
}

TEST_CASE("a head of high induction on random tokens is an induction head", "[model][export]") {
  const TemporaryDirectory directory;
  const Robot robot(with_letters(directory));
  const ModelAlone alone(robot);
  ModelReading reading;
  reading.within = alone.within;
  reading.run = std::make_shared<ModelRun>(alone.changed);
  std::vector<std::vector<HeadScores>> text(3, std::vector<HeadScores>(4)), random = text;
  const auto set = [](HeadScores& scores, HeadScore score, double value) {
    scores[static_cast<std::size_t>(score)] = {value, 0.1, 9};
  };
  set(text[1][2], HeadScore::First, 0.97);  // of this text, which repeats nothing
  set(random[1][2], HeadScore::Induction, 0.85);
  set(text[0][0], HeadScore::First, 0.97);
  set(random[0][0], HeadScore::Induction, 0.3);
  set(random[2][1], HeadScore::Induction, 0.7);
  set(random[2][1], HeadScore::Duplicate, 0.9);
  reading.scores = std::make_shared<std::vector<std::vector<HeadScores>>>(text);
  reading.battery = std::make_shared<std::vector<std::vector<HeadScores>>>(random);
  const auto group = [&](int block, int head) {
    return group_of(reading, {AttentionOf::Decoder, block, head});
  };
  CHECK(group(1, 2) == HeadGroup::Induction);
  CHECK(group(0, 0) == HeadGroup::First);
  CHECK(group(2, 1) == HeadGroup::Duplicate);
  CHECK(model_table(ModelTable::Heads, reading, {}).find("decoder,1,2,induction") != std::string::npos);
}

TEST_CASE("what is of another text than the one that was typed steps back", "[model]") {
  LettersRobot robot;
  const double there = contrast(pixels_of(robot, "All heads"));
  type_text(robot, letters(letters_gpt_positions + 8));  // more than it reads
  REQUIRE_FALSE(robot.app().message().empty());
  robot.leave();
  robot.frame(30);
  CHECK(contrast(pixels_of(robot, "All heads")) < 0.6 * there);
  type_text(robot, "ab c de a");
  robot.frame(30);
  CHECK(std::abs(contrast(pixels_of(robot, "All heads")) - there) < 0.05 * there);
}

TEST_CASE("while the model is shown without its changes, nothing of the changed one stands there",
          "[model]") {
  LettersRobot robot;
  robot.click("Head: zero");
  robot.settle();
  REQUIRE(keys_drawn(robot).contains("after %"));
  robot.move(robot.centre("Hold: without"));
  robot.press();
  robot.frame(2);
  const std::set<std::string> held = keys_drawn(robot);
  CHECK_FALSE(held.contains("after %"));
  CHECK(held.contains("Of the model without its changes the lens is not computed."));
  robot.release();
  robot.settle();
  CHECK(keys_drawn(robot).contains("after %"));
}

TEST_CASE("while the model is shown without its changes, the knobs of a layer stand as it has them",
          "[model]") {
  LettersRobot robot({.height = 1060});
  const auto is_on = [&](const char* label) {
    return std::ranges::count(pixels_of(robot, label), theme(ThemeName::Dark).query) > 40;  // of its track
  };
  REQUIRE(is_on("Divide by √dₖ"));
  robot.click("Divide by √dₖ");
  robot.settle();
  robot.click("Layer MLP");
  robot.settle();
  REQUIRE_FALSE(is_on("Divide by √dₖ"));
  REQUIRE_FALSE(is_on("Layer MLP"));
  const ModelChanges changes = model_within(robot).changes;
  robot.move(robot.centre("Hold: without"));
  robot.press();
  robot.frame(2);
  CHECK(is_on("Divide by √dₖ"));
  CHECK(is_on("Layer MLP"));
  CHECK(model_within(robot).changes == changes);
  robot.release();
  robot.settle();
  CHECK_FALSE(is_on("Divide by √dₖ"));
  CHECK_FALSE(is_on("Layer MLP"));
}

TEST_CASE("of the model without its changes no score or logit is split", "[model][why]") {
  LettersRobot robot({.height = 1060});
  robot.click("Divide by √dₖ");
  robot.settle();
  robot.click("Why?");
  robot.settle();
  const std::string none = "Of the model without its changes nothing is split.";
  REQUIRE(robot.has("cell score"));
  std::set<std::string> drawn = keys_drawn(robot);
  REQUIRE(drawn.contains("over the mean"));
  REQUIRE_FALSE(drawn.contains(none));
  robot.move(robot.centre("Hold: without"));
  robot.press();
  robot.frame(2);
  drawn = keys_drawn(robot);
  CHECK_FALSE(robot.has("cell score"));
  CHECK_FALSE(drawn.contains("over the mean"));  // of the ladder from the score to the weight
  CHECK(drawn.contains(none));
  robot.release();
  robot.settle();
  CHECK(robot.has("cell score"));
}

TEST_CASE("patching says that changes inside do not count, and counts no text that is gone",
          "[model][atlas]") {
  LettersRobot robot;
  robot.click("Head: zero");
  robot.settle();
  robot.click("Grid: Patching");
  robot.settle();
  REQUIRE(robot.has("Patched heads"));
  CHECK(robot.has("Hold: without"));
  CHECK(keys_drawn(robot).contains("Both texts are read by the model without what is changed inside it."));
  CHECK(robot.has("Tokens of both"));
  robot.click("##Corrupted");
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.key(ImGuiKey_Delete);
  robot.settle();
  CHECK_FALSE(robot.has("Tokens of both"));
}

TEST_CASE("F4 goes to the comparison of the model and back to where one was", "[model][compare-models]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  for (const char* screen : {"Grid: Atlas", "Grid: Heads"}) {
    robot.click(screen);
    robot.settle();
    const ModelScreen before = model_state(robot).screen;
    robot.leave();
    robot.key(ImGuiKey_F4);
    robot.settle();
    CHECK(model_state(robot).screen == ModelScreen::Compare);
    robot.key(ImGuiKey_F4);
    robot.settle();
    CHECK(model_state(robot).screen == before);
    CHECK(robot.app().view().mode == Mode::Model);
  }
}

TEST_CASE("the lengths of the residual stream have a colour bar with its ends", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c");
  robot.click("Residual stream: norm");
  robot.settle();
  const ModelAlone alone(robot);
  double least = INFINITY, most = 0;
  for (const KeptRows& rows : alone.changed.decoder.hidden)
    for (std::int64_t row = 0; row < rows.rows(); ++row) {
      double sum = 0;
      for (std::int64_t i = 0; i < rows.width; ++i)
        sum += static_cast<double>(rows.row(row)[i]) * static_cast<double>(rows.row(row)[i]);
      least = std::min(least, std::sqrt(sum));
      most = std::max(most, std::sqrt(sum));
    }
  CHECK(shows(robot, tight(least)));
  CHECK(shows(robot, tight(most)));
}

TEST_CASE("an effect has no rank among some of the heads", "[model][atlas]") {
  LettersRobot robot;
  REQUIRE(robot.app().model() != nullptr);
  ModelReading reading = *robot.app().model();
  REQUIRE(reading.effects);
  const ModelFacts facts = changed_facts(reading);
  const ModelHead head{AttentionOf::Decoder, 1, 0};
  CHECK(rank_of(reading, facts, HeadMeasure::Effect, head).of == std::ssize(reading.effects->heads));
  EffectsReading some = *reading.effects;
  some.known -= 1;
  some.effects.back().top_logit_change = NAN;
  reading.effects = std::make_shared<const EffectsReading>(some);
  CHECK(rank_of(reading, facts, HeadMeasure::Effect, head).of == 0);
}

}  // namespace attnscope::model_truth_test
