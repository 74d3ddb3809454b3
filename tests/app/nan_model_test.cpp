// A model with NaN inside, from the command line and in the window: a message says where it begins, no token
// is called likely, and NaN is not called unknown. And a model whose text cannot run.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/model_robot.hpp"
#include "core/files/formats/safetensors.hpp"
#include "robot/layout.hpp"
#include "support/program.hpp"
#include "support/put_number.hpp"

namespace attnscope::nan_model_test {
namespace {

using namespace attnscope::test;

constexpr const char* where = "From block 1 on the residual stream holds NaN or infinity, first in row 0.";
constexpr const char* where_key =
    "From block {} on the residual stream holds NaN or infinity, first in row {}.";

/// The letters' model with NaN in the norm before the attention of its second block.
RobotOptions with_nan(const TemporaryDirectory& directory) {
  const RobotOptions options = with_letters(directory);
  put_number(directory / "letters" / "model.safetensors", "h.1.ln_1.weight", 3, std::nanf(""));
  return options;
}

Tensor read(const std::filesystem::path& path, const std::string& name) {
  const SafetensorsFile file(path);
  const TensorEntry* const entry = file.find(name);
  REQUIRE(entry != nullptr);
  return to_tensor<float>(*entry, path);
}

/// Moves the mouse over the grid until a head of this block is under it.
void hover_head_of(Robot& robot, int block) {
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  const RecordedItem* const grid = robot.items().find("All heads");
  REQUIRE(grid != nullptr);
  const ImVec2 min = grid->min, max = grid->max;
  for (float y = min.y + 12; y < max.y; y += 24)
    for (float x = min.x + 12; x < max.x; x += 24) {
      robot.move({x, y});
      robot.frame(2);
      if (const auto& head = model_state(robot).hovered; head && head->block == block) return;
    }
  FAIL("no head of this block in the grid");
}

}  // namespace

TEST_CASE("the commands say where a model's numbers stop, and name no token after that", "[cli][models]") {
  const TemporaryDirectory directory;
  with_nan(directory);
  check_refusal(directory, "atlas letters --text abcab -o a.csv", 1,
                "There is no effect to be measured: " + std::string(where));
  CHECK_FALSE(std::filesystem::exists(directory / "a.csv"));
  check_refusal(directory, "run letters --text abcab --generate 3 -o g.safetensors", 1,
                "There is no number among the logits, so no token can be drawn.");
  REQUIRE(run(directory, "run letters --text abcab -o o.safetensors --emit lens").exit_code == 0);
  const auto out = directory / "o.safetensors";
  for (const char* name : {"lens_ids.0", "lens_ids.1", "lens_ids.2", "lens_ids.3"}) {
    INFO(name);
    const Tensor ids = read(out, name), logs = read(out, std::string("lens") + (name + 8));
    REQUIRE(ids.size() == logs.size());
    const bool behind = name[9] > '1';
    for (std::int64_t i = 0; i < ids.size(); ++i) {
      CHECK((ids.data()[i] == -1) == behind);
      CHECK(std::isnan(logs.data()[i]) == behind);
    }
  }
}

TEST_CASE("a model that gives NaN says where it begins, in the place of a prediction", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_nan(directory));
  type_text(robot, "ab c de a");
  const Notice* const said = robot.app().view().notices.of(Notice::Source::Model);
  REQUIRE(said != nullptr);
  CHECK(said->text == where);
  robot.app().view().notices.clear();
  robot.frame(2);
  CHECK(keys_drawn(robot).contains(where_key));  // where the prediction stands
  for (const RecordedItem& item : robot.items().items()) {
    INFO(item.label);
    CHECK_FALSE(item.label.starts_with("predicted "));
  }
  CHECK_FALSE(shows(robot, "nan"));
}

TEST_CASE("what is NaN of a head is not called unknown", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_nan(directory));
  type_text(robot, "ab c de a");
  model_state_of(robot.app().view()).colour = HeadColour::Entropy;
  robot.settle();
  hover_head_of(robot, 2);
  const std::set<std::string> told = keys_drawn(robot, 3);
  CHECK(told.contains("Entropy over its maximum, ln of the allowed keys."));
  CHECK_FALSE(told.contains("not known yet"));
}

TEST_CASE("the scores of a head whose weights are NaN are that, not unknown", "[model]") {
  const TemporaryDirectory directory;
  RobotOptions options = with_nan(directory);
  options.width = 1600;
  options.height = 1000;
  Robot robot(options);
  type_text(robot, "ab c de a");
  robot.leave();
  robot.settle();
  REQUIRE(model_within(robot).block == 1);
  for (const std::string score : {"first token", "induction"}) {
    INFO(score);
    const std::vector<PlacedText> texts = texts_of(robot);
    const auto name = std::ranges::find_if(texts, [&](const PlacedText& text) {
      return text.text == score && text.x0 > 0.7f * static_cast<float>(robot.width());  // beside the grid
    });
    REQUIRE(name != texts.end());
    CHECK(std::ranges::any_of(texts, [&](const PlacedText& text) {
      return text.text == "NaN" && text.x0 > name->x1 && std::abs(text.y1 - name->y1) < 4;
    }));
  }
}

TEST_CASE("effects of a model that gives NaN are not called unknown", "[model][atlas]") {
  const TemporaryDirectory directory;
  Robot robot(with_nan(directory));
  type_text(robot, "ab c de a");
  robot.click("Grid: Atlas");
  robot.settle();
  const std::set<std::string> told = told_at(robot, "Atlas of heads");
  CHECK(told.contains("Zeroed alone, in the model without changes."));
  CHECK_FALSE(told.contains("not known yet"));
}

TEST_CASE("a model that gives NaN draws no token, and says so", "[model][generation]") {
  const TemporaryDirectory directory;
  Robot robot(with_nan(directory));
  robot.settle();
  robot.key(ImGuiKey_G);
  robot.settle();
  robot.key(ImGuiKey_Space);
  robot.settle();
  CHECK(robot.app().message() == "The model gives no number for the next token, so none is drawn.");
  CHECK(model_within(robot).input.continued.empty());
  CHECK(model_state(robot).to_append == 0);
}

TEST_CASE("render of a model whose text cannot run ends with the sentence, and draws nothing else",
          "[cli][models]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "letters");
  std::string text;
  for (int i = 0; i < 20; ++i) text += "abc";
  directory.write("s.json", R"({"attnscope": 1, "model": {"path": "letters", "text": ")" + text + "\"}}");
  check_refusal(directory, "render s.json -o s.png", 1,
                "s.json: The text has 40 tokens; GPT-2 has positions for 32.");
  CHECK_FALSE(std::filesystem::exists(directory / "s.png"));
}

}  // namespace attnscope::nan_model_test
