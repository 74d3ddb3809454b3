// What stands beside the words of a step, by "view" in its file: how it is read and checked, and the walk up
// to the step's stage, open and under lids, at every size.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/lesson_files.hpp"
#include "app/lesson_robot.hpp"
#include "app/state/presenter_state.hpp"
#include "support/program.hpp"

namespace attnscope::lesson_view_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using lessons::StepView;
using test::checked_lesson;
using test::lesson;
using test::look;
using test::Player;
using test::refused_lesson;
using test::TemporaryDirectory;
using test::warnings;
using test::written_lesson;

std::string drag(const std::string& answer) {
  return "```ask drag\nHow large?\nrange: 0, 2.6\nanswer: " + answer + "\nwithin: 0.05\n```\n";
}

/// A lesson that is being played.
struct Played {
  TemporaryDirectory directory;
  Player player;
  Played(const std::string& steps, const RobotOptions& options) : player(options) {
    player.app().files().opening.open(written_lesson(directory, lesson(steps)));
    player.settle();
    REQUIRE(player.app().lessons().open());
  }
  bool has(const std::string& item) { return player.items().find(item) != nullptr; }
  std::ptrdiff_t count(const std::string& words) {
    return std::ranges::count(texts_of(player), words, &PlacedText::text);
  }
};

const std::string asked = "```ask choose\nWhich?\n- this | no\n* that\n```\n";

}  // namespace

TEST_CASE("a step says what stands beside its words", "[lessons][lesson_view]") {
  const auto view = [](const std::string& lines) {
    return lessons::parse_lesson(lesson("## a\n" + look(lines)), "a.md").steps.at(0);
  };
  CHECK(view("stage: scores").view == StepView::Matrix);
  CHECK(view("view: matrix").view == StepView::Matrix);
  CHECK(view("view: walk").view == StepView::Walk);
  CHECK(view("view: heads").view == StepView::Heads);
  CHECK(view("view: gradients").view == StepView::Gradients);
  CHECK(view("view: grid").view == StepView::Grid);
  CHECK(view("view: cache").view == StepView::Cache);
  CHECK(view("view: cell").view == StepView::Cell);
  CHECK(view("view: walk\nfrom: scores\nuntil: weights").from == "scores");
  CHECK_FALSE(view("view: walk").from);

  const auto refused = [](const std::string& steps, const std::string& words) {
    refused_lesson(lesson("## a\n" + steps), words);
  };
  refused(look("view: lunch"),
          "a.md:9: \"view\" is \"lunch\"; there are matrix, walk, heads, gradients, grid, cache, cell, lab.");
  refused(look("view:"), "a.md:9: \"view\" is \"\"; there are");
  refused(look("view: matrix\nfrom: scores"), "a.md:10: \"from\" is for \"view: walk\".");
  refused(look("view: walk\nfrom: lunch"), "a.md:10: \"from\" is \"lunch\"; there are embedding, ");
  refused(look("view: walk\nfrom: weights\nuntil: scores"),
          "a.md:10: \"from\" is \"weights\", which comes after \"until: scores\".");
  refused(look("view: walk\nstage: scores\nfrom: weights"),
          "a.md:11: \"from\" is \"weights\", which comes after the step's stage, scores.");
  refused("```held\n{\"temperature\": 2.0}\n```\n" + look("view: walk"),
          "a.md:12: \"view: walk\" has one side; what is \"held\" stands beside a matrix.");
  refused(look("view: walk") + "```held\n{\"temperature\": 2.0}\n```\n",
          "a.md:9: \"view: walk\" has one side");
  refused_lesson("---\nlesson: x\nmodel: smollm2\n---\n## a\n" + look("view: walk"),
                 "a.md:7: \"view\" is not for lessons on a model");
  CHECK(lessons::parse_lesson("---\nlesson: x\nmodel: smollm2\n---\n## a\n" + look("view: grid"), "a.md")
            .steps.at(0)
            .view == StepView::Grid);
}

TEST_CASE("the command line lists what can stand beside a step's words", "[lessons][lesson_view][cli]") {
  const TemporaryDirectory directory;
  const std::string names = test::run(directory, "lesson names").out;
  for (const lessons::KnownView& view : lessons::known_views) {
    CHECK_THAT(names, ContainsSubstring("\n" + std::string(view.name) + " "));
    CHECK_THAT(names, ContainsSubstring(std::string(view.what)));
  }
}

TEST_CASE("the checker knows what the walk of a step shows", "[lessons][lesson_view]") {
  // Without queries and keys there is no walk.
  std::string alone = lesson("## a\n" + look("stage: weights\nview: walk"));
  const std::string given = R"("given": {)";
  alone.insert(alone.find(given) + given.size(), R"("holds": "weights", )");
  const std::vector<std::string> problems = checked_lesson(alone).problems;
  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems[0], ContainsSubstring("a.md:10: \"view: walk\" begins with queries and keys"));

  // Nor are there gradients without a loss.
  const std::vector<std::string> lossless =
      checked_lesson(lesson("## a\n" + look("stage: weights\nview: gradients"))).problems;
  REQUIRE(lossless.size() == 1);
  CHECK_THAT(lossless[0], ContainsSubstring("a.md:10: \"view: gradients\" shows those of a \"loss\""));

  // A matrix of weights hides the scores of other rows, the walk does not; nor is its lid over them.
  const std::string weights = "stage: weights\ncell: 0, 0";
  const std::string next = "## b\n" + look(weights) + drag("score(2, 0)");
  CHECK(warnings("## a\n" + look(weights) + next).empty());
  const std::vector<std::string> before = warnings("## a\n" + look(weights + "\nview: walk") + next);
  REQUIRE(before.size() == 1);
  CHECK_THAT(before[0], ContainsSubstring("stands on the step before, in a cell of its matrix or table"));
  CHECK(warnings("## a\n" + look(weights + "\nview: walk\nfrom: weights") + next).empty());
  CHECK(warnings("## a\n" + look(weights + "\nview: walk\nuntil: weights") + drag("weight(2, 1)")).empty());
  const std::vector<std::string> open =
      warnings("## a\n" + look(weights + "\nview: walk") + drag("score(2, 0)"));
  REQUIRE(open.size() == 1);
  CHECK_THAT(open[0], ContainsSubstring("stands in a cell that no lid covers"));
}

TEST_CASE("the walk of a step ends at its last stage, and integers are integers", "[lessons][lesson_view]") {
  Played lesson("## a\nWords.\n" + look("view: walk\nstage: scores\ncell: 0, 0\nuntil: scores"),
                {.width = 1600, .height = 1000});
  for (const char* item : {"walk Q", "walk K", "walk V", "walk Scores"}) {
    INFO(item);
    CHECK(lesson.has(item));
  }
  for (const char* item : {"walk Scaled logits", "walk Weights", "walk Head outputs", "lesson A 0"}) {
    INFO(item);
    CHECK_FALSE(lesson.has(item));
  }
  CHECK(lesson.count("1") >= 16);  // four of Q, four of K, two of V, six of the scores
  CHECK(lesson.player.collides() == "");
  // Row c of Q is the query that is looked at from now on, in the table as well.
  const RecordedItem& queries = *lesson.player.items().find("walk Q");
  lesson.player.click_at({(queries.min.x + queries.max.x) / 2, queries.max.y - 4});
  lesson.player.settle();
  CHECK(lesson.player.app().selection().cell.query == 2);
  CHECK(lesson.count("2.00") == 1);
}

TEST_CASE("lids of a walk lie over the step's stage and what follows from it", "[lessons][lesson_view]") {
  Played lesson("## a\nWords.\n" + look("view: walk\nstage: weights\ncell: 2, 0") + asked,
                {.width = 1600, .height = 1000});
  const auto stands = [&](const std::string& item, bool open) {
    INFO(item);
    CHECK(lesson.has(item + " name"));
    CHECK(lesson.has(item) == open);  // what is covered takes no mouse
  };
  for (const char* item : {"walk Q", "walk K", "walk V", "walk Scores", "walk Scaled logits"})
    stands(item, true);
  for (const char* item : {"walk Weights", "walk Head outputs"}) stands(item, false);
  CHECK_FALSE(lesson.has("walk Masked logits name"));  // nothing is masked: the same numbers again
  // The largest weight of c, and the first number of its output, with as many decimals as have room.
  const auto weights = [&] { return lesson.count("0.50") + lesson.count(".50"); };
  const auto outputs = [&] { return lesson.count("1.26") + lesson.count("1.3"); };
  CHECK(weights() + outputs() == 0);
  CHECK(lesson.player.collides() == "");
  lesson.player.press(ImGuiKey_R);
  for (const char* item : {"walk Scores", "walk Weights", "walk Head outputs"}) stands(item, true);
  CHECK(weights() == 1);
  CHECK(outputs() == 1);
}

TEST_CASE("a step's walk has its numbers in small windows and before a room", "[lessons][lesson_view]") {
  struct Size {
    int width, height;
  };
  for (const Size size : {Size{1600, 1000}, Size{1280, 720}, Size{1024, 768}})
    for (const bool presented : {false, true}) {
      INFO(size.width << " × " << size.height << (presented ? ", presented" : ""));
      Played lesson("## a\nWords.\n" + look("view: walk\nstage: weights\ncell: 2, 0\nuntil: weights"),
                    {.width = size.width, .height = size.height});
      if (presented) lesson.player.press(ImGuiKey_F5);
      REQUIRE(lesson.player.app().view().presenter->on == presented);
      REQUIRE(lesson.has("walk Weights"));
      const std::vector<PlacedText> texts = texts_of(lesson.player);
      const auto is_weight = [](const PlacedText& text) { return text.text == "0.50" || text.text == ".50"; };
      CHECK(std::ranges::count_if(texts, is_weight) == 1);
      if (size.width >= 1280) CHECK(lesson.player.collides() == "");
    }
}

TEST_CASE("lessons that walk show queries, keys and values", "[lessons][lesson_view]") {
  Player player({.width = 1600, .height = 1000});
  std::size_t walks = 0;
  for (const std::string name : {"01-three-tokens", "02-queries-keys-values", "03-softmax-and-temperature"}) {
    player.app().lessons().go_to({name, 0});
    player.settle();
    for (std::int64_t step = 0; step < std::ssize(player.lesson().lesson.steps); ++step) {
      INFO(name << " step " << step + 1);
      player.app().lessons().go_to({name, step});
      player.settle();
      const lessons::Step& said = player.step();
      if (said.view != StepView::Walk) continue;
      ++walks;
      CHECK((player.items().find("walk Q") != nullptr) == !said.from);
      CHECK(player.items().find("walk Scores") != nullptr);
      CHECK(player.collides() == "");
      if (said.question) player.press(ImGuiKey_R);
      CHECK(player.collides() == "");
    }
  }
  CHECK(walks >= 18);
}

TEST_CASE("a step shows every head of its layer, under one lid while it asks", "[lessons][lesson_view]") {
  const std::string eight =
      "---\nlesson: x\n---\n```start\n"
      R"x({"text": ["The cat sat on the mat"], "heads": 8, "weights": "hand-built"})x"
      "\n```\n## a\nWords.\n";
  for (const int width : {1280, 1600}) {
    INFO(width);
    Player player({.width = width, .height = width == 1280 ? 720 : 1000});
    const TemporaryDirectory directory;
    const auto heads = [&] {
      int count = 0;
      while (player.items().find("lesson head " + std::to_string(count)) != nullptr) ++count;
      return count;
    };
    const auto open = [&](const std::string& steps, const char* name) {
      player.app().files().opening.open(written_lesson(directory, eight + steps, name));
      player.settle();
      REQUIRE(player.app().lessons().open());
    };
    open(look("view: heads\nstage: weights\nhead: 0\ncell: 3, 2"), "a.md");
    CHECK(heads() == 8);
    CHECK(player.items().find("lesson A 0") == nullptr);
    CHECK(player.collides() == "");
    const RecordedItem& map = *player.items().find("lesson head 7");
    CHECK(map.max.x - map.min.x >= 100);
    player.click("lesson head 3");
    player.settle();
    CHECK(player.app().selection().head == 3);

    open(look("view: heads\nstage: weights") + asked, "b.md");
    CHECK(heads() == 0);
    CHECK(player.says("lifts the lid"));
    CHECK(player.collides() == "");
    player.press(ImGuiKey_R);
    CHECK(heads() == 8);
  }
}

TEST_CASE("the lesson on heads shows all of them, before a room as well", "[lessons][lesson_view]") {
  Player player({.width = 1600, .height = 1000});
  player.app().lessons().go_to({"07-many-heads", 0});
  player.settle();
  for (const bool presented : {false, true}) {
    INFO(presented);
    if (presented) player.press(ImGuiKey_F5);
    for (const int head : {0, 7})
      CHECK(player.items().find("lesson head " + std::to_string(head)) != nullptr);
    CHECK(player.collides() == "");
  }
}

TEST_CASE("a step shows weights and gradients, those of the logits under a lid while it asks",
          "[lessons][lesson_view]") {
  const std::string with_loss =
      "---\nlesson: x\n---\n```start\n"
      R"x({"text": ["The cat sat on"], "heads": 1, "weights": "random", )x"
      R"x("positions": "none", "loss": {"kind": "mse"}})x"
      "\n```\n## a\nWords.\n" +
      look("view: gradients\nstage: weights\ncell: 2, 1");
  const TemporaryDirectory directory;
  Player player({.width = 1600, .height = 1000});
  const auto has = [&](const std::string& symbol) {
    return player.items().find("lesson plane " + symbol) != nullptr;
  };
  player.app().files().opening.open(written_lesson(directory, with_loss + asked));
  player.settle();
  REQUIRE(player.app().lessons().open());
  CHECK((has("A") && has("∂A") && !has("∂M")));
  CHECK(player.items().find("lesson A 0") == nullptr);
  CHECK(player.collides() == "");
  player.press(ImGuiKey_R);
  CHECK((has("A") && has("∂A") && has("∂M")));
  CHECK(player.collides() == "");
  // A click chooses the cell for the table of its row.
  const RecordedItem& plane = *player.items().find("lesson plane ∂M");
  player.click_at({plane.min.x + 4, plane.max.y - 4});
  player.settle();
  CHECK(player.app().selection().cell == Cell{3, 0});
}

TEST_CASE("the lesson on gradients shows gradients, in a small window and before a room",
          "[lessons][lesson_view]") {
  Player player;
  for (const bool presented : {false, true}) {
    INFO(presented);
    if (presented) player.press(ImGuiKey_F5);
    for (const std::int64_t step : {0, 1, 5}) {
      INFO(step);
      player.app().lessons().go_to({"12-who-still-learns", step});
      player.settle();
      if (player.step().question) player.press(ImGuiKey_R);
      for (const char* symbol : {"A", "∂A", "∂M"})
        CHECK(player.items().find(std::string("lesson plane ") + symbol) != nullptr);
      CHECK(player.collides() == "");
    }
  }
}

TEST_CASE("a translated step shows what its original shows", "[lessons][lesson_view]") {
  const std::filesystem::path folder = std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path stem = file.path().stem();
    if (!stem.has_extension()) continue;
    const lessons::Lesson here = lessons::read_lesson(file.path()),
                          there = lessons::read_lesson(folder / (stem.stem().native() + ".md"));
    REQUIRE(here.steps.size() == there.steps.size());
    for (std::size_t i = 0; i < here.steps.size(); ++i) {
      INFO(file.path() << " step " << i + 1);
      const lessons::Step &a = here.steps[i], &b = there.steps[i];
      CHECK((a.view == b.view && a.from == b.from && a.until == b.until && a.stage == b.stage));
      CHECK((a.head == b.head && a.query == b.query && a.key == b.key && a.covers == b.covers));
    }
  }
}

}  // namespace attnscope::lesson_view_test
