// Numbers that do not mislead: measures beside those of uniform attention, names that the scores support,
// rows without a number.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/number_words.hpp"
#include "app/scene/head_words.hpp"
#include "app/signals_robot.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "heads_robot.hpp"
#include "robot/layout.hpp"

namespace attnscope::honest_numbers_test {

using namespace attnscope::test;

namespace {

std::string one_spaced(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  return out;
}

/// Whether these words are on screen, in one text or in lines one below the other.
bool tells(Robot& robot, const std::string& words) {
  std::string all;
  for (const PlacedText& text : texts_of(robot)) all += text.text + " ";
  return one_spaced(all).find(one_spaced(words)) != std::string::npos;
}

Document given(TensorPtr query, TensorPtr key, TensorPtr value) {
  Document document;
  document.input.numbers = Given{std::move(query), std::move(key), std::move(value)};
  document.layer().positions = Positions::None;
  return document;
}

TensorPtr ones(float at_the_end = 1) {
  auto tensor = std::make_shared<Tensor>(Shape{1, 2, 4, 2});
  for (float& value : tensor->values()) value = 1;
  tensor->values().back() = at_the_end;
  return tensor;
}

/// The whole name fits into the title of the focus.
const RobotOptions broad{.width = 2400, .height = 1100};

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("a name stands with its score, and goes when the head does not do it any more", "[honest]") {
  Robot robot(broad);
  robot.settle();
  const HeadRole before = role_of(shown(robot), 0);
  REQUIRE(before.does == "previous token");
  CHECK(before.is_built);
  CHECK(before.score > 0.8);
  CHECK(before.uniform < 0.4);
  CHECK(tells(robot, in_cell(before.score)));  // beside the name on its thumbnail
  click(robot, "head 0");
  CHECK(tells(robot, "previous token  " + in_cell(before.score) + " · built by hand"));

  choose(robot, "Positions kind", "None");
  const HeadRole after = role_of(shown(robot), 0);
  CHECK(after.does.empty());
  CHECK(after.built_as == "previous token");
  CHECK(std::abs(after.score - after.uniform) < 1e-2);  // noise alone
  robot.leave();
  robot.frame(2);
  CHECK(tells(robot, "does not do it now"));
  CHECK(words(after).starts_with("Built by hand for something that it does not do now."));
}

TEST_CASE("heads that share keys and random ones keep no name they do not bear", "[honest]") {
  const test::TemporaryDirectory directory;
  const Document document = sentence("The cat sat on the mat because it was warm", 8, 64);
  Robot robot({.width = 1600, .height = 1000, .file = saved(directory, edit::kv_heads(document, 1))});
  robot.settle();
  for (const std::int64_t h : {0, 1, 2, 3, 5, 6, 7}) {
    CHECK(role_of(shown(robot), h).does.empty());
    CHECK_FALSE(role_of(shown(robot), h).built_as.empty());
  }
  choose(robot, "Weights source", "Random");
  for (std::int64_t h = 0; h < 8; ++h) {
    CHECK(role_of(shown(robot), h).does.empty());
    CHECK(role_of(shown(robot), h).built_as.empty());
  }
}

TEST_CASE("a head that was not built by hand is called by the pattern that is found in it", "[honest]") {
  const test::TemporaryDirectory directory;
  Document document = sentence("The cat sat on the mat because it was warm", 8, 64);
  document.layer().weights.head_names.clear();
  document.layer().weights.recipe = Recipe::Given;
  Robot robot({.width = 2400, .height = 1100, .file = saved(directory, document)});
  robot.settle();
  const HeadRole role = role_of(shown(robot), 0);
  CHECK(role.does == "previous token");
  CHECK_FALSE(role.is_built);
  click(robot, "head 0");
  CHECK(tells(robot, "found in its weights"));
}

TEST_CASE("measures stand beside what uniform attention has under the same mask", "[honest]") {
  Robot robot(tall);
  click(robot, "Statistics");
  const HeadMeasures& head = shown(robot).measures.head(0, robot.app().selection().head);
  CHECK(tells(robot, fixed(head.effective, 2) + " vs " + fixed(head.uniform.effective, 2)));
  CHECK(std::abs(head.uniform.effective - 4) < 1e-9);  // rows of 2, 3, 4, 5 and 6 keys, the first left out
  CHECK(std::abs(head.uniform.first - (1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 5 + 1.0 / 6) / 5) < 1e-9);
  click(robot, "Backward");
  CHECK(tells(robot, fixed(head.jacobian, 4)));
}

TEST_CASE("attention received stands before that of uniform attention", "[honest]") {
  Robot robot(wide);
  show(robot, 3, PlotKind::Received, "Attention received per key");
  const HeadMeasures& head = shown(robot).measures.head(0, robot.app().selection().head);
  CHECK(std::abs(head.received_uniform[0] - (1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 5 + 1.0 / 6)) < 1e-12);
  CHECK(std::abs(head.received_uniform[5] - 1.0 / 6) < 1e-12);
  // In the plot: the last bar is below the dashes of uniform attention.
  const Area plot = area_of(robot, "attention received");
  const Rgba dashes = theme(ThemeName::Dark).text3;
  REQUIRE(head.received[0] < head.received_uniform[0]);
  CHECK(count_of(part_of(robot, {plot.at(0, 0), plot.at(1.0f / 6, 0.5f)}), dashes) > 8);
}

TEST_CASE("a muted head has no row entropy", "[honest]") {
  Robot robot(wide);
  click(robot, "head 0");
  click(robot, "badge 0");
  CHECK(std::isnan(shown(robot).measures.row(0, 0, 3).entropy));
  CHECK_FALSE(tells(robot, "NaN"));
  robot.leave();
  robot.frame(2);
  std::size_t none = 0;  // in the map's strip, where each row has its entropy
  for (const PlacedText& text : texts_of(robot)) none += text.text == "n/a" ? 1 : 0;
  CHECK(none >= 6);
}

TEST_CASE("a muted head says that it adds nothing, and what its own weights are", "[honest]") {
  Robot robot(broad);
  click(robot, "head 0");
  robot.app().looking().look_at({.head = 0, .cell = Cell{3, 1}, .cells = {}});
  robot.settle();
  click(robot, "badge 0");
  robot.leave();
  robot.frame(2);
  show_stage(robot.app().view(), Plane(Stage::Intervention));
  robot.settle();
  const LayerResult& layer = shown(robot);
  CHECK(layer.trace[Stage::Intervention]->matrix(0, 0)(3, 1) == 0);  // later stages use this 0
  const float own = layer.trace[Stage::Softmax]->matrix(0, 0)(3, 1);
  CHECK(own > 0);
  CHECK_FALSE(tells(robot, "rank 1 of"));
  CHECK(tells(robot, "muted · its own weight " + in_full(static_cast<double>(own))));
  CHECK(tells(robot, "muted · adds nothing"));
  // One stage before, where its pattern is, it has its rank.
  robot.key(ImGuiKey_Comma);
  robot.settle();
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Softmax));
  CHECK(tells(robot, "in the row"));
  CHECK_FALSE(tells(robot, "its own weight"));
}

TEST_CASE("no bar of entropy is drawn for a row that has none", "[honest]") {
  Robot robot(wide);
  click(robot, "head 0");
  robot.leave();
  robot.frame(2);
  const RecordedItem* const map = robot.items().find("heatmap 0");
  REQUIRE(map != nullptr);
  const Area strip{{map->max.x, map->min.y}, {map->max.x + 160, map->max.y}};
  const Theme& colours = theme(ThemeName::Dark);
  CHECK(std::ranges::count(part_of(robot, strip), colours.bar) > 200);
  click(robot, "badge 0");
  robot.leave();
  robot.frame(2);
  const std::vector<Rgba> muted = part_of(robot, strip);
  CHECK(std::ranges::count(muted, colours.bar) < 60);  // the stroke of the row with one key
  CHECK(std::ranges::count(muted, colours.bar_ground) > 500);
}

TEST_CASE("scores that are NaN are said to be, not hidden by a mask", "[honest]") {
  const test::TemporaryDirectory directory;
  auto query = std::make_shared<Tensor>(Shape{1, 2, 4, 2});
  for (float& value : query->values()) value = nan_value;
  Robot robot({.width = 1600, .height = 1000, .file = saved(directory, given(query, ones(), ones()))});
  robot.settle();
  show(robot, 3, PlotKind::Scores, "Spread of the scores");
  CHECK(tells(robot, "All of them are NaN or infinite."));
  CHECK_FALSE(tells(robot, "The mask hides every cell"));
}

TEST_CASE("a NaN in V under a hidden key reaches the output, and the window says so", "[honest]") {
  const test::TemporaryDirectory directory;
  Document document = given(ones(), ones(), ones(nan_value));
  document.layer().masking.causal = true;
  Robot robot({.width = 1600, .height = 1000, .file = saved(directory, document)});
  robot.settle();
  CHECK(shown(robot).trace[Stage::Softmax]->matrix(0, 1)(0, 3) == 0);     // masked for the first query,
  CHECK(std::isnan(shown(robot).trace[Stage::Mix]->matrix(0, 1)(0, 1)));  // and its NaN is there all the same
  CHECK(tells(robot, "V holds NaN or ∞, and reaches every output, hidden keys too: 0 × NaN = NaN"));
}

TEST_CASE("rows without a key are zeros, NaN or uniform: a choice that stands where there are some",
          "[honest]") {
  Robot robot(tall);
  CHECK_FALSE(robot.has("Rows with no key: NaN"));
  click(robot, "More: Mask");
  choose(robot, "Mistake", "Diagonal hidden");
  REQUIRE(robot.has("Rows with no key: NaN"));
  CHECK(cell_of(robot, Stage::Softmax, 3, 0, 0) == 0);
  click(robot, "Rows with no key: NaN");
  CHECK(robot.document().layer().empty_row == EmptyRow::NotANumber);
  CHECK(std::isnan(cell_of(robot, Stage::Softmax, 3, 0, 0)));
  click(robot, "Rows with no key: 1/n");
  CHECK(std::abs(cell_of(robot, Stage::Softmax, 3, 0, 5) - 1.0f / 6) < 1e-6f);
  click(robot, "More: Softmax");
  click(robot, "Softmax: Naive");
  CHECK(std::isnan(cell_of(robot, Stage::Softmax, 3, 0, 0)));
  CHECK(tells(robot, "Rows with no key are NaN in the naive softmax: 0 / 0."));
}

TEST_CASE("-1e9 is put in place of a score or added to it", "[honest]") {
  Robot robot(tall);
  click(robot, "More: Mask");
  click(robot, "Hidden score: + \u22121e9");
  CHECK(robot.document().layer().masking.hidden == Masking::Hidden::AddedMinusBillion);
  CHECK(cell_of(robot, Stage::Mask, 3, 0, 5) < -9e8f);
  click(robot, "More: Softmax");
  click(robot, "Precision: fp16");
  CHECK(cell_of(robot, Stage::Mask, 3, 0, 5) == -std::numeric_limits<float>::infinity());
  CHECK(tells(robot, "Stored as float16, \u22121e9 is \u2212∞."));
}

TEST_CASE("linear attention with rotary positions says that its weights may be negative", "[honest]") {
  const test::TemporaryDirectory directory;
  Document document = edit::recipe(sentence("The cat sat on the mat", 2, 8), Recipe::Random);
  document.layer().linear = true;
  document.layer().positions = Positions::RopeHalf;
  document.layer().masking.causal = false;
  Robot robot({.width = 1600, .height = 1700, .file = saved(directory, document)});
  robot.settle();
  click(robot, "More: Softmax");
  CHECK(tells(robot, "weights may be negative"));
  const auto weights = shown(robot).trace[Stage::Linear]->matrix(0, 0);
  CHECK(weights.allFinite());
  CHECK(std::abs(weights.row(1).sum() - 1) > 1e-3f);  // only the numerator is turned
}

TEST_CASE("the weights of nn.Linear are one of the initialisers", "[honest]") {
  Robot robot(tall);
  choose(robot, "Weights source", "Random");
  choose(robot, "Initialiser", "nn.Linear");
  CHECK(robot.document().layer().weights.initialiser == Initialiser::Linear);
  for (const float x : robot.document().layer().weights[Parameter::WQuery]->values())
    REQUIRE(std::abs(x) <= 0.125f);  // 1/√64
}

TEST_CASE("the cost of a step with a cache leaves out what is cached", "[honest]") {
  const test::TemporaryDirectory directory;
  Document document = sentence("The cat sat on the mat", 8, 64);
  document.input.cached = 4;
  Robot robot({.width = 1600, .height = 1700, .file = saved(directory, document)});
  robot.settle();
  click(robot, "Cost");
  CHECK(tells(robot, "K and V of cached tokens are not counted again"));
  CHECK(robot.has("FLOPs seen"));
}

}  // namespace attnscope::honest_numbers_test
