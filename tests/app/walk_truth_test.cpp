// Walk's sentences are right: those of the mix under masks, dropout, muted heads, grouped and cross
// attention; rows of one query; colours and rows of long texts as in Explore.
#include <algorithm>
#include <string>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/walk_robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::walk_truth_test {

using test::Walker;

namespace {

/// All texts of the window, one after the other: sentences are broken into lines.
std::string told(Robot& robot) {
  std::string all;
  for (const PlacedText& text : texts_of(robot)) all += text.text + " ";
  return all;
}
bool tells(Robot& robot, std::string_view words) { return told(robot).find(words) != std::string::npos; }

struct Kind {
  const char* name;
  const char* settings;
};
const Kind kinds[] = {
    {"causal", R"("mask": {"causal": true})"},
    {"no mask", R"("mask": {"causal": false})"},
    {"dropout", R"("mask": {"causal": true}, "dropout": {"rate": 0.5, "seed": 3})"},
    {"linear", R"("linear": true, "mask": {"causal": true})"},
    {"grouped", R"("kv_heads": 2, "mask": {"causal": true})"},
    {"cross", R"("memory": ["On the mat, there sat the cat"])"},
    {"transposed", R"("mask": {"causal": true, "mistake": "transposed"})"},
    {"late mask", R"("mask": {"causal": true, "mistake": "after-softmax"})"},
    {"zero key", R"("zero_key": true, "mask": {"causal": true})"},
};

std::string json_of(const Kind& kind) {
  return R"({"attnscope": 1, "title": "t", "text": ["The cat sat on the mat"], "d_model": 16, "heads": 4, )" +
         std::string(kind.settings) + "}";
}

/// The keys of a move of the mix that add something to the chosen query.
std::int64_t adding(Walker& robot, int move) {
  const LayerResult& r = robot.result();
  const Selection& s = robot.app().selection();
  const int moves = walk::Script(r).moves_of(Stage::Mix);
  const auto end_of = [&](int m) { return (r.dimensions.keys * m + moves - 1) / moves; };
  std::int64_t count = 0;
  for (std::int64_t key = end_of(move - 1); key < end_of(move); ++key)
    count += r.trace[Stage::Drop]->matrix(0, s.head)(s.cell.query, key) != 0;
  return count;
}

int texts_inside(Walker& robot, std::string_view label) {
  const RecordedItem panel = robot.panel(label);
  int inside = 0;
  for (const PlacedText& text : texts_of(robot))
    inside +=
        text.x0 > panel.min.x && text.x1 < panel.max.x && text.y0 > panel.min.y && text.y1 < panel.max.y;
  return inside;
}

/// Mean brightness of a panel's pixels, 0 … 765.
double brightness(Walker& robot, std::string_view label) {
  const RecordedItem panel = robot.panel(label);
  const Image picture = robot.pixels();
  double sum = 0, count = 0;
  for (int y = static_cast<int>(panel.min.y); y < static_cast<int>(panel.max.y); ++y)
    for (int x = static_cast<int>(panel.min.x); x < static_cast<int>(panel.max.x); ++x, ++count) {
      const Rgba c = picture.at(x, y);
      sum += (c & 0xFFu) + ((c >> 8) & 0xFFu) + ((c >> 16) & 0xFFu);
    }
  return sum / count;
}

}  // namespace

TEST_CASE("a key that adds nothing to the mix is said to add nothing, and why") {
  Walker robot;
  robot.app().looking().look_at({.head = 3, .cell = Cell{2, 1}, .cells = {}});
  robot.settle();
  robot.go(Stage::Mix, 2);
  CHECK(tells(robot, "“cat” hands its value to “sat”: value times weight."));
  robot.go(Stage::Mix, 4);
  CHECK(tells(robot, "“on” is masked: weight 0, nothing is added."));
  CHECK_FALSE(tells(robot, "value times weight"));
  robot.key(ImGuiKey_M, ImGuiMod_Shift);  // muted
  robot.settle();
  robot.go(Stage::Mix, 2);
  CHECK(tells(robot, "This head is muted: all its weights are 0, nothing is added."));
}

TEST_CASE("every move of the mix tells whether it adds something, in every kind of document") {
  const test::TemporaryDirectory directory;
  for (const Kind& kind : kinds) {
    Walker robot({.width = 1600, .height = 1000, .file = directory.write("kind.json", json_of(kind))});
    for (const std::int64_t query : {0, 2, 5}) {
      robot.app().looking().look_at({.head = 1, .cell = Cell{query, 0}, .cells = {}});
      robot.settle();
      const int moves = walk::Script(robot.result()).moves_of(Stage::Mix);
      for (int move = 1; move <= moves; ++move) {
        INFO(kind.name << ", query " << query << ", move " << move);
        robot.go(Stage::Mix, move);
        const std::string all = told(robot);
        CHECK((all.find("value times weight") != std::string::npos) == (adding(robot, move) > 0));
        if (adding(robot, move) == 0) CHECK(all.find("nothing is added") != std::string::npos);
      }
    }
  }
}

TEST_CASE("sentences about others are not told where there are none, nor of masks that hide nothing") {
  const test::TemporaryDirectory directory;
  Walker robot({.width = 1600,
                .height = 1000,
                .file = directory.write("cache.json", R"({"attnscope": 1, "title": "t", "cached": 5,
      "text": ["The cat sat on the mat"], "d_model": 16, "heads": 4, "mask": {"causal": true}})")});
  const walk::Script script(robot.result());
  for (const walk::Step& step : script.steps()) {
    if (step.stage == Stage::Key || step.stage == Stage::Value) continue;  // those have six rows
    for (int move = 1; move <= step.moves; ++move) {
      robot.go(step.stage, move);
      for (const char* words : {"ll other queries", "very other row", "any other"}) {
        INFO(info(step.stage).name << ": " << words);
        CHECK_FALSE(tells(robot, words));
      }
    }
  }
  robot.go(Stage::Mask, 1);
  CHECK(tells(robot, "“mat” may see every key: nothing is masked in its row."));
}

TEST_CASE("shared keys, keys of no token and dropped weights are named") {
  const test::TemporaryDirectory directory;
  Walker grouped({.width = 1600, .height = 1000, .file = directory.write("k.json", json_of(kinds[4]))});
  grouped.app().looking().look_at({.head = 3, .cell = Cell{2, 1}, .cells = {}});
  grouped.settle();
  grouped.go(Stage::Key, 1);
  CHECK(tells(grouped, "Heads 2 … 3 share these keys."));
  grouped.app().files().opening.open(directory.write("zero.json", json_of(kinds[8])));
  grouped.settle();
  grouped.app().looking().look_at({.head = 0, .cell = Cell{2, 6}, .cells = {}});
  grouped.settle();
  grouped.go(Stage::Key, 1);
  CHECK(tells(grouped, "belongs to no token: its key is all zeros."));
  grouped.app().files().opening.open(directory.write("drop.json", json_of(kinds[2])));
  grouped.settle();
  grouped.app().looking().look_at({.head = 1, .cell = Cell{5, 0}, .cells = {}});
  grouped.settle();
  const auto row = [&](Stage stage) { return grouped.result().trace[stage]->matrix(0, 1).row(5); };
  const std::int64_t kept = (row(Stage::Drop).array() != 0).count();
  grouped.go(Stage::Drop, 1);
  CHECK(tells(grouped, "Dropout: " + std::to_string(6 - kept) + " of 6 weights of “mat” become 0"));
}

TEST_CASE("a vector of the memory is the key's own, also when the query lies beyond the memory") {
  const test::TemporaryDirectory directory;
  Walker robot({.width = 1600,
                .height = 1000,
                .file = directory.write("m.json", json_of({"short", R"("memory": ["a b"])"}))});
  robot.app().looking().look_at({.head = 1, .cell = Cell{5, 1}, .cells = {}});
  robot.settle();
  robot.go(Stage::Memory, 1);
  const auto memory = robot.result().trace[Stage::Memory]->matrix();
  Eigen::Index most = 0;
  memory.row(1).cwiseAbs().maxCoeff(&most);
  const auto value = [&](Eigen::Index d) {
    const auto x = static_cast<double>(memory(1, d));
    return fixed(x, std::abs(x) < 0.1 ? 3 : 2);
  };
  CHECK(says(robot, value(most)));
  const int other = most == 5 ? 6 : 5;
  robot.click_at(robot.cell("walk N", 1, other, 2, 16));
  robot.leave();
  robot.settle();
  CHECK(robot.state().model_dimension == other);
  CHECK(says(robot, value(other)));
}

TEST_CASE("latents stand between the tokens and what heads make of them") {
  const test::TemporaryDirectory directory;
  const Kind kind{"latent", R"("weights": "random", "positions": "rope-half",
                               "latent": {"width": 6, "shared": 2, "query_width": 5})"};
  Walker robot({.width = 1600, .height = 1000, .file = directory.write("l.json", json_of(kind))});
  robot.app().looking().look_at({.head = 1, .cell = Cell{5, 1}, .cells = {}});
  robot.settle();
  for (const char* panel : {"walk W_DQ", "walk c_Q", "walk W_DKV", "walk ℓ"}) CHECK(robot.has(panel));
  robot.go(Stage::QueryLatent, 1);
  CHECK(tells(robot, "The latent of “mat”: its vector times W_DQ, normed."));
  robot.go(Stage::Query, 1);
  CHECK(tells(robot, "The query of “mat”: its latent times W_Q."));
  robot.go(Stage::Latent, 1);
  CHECK(tells(robot, "The latent of “cat”: its vector times W_DKV, c normed."));
  robot.go(Stage::Latent, 2);
  CHECK(tells(robot, "a cache keeps these alone"));
  robot.go(Stage::Key, 1);
  CHECK(tells(robot, "The key of “cat”: the key that all heads share, then c times W_K."));
  robot.go(Stage::Value, 1);
  CHECK(tells(robot, "The value of “cat”: its latent times W_V."));
}

TEST_CASE("one click makes a model whose every number can be read, and undo brings the other back") {
  for (const auto& [width, height] : {std::pair{1600, 1000}, std::pair{1280, 720}}) {
    INFO(width << "x" << height);
    Walker robot({.width = width, .height = height, .system_fonts = true});
    CHECK(texts_inside(robot, "walk X") == 0);
    const Document before = robot.document();
    robot.tap(width < 1400 ? "Small model" : "Small model: d 8, dₖ 4");
    CHECK(robot.result().dimensions.d_model == 8);
    CHECK(robot.result().dimensions.d_k == 4);
    CHECK_FALSE(robot.has("Small model"));
    CHECK(texts_inside(robot, "walk X") == 48);
    for (const char* block : {"walk W_Q", "walk W_K", "walk W_V"}) CHECK(texts_inside(robot, block) == 32);
    for (const char* plane : {"walk Scores", "walk Scaled logits"}) CHECK(texts_inside(robot, plane) == 36);
    CHECK(texts_inside(robot, "walk Output") == 48);
    robot.go(Stage::Concat, 1);  // the parts of the output
    CHECK(tells(robot, "this head's are columns"));
    CHECK(texts_inside(robot, "walk Concat") == 48);
    CHECK(texts_inside(robot, "walk W_O") == 64);
    CHECK(texts_inside(robot, "walk Output") == 48);
    CHECK(texts_inside(robot, "walk Weights") == 36);
    robot.press(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(robot.document() == before);
  }
}

TEST_CASE("stages that come later are hidden until they are made") {
  Walker robot({.width = 1600,
                .height = 1000,
                .file = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "14-a-small-model.json"});
  CHECK(robot.has("walk Head outputs"));
  const RecordedItem wide = robot.panel("walk Scores");
  robot.tap("Stages: To weights");
  CHECK_FALSE(robot.has("walk Head outputs"));
  CHECK_FALSE(robot.has("walk Output"));
  CHECK(robot.panel("walk Scores").max.x - robot.panel("walk Scores").min.x > wide.max.x - wide.min.x);
  robot.go(Stage::Mix, 1);  // the row being computed is in sight
  CHECK(robot.has("walk Head outputs"));
  robot.go(Stage::Score, 1);
  CHECK_FALSE(robot.has("walk Head outputs"));
  robot.press(ImGuiKey_Home);
  robot.tap("Stages: Output");
  CHECK(robot.has("walk W_O"));
  CHECK_FALSE(robot.has("walk Scores"));
  robot.click_at(robot.cell("walk W_O", 5, 3, 8, 8));
  CHECK(robot.state().model_dimension == 3);
  robot.go(Stage::Scale, 1);
  CHECK(robot.has("walk Scaled logits"));
  robot.press(ImGuiKey_Home);
  robot.tap("Stages: All");
  CHECK(robot.has("walk Scores"));
  CHECK_FALSE(robot.has("walk W_O"));
}

TEST_CASE("a longer text is whole, and its weights wear the colours that Explore gives them") {
  Walker robot({.width = 1600,
                .height = 1000,
                .file = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "4-a-longer-text.json"});
  REQUIRE(robot.result().dimensions.keys > 60);
  CHECK_FALSE(tells(robot, "more"));
  focus_of(robot.app().view()).log = false;
  robot.settle();
  const double linear = brightness(robot, "walk Weights");
  robot.press(ImGuiKey_L);
  REQUIRE(focus_of(robot.app().view()).log);
  CHECK(brightness(robot, "walk Weights") > 1.5 * linear);
  CHECK(tells(robot, "log 1e−4 … 1"));
  stage_look_of(robot.app().view()).range = RangeMode::Head;
  focus_of(robot.app().view()).log = false;
  robot.settle();
  CHECK(tells(robot, "0 … "));
}

}  // namespace attnscope::walk_truth_test
