// A model beside the held one, used by the robot: two texts, a change inside, two layers, two precisions; the
// numbers on screen are those of an independent computation.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/files_robot.hpp"
#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/results/model_comparison.hpp"
#include "app/state/compare_state.hpp"
#include "robot/layout.hpp"
#include "support/csv_reader.hpp"
#include "support/program.hpp"

namespace attnscope::model_compare_test {
namespace {

using test::TemporaryDirectory;
using test::type_text;
using test::with_letters;

const ModelState& state(Robot& robot) { return model_state_of(robot.app().view()); }
const ModelContext& within(const Robot& robot) { return robot.document().within.read(); }

/// Those of a model, its text and its changes.
Tensor weights_in(const ModelContext& at, int block, std::int64_t head) {
  const Model& model = *at.model->model;
  ThreadPool pool(1);
  const Work work{pool, {}};
  RunRequest request;
  request.changes = at.changes;
  const ModelRun run = run_model(model, tokens_of(*at.model, at.input).input, request, work);
  return head_weights(model, run, at.of, static_cast<std::size_t>(block), head, work);
}

/// ½ Σ |a − b| of the pairs of rows and keys (as many from the beginning and from the end), the mean over the
/// rows with a choice; of weights that the model gives.
double distance_of(const Tensor& a, const Tensor& b, std::int64_t first, std::int64_t last) {
  const auto x = a.matrix(), y = b.matrix();
  double sum = 0;
  int rows = 0;
  for (std::int64_t i = 0; i < first + last; ++i) {
    const auto at = [&](std::int64_t pair, std::int64_t count) {
      return pair < first ? pair : count - first - last + pair;
    };
    if (at(i, x.rows()) == 0) continue;  // sees itself alone
    double row = 0;
    for (std::int64_t j = 0; j < first + last; ++j)
      row += std::abs(static_cast<double>(x(at(i, x.rows()), at(j, x.cols()))) -
                      static_cast<double>(y(at(i, y.rows()), at(j, y.cols()))));
    sum += row / 2;
    ++rows;
  }
  return sum / rows;
}

/// Every head of what is shown against the held one, layer + shift.
void check_distances(Robot& robot, std::int64_t first, std::int64_t last, int shift = 0) {
  const HeldModel* const held = robot.app().held().model();
  REQUIRE(held);
  REQUIRE(held->difference);
  REQUIRE(held->difference->is_complete);
  for (int layer = 0; layer + shift < 3; ++layer)
    for (std::int64_t head = 0; head < 4; ++head) {
      const Tensor a = weights_in(within(robot), layer, head),
                   b = weights_in(held->within, layer + shift, head);
      const HeadDifference* const found = held->difference->head(AttentionOf::Decoder, layer, head);
      REQUIRE(found);
      CAPTURE(layer, head);
      CHECK(std::abs(found->distance - distance_of(a, b, first, last)) < 1e-6);
    }
}

}  // namespace

TEST_CASE("two texts are compared head by head", "[model][compare-models]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_F4);
  robot.settle();
  REQUIRE(state(robot).screen == ModelScreen::Compare);
  CHECK_FALSE(robot.has("Compared heads"));
  robot.click("Hold this");
  robot.settle();
  REQUIRE(robot.app().held().model());
  CHECK(robot.has("Compared heads"));
  CHECK(robot.app().held().model()->difference->head(AttentionOf::Decoder, 2, 3)->distance == 0);

  SECTION("of as many tokens by position") {
    type_text(robot, "ab c dd a");
    CHECK(robot.has("held text"));
    check_distances(robot, 8, 0);
  }
  SECTION("of other numbers of tokens by what both begin and end with") {
    type_text(robot, "ab c dddde a");
    const ModelDifference& difference = *robot.app().held().model()->difference;
    const TokenMatch& match = difference.attentions.front().queries;
    CHECK(match.kind == TokenMatch::Kind::Ends);
    CHECK(match.first == 5);
    CHECK(match.last == 3);
    check_distances(robot, 5, 3);
    const auto texts = texts_of(robot);
    CHECK(std::any_of(texts.begin(), texts.end(), [](const PlacedText& text) {
      return text.text.find("first 5 and") != std::string::npos;
    }));
  }
  SECTION("of nothing in common nothing is") {
    type_text(robot, "eee");
    CHECK_FALSE(robot.has("Compared heads"));
    type_text(robot, "ab c de a");
    CHECK(robot.has("Compared heads"));
  }
}

TEST_CASE("what both models predict is copied by a right click on a row", "[model][compare-models]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_F4);
  robot.settle();
  robot.click("Hold this");
  robot.settle();
  type_text(robot, "ab c dd a");
  std::string row;
  for (const RecordedItem& item : robot.items().items())
    if (item.label.starts_with("compared ") && item.label != "compared now" && item.label != "compared held")
      row = item.label;
  REQUIRE_FALSE(row.empty());
  robot.right_click(robot.centre(row));
  robot.frame(2);
  robot.click("Copy the table");
  robot.frame();
  const std::string copied = ImGui::GetClipboardText();
  CHECK(copied.starts_with("token\tnow %\theld %\n"));
  CHECK(copied.find("\n" + row.substr(std::string_view("compared ").size()) + "\t") != copied.npos);
  CHECK(std::count(copied.begin(), copied.end(), '\n') >= 4);
}

TEST_CASE("a change inside is compared with the model without it", "[model][compare-models]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.leave();
  robot.key(ImGuiKey_Backslash);
  robot.settle();
  CHECK(state(robot).screen == ModelScreen::Heads);
  CHECK(robot.has("Held"));  // the chip in the top bar
  robot.click("Divide by √dₖ");
  robot.settle();
  robot.click("Held");
  robot.settle();
  REQUIRE(state(robot).screen == ModelScreen::Compare);
  CHECK(robot.has("held changes"));
  check_distances(robot, 8, 0);
  const ModelDifference& difference = *robot.app().held().model()->difference;
  CHECK(difference.head(AttentionOf::Decoder, 0, 0)->distance == 0);
  CHECK(difference.head(AttentionOf::Decoder, 1, 0)->distance > 0);
  REQUIRE(difference.prediction);
  CHECK(difference.prediction->divergence > 0);

  SECTION("swapped, what is held is shown and edited") {
    robot.leave();
    robot.key(ImGuiKey_X);
    robot.settle();
    CHECK(within(robot).changes.empty());
    CHECK_FALSE(robot.app().held().model()->within.changes.empty());
    check_distances(robot, 8, 0);
    robot.click("Swap now and held");
    robot.settle();
    CHECK_FALSE(within(robot).changes.empty());
  }
  SECTION("held anew or dropped") {
    robot.click("Hold this");
    robot.settle();
    CHECK(robot.app().held().model()->difference->head(AttentionOf::Decoder, 2, 0)->distance == 0);
    robot.click("Drop what is held");
    robot.settle();
    CHECK_FALSE(robot.app().held().model());
    CHECK_FALSE(robot.has("Compared heads"));
  }
  SECTION("in the layer itself, and back") {
    robot.click("Open");
    robot.settle();
    CHECK(robot.app().view().mode == Mode::Compare);
    robot.leave();
    robot.key(ImGuiKey_F7);
    robot.settle();
    CHECK(state(robot).screen == ModelScreen::Compare);
    robot.click("Mode: Compare");
    robot.settle();
    CHECK(robot.app().view().mode == Mode::Compare);
    robot.key(ImGuiKey_F7);
    robot.settle();
    robot.leave();
    robot.key(ImGuiKey_Escape);
    robot.settle();
    CHECK(state(robot).screen == ModelScreen::Heads);
    robot.click("Grid: Compare");
    robot.settle();
    CHECK(state(robot).screen == ModelScreen::Compare);
  }
}

TEST_CASE("what is compared is written, a line a head", "[model][compare-models]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_F4);
  robot.click("Hold this");
  type_text(robot, "ab c dd a");
  const ModelDifferencePtr difference = robot.app().held().model()->difference;
  REQUIRE(difference);
  REQUIRE(difference->is_complete);
  const std::string path = (directory / "compared.csv").native();
  test::from_file_menu(robot, "Export CSV");
  test::click(robot, "Table of: Compared heads");
  robot.retype("##name", path);
  test::click(robot, "Export");
  robot.settle();
  INFO(robot.app().message());
  const test::CsvReader table(test::bytes_of(path));
  std::size_t row = 0;
  for (const ModelDifference::Attention& attention : difference->attentions)
    for (std::size_t layer = 0; layer < attention.layers.size(); ++layer)
      for (std::size_t head = 0; head < attention.layers[layer]->size(); ++head, ++row) {
        CAPTURE(layer, head);
        const HeadDifference& of = (*attention.layers[layer])[head];
        CHECK(table.number(row, "layer") == static_cast<double>(layer));
        CHECK(table.number(row, "head") == static_cast<double>(head));
        CHECK(table.number(row, "total_variation") == of.distance);
        CHECK(table.number(row, "total_variation_uniform") == of.uniform);
        CHECK(static_cast<float>(table.number(row, "largest_change")) == of.largest);
        CHECK(table.number(row, "largest_query") == static_cast<double>(of.query));
        CHECK(table.number(row, "largest_key") == static_cast<double>(of.key));
      }
  CHECK(row > 0);
  CHECK(table.rows() == row);
  CHECK(table.at(0, "changes_inside") == "none");
  CHECK(table.at(0, "held_changes_inside") == "none");
}

TEST_CASE("two layers of a model are compared", "[model][compare-models]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_F4);
  robot.click("Hold this");
  robot.settle();
  REQUIRE(within(robot).block == 1);
  robot.click("layer of held more");
  robot.settle();
  CHECK(state(robot).held_shift == 1);
  check_distances(robot, 8, 0, 1);
  const ModelDifference& difference = *robot.app().held().model()->difference;
  CHECK_FALSE(difference.head(AttentionOf::Decoder, 2, 0));  // there is no layer 3
  robot.click("The same layers");
  robot.settle();
  CHECK(state(robot).held_shift == 0);
  CHECK(robot.app().held().model()->difference->head(AttentionOf::Decoder, 2, 0)->distance == 0);
}

TEST_CASE("two precisions of a model are compared", "[model][compare-models]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "half", 3, 16, DType::BF16);
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_Backslash);
  robot.settle();
  robot.app().files().opening.open(directory / "half");
  robot.settle();
  CHECK(within(robot).model->storage == "bfloat16");
  CHECK(within(robot).input.text == "ab c de a");  // it stays, so that the two can be compared
  REQUIRE(robot.app().held().model());
  CHECK(robot.app().held().model()->within.model->storage == "float32");
  robot.key(ImGuiKey_F4);
  robot.settle();
  CHECK(robot.has("held stored as"));
  CHECK(robot.has("held model"));
  check_distances(robot, 8, 0);
  const HeadDifference* const found =
      robot.app().held().model()->difference->head(AttentionOf::Decoder, 2, 1);
  CHECK(found->distance > 0);
  CHECK(found->distance < 0.1);
  robot.leave();
  robot.key(ImGuiKey_X);
  robot.settle();
  CHECK(within(robot).model->storage == "float32");
  CHECK(robot.app().held().model()->within.model->storage == "bfloat16");
  check_distances(robot, 8, 0);
}

TEST_CASE("the comparison's lists, pictures and rows are pointed at and clicked", "[model][compare-models]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_F4);
  robot.click("Hold this");
  type_text(robot, "ab c dd a");
  robot.click("distance of 2.3");
  robot.settle();
  CHECK(within(robot).block == 2);
  CHECK(robot.app().selection().head == 3);
  robot.click("sort by largest");
  CHECK(state(robot).compare.order.sorted_by == 2);
  robot.click("sort by uniform");
  CHECK(state(robot).compare.order.sorted_by == 3);
  robot.click("Compared by: largest");
  robot.settle();
  CHECK(state(robot).compare.measure == HeadDistance::Largest);
  robot.click("Compared heads");
  robot.settle();
  CHECK(within(robot).block == 1);
  robot.click("Weights now − held");
  robot.settle();
  CHECK(robot.app().selection().locked);
  CHECK(robot.has("Weights now"));
  CHECK(robot.has("Weights held"));
  robot.click("Difference: | |");
  CHECK(compare_of(robot.app().view()).difference == DifferenceKind::Magnitude);
  robot.leave();
  robot.key(ImGuiKey_Slash);
  robot.settle();
  CHECK(compare_of(robot.app().view()).difference == DifferenceKind::Signed);
  robot.click("Compared tokens");
  robot.settle();
  const std::int64_t row = *state(robot).predicted_row;
  CHECK(robot.app().selection().cell.query == row);
  REQUIRE(robot.app().held().model()->difference->prediction);
  CHECK(robot.app().held().model()->difference->prediction->row_a == row);
  CHECK(robot.has("KL"));
}

TEST_CASE("a comparison is stopped, goes on, and something else is compared whatever was stopped",
          "[model][compare-models]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  Document held = robot.document();
  ModelEngine engine({}, 1);
  engine.submit(held.within.read(), {.lens = false, .scores = false, .effects = false});
  engine.wait_idle();
  const ModelReadingPtr reading = engine.latest_good();
  ModelComparison comparison({});
  comparison.hold(&held, 0, reading);
  REQUIRE(comparison.held());
  CHECK(comparison.held()->reading == reading);  // it is not run again
  comparison.follow({reading, true, 0});
  comparison.cancel();
  CHECK(comparison.is_settled());
  comparison.follow({reading, true, 0});  // the same comparison is not started again
  CHECK(comparison.is_settled());
  CHECK_FALSE(comparison.held()->is_busy);
  comparison.go_on();
  comparison.follow({reading, true, 0});
  comparison.wait_idle();
  comparison.follow({reading, true, 0});
  REQUIRE(comparison.held()->difference);
  CHECK(comparison.held()->difference->is_complete);
  comparison.cancel();
  comparison.follow({reading, true, 1});
  comparison.wait_idle();
  comparison.follow({reading, true, 1});
  CHECK(comparison.is_settled());
  CHECK(comparison.held()->difference->asked.shift == 1);
  CHECK(comparison.held()->difference->is_complete);
  comparison.hold(nullptr, 0, reading);
  CHECK_FALSE(comparison.held());
}

TEST_CASE("the window is woken when what is compared with a held model is known", "[model][compare-models]") {
  const TemporaryDirectory directory;
  std::atomic<int> wakes{0};
  RobotOptions options = with_letters(directory);
  options.wake = [&] { ++wakes; };
  Robot robot(options);
  robot.key(ImGuiKey_F4);
  robot.settle();
  robot.app().finish_numbers();
  robot.settle();
  wakes = 0;  // the model on screen is complete, so that only the comparison wakes the window
  robot.click("Hold this");
  robot.settle();
  REQUIRE(robot.app().held().model());
  REQUIRE(robot.app().held().model()->difference);
  CHECK(wakes > 0);
}

}  // namespace attnscope::model_compare_test
