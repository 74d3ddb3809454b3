// A vision model in the window: a picture is dropped, its patches are pointed at, a head and the rollout are
// drawn over it, the class is named.
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "app/kit/draw/image.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/state/files_state.hpp"
#include "app/views/picture/heat.hpp"
#include "app/views/picture/patches.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/models/pictures/image_input.hpp"
#include "robot/layout.hpp"
#include "robot/robot.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::picture_test {
namespace {

using test::TemporaryDirectory;

RobotOptions with_vit(const TemporaryDirectory& directory, int width = 1600, int height = 1000) {
  write_small_vit(directory / "vit");
  RobotOptions options;
  options.width = width;
  options.height = height;
  options.file = directory / "vit";
  return options;
}

const ModelContext& within(const Robot& robot) { return robot.document().within.read(); }
const PictureState& state(Robot& robot) { return model_state_of(robot.app().view()).picture; }

bool says(Robot& robot, const std::string& words) {
  for (const PlacedText& text : texts_of(robot))
    if (text.text.find(words) != std::string::npos) return true;
  return false;
}

/// A picture of four squares, each of one colour.
std::filesystem::path four_squares(const TemporaryDirectory& directory) {
  Image image(16, 16);
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x)
      image.at(x, y) = x < 8 ? (y < 8 ? 0xFF0000FFu : 0xFF00FF00u) : (y < 8 ? 0xFFFF0000u : 0xFF808080u);
  save_png(image, directory / "squares.png");
  return directory / "squares.png";
}

/// The middle of a patch of the 2 × 2 in a panel.
ImVec2 patch_of(const Robot& robot, std::string_view panel, int row, int column) {
  const RecordedItem* const item = robot.items().find(panel);
  REQUIRE(item != nullptr);
  const ImVec2 a = item->min, b = item->max;
  return {a.x + (b.x - a.x) * (0.25f + 0.5f * static_cast<float>(column)),
          a.y + (b.y - a.y) * (0.25f + 0.5f * static_cast<float>(row))};
}

}  // namespace

TEST_CASE("a vision model opens with a picture, and another is dropped on it", "[model][picture]") {
  const TemporaryDirectory directory;
  Robot robot(with_vit(directory));
  robot.settle();
  REQUIRE(within(robot));
  CHECK(robot.app().view().mode == Mode::Model);
  CHECK(within(robot).input.image.filename() == "picture.png");
  CHECK_FALSE(robot.app().workspace().is_edited());
  CHECK(says(robot, "2 × 2 patches of 4 px"));
  for (const char* label : {"sad", "so-so", "glad"}) CHECK(says(robot, label));

  robot.app().files().opening.open(four_squares(directory));
  robot.settle();
  CHECK(within(robot).input.image == directory / "squares.png");
  CHECK(says(robot, "squares.png"));
  CHECK(robot.app().message().empty());
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(within(robot).input.image.filename() == "picture.png");

  write_grey_of_16_bits(directory / "grey.png");
  robot.app().files().opening.open(directory / "grey.png");
  robot.settle();
  CHECK(robot.app().message().find("grey.png\" has 16 bits of grey a pixel") != std::string::npos);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.app().message().find("16 bits") == std::string::npos);

  std::ofstream(directory / "broken.png") << "no picture";
  robot.app().files().opening.open(directory / "broken.png");
  robot.settle();
  CHECK(robot.app().message().find("broken.png") != std::string::npos);
  CHECK(says(robot, "2 × 2 patches of 4"));  // the old picture stays
}

TEST_CASE("a picture that is dropped on a page without the model is shown on the model's",
          "[model][picture]") {
  const TemporaryDirectory directory;
  const std::filesystem::path squares = four_squares(directory);
  Robot robot(with_vit(directory));
  for (const ImGuiKey page : {ImGuiKey_F8, ImGuiKey_F9, ImGuiKey_F10}) {
    INFO(ImGui::GetKeyName(page));
    robot.key(page);
    robot.settle();
    const Mode before = robot.app().view().mode;
    REQUIRE(is_page(before));
    robot.app().files().opening.drop({squares});
    robot.settle();
    CHECK(robot.app().view().mode == Mode::Model);
    CHECK(within(robot).input.image == squares);
    CHECK(says(robot, "squares.png"));
    robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    robot.settle();
    CHECK(robot.app().view().mode == before);
    CHECK(within(robot).input.image.filename() == "picture.png");
  }
}

TEST_CASE("what is pasted on a model of pictures is refused with what it takes", "[model][picture]") {
  const TemporaryDirectory directory;
  Robot robot(with_vit(directory));
  robot.settle();
  const Document before = robot.document();
  ImGui::SetClipboardText("a text");
  robot.key(ImGuiKey_V, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.document() == before);
  CHECK(robot.app().message().find("drop a picture on the window") != std::string::npos);
}

TEST_CASE("a patch is pointed at and chosen, as query and as key", "[model][picture]") {
  const TemporaryDirectory directory;
  const auto [width, height] = GENERATE(std::pair{1600, 1000}, std::pair{1280, 720});
  Robot robot(with_vit(directory, width, height));
  robot.settle();
  robot.move(patch_of(robot, "picture patches", 1, 0));
  robot.frame(2);
  CHECK(robot.app().selection().shown_cell().query == 3);  // after [CLS]: row 1, column 0
  robot.click_at(patch_of(robot, "picture patches", 0, 1));
  robot.settle();
  CHECK(robot.app().selection().cell.query == 2);
  CHECK(says(robot, width < 1400 ? "query: 0,1" : "query: patch 0,1"));
  CHECK(robot.app().selection().locked);
  robot.click_at(patch_of(robot, "picture head", 1, 1));
  robot.settle();
  CHECK(robot.app().selection().cell.query == 2);
  CHECK(robot.app().selection().cell.key == 4);
  robot.click("class token");
  robot.settle();
  CHECK(robot.app().selection().cell.query == 0);
  robot.leave();
  robot.settle();
  CHECK(says(robot, "query: [CLS]"));

  robot.click("Direction: " + std::string(width < 1400 ? "k ← queries" : "key ← queries"));
  robot.click_at(patch_of(robot, "picture patches", 1, 1));
  robot.leave();
  robot.settle();
  CHECK(robot.app().selection().cell.key == 4);
  CHECK(says(robot, width < 1400 ? "key: 1,1" : "key: patch 1,1"));
  CHECK(collisions(texts_of(robot)).empty());
}

TEST_CASE("pictures stand in the dialog where the model looks at them, else a sentence says so",
          "[model][picture]") {
  const TemporaryDirectory directory;
  const std::filesystem::path squares = four_squares(directory);
  RobotOptions options = with_vit(directory);
  SECTION("a vision model") {
    Robot robot(options);
    robot.settle();
    robot.app().view().files->dialog.folder = directory.path();
    robot.key(ImGuiKey_O, ImGuiMod_Ctrl);
    robot.settle();
    REQUIRE(robot.has("entry squares.png"));
    robot.click("entry squares.png");
    robot.key(ImGuiKey_Enter);
    robot.settle();
    CHECK(within(robot).input.image == squares);
  }
  SECTION("none") {
    options.file.reset();
    Robot robot(options);
    robot.settle();
    robot.app().files().opening.open(squares);
    robot.settle();
    CHECK(robot.app().message().find("squares.png") != std::string::npos);
    CHECK(robot.app().message().find("is a picture") != std::string::npos);
  }
}

TEST_CASE("arrows go from patch to patch", "[model][picture]") {
  const TemporaryDirectory directory;
  Robot robot(with_vit(directory));
  robot.settle();
  robot.click_at(patch_of(robot, "picture patches", 0, 0));
  robot.leave();
  for (int i = 0; i < 200 && robot.app().selection().cell.query == 1; ++i) {
    robot.key(ImGuiKey_Tab);  // until the panel has the keyboard
    robot.frame();
    robot.key(ImGuiKey_RightArrow);
    robot.frame();
  }
  CHECK(robot.app().selection().cell.query == 2);
  robot.key(ImGuiKey_DownArrow);
  robot.frame();
  CHECK(robot.app().selection().cell.query == 4);
  robot.key(ImGuiKey_RightArrow);  // there is no patch
  robot.key(ImGuiKey_LeftArrow);
  robot.frame();
  CHECK(robot.app().selection().cell.query == 3);
  CHECK(robot.app().selection().locked);
}

TEST_CASE("the rollout is a switch, with numbers of its definition", "[model][picture]") {
  const TemporaryDirectory directory;
  Robot robot(with_vit(directory));
  robot.settle();
  CHECK_FALSE(robot.has("picture rollout"));
  robot.click("Attention rollout");
  robot.settle();
  CHECK(state(robot).rollout);
  REQUIRE(robot.has("picture rollout"));
  CHECK(says(robot, "heuristic"));
  robot.click("class token");
  robot.leave();
  robot.settle();

  // One layer: (mean of the heads + I) / 2.
  const OpenedModel& opened = *within(robot).model;
  ThreadPool pool(1);
  const Work work{pool, {}};
  const ModelRun run = run_model(*opened.model, tokens_of(opened, within(robot).input).input, {}, work);
  const int heads = opened.model->spec.encoder->blocks[0].heads;
  double itself = 0, head0 = 0;
  for (int h = 0; h < heads; ++h) {
    const Tensor weights = head_weights(*opened.model, run, AttentionOf::Encoder, 0, h, work);
    itself += static_cast<double>(weights.matrix()(0, 0)) / heads / 2;
    if (h == robot.app().selection().head) head0 = static_cast<double>(weights.matrix()(0, 0));
  }
  CHECK(says(robot, tight(itself + 0.5)));
  CHECK(says(robot, tight(head0)));
  CHECK(says(robot, tight(0.5 / 5)));  // what uniform attention gives to another patch
  robot.click("Attention rollout");
  robot.settle();
  CHECK_FALSE(robot.has("picture rollout"));
}

TEST_CASE("norms of the residual stream stand where the picture stands", "[model][picture]") {
  const TemporaryDirectory directory;
  Robot robot(with_vit(directory));
  robot.settle();
  robot.click("Below the heads: norms");
  robot.settle();
  CHECK_FALSE(robot.has("picture patches"));
  CHECK(says(robot, "Residual stream"));
  robot.click("Below the heads: picture");
  robot.settle();
  CHECK(robot.has("picture patches"));
}

TEST_CASE("a patch over the picture wears its colour and the picture's light", "[picture]") {
  RgbPicture grey{2, 2, std::vector<std::uint8_t>(12, 100)};
  const std::vector<float> values{0, 0.25f, 0.5f, NAN};
  const Colormap& map = colormap(Map::Weights);
  const Image image = paint_heat({grey, values, 2, 2, map, 0, 0.5f, 0xFFD400FFu}, 8, 8);
  const auto expected = [](Rgba colour, int shift) {
    return static_cast<int>(
        std::lround(heat_share * static_cast<float>(colour >> shift & 255u) + (1 - heat_share) * 100));
  };
  for (const int shift : {0, 8, 16}) {
    CHECK(std::abs(static_cast<int>(image.at(1, 1) >> shift & 255u) - expected(map[0], shift)) <= 1);
    CHECK(std::abs(static_cast<int>(image.at(1, 6) >> shift & 255u) - expected(map[255], shift)) <= 1);
    CHECK(std::abs(static_cast<int>(image.at(6, 6) >> shift & 255u) - expected(0xFFD400FFu, shift)) <= 1);
  }
  CHECK(image.at(6, 1) == image.at(5, 2));
  CHECK(paint_picture(grey, 3, 3).at(1, 1) == 0xFF646464u);
}

TEST_CASE("the picture that the model is given comes back as bytes", "[picture]") {
  RgbPicture picture{3, 2, {}};
  for (int i = 0; i < 18; ++i) picture.bytes.push_back(static_cast<std::uint8_t>(i * 37 % 256));
  const ImagePreparation how{.height = 2, .width = 3, .mean = {0.1, 0.5, 0.9}, .deviation = {0.2, 0.5, 2}};
  const RgbPicture back = picture_of_input(prepared_image(picture, how, ImageSpec{3, 2, 3, 1}), how);
  CHECK(back.bytes == picture.bytes);
}

TEST_CASE("patches have places", "[picture]") {
  const Patches patches{.rows = 2, .columns = 3, .side = 4, .first = 1};
  CHECK(patches.tokens() == 7);
  CHECK(patches.name(0) == "[CLS]");
  CHECK(patches.name(6) == "patch 1,2");
  const Box box{10, 20, 30, 20};
  CHECK(patches.at(box, {39, 39}) == 6);
  CHECK(patches.neighbour(0, 0, 1) == 1);
  CHECK(patches.neighbour(2, 1, 0) == 5);
  CHECK(patches.neighbour(6, 1, 1) == 6);
  CHECK(patches.neighbour(1, -1, -1) == 1);
  CHECK(patches.box(box, 5).x == 20);
  CHECK(patches.box(box, 0).w == 0);
}

}  // namespace attnscope::picture_test
