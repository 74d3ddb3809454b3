// Numbers on screen are truthful: small ones are not shown as 0, sums add up, words are beside what they
// describe.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include "app/controls_robot.hpp"
#include "app/kit/ui/number_words.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/model_robot.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/walk_robot.hpp"
#include "core/attention/run_stage.hpp"
#include "core/edits/edits.hpp"
#include "robot/layout.hpp"

namespace attnscope::number_truth_test {
namespace {

using namespace attnscope::test;

const RobotOptions wide{.width = 1600, .height = 1000};

struct SmallWeight {
  std::int64_t head = 0;
  Cell cell;
  double weight = 0;
};
/// A weight that four places do not show.
std::optional<SmallWeight> small_weight(Robot& robot) {
  const LayerResult& layer = shown(robot);
  for (std::int64_t h = 0; h < layer.dimensions.heads; ++h) {
    const auto weights = layer.trace[weights_stage(layer.document)]->matrix(0, h);
    for (std::int64_t i = 0; i < weights.rows(); ++i)
      for (std::int64_t j = 0; j < weights.cols(); ++j)
        if (weights(i, j) > 1e-12f && weights(i, j) < 4e-5f)
          return SmallWeight{h, {i, j}, static_cast<double>(weights(i, j))};
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("sums of rounded numbers are exact or say that they are not") {
  CHECK(sum_in_words(std::array{0.03, 0.02}, 4) == ".03 + .02 = .05");
  CHECK(sum_in_words(std::array{0.026, 0.016}, 4) == ".03 + .02 ≈ .04");
  CHECK(sum_in_words(std::array{0.24, 0.003}, 4) == ".24 + 3e−3 ≈ .24");
  CHECK(sum_in_words(std::array{0.002, 0.001}, 4) == "2e−3 + 1e−3 = 3e−3");
  CHECK(sum_in_words(std::array{1.04, 0.5}, 4) == "1.0 + .50 = 1.5");
  CHECK(sum_in_words(std::array{0.0, 0.3}, 4) == ".00 + .30 = .30");
  CHECK(sum_in_words(std::array{0.1, 0.1, 0.1}, 2) == ".10 + .10 + … = .30");
}

TEST_CASE("a small weight is no zero in the read-out, in the ladder and before its value") {
  CHECK(in_full(0.4312) == "0.4312");
  CHECK(in_full(8.3e-6) == "8.3e−6");
  CHECK(in_full(0) == "0.0000");
  Robot robot(wide);
  robot.type_number("Temperature value", "0.05");
  const std::optional<SmallWeight> small = small_weight(robot);
  REQUIRE(small);
  robot.app().looking().look_at({.head = small->head, .cell = small->cell, .cells = {}});
  robot.settle();
  int times = 0;
  for (const PlacedText& text : texts_of(robot)) {
    times += text.text == in_full(small->weight) ? 1 : 0;
    CHECK(text.text != "0.0000");
  }
  CHECK(times >= 2);
  CHECK_FALSE(shows(robot, "0.000 ×"));
}

TEST_CASE("a small weight is no zero in the formulas of the walk") {
  Robot robot(wide);
  robot.type_number("Temperature value", "0.05");
  const std::optional<SmallWeight> small = small_weight(robot);
  REQUIRE(small);
  robot.app().looking().look_at({.head = small->head, .cell = small->cell, .cells = {}});
  robot.key(ImGuiKey_F3);
  robot.settle();
  const walk::Script script(shown(robot));
  for (int move = 0; move <= script.moves_of(Stage::Softmax); ++move) {
    script.go(walk_of(robot.app().view()), script.first(Stage::Softmax) + move);
    robot.settle();
    CAPTURE(move);
    CHECK_FALSE(shows(robot, "0.0000"));
  }
  CHECK(shows(robot, in_full(small->weight)));
}

TEST_CASE("a factor stands beside numbers that are printed") {
  Robot robot(wide);
  robot.type_number("Temperature value", "0.05");
  std::optional<SmallWeight> small = small_weight(robot);
  REQUIRE(small);
  robot.app().looking().look_at({.head = small->head, .cell = small->cell, .cells = {}});
  robot.settle();
  CHECK(shows(robot, "numbers ×"));
  robot.type_number("d_model value", "256");  // too many dimensions for printed numbers
  small = small_weight(robot);
  REQUIRE(small);
  robot.app().looking().look_at({.head = small->head, .cell = small->cell, .cells = {}});
  robot.settle();
  CHECK_FALSE(shows(robot, "numbers ×"));
}

TEST_CASE("a long text that is pasted has the colours of one that is opened") {
  Robot robot(wide);
  const std::string before = robot.document().input.sequences[0].text;
  std::string text;
  for (int i = 0; i < 240; ++i) text += i % 3 == 0 ? "cat " : i % 3 == 1 ? "mat " : "sat ";
  robot.retype("##Text", text);
  robot.settle();
  CHECK(focus_of(robot.app().view()).log);
  robot.retype("##Text", before);
  robot.settle();
  CHECK_FALSE(focus_of(robot.app().view()).log);
}

TEST_CASE("the list of inputs says what is there where that is no example") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  robot.key(ImGuiKey_F2);
  robot.settle();
  robot.click("Input source");
  robot.frame(3);
  CHECK(robot.has("Given token vectors##input"));
}

TEST_CASE("a drag to the right scrubs as one upwards does, and the tip says so") {
  Robot robot(wide);
  robot.settle();
  choose(robot, "Other stages", "W_Q weights");
  const auto number = [&] {
    const Tensor& numbers = *robot.document().layer().weights[Parameter::WQuery];
    return numbers.matrix()(32, 32);
  };
  CHECK(told_at(robot, "weight map").contains("Alt + drag right or up: more"));
  const float was = number();
  const RecordedItem* const map = robot.items().find("weight map");
  REQUIRE(map != nullptr);
  const ImVec2 side{(map->max.x - map->min.x) / 64, (map->max.y - map->min.y) / 64};
  const ImVec2 from{map->min.x + 32.5f * side.x, map->min.y + 32.5f * side.y};
  robot.move(from);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, true);
  robot.frame();
  robot.drag(from, {from.x + 40, from.y}, 20);
  CHECK(std::abs(number() - (was + 0.4f)) < 1e-4f);
  robot.drag(from, {from.x - 60, from.y}, 20);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, false);
  robot.frame();
  CHECK(std::abs(number() - (was - 0.2f)) < 1e-4f);
}

TEST_CASE("the tip of a number tells the number beside it, not over it") {
  Robot robot(wide);
  robot.settle();
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  choose(robot, "Other stages", "W_Q weights");
  const RecordedItem* const map = robot.items().find("weight map");
  REQUIRE(map != nullptr);
  const ImVec2 from = map->min, side{(map->max.x - map->min.x) / 64, (map->max.y - map->min.y) / 64};
  /// The tooltip's pixels: they differ between cells only in the line with the number.
  const auto tip_at = [&](Cell cell) {
    const ImVec2 at{from.x + (static_cast<float>(cell.key) + 0.5f) * side.x,
                    from.y + (static_cast<float>(cell.query) + 0.5f) * side.y};
    robot.leave();
    robot.move(at);
    robot.frame(2);
    const ImGuiWindow* const tip = ImGui::FindWindowByName("##Tooltip_00");
    REQUIRE(tip != nullptr);
    REQUIRE(tip->WasActive);
    const ImVec2 min = tip->Pos, max{tip->Pos.x + tip->Size.x, tip->Pos.y + tip->Size.y};
    CHECK((at.x + side.x / 2 <= min.x || at.x - side.x / 2 >= max.x || at.y + side.y / 2 <= min.y ||
           at.y - side.y / 2 >= max.y));
    const Image image = robot.pixels();
    std::vector<Rgba> pixels;
    for (int y = static_cast<int>(min.y); y < static_cast<int>(max.y); ++y)
      for (int x = static_cast<int>(min.x); x < static_cast<int>(max.x); ++x)
        pixels.push_back(image.at(x, y));
    return pixels;
  };
  const std::vector<Rgba> one = tip_at({3, 2}), other = tip_at({32, 32}), last = tip_at({60, 61});
  CHECK(one.size() == other.size());
  CHECK(one != other);
  CHECK(other != last);
}

TEST_CASE("one token and its logarithm leave the ends of the colour bar apart") {
  Robot robot(wide);
  robot.retype("##Text", "cat");
  CHECK_FALSE(shows(robot, "1 tokens"));
  robot.key(ImGuiKey_Escape);
  robot.key(ImGuiKey_L);
  robot.settle();
  REQUIRE(focus_of(robot.app().view()).log);
  for (const std::string& pair : collisions(texts_of(robot))) FAIL_CHECK(pair);
}

TEST_CASE("the sentence of a walk says whose formula stands there") {
  Walker robot;
  robot.app().looking().look_at({.head = {}, .cell = Cell{2, 1}, .cells = {}});
  robot.settle();
  const walk::Script script(robot.result());
  REQUIRE(script.moves_of(Stage::Score) >= 2);
  bool told = false, silent = false;
  for (int move = 0; move <= script.moves_of(Stage::Score); ++move) {
    robot.go(Stage::Score, move);
    const std::string own_row = "“" + plain(query_label(robot.result(), 0, 2)) + "”";
    std::string all;  // a sentence may be wrapped into several lines
    for (const PlacedText& text : texts_of(robot)) all += text.text + " ";
    if (all.find("against every key") == std::string::npos) continue;
    const bool is_of_row = all.find(own_row + " against every key") != std::string::npos;
    const bool says_whose = all.find("The formula is that of " + own_row) != std::string::npos;
    if (is_of_row) CHECK_FALSE(says_whose);
    told = told || says_whose;
    silent = silent || !says_whose;
  }
  CHECK(told);
  CHECK(silent);
}

TEST_CASE("a masked cell's weight is 0 on its way through the walk, and a small one is no 0") {
  Robot robot({.width = 1600, .height = 1000});
  REQUIRE(robot.document().layer().masking.causal);
  robot.app().looking().look_at({.head = {}, .cell = Cell{0, 3}, .cells = {}});
  robot.key(ImGuiKey_F3);
  robot.leave();
  robot.settle();
  CHECK_FALSE(shows(robot, "0.0000"));
}

TEST_CASE("what each change does alone has the decimal sign of the language", "[model][german]") {
  LettersRobot robot({.height = 1060});
  robot.click("Layer MLP");
  robot.click("Head: zero");
  robot.settle();
  const auto line_with = [&](std::string_view begin) {
    const std::vector<PlacedText> texts = texts_of(robot);
    const auto found =
        std::ranges::find_if(texts, [&](const PlacedText& text) { return text.text.starts_with(begin); });
    return found == texts.end() ? std::string() : found->text;
  };
  const std::string english = line_with("alone: ");
  REQUIRE(english.find('.') != std::string::npos);
  robot.app().view().language = "de";
  robot.leave();
  robot.settle();
  const std::string german = line_with("einzeln: ");
  CHECK(german.find(',') != std::string::npos);
  CHECK(german.find('.') == std::string::npos);
}

}  // namespace attnscope::number_truth_test
