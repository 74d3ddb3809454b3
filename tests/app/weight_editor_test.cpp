// Editing numbers: the weight editor, the vectors, and the widget of both.
#include <algorithm>
#include <cmath>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/numbers.hpp"
#include "core/files/document/open.hpp"
#include "core/weights/initialise.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::weight_editor_test {

using namespace attnscope::test;
using Catch::Approx;

namespace {

/// The middle of a cell of a map that is in sight as a whole.
ImVec2 cell(Robot& robot, std::string_view map, std::int64_t row, std::int64_t column, std::int64_t rows,
            std::int64_t columns) {
  const RecordedItem* item = robot.items().find(map);
  REQUIRE(item != nullptr);
  const auto at = [](float from, float to, std::int64_t i, std::int64_t n) {
    return from + (to - from) * (static_cast<float>(i) + 0.5f) / static_cast<float>(n);
  };
  return {at(item->min.x, item->max.x, column, columns), at(item->min.y, item->max.y, row, rows)};
}

/// A robot with the weight editor on W_Q.
struct Editor : Robot {
  explicit Editor(const RobotOptions& options = {.width = 1600, .height = 1000}) : Robot(options) {
    settle();
    choose(*this, "Other stages", "W_Q weights");
    REQUIRE(has("weight map"));
  }
  ImVec2 at(std::int64_t row, std::int64_t column) { return cell(*this, "weight map", row, column, 64, 64); }
  float w_query(std::int64_t row, std::int64_t column) const {
    return document().layer().weights[Parameter::WQuery]->matrix()(row, column);
  }
  void hold(ImGuiKey mod, bool down) {
    ImGui::GetIO().AddKeyEvent(mod, down);
    frame();
  }
  void undo() {
    key(ImGuiKey_Z, ImGuiMod_Ctrl);
    settle();
  }
};

Tensor numbers(const Robot& robot, Editable block) { return *numbers_of(robot.document(), block); }

}  // namespace

TEST_CASE("a number is typed where it stands, and the picture follows each keystroke", "[weights]") {
  Editor robot;
  const Document start = robot.document();
  robot.click_at(robot.at(3, 10));
  robot.frame(2);
  CHECK(robot.w_query(3, 10) ==
        start.layer().weights[Parameter::WQuery]->matrix()(3, 10));  // a click alone changes nothing
  CHECK(robot.app().selection().head == 1);                          // the head whose column it is
  const float score = cell_of(robot, Stage::Score, 1, 0, 0);
  robot.type("2");
  robot.settle();
  CHECK(robot.w_query(3, 10) == 2.0f);
  CHECK(cell_of(robot, Stage::Score, 1, 0, 0) != score);
  robot.type(".5e1");
  robot.settle();
  robot.type("x");  // a text that is no number changes nothing
  robot.settle();
  CHECK(robot.w_query(3, 10) == 25.0f);
  CHECK(robot.document().layer().weights.recipe == Recipe::Given);
  robot.key(ImGuiKey_Enter);  // to the number below
  robot.frame(3);
  robot.type("7");
  robot.key(ImGuiKey_Tab);  // to the right
  robot.frame(3);
  robot.type("-8");
  robot.key(ImGuiKey_Tab, ImGuiMod_Shift);
  robot.frame(3);
  robot.key(ImGuiKey_UpArrow);
  robot.frame(3);
  robot.type(
      "\u2212"
      "0,5");
  robot.key(ImGuiKey_Escape);  // leaves the field: the picture's number stays
  robot.settle();
  CHECK(robot.w_query(3, 10) == -0.5f);
  CHECK(robot.w_query(4, 10) == 7.0f);
  CHECK(robot.w_query(4, 11) == -8.0f);
  CHECK(robot.app().selection().locked);  // Esc only left the number
  CHECK(robot.document().layer().weights.head_names[1].empty());
  CHECK_FALSE(robot.document().layer().weights.head_names[2].empty());
  const Document before = robot.document();
  robot.click_at(robot.at(50, 60));
  robot.frame(2);
  robot.type("5");
  robot.settle();
  CHECK(robot.document() != before);
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK(robot.w_query(50, 60) == 5.0f);
  robot.undo();
  CHECK(robot.document() == before);  // to the block, names of the heads and all
}

TEST_CASE("Alt and a drag scrub a number, as one step of the history; a double click resets it",
          "[weights]") {
  Editor robot;
  const Document start = robot.document();
  const float was = robot.w_query(20, 30);
  const ImVec2 from = robot.at(20, 30);
  robot.move(from);
  robot.hold(ImGuiMod_Alt, true);
  robot.drag(from, {from.x, from.y - 40}, 20);
  CHECK(robot.w_query(20, 30) == Approx(was + 0.4f).margin(1e-4));
  robot.hold(ImGuiMod_Ctrl, true);  // ten times finer
  robot.drag(from, {from.x, from.y + 40}, 20);
  robot.hold(ImGuiMod_Ctrl, false);
  robot.hold(ImGuiMod_Alt, false);
  CHECK(robot.w_query(20, 30) == Approx(was + 0.36f).margin(1e-4));
  robot.settle();
  robot.undo();
  CHECK(robot.w_query(20, 30) == Approx(was + 0.4f).margin(1e-4));
  robot.undo();
  CHECK(robot.document() == start);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.settle();
  REQUIRE(robot.document().layer().weights.recipe == Recipe::Given);
  robot.frame(40);  // long after the last click
  robot.move(from);
  for (int i = 0; i < 2; ++i) {
    robot.press();
    robot.release();
  }
  robot.settle();
  CHECK(robot.w_query(20, 30) == was);
  CHECK(robot.document().layer().weights.recipe == Recipe::HandBuilt);
}

TEST_CASE("the list of a right click edits the row of the head under the mouse", "[weights]") {
  Editor robot;
  const Tensor was = numbers(robot, Editable::QueryWeights);
  const auto row_is = [&](std::int64_t row, const auto& expected) {  // in head 2, whose columns are 16 … 23
    const Tensor now = numbers(robot, Editable::QueryWeights);
    for (std::int64_t c = 0; c < 64; ++c)
      CHECK(now.matrix()(row, c) == (c >= 16 && c < 24 ? expected(c) : was.matrix()(row, c)));
  };
  const auto pick = [&](std::int64_t row, std::string_view item) {
    robot.click_at(robot.at(row, 18), 1);
    robot.frame(2);
    click(robot, item);
  };
  pick(5, "Zero row");
  row_is(5, [](std::int64_t) { return 0.0f; });
  pick(5, "One-hot row");
  row_is(5, [](std::int64_t c) { return c == 18 ? 1.0f : 0.0f; });
  CHECK_FALSE(robot.has("Paste row"));
  pick(6, "Copy row");
  pick(5, "Paste row");
  row_is(5, [&](std::int64_t c) { return was.matrix()(6, c); });
  pick(5, "Noise row");
  CHECK(numbers(robot, Editable::QueryWeights).matrix()(5, 20) != was.matrix()(6, 20));
  pick(5, "Reset number");
  CHECK(robot.w_query(5, 18) == was.matrix()(5, 18));
  CHECK(robot.w_query(5, 19) != was.matrix()(5, 19));
  pick(5, "Reset row");
  CHECK(numbers(robot, Editable::QueryWeights) == was);
  CHECK(robot.document().layer().weights.recipe == Recipe::HandBuilt);
}

TEST_CASE("gain, initialiser, seed, zero and reset hold for the whole block", "[weights]") {
  Editor robot;
  const Tensor was = numbers(robot, Editable::QueryWeights), keys = numbers(robot, Editable::KeyWeights);
  robot.type_number("Gain value", "2");
  CHECK(gain_of(robot.document(), Editable::QueryWeights) == 2.0f);
  CHECK(robot.w_query(2, 2) == 2 * was.matrix()(2, 2));
  robot.drag(robot.centre("Gain"), {robot.centre("Gain").x + 30, robot.centre("Gain").y}, 6);
  robot.settle();
  CHECK(gain_of(robot.document(), Editable::QueryWeights) > 1.2f);
  robot.type_number("Gain value", "1");
  CHECK(numbers(robot, Editable::QueryWeights) == was);
  choose(robot, "Block initialiser", "Orthogonal");
  CHECK(numbers(robot, Editable::QueryWeights) ==
        initialised(Initialiser::Orthogonal, {64, 64}, 7, "block W_Q"));
  click(robot, "Block seed more");
  CHECK(numbers(robot, Editable::QueryWeights) ==
        initialised(Initialiser::Orthogonal, {64, 64}, 8, "block W_Q"));
  choose(robot, "Block initialiser", "Identity");
  CHECK(robot.w_query(9, 9) == 1.0f);
  choose(robot, "Block initialiser", "As the other blocks");
  CHECK(numbers(robot, Editable::QueryWeights) == was);
  click(robot, "Zero");
  CHECK(numbers(robot, Editable::QueryWeights).matrix().isZero());
  CHECK(cell_of(robot, Stage::Score, 3, 2, 1) == 0);
  click(robot, "Reset");
  CHECK(numbers(robot, Editable::QueryWeights) == was);
  CHECK(numbers(robot, Editable::KeyWeights) == keys);
}

TEST_CASE("the weights of QK-norm and sinks are edited like the matrices", "[weights]") {
  Editor robot({.width = 1600, .height = 1700});
  click(robot, "More: Weights");
  click(robot, "QK-norm: RMS");
  click(robot, "More: Softmax");
  click(robot, "Learned sink");
  for (const Editable block : {Editable::QueryNorm, Editable::KeyNorm, Editable::SinkLogits}) {
    INFO(symbol(block));
    REQUIRE(numbers_of(robot.document(), block));
    show_weights(robot.app().view(), block);  // scrolls to the end of a list that does not fit
    robot.settle();
    robot.click_at(cell(robot, "weight map", 0, 6, 1, 8));
    robot.frame(2);
    robot.type("3");
    robot.settle();
    CHECK(numbers(robot, block).values()[6] == 3.0f);
    robot.key(ImGuiKey_Enter);
    robot.settle();
  }
  CHECK(shown(robot).measures.head(0, 6).entropy >= 0);
  CHECK(robot.app().message().empty());
}

TEST_CASE("every block of weights can be opened and edited, biases and the learned key too", "[weights]") {
  Editor robot;
  choose(robot, "Weights source", "Random");
  click(robot, "Biases");
  click(robot, "More: Weights");
  click(robot, "Learned key");
  for (const auto& [block, name] :
       std::vector<std::pair<Editable, const char*>>{{Editable::KeyWeights, "W_K weights"},
                                                     {Editable::ValueWeights, "W_V weights"},
                                                     {Editable::OutputWeights, "W_O weights"},
                                                     {Editable::QueryBias, "b_Q bias"},
                                                     {Editable::KeyBias, "b_K bias"},
                                                     {Editable::ValueBias, "b_V bias"},
                                                     {Editable::OutputBias, "b_O bias"},
                                                     {Editable::BiasK, "Learned key"},
                                                     {Editable::BiasV, "Learned value"}}) {
    INFO(name);
    robot.click("Other stages");
    robot.frame(2);
    // The list is above the switch of the same name.
    const auto& items = robot.items().items();
    const auto row = std::find_if(items.begin(), items.end(), [&](const RecordedItem& item) {
      return item.label == name && item.window.find("Popup") != std::string::npos;
    });
    REQUIRE(row != items.end());
    robot.click_at({(row->min.x + row->max.x) / 2, (row->min.y + row->max.y) / 2});
    robot.settle();
    REQUIRE(editing_of(robot.app().view()).weights == block);
    const Tensor was = numbers(robot, block);
    const std::int64_t rows = was.shape().rank() == 1 ? 1 : 64;
    robot.click_at(cell(robot, "weight map", rows - 1, 60, rows, 64));
    robot.frame(2);
    robot.type("3");
    robot.settle();
    CHECK(numbers(robot, block).matrix()(rows - 1, 60) == 3.0f);
    robot.key(ImGuiKey_Enter);
    robot.settle();
  }
  choose(robot, "Other stages", "Q queries");  // away from the editor
  CHECK_FALSE(robot.has("weight map"));
}

TEST_CASE("token vectors are edited under E, and typing lets go of them", "[weights]") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  choose(robot, "Other stages", "E vectors");
  const Document start = robot.document();
  robot.click_at(cell(robot, "vector map", 4, 32, 6, 64));
  robot.frame(2);
  robot.type("-3");
  robot.settle();
  REQUIRE(robot.document().input.from_text().edited);
  CHECK(robot.document().input.from_text().edited->matrix(0)(4, 32) == -3.0f);
  CHECK(shown(robot).trace[Stage::Embed]->matrix(0)(4, 32) == -3.0f);
  CHECK(robot.app().selection().cell.query == 4);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  robot.type_number("Gain value", "0.5");
  CHECK(shown(robot).trace[Stage::Embed]->matrix(0)(4, 32) == -1.5f);
  robot.retype("##Text", "The cat sat on");
  CHECK_FALSE(robot.document().input.from_text().edited);
  CHECK(robot.document().embedding_gain == 0.5f);
  CHECK(robot.app().message().find("edited by hand") != std::string::npos);
  robot.key(ImGuiKey_Escape);
  robot.settle();
}

TEST_CASE("numbers that follow from others say so; given ones are edited directly", "[weights]") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  choose(robot, "Other stages", "Q queries");
  const Document start = robot.document();
  robot.click_at(cell(robot, "vector map", 1, 1, 6, 8));
  robot.frame(2);
  robot.type("9");
  robot.settle();
  CHECK(robot.document() == start);
  CHECK_FALSE(editing_of(robot.app().view()).numbers.typing);
  robot.click_at(cell(robot, "vector map", 1, 2, 6, 8));
  robot.move(cell(robot, "vector map", 1, 1, 6, 8));  // a tooltip leaves with a click, until the mouse moves
  robot.frame(60);                                    // it says what to edit instead
  CHECK(std::any_of(robot.items().items().begin(), robot.items().items().end(), [](const RecordedItem& item) {
    return item.window.find("Tooltip") != std::string::npos;
  }));

  Document given;
  const auto tensor = [](Shape shape) { return std::make_shared<const Tensor>(shape); };
  given.input.numbers = Given{tensor({1, 4, 3, 2}), tensor({1, 2, 5, 2}), tensor({1, 2, 5, 2})};
  given.layer().positions = Positions::None;
  const test::TemporaryDirectory folder;
  save_document(given, folder.path() / "given.json");
  robot.app().files().opening.open(folder.path() / "given.json");
  robot.settle();
  choose(robot, "Other stages", "K keys");
  editing_of(robot.app().view()).painting = false;
  robot.key(ImGuiKey_RightBracket);
  robot.key(ImGuiKey_RightBracket);
  robot.settle();
  REQUIRE(robot.app().selection().head == 2);
  robot.click_at(cell(robot, "vector map", 4, 1, 5, 2));
  robot.frame(2);
  robot.type("6");
  robot.settle();
  CHECK(robot.document().input.given().key->matrix(0, 1)(4, 1) == 6.0f);
  CHECK(robot.document().input.given().key->matrix(0, 0).isZero());
}

TEST_CASE("Home makes again what the seed makes, Shift+Home takes a new seed", "[weights]") {
  Editor robot;
  const Document start = robot.document();
  click(robot, "Zero");
  robot.leave();
  REQUIRE(robot.has("Reset to the seed"));
  robot.key(ImGuiKey_Home);
  robot.settle();
  CHECK(robot.document().layer().weights.recipe == Recipe::HandBuilt);
  CHECK(*robot.document().layer().weights[Parameter::WQuery] == *start.layer().weights[Parameter::WQuery]);
  robot.key(ImGuiKey_Home, ImGuiMod_Shift);
  robot.settle();
  CHECK(robot.document().layer().weights.seed != start.layer().weights.seed);
  CHECK(*robot.document().layer().weights[Parameter::WQuery] != *start.layer().weights[Parameter::WQuery]);
  robot.key(ImGuiKey_Home);
  CHECK(robot.document().layer().weights.seed != start.layer().weights.seed);
  click(robot, "Zero");
  click(robot, "Reset to the seed");
  CHECK(robot.document().layer().weights.recipe == Recipe::HandBuilt);
  choose(robot, "Weights source", "Random");
  choose(robot, "Initialiser", "Identity");
  CHECK(robot.document().layer().weights[Parameter::WValue]->matrix().isIdentity(0));
  robot.leave();
  robot.key(ImGuiKey_W);  // from W_Q to W_K
  robot.settle();
  CHECK(editing_of(robot.app().view()).weights == Editable::KeyWeights);
}

TEST_CASE("the wheel zooms into weights, a drag pans and is no click", "[weights]") {
  Editor robot;
  const Document start = robot.document();
  robot.move(robot.at(32, 32));
  for (int i = 0; i < 8; ++i) robot.scroll(1);
  const EditingState& state = editing_of(robot.app().view());
  CHECK(state.across.span() < 0.3f);
  const ZoomRange across = state.across;
  const ImVec2 middle = robot.centre("weight map");
  robot.drag(middle, {middle.x + 120, middle.y}, 6);
  CHECK(state.across.from < across.from);
  CHECK_FALSE(state.numbers.typing);
  CHECK(robot.document() == start);
  robot.click_at(robot.centre("weight map"));
  robot.frame(2);
  CHECK(state.numbers.typing);
  const NumberAt at = state.numbers.at;
  for (int i = 0; i < 12; ++i) {
    robot.key(ImGuiKey_Tab);
    robot.frame(2);
  }
  CHECK(state.numbers.at == NumberAt{at.row, at.column + 12});  // and the map scrolled with it
  CHECK(state.across.from > across.from - 0.5f);
  robot.type("4");
  CHECK(robot.w_query(at.row, at.column + 12) == 4.0f);
  robot.key(ImGuiKey_Escape);
  robot.move(robot.centre("weight map"));
  for (int i = 0; i < 20; ++i) robot.scroll(-1);
  CHECK(state.across.is_whole());
}

}  // namespace attnscope::weight_editor_test
