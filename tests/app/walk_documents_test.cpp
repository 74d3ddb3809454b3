// Walk through every kind of document, at large and at small window sizes.
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/walk/walk_state.hpp"
#include "app/walk_robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::walk_documents_test {

using test::says;
using test::Walker;

namespace {

/// Documents of every kind that the walk has to show.
struct Kind {
  const char* name;
  const char* json;
};
const Kind kinds[] = {
    {"one token",
     R"({"attnscope": 1, "title": "t", "text": ["Hi"], "d_model": 4, "heads": 1, "positions": "none"})"},
    {"small", R"({"attnscope": 1, "title": "t", "text": ["The cat sat on the mat"], "d_model": 8, "heads": 2,
                  "mask": {"causal": true}})"},
    {"batch", R"({"attnscope": 1, "title": "t", "text": ["She sat on the bank of the river", "The bank"],
                  "d_model": 64, "heads": 8, "mask": {"padding": true}})"},
    {"cross-attention", R"({"attnscope": 1, "title": "t", "text": ["The cat sat"], "d_model": 32, "heads": 4,
                            "memory": ["On the mat, there sat the cat"]})"},
    {"given", R"({"attnscope": 1, "title": "t", "given": {"query": [[[[1, 0], [0, 1], [1, 1]]]],
                  "key": [[[[1, 1], [0, 1], [1, 0]]]], "value": [[[[2, 1], [1, 3], [0, 2]]]]}})"},
    {"grouped, rotary", R"({"attnscope": 1, "title": "t", "text": ["The cat sat on the mat"], "d_model": 64,
                            "heads": 8, "kv_heads": 2, "positions": "rope-half", "biases": true})"},
    {"linear",
     R"({"attnscope": 1, "title": "t", "text": ["The cat sat on the mat"], "d_model": 32, "heads": 4,
                   "linear": true, "mask": {"causal": true}})"},
    {"cache",
     R"({"attnscope": 1, "title": "t", "text": ["The cat sat on the mat"], "cached": 4, "d_model": 16,
                  "heads": 2, "mask": {"causal": true}})"},
    {"everything", R"({"attnscope": 1, "title": "t", "text": ["The cat sat on it"], "d_model": 16, "heads": 4,
                       "positions": "alibi", "soft_cap": 2, "temperature": 0.5, "biases": true, "zero_key": true,
                       "mask": {"causal": true, "mistake": "after-softmax"}, "dropout": {"rate": 0.2, "seed": 3}})"},
    {"many tokens",
     R"({"attnscope": 1, "title": "t", "d_model": 64, "heads": 8, "mask": {"causal": true}, "text": [
        "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z"]})"},
    {"latent",
     R"({"attnscope": 1, "title": "t", "text": ["The cat sat on the mat"], "d_model": 16, "heads": 2,
                   "weights": "random", "positions": "rope-half", "mask": {"causal": true},
                   "latent": {"width": 6, "shared": 4, "query_width": 5}})"},
};

/// The number of texts inside a panel.
int texts_inside(Walker& robot, std::string_view label) {
  const RecordedItem panel = robot.panel(label);
  int inside = 0;
  for (const PlacedText& text : texts_of(robot))
    if (text.x0 > panel.min.x && text.x1 < panel.max.x && text.y0 > panel.min.y && text.y1 < panel.max.y)
      ++inside;
  return inside;
}

/// Fails for texts that overlap or leave the window, and for matrices that overlap.
void check_layout(Walker& robot, const std::string& what) {
  INFO(what);
  CHECK(robot.app().message().empty());
  const std::vector<PlacedText> texts = texts_of(robot);
  for (const std::string& collision : collisions(texts)) FAIL_CHECK(collision);
  for (const PlacedText& text : texts) {
    INFO(text.text);
    CHECK((text.x0 >= -1 && text.x1 <= static_cast<float>(robot.width()) + 1));
  }
  std::vector<RecordedItem> panels;
  for (const RecordedItem& item : robot.items().items())
    if (item.label.starts_with("walk ") && !item.label.ends_with(" name")) panels.push_back(item);
  CHECK(panels.size() >= 7);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    CHECK(panels[i].max.x <= static_cast<float>(robot.width()));
    for (std::size_t j = i + 1; j < panels.size(); ++j) {
      INFO(panels[i].label << " and " << panels[j].label);
      CHECK((panels[i].max.x < panels[j].min.x || panels[j].max.x < panels[i].min.x ||
             panels[i].max.y < panels[j].min.y || panels[j].max.y < panels[i].min.y));
    }
  }
}

}  // namespace

TEST_CASE("every kind of document is walked through without texts in each other's way") {
  const test::TemporaryDirectory directory;
  for (const Kind& kind : kinds) {
    Walker robot({.width = 1280,
                  .height = 720,
                  .system_fonts = true,
                  .file = directory.write("kind.json", kind.json)});
    const walk::Script script(robot.result());
    const auto steps = script.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {  // the card has other words in every stage
      robot.go(steps[i].stage, steps[i].moves);
      if (i % 4 == 0)
        check_layout(robot, std::string(kind.name) + ", " + std::string(info(steps[i].stage).name));
    }
    robot.resize(1600, 1000);
    check_layout(robot, std::string(kind.name) + ", large");
  }
}

TEST_CASE("stages are those that the document has, and a switch keeps the place") {
  Walker robot;
  const auto has = [&](Stage stage) { return walk::Script(robot.result()).has(stage); };
  CHECK_FALSE(has(Stage::Cap));
  robot.go(Stage::Mask, 1);
  walk_of(robot.app().view()).speed = 0;
  robot.press(ImGuiKey_S);  // scaling off: the same stages, the same move
  CHECK(robot.state().stage == Stage::Mask);
  CHECK(says(robot, "S × 1: scaling is off"));
  const test::TemporaryDirectory directory;
  robot.app().files().opening.open(directory.write("linear.json", kinds[6].json));
  robot.settle();
  CHECK(has(Stage::Linear));
  CHECK_FALSE(has(Stage::Score));
  CHECK(robot.place() == walk::Script(robot.result()).first(Stage::Linear));  // the masked stage is gone
  robot.app().files().opening.open(directory.write("given.json", kinds[4].json));
  robot.settle();
  CHECK_FALSE(has(Stage::Position));
  CHECK_FALSE(has(Stage::Output));
  robot.press(ImGuiKey_End);
  CHECK(robot.state().stage == Stage::Mix);
}

TEST_CASE(
    "too many cells for numbers: colours, or some of the cells, which follow the chosen one and the wheel") {
  const test::TemporaryDirectory directory;
  Walker robot({.width = 1600, .height = 1000, .file = directory.write("many.json", kinds[9].json)});
  robot.go(Stage::Mask, 2);
  CHECK(texts_inside(robot, "walk Masked logits") == 0);
  robot.tap("Cells: Numbers");
  CHECK(robot.state().numbers);
  CHECK(texts_inside(robot, "walk Scores") >= 25);
  const std::int64_t query = robot.state().first_query, key = robot.state().first_key;
  robot.move(robot.centre("walk Scores"));
  robot.scroll(-3);
  robot.frame(2);
  CHECK(robot.state().first_query == query + 3);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
  robot.scroll(-2);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
  robot.frame(2);
  CHECK(robot.state().first_key == key + 2);
  robot.leave();
  for (int i = 0; i < 40; ++i) robot.key(ImGuiKey_DownArrow);
  robot.settle();
  const Cell cell = robot.app().selection().cell;
  CHECK(cell.query >= 40);
  CHECK(robot.state().first_query <= cell.query);
  CHECK(robot.state().first_query >= cell.query - 40);
  robot.tap("Cells: Whole");
  CHECK_FALSE(robot.state().numbers);
}

TEST_CASE("windows without room, very long texts and wide heads do not break it") {
  const test::TemporaryDirectory directory;
  std::string words;
  for (int i = 0; i < 400; ++i) words += "w" + std::to_string(i) + " ";
  const std::filesystem::path file = directory.write(
      "long.json",
      R"({"attnscope": 1, "title": "t", "d_model": 256, "heads": 2, "text": [")" + words + "\"]}");
  Walker robot({.width = 1280, .height = 720, .file = file});
  robot.press(ImGuiKey_End);
  for (const auto& [width, height] :
       {std::pair{640, 360}, {320, 240}, {200, 600}, {900, 120}, {64, 48}, {8, 8}, {1, 1}}) {
    robot.resize(width, height);
    robot.settle();
    robot.key(ImGuiKey_Backspace);
    robot.move({static_cast<float>(width) / 2, static_cast<float>(height) / 2});
    robot.frame(2);
    robot.leave();
    CHECK(robot.pixels().width == width);
  }
  robot.resize(1280, 720);
  robot.settle();
  CHECK(robot.place() == robot.moves() - 7);
}

}  // namespace attnscope::walk_documents_test
