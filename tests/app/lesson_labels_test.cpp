// The labels of a lesson's pictures are right: held numbers under their own keys, titles that tell the two
// sides apart, names of stages, and nothing of later stages than the step's last one.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/lesson_robot.hpp"
#include "app/lessons/until.hpp"
#include "app/pages/lessons/parts/held_cell.hpp"
#include "app/pages/lessons/step/row_bars.hpp"
#include "app/pages/lessons/step/side_names.hpp"
#include "app/training_robot.hpp"
#include "core/files/document/open.hpp"
#include "support/letters_gpt.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::lesson_labels_test {
namespace {

using test::Player;
using test::TemporaryDirectory;

/// A lesson that the test writes into a folder.
struct OwnLesson {
  TemporaryDirectory directory;
  Player player{{.width = 1600, .height = 1000}};
  OwnLesson(const std::string& start, const std::string& steps) {
    open("---\nlesson: Own\n---\n```start\n" + start + "\n```\n" + steps);
  }
  /// Opens another lesson in its place.
  void open(const std::string& text) {
    const std::string name = "own" + std::to_string(++opened_) + ".md";
    std::ofstream(directory / name) << text;
    player.app().files().opening.open(directory / name);
    player.settle();
    REQUIRE(player.app().lessons().open());
  }
  const LayerResult& shown() { return player.app().shown()->layer(); }
  const LayerResult& held() { return player.app().held().held_result()->result->layer(); }
  const lessons::Step& step() { return player.lesson().lesson.steps.front(); }
  /// Changes the step as its file would; the step belongs to this window alone.
  lessons::Step& changed_step() { return const_cast<lessons::Step&>(step()); }
  bool has(const std::string& words) {
    return std::ranges::count(texts_of(player), words, &PlacedText::text) > 0;
  }
  /// Numbers of the table's line with that name, from left to right.
  std::vector<std::string> line_of(const std::string& name) {
    const std::vector<PlacedText> texts = texts_of(player);
    const auto header = std::ranges::find(texts, "key", &PlacedText::text);
    REQUIRE(header != texts.end());
    const auto line = std::ranges::find_if(texts, [&](const PlacedText& text) {
      return text.text == name && std::abs(text.x0 - header->x0) < 4 && text.y0 > header->y1;
    });
    if (line == texts.end()) return {};
    std::vector<PlacedText> numbers;
    for (const PlacedText& text : texts)
      if (std::abs(text.y1 - line->y1) < 4 && text.x0 > line->x1) numbers.push_back(text);
    std::ranges::sort(numbers, {}, &PlacedText::x0);
    std::vector<std::string> words;
    for (const PlacedText& text : numbers) words.push_back(text.text);
    return words;
  }

 private:
  int opened_ = 0;
};

std::string three(const LayerResult& of, Stage stage, std::int64_t query, std::int64_t key) {
  return fixed(static_cast<double>(of.trace[stage]->matrix(0, 0)(query, key)), 3);
}

const std::string small = R"("d_model": 16, "heads": 1, "weights": "random", "seed": 3, "positions": "none")";
const std::string look = "```look\nstage: weights\ncell: 0, 1\n```\n";

std::string of_text(const std::string& text, const std::string& more = {}) {
  return "{\"text\": [\"" + text + "\"], " + small + more + "}";
}
std::string held(const std::string& patch) { return "## One\n```held\n" + patch + "\n```\n" + look; }

}  // namespace

TEST_CASE("held numbers stand beside the same row and under their own keys", "[lessons][lesson_labels]") {
  OwnLesson own(of_text("dog bites man"), held(R"({"text": ["man bites dog"]})"));
  CHECK(same_token(own.shown(), own.held(), 0) == 2);
  CHECK(same_key(own.shown(), own.held(), 1) == 1);
  CHECK(HeldPlaces(own.step(), own.shown(), own.held()).cell({0, 2}) == Cell{2, 0});
  CHECK(HeldPlaces(own.step(), own.shown(), own.held()).shown({2, 0}) == Cell{0, 2});
  // The weights of dog are the same for each key: the order of the keys does not matter.
  REQUIRE(three(own.held(), Stage::Softmax, 2, 2) != three(own.held(), Stage::Softmax, 0, 0));
  const std::vector<std::string> names{"dog", "bites", "man"};
  for (std::int64_t j = 0; j < 3; ++j) {
    const std::vector<std::string> line = own.line_of(names[static_cast<std::size_t>(j)]);
    REQUIRE(line.size() == 4);
    CHECK(line[2] == three(own.shown(), Stage::Softmax, 0, j));
    CHECK(line[3] == three(own.held(), Stage::Softmax, 2, 2 - j));
  }
  CHECK(own.player.collides() == "");
}

TEST_CASE("keys that only one side has stand in lines of their own", "[lessons][lesson_labels]") {
  OwnLesson own(of_text("they sat on the river bank"),
                held(R"({"text": ["they paid at the savings bank"]})"));
  CHECK(own.line_of("they").back() == three(own.held(), Stage::Softmax, 0, 0));
  CHECK(own.line_of("sat").back() == "–");
  const std::vector<std::string> paid = own.line_of("paid");
  REQUIRE(paid.size() == 4);
  CHECK(paid[2] == "–");
  CHECK(paid[3] == three(own.held(), Stage::Softmax, 0, 1));
}

TEST_CASE("bars of a row stand at the same keys on both sides, whatever their order",
          "[lessons][lesson_labels]") {
  OwnLesson own(of_text("they sat on the river bank"),
                held(R"({"text": ["they paid at the savings bank"]})"));
  const auto bars = [&](std::int64_t row) {
    return lesson_row_bars(own.player.lesson().lesson, own.step(), own.shown(), &own.held(), 0, row).bars;
  };
  const auto weight = [](const LayerResult& of, std::int64_t query, std::int64_t key) {
    return static_cast<double>(of.trace[Stage::Softmax]->matrix(0, 0)(query, key));
  };
  const std::vector<RowBar> bank = bars(5);
  std::vector<std::string> keys;
  for (const RowBar& bar : bank) keys.push_back(plain(bar.key));
  REQUIRE(keys ==
          std::vector<std::string>{"they", "sat", "paid", "on", "at", "the", "river", "savings", "bank"});
  CHECK((bank[1].shown == weight(own.shown(), 5, 1) && !bank[1].held));
  CHECK((!bank[2].shown && bank[2].held == weight(own.held(), 5, 1)));
  CHECK((bank[8].shown == weight(own.shown(), 5, 5) && bank[8].held == weight(own.held(), 5, 5)));
  // The same on screen, below the bars.
  const auto count = [&](const std::string& words) {
    return std::ranges::count(texts_of(own.player), words, &PlacedText::text);
  };
  const auto before = count("savings");
  own.changed_step().plot = lessons::Plot::Row;
  own.player.frame(2);
  CHECK(count("savings") == before + 1);
  CHECK(own.player.collides() == "");
  own.open("---\nlesson: Own\n---\n```start\n" + of_text("dog bites man") + "\n```\n" +
           held(R"({"text": ["man bites dog"]})"));
  CHECK(bars(0)[0].held == weight(own.held(), 2, 2));
  CHECK(bars(0)[2].held == weight(own.held(), 2, 0));
}

TEST_CASE("a repeated token has its place below bars and a sketch, too", "[lessons][lesson_labels]") {
  for (const char* more :
       {"plot: row\n```\n", "```\n```ask sketch\nSo?\nrow: 0, 2\nwithin: 0.1\nanswer: So.\n```\n"}) {
    OwnLesson own(of_text("la di la"), "## One\n```look\nstage: weights\ncell: 2, 0\n" + std::string(more));
    CHECK(own.has("la₂"));
    CHECK_FALSE(own.has("la"));
  }
}

TEST_CASE("a row of another token is told by its own name", "[lessons][lesson_labels]") {
  OwnLesson own(of_text("The cat sat"),
                "## One\n```held\n{\"text\": [\"The dog sat\"]}\n```\n"
                "```look\nstage: weights\ncell: 1, 0\n```\n");
  CHECK(same_token(own.shown(), own.held(), 1) == std::nullopt);
  CHECK(HeldPlaces(own.step(), own.shown(), own.held()).row(1).at == 1);
  CHECK(own.has("held: dog"));
  CHECK(own.has("H of dog"));
  own.changed_step().plot = lessons::Plot::Row;
  own.player.frame(2);
  CHECK(std::ranges::count(texts_of(own.player), "held: dog", &PlacedText::text) == 2);
  // The step may name the cell that it compares with.
  own.changed_step().held_query = 2;
  CHECK(HeldPlaces(own.step(), own.shown(), own.held()).cell({1, 0}) == Cell{2, 0});
  own.player.frame(2);
  CHECK(own.has("held: sat"));
  CHECK(own.line_of("The").back() == three(own.held(), Stage::Softmax, 2, 0));
}

TEST_CASE("a token that stands several times is matched in order, a cache included",
          "[lessons][lesson_labels]") {
  OwnLesson own(of_text("dog bites dog"), held(R"({"text": ["now dog bites dog"]})"));
  CHECK(same_token(own.shown(), own.held(), 0) == 1);
  CHECK(same_token(own.shown(), own.held(), 2) == 3);
  CHECK(own.line_of("now").back() == three(own.held(), Stage::Softmax, 1, 0));
  const std::string cached = R"(, "cached": 2, "mask": {"causal": true})";
  own.open("---\nlesson: Own\n---\n```start\n" + of_text("The cat sat", cached) + "\n```\n" +
           held(R"({"cached": 0})"));
  REQUIRE((own.shown().dimensions.queries == 1 && own.held().dimensions.queries == 3));
  CHECK(same_token(own.shown(), own.held(), 0) == 2);
  CHECK(same_token(own.held(), own.shown(), 0) == std::nullopt);  // cached tokens have no queries
  CHECK(same_token(own.held(), own.shown(), 2) == 0);
}

TEST_CASE("the two matrices are named by what they differ in", "[lessons][lesson_labels]") {
  struct Sides {
    std::string start, held, shown_name, held_name;
  };
  const std::string added =
      R"({"mask": {"causal": false, "additive": [[[[1, 0, 0], [1, 1, 0], [1, 1, 1]]]]}})";
  const std::string causal = R"(, "mask": {"causal": true})";
  const std::vector<Sides> all{
      {of_text("dog bites man"), R"({"text": ["man bites dog"]})", "“dog bites man”", "“man bites dog”"},
      {of_text("The cat sat on the mat"), R"({"text": ["The cat sat on the rug"]})", "… “mat”", "… “rug”"},
      {of_text("The cat sat on the mat"), R"({"text": ["The cat sat on the mat because"]})",
       "without “because”", "with “because”"},
      {of_text("The cat sat", causal), added, "causal mask", "mask added as 1 and 0"},
      {of_text("The cat sat", causal), R"({"mask": {"mistake": "transposed"}})", "causal mask",
       "mask transposed"},
      {of_text("The cat sat", causal), R"({"mask": {"window": {"left": 1, "right": 0}}})", "all earlier keys",
       "the last 2 keys"},
      {of_text("la la la"), R"({"positions": "rope-half"})", "no positions", "RoPE"},
      {of_text("The cat sat"), R"({"heads": 1, "surgery": [{"head": 0, "kind": "mute"}]})", "as it is",
       "muted"},
      {of_text("The cat sat"), "{}", "now", "before the change"}};
  for (const Sides& sides : all) {
    INFO(sides.held);
    OwnLesson own(sides.start, held(sides.held));
    CHECK(own.has(sides.shown_name));
    CHECK(own.has(sides.held_name));
    CHECK_FALSE(own.has("no mask"));
  }
}

TEST_CASE("a step's own titles stand above its matrices while they show what it says",
          "[lessons][lesson_labels]") {
  OwnLesson own(of_text("dog bites man"),
                "## One\n```held\n{\"text\": [\"man bites dog\"]}\n```\n"
                "```look\nstage: weights\ncell: 0, 1\nshow: causal\n```\n");
  own.changed_step().title_shown = "the news";
  own.changed_step().title_held = "no news";
  own.player.frame(2);
  CHECK(own.has("the news"));
  CHECK(own.has("no news"));
  own.player.click("Causal");
  own.player.settle();
  CHECK_FALSE(own.has("the news"));
  CHECK(std::ranges::count(texts_of(own.player), "causal mask", &PlacedText::text) == 2);  // and the switch
  CHECK(own.has("no news"));
}

TEST_CASE("sides of the lessons that come along differ by name, and no mask is denied",
          "[lessons][lesson_labels]") {
  std::size_t compared = 0, unnamed = 0;
  for (const std::string& name : test::all_lessons()) {
    const auto lesson =
        lessons::read_lesson(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons" / (name + ".md"));
    const std::vector<lessons::StepDocuments> documents = lessons::documents_of(lesson, name);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      if (!documents[i].held) continue;
      INFO(name << " step " << i + 1);
      const Document &shown = documents[i].shown, &there = *documents[i].held;
      const std::string mine = plain(differing_name(shown, there)),
                        theirs = plain(differing_name(there, shown));
      CHECK((mine.empty() ? theirs.empty() : mine != theirs));
      for (const auto& [side, words] : {std::pair(&shown, mine), std::pair(&there, theirs)})
        if (side->layer().masking.additive) CHECK(words != "no mask");
      ++compared;
      // Different numbers of one kind have no names that tell them apart: there the step has titles.
      if (mine.empty() && to_json(shown) != to_json(there)) ++unnamed;
    }
  }
  CHECK(compared > 30);
  CHECK(unnamed <= 6);
}

TEST_CASE("below a row that sees no key stands that, and of the others how much H can be",
          "[lessons][lesson_labels]") {
  OwnLesson own(of_text("The cat sat", R"(, "mask": {"causal": true, "mistake": "diagonal"})"),
                "## One\n" + look);
  CHECK(own.has("no key allowed"));
  CHECK_FALSE(own.player.says("track"));
  own.open("---\nlesson: Own\n---\n```start\n" + of_text("The cat sat") + "\n```\n## One\n" + look);
  CHECK(own.has("of at most ln 3 = 1.10 nats"));
  // Minus a billion hides nothing where all keys have it.
  const std::string hidden =
      R"("additive": [[[[null, null, null], [0, 0, 0], [0, 0, 0]]]], "hidden": "-1e9")";
  own.open("---\nlesson: Own\n---\n```start\n" + of_text("The cat sat", ", \"mask\": {" + hidden + "}") +
           "\n```\n## One\n" + look);
  CHECK(own.has("no key allowed: over 3 hidden ones"));
}

TEST_CASE("a zeroed head keeps its pattern in map and table, and gives 0", "[lessons][lesson_labels]") {
  OwnLesson own(of_text("The cat sat", R"(, "surgery": [{"head": 0, "kind": "mute"}])"), "## One\n" + look);
  CHECK(own.has("zeroed: what it gives is 0"));
  CHECK(own.has("what it gives"));
  const std::vector<std::string> line = own.line_of("cat");
  REQUIRE(line.size() == 3);
  CHECK(line[2] == three(own.shown(), Stage::Softmax, 0, 1));
  CHECK(line[2] != "0.000");
  const RowBars row = lesson_row_bars(own.player.lesson().lesson, own.step(), own.shown(), nullptr, 0, 0);
  for (std::size_t j = 0; j < row.bars.size(); ++j)
    CHECK(fixed(row.bars[j].shown.value_or(0), 3) ==
          three(own.shown(), Stage::Softmax, 0, static_cast<std::int64_t>(j)));
}

TEST_CASE("a zeroed head of a model has one story in its lesson", "[lessons][lesson_labels]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "letters", 3, 16);
  std::ofstream(directory / "own.md")
      << "---\nlesson: Own\nmodel: ./letters\n---\n```start\n{\"model\": {\"text\": \"ab ba ab\", \"heads\": "
         "[{\"of\": \"decoder\", \"block\": 0, \"head\": 0, \"kind\": \"zero\"}]}}\n```\n"
         "## One\n```look\nhead: 0.0\ncell: 4, 2\n```\n";
  Player player({.width = 1600, .height = 1000});
  player.app().files().opening.open(directory / "own.md");
  player.settle();
  const LayerResult& layer = player.app().shown()->layer();
  CHECK(player.says("what it gives"));
  CHECK(player.says("zeroed: what it gives is 0"));
  const std::vector<PlacedText> texts = texts_of(player);
  for (std::int64_t j = 0; j <= 4; ++j) {
    INFO("key " << j);
    REQUIRE(layer.trace[Stage::Intervention]->matrix(0, 0)(4, j) == 0);
    CHECK(std::ranges::count(texts, three(layer, Stage::Softmax, 4, j), &PlacedText::text) > 0);
  }
}

TEST_CASE("what comes into a block and what leaves it have the names that prose has",
          "[lessons][lesson_labels]") {
  const std::string steps = "## One\n```look\nstage: block-output\ncell: 1, 0\n```\n";
  OwnLesson own(of_text("The cat sat", R"(, "block": {"kind": "pre-norm", "norm": "layer"})"), steps);
  CHECK(own.has("Token vectors"));
  CHECK(own.has("Block output"));
  CHECK_FALSE(own.has("Position"));
  CHECK_FALSE(own.has("MLP residual"));
  CHECK_FALSE(own.has("R₂"));
  // Before a norm the sum has another name.
  own.open("---\nlesson: Own\n---\n```start\n" +
           of_text("The cat sat", R"(, "block": {"kind": "post-norm", "norm": "layer"})") + "\n```\n" +
           steps);
  CHECK(own.has("R₂"));
  CHECK(own.has("Block output"));
}

TEST_CASE("in the top bar of a lesson that trains stand its task and its run", "[lessons][lesson_labels]") {
  const TemporaryDirectory directory;
  const std::string name = test::written_lesson(directory, test::small_lesson).native();
  test::Trained player({.width = 1600, .height = 1000});
  const std::string title = player.document().title;
  REQUIRE(player.says(title));
  REQUIRE(player.has("Backend"));
  player.go(name, 1);
  CHECK(player.says("Two jobs, two heads · A, step 50"));
  CHECK_FALSE(player.says(title));
  CHECK_FALSE(player.has("Backend"));
  player.go(name, 2);
  CHECK(player.says("B, step 75"));
  player.press(ImGuiKey_F2);
  CHECK(player.has("Backend"));
}

TEST_CASE("map, table and code show nothing from behind the stage that a step stops at",
          "[lessons][lesson_labels]") {
  OwnLesson own(of_text("The cat sat"), "## One\n" + look +
                                            "```numpy\nS = Q @ K.T  -> {score(0, 1):.3f}\n"
                                            "A = softmax(S)  -> {weight(0, 1):.3f}\n```\n");
  const std::string score = three(own.shown(), Stage::Score, 0, 1),
                    weight = three(own.shown(), Stage::Softmax, 0, 1);
  REQUIRE(score != weight);
  REQUIRE(own.has(weight));
  REQUIRE(own.line_of("cat").size() == 3);
  own.changed_step().until = "scores";
  own.player.frame(2);
  CHECK(own.has(score));
  CHECK_FALSE(own.has(weight));
  CHECK(own.line_of("cat").size() == 1);
  CHECK(own.has("Scores"));  // the colour bar of the map
  CHECK_FALSE(own.has("weight"));
  CHECK_FALSE(own.player.says("of at most ln"));
  own.changed_step().until = "scaled";
  own.player.frame(2);
  CHECK(own.line_of("cat").size() == 2);
  own.changed_step().until = "keys";
  own.player.frame(2);
  CHECK(own.has("not computed yet"));
  CHECK_FALSE(own.has(score));
  using lessons::stage_of_number;
  CHECK(stage_of_number("held.weight") == Stage::Softmax);
  CHECK(stage_of_number("length \"residual\"") == Stage::Residual);
  CHECK(stage_of_number("d_k") == std::nullopt);
}

TEST_CASE("scores that are integers look like integers, and three tokens fill their place",
          "[lessons][lesson_labels]") {
  const std::string given = R"("given": {"tokens": [["a", "b", "c"]], "query": [[[[1, 0], [0, 1], [1, 1]]]],
    "key": [[[[1, 1], [0, 1], [1, 0]]]], "value": [[[[2, 1], [1, 3], [0, 2]]]]})";
  OwnLesson own("{" + given + "}", "## One\n```look\nstage: scores\ncell: 0, 0\n```\n");
  CHECK_FALSE(own.player.says("1.0000"));
  const std::vector<PlacedText> texts = texts_of(own.player);
  CHECK(std::ranges::count(texts, "1", &PlacedText::text) >= 6);
  // Row c is 2, 1, 1.
  bool is_wide = false;
  for (const PlacedText& two : texts)
    for (const PlacedText& one : texts)
      if (two.text == "2" && one.text == "1" && std::abs(two.y1 - one.y1) < 2)
        is_wide = is_wide || (one.x0 - two.x0 > 300 && one.x0 - two.x0 < 500);  // they were 192 at most
  CHECK(is_wide);
}

}  // namespace attnscope::lesson_labels_test
