// The page of a model, used by the robot: heads are previewed, locked and opened, the controls change the
// model, tokens are predicted and appended.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "app/kit/draw/texture.hpp"
#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/gl/offscreen.hpp"
#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/views/model/facts.hpp"
#include "app/views/model/grid_picture.hpp"
#include "app/views/model/head_map.hpp"
#include "core/models/opened/opened_model.hpp"
#include "robot/layout.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_view_test {
namespace {

using namespace test;

/// Puts the mouse on the head in the grid; its place is found by moving over the grid.
ImVec2 find_head(Robot& robot, int block, std::int64_t head) {
  const RecordedItem* const grid = robot.items().find("All heads");
  REQUIRE(grid != nullptr);
  const ImVec2 from = grid->min, to = grid->max;
  for (float y = from.y + 12; y < to.y; y += 24) {
    for (float x = from.x + 12; x < to.x; x += 24) {
      robot.move({x, y});
      robot.frame();
      const std::optional<ModelHead>& hovered = model_state(robot).hovered;
      if (hovered && hovered->block == block && hovered->head == head) return {x, y};
    }
  }
  FAIL("no head " << block << "." << head << " in the grid");
  return {};
}

}  // namespace

TEST_CASE("the map of a head is painted anew for another run at the same address", "[model]") {
  const OffscreenContext context;
  const Framebuffer target(64, 64);
  ImGuiHost host(nullptr, false);
  TextureCache textures;
  ModelSpec spec;
  spec.decoder.emplace().blocks.resize(1);
  ModelRun place;
  place.decoder.hidden.push_back({.width = 1, .values = {0, 0}});
  const Tensor values(Shape{2, 2});
  const auto share = [&place] { return std::shared_ptr<const ModelRun>(&place, [](const ModelRun*) {}); };
  const auto painted_for = [&](const std::shared_ptr<const ModelRun>& run) {
    target.bind();
    host.frame(64, 64, 1.0f / 60, [&] {
      ImGui::Begin("map", nullptr, ImGuiWindowFlags_NoDecoration);
      const Ui ui(theme(ThemeName::Dark), host.fonts(), textures, 1);
      draw_run_map(ui, "map", {spec, run, {}, values.matrix()}, {0, 0, 32, 32}, {0, 0, 2, 2, false}, {});
      ImGui::End();
    });
    textures.end_frame();
    return textures.painted();
  };
  auto run = share();
  CHECK(painted_for(run) == 1);
  CHECK(painted_for(run) == 0);
  run = share();
  CHECK(painted_for(run) == 1);
  CHECK(painted_for(run) == 0);
}

TEST_CASE("a head under the mouse is previewed, a click locks it, Esc frees it", "[model]") {
  LettersRobot robot;
  REQUIRE(model_within(robot).block == 1);  // the middle one
  const ImVec2 other = find_head(robot, 2, 3);
  CHECK(model_within(robot).block == 1);  // pointing chooses nothing
  robot.click_at(other);
  robot.settle();
  CHECK(model_within(robot).block == 2);
  CHECK(robot.app().selection().head == 3);
  CHECK(model_state(robot).locked);
  robot.key(ImGuiKey_Escape);
  robot.frame(2);
  CHECK_FALSE(model_state(robot).locked);
  CHECK(robot.app().view().mode == Mode::Model);
  SECTION("Enter opens its layer") {
    robot.key(ImGuiKey_Enter);
    robot.settle();
    CHECK(robot.app().view().mode == Mode::Explore);
    CHECK(model_within(robot).block == 2);
  }
  SECTION("the button does the same") {
    robot.click("Open");
    robot.settle();
    CHECK(robot.app().view().mode == Mode::Explore);
  }
}

TEST_CASE("L acts on the picture of a head under the mouse, which says so", "[model]") {
  LettersRobot robot;
  focus_of(robot.app().view()).log = false;
  find_head(robot, 2, 3);
  robot.settle();
  REQUIRE_FALSE(model_state(robot).locked);
  REQUIRE(model_within(robot).block == 1);  // a preview, made of the run
  const RecordedItem* const map = robot.items().find("model map 0");
  REQUIRE(map != nullptr);
  const ImVec2 min = map->min, max = map->max;
  const auto pixels = [&] {
    const Image image = robot.pixels();
    std::vector<Rgba> part;
    for (int y = static_cast<int>(min.y); y < static_cast<int>(max.y); ++y)
      for (int x = static_cast<int>(min.x); x < static_cast<int>(max.x); ++x) part.push_back(image.at(x, y));
    return part;
  };
  const auto says_logarithm = [&] {
    return std::ranges::any_of(texts_of(robot), [](const PlacedText& text) {
      return text.text.starts_with("log ") && text.text.find(" … ") != std::string::npos;
    });
  };
  const std::vector<Rgba> linear = pixels();
  CHECK_FALSE(says_logarithm());
  robot.key(ImGuiKey_L);
  robot.settle();
  REQUIRE(focus_of(robot.app().view()).log);
  REQUIRE(model_within(robot).block == 1);
  CHECK(pixels() != linear);
  CHECK(says_logarithm());
}

TEST_CASE("the first change moves no control: a second click takes it back", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  const ImVec2 knob = robot.centre("Divide by √dₖ");
  robot.click_at(knob);
  robot.settle();
  REQUIRE(model_within(robot).changes.blocks.size() == 1);
  CHECK(robot.centre("Divide by √dₖ").y == knob.y);
  robot.click_at(knob);
  robot.settle();
  CHECK(model_within(robot).changes.empty());
  CHECK(robot.centre("Divide by √dₖ").y == knob.y);
}

TEST_CASE("a further change moves no control either: the column scrolls as far", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory, {.height = 880}));
  type_text(robot, "ab c de a");
  robot.click("Divide by √dₖ");
  robot.settle();
  robot.click_at(find_head(robot, 2, 3));
  robot.settle();
  const ImVec2 knob = robot.centre("Divide by √dₖ");
  robot.click_at(knob);
  robot.settle();
  REQUIRE(model_within(robot).changes.blocks.size() == 2);
  CHECK(robot.centre("Divide by √dₖ").y == knob.y);
  robot.click_at(knob);
  robot.settle();
  CHECK(model_within(robot).changes.blocks.size() == 1);
  CHECK(robot.centre("Divide by √dₖ").y == knob.y);
}

TEST_CASE("the knobs of a layer act inside the model and are taken back one by one", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory, {.height = 1060}));
  robot.retype("##Text", "ab c de a");
  robot.key(ImGuiKey_Escape);
  robot.click("Divide by √dₖ");
  robot.settle();
  REQUIRE(model_within(robot).changes.blocks.size() == 1);
  CHECK(model_within(robot).changes.blocks[0].scale == 1);
  robot.click("Head: zero");
  robot.settle();
  REQUIRE(model_within(robot).changes.heads.size() == 1);
  CHECK(model_within(robot).changes.heads[0].kind == HeadChange::Kind::Zero);
  robot.click("Layer MLP");
  robot.settle();
  CHECK(model_within(robot).changes.blocks[0].mlp_off);
  robot.click("Layer MLP");
  robot.settle();
  CHECK_FALSE(model_within(robot).changes.blocks[0].mlp_off);

  SECTION("one") {
    robot.click("take back layer 1 · ÷√dₖ off");
    robot.settle();
    CHECK(model_within(robot).changes.blocks.empty());
    CHECK(model_within(robot).changes.heads.size() == 1);
  }
  SECTION("all") {
    robot.click("Take all back");
    robot.settle();
    CHECK(model_within(robot).changes.empty());
  }
  SECTION("pressed, the model is as it was") {
    robot.move(robot.centre("Hold: without"));
    robot.press();
    robot.frame(2);
    CHECK(model_state(robot).without_changes);
    CHECK(model_within(robot).changes.heads.size() == 1);
    robot.release();
    robot.frame(2);
    CHECK_FALSE(model_state(robot).without_changes);
  }
  SECTION("a head's pattern replaces what was done to it") {
    robot.click("Head pattern");
    robot.frame(2);
    robot.click("uniform weights");
    robot.settle();
    REQUIRE(model_within(robot).changes.heads.size() == 1);
    CHECK(model_within(robot).changes.heads[0].kind == HeadChange::Kind::Uniform);
  }
}

TEST_CASE("a predicted token is appended by a click", "[model]") {
  LettersRobot robot;
  std::string label;
  for (const RecordedItem& item : robot.items().items())
    if (label.empty() && item.label.starts_with("predicted ")) label = item.label;
  REQUIRE_FALSE(label.empty());
  const std::int64_t id = std::stoll(label.substr(label.rfind(' ') + 1));
  const std::int64_t rows = robot.app().shown()->layer().dimensions.queries;
  robot.click(label);
  robot.settle();
  CHECK(model_within(robot).input.continued == std::vector<std::int64_t>{id});
  CHECK(robot.app().shown()->layer().dimensions.queries == rows + 1);
}

TEST_CASE("a predicted token that is followed stays in the list whatever is predicted", "[model]") {
  LettersRobot robot;
  std::string label;
  for (const RecordedItem& item : robot.items().items())
    if (item.label.starts_with("predicted ")) label = item.label;  // the least likely one
  REQUIRE_FALSE(label.empty());
  robot.right_click(robot.centre(label));
  robot.settle();
  REQUIRE(model_state(robot).followed);
  CHECK(model_within(robot).input.continued.empty());  // it is not appended
  for (const char* text : {"ab", "c de", "a a a a", "de c ab", "b", "e d c b a"}) {
    INFO(text);
    type_text(robot, text);
    CHECK(robot.has(label));
  }
  robot.right_click(robot.centre(label));
  robot.settle();
  CHECK_FALSE(model_state(robot).followed);
}

TEST_CASE("a token that is followed is none of another model, in a session neither", "[model][session]") {
  LettersRobot robot;
  write_letters_gpt(robot.directory / "other", 2);
  const auto label_of = [&](std::int64_t id) -> std::string {
    for (const RecordedItem& item : robot.items().items())
      if (item.label.starts_with("predicted ") && item.label.ends_with(" " + std::to_string(id)))
        return item.label;
    return {};
  };
  const auto open = [&](const char* model) {
    robot.app().files().opening.open(robot.directory / model);
    robot.settle();
    type_text(robot, "ab");
  };
  open("other");
  std::vector<std::int64_t> unlisted;
  for (std::int64_t id = 0; id < 8; ++id)
    if (label_of(id).empty()) unlisted.push_back(id);
  open("letters");
  std::int64_t followed = -1;
  for (const char* text : {"ab", "c de", "a a a a", "de c ab", "b", "e d c b a"}) {
    type_text(robot, text);
    for (const std::int64_t id : unlisted)
      if (followed < 0 && !label_of(id).empty()) {
        robot.right_click(robot.centre(label_of(id)));
        followed = id;
      }
  }
  robot.settle();
  REQUIRE(model_state(robot).followed == followed);

  open("other");
  CHECK(label_of(followed).empty());
  robot.app().files().saving.save(robot.directory / "session.json");
  robot.app().files().opening.open(robot.directory / "session.json");
  robot.settle();
  CHECK(label_of(followed).empty());
  open("letters");
  CHECK_FALSE(label_of(followed).empty());
}

TEST_CASE("a session keeps the predicted token that is followed", "[model][session]") {
  LettersRobot robot;
  std::string label;
  for (const RecordedItem& item : robot.items().items())
    if (item.label.starts_with("predicted ")) label = item.label;
  robot.right_click(robot.centre(label));
  robot.settle();
  const std::optional<std::int64_t> followed = model_state(robot).followed;
  REQUIRE(followed);
  const std::filesystem::path session = robot.directory / "session.json";
  robot.app().files().saving.save(session);
  robot.right_click(robot.centre(label));
  robot.settle();
  REQUIRE_FALSE(model_state(robot).followed);
  robot.app().files().opening.open(session);
  robot.settle();
  CHECK(model_state(robot).followed == followed);
  for (const char* text : {"ab", "a a a a", "e d c b a"}) {
    INFO(text);
    type_text(robot, text);
    CHECK(robot.has(label));
  }
}

TEST_CASE("what the grid and the stream show is chosen, and changes no number", "[model]") {
  const TemporaryDirectory directory;
  const auto [width, height] = GENERATE(std::pair{1600, 1000}, std::pair{1280, 720}, std::pair{900, 560});
  Robot robot(with_letters(directory, {.width = width, .height = height}));
  if (robot.has("Colour: entropy")) {
    robot.click("Colour: entropy");
    robot.settle();
    CHECK(model_state(robot).colour == HeadColour::Entropy);
    robot.click("Colour: effect");
    robot.settle();
    CHECK(model_state(robot).colour == HeadColour::Effect);
    robot.click("Value: ‖α·v·W_O‖");
    robot.settle();
    CHECK(model_state(robot).value == CellValue::Contribution);
    robot.click("Colour: pattern");
    robot.settle();
  }
  robot.click("Grid: Groups");
  robot.settle();
  CHECK(model_state(robot).order == GridOrder::Groups);
  for (const auto& [name, view] :
       {std::pair{"norm", StreamView::Norm}, std::pair{"inside", StreamView::Inside}}) {
    if (!robot.has(std::string("Residual stream: ") + name)) continue;
    robot.click(std::string("Residual stream: ") + name);
    robot.settle();
    CHECK(model_state(robot).stream == view);
  }
  CHECK_FALSE(robot.app().workspace().is_edited());
}

TEST_CASE("a pixel of the grid is the weight of its cell; hidden cells are hidden", "[model]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "letters");
  const OpenedModelPtr opened = open_whole_model(directory / "letters");
  ThreadPool pool(1);
  const Work work{pool, {}};
  RunRequest request;
  request.picture_side = 64;
  ModelInput input;
  input.ids = {5, 6, 2, 6, 3, 4, 0};
  const ModelRun run = run_model(*opened->model, input, request, work);
  GridPlan plan;
  plan.window = {0, 0, 40, 20};
  plan.cells = {{{AttentionOf::Decoder, 1, 2}, {3, 2, 14, 14}}};
  const Colormap& map = colormap(Map::Weights);
  const Image image = GridPainter{plan, opened->model->spec, run, map, 1, 2, 3, 1, nullptr}.paint();
  const Tensor weights = head_weights(*opened->model, run, AttentionOf::Decoder, 1, 2, work);
  CHECK(image.at(0, 0) == 1);
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 7; ++j) {
      const Rgba seen = image.at(3 + 2 * j, 2 + 2 * i);
      CHECK(seen == image.at(4 + 2 * j, 3 + 2 * i));
      if (j > i) {
        CHECK(seen == 2);
        continue;
      }
      const float place = weights.matrix()(i, j) * 255.f;
      const auto near = [&](float at) { return map[static_cast<std::size_t>(std::clamp(at, 0.f, 255.f))]; };
      CHECK((seen == near(place + 0.5f) || seen == near(place + 0.49f) || seen == near(place + 0.51f)));
    }
  }
  // The first row has one key: its weight means nothing.
  float most = 0;
  for (int i = 1; i < 7; ++i) most = std::max(most, weights.matrix()(i, 0));
  CHECK(std::abs(most_given(opened->model->spec, run, {AttentionOf::Decoder, 1, 2}, 0) - most) < 1e-5f);
}

}  // namespace attnscope::model_view_test
