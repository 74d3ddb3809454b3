// What stands beside the words of a step: one cell number by number, the key/value cache, every text's heads;
// open and under lids, at every size; and the colours, which keep their range during a step.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/lesson_files.hpp"
#include "app/lesson_robot.hpp"
#include "app/state/presenter_state.hpp"

namespace attnscope::lesson_numbers_view_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using lessons::StepView;
using test::checked_lesson;
using test::Player;
using test::TemporaryDirectory;
using test::written_lesson;

std::string whole(const std::string& start, const std::string& steps) {
  return "---\nlesson: x\n---\n```start\n" + start + "\n```\n" + steps;
}
std::string look(const std::string& lines) { return "```look\n" + lines + "\n```\n"; }

/// Row c has scores 2, 1, 1 and weights .5035, .2483, .2483.
const std::string three =
    R"x({"given": {"tokens": [["a", "b", "c"]], "query": [[[[1, 0], [0, 1], [1, 1]]]], )x"
    R"x("key": [[[[1, 1], [0, 1], [1, 0]]]], "value": [[[[2, 1], [1, 3], [0, 2]]]]}, )x"
    R"x("scale": "1/sqrt(d_k)", "temperature": 1.0, "mask": {"causal": false, "padding": false}})x";
/// Six tokens; a key and a value of 64 numbers each.
std::string six(const std::string& more) {
  return R"x({"text": ["The cat sat on the mat"], "d_model": 64, "heads": 1, "seed": 25, "weights": "random", )x"
         R"x("positions": "rope-half", "mask": {"causal": true, "padding": false})x" +
         more + "}";
}
const std::string asked = "```ask choose\nWhich?\n- this | no\n* that\n```\n";

std::vector<std::string> problems(const std::string& start, const std::string& lines) {
  return checked_lesson(whole(start, "## a\n" + look(lines))).problems;
}

struct Played : Player {
  TemporaryDirectory directory;
  Played(const std::string& start, const std::string& steps, const RobotOptions& options) : Player(options) {
    app().files().opening.open(written_lesson(directory, whole(start, steps)));
    settle();
    REQUIRE(app().lessons().open());
  }
  std::ptrdiff_t count(const std::string& words) {
    return std::ranges::count(texts_of(*this), words, &PlacedText::text);
  }
};

}  // namespace

TEST_CASE("the checker knows which steps have a cache and which a cell", "[lessons][lesson_numbers_view]") {
  CHECK(problems(six(""), "view: cache\ncell: 5, 0").empty());
  const auto only = [](const std::vector<std::string>& all, const std::string& words) {
    INFO(fmt::format("{}", fmt::join(all, "\n")));
    REQUIRE(all.size() == 1);
    CHECK_THAT(all.front(), ContainsSubstring(words));
  };
  only(problems(three, "view: cache"), "a.md:9: \"view: cache\" is of a causal mask, and the step has none.");
  std::string weights = three;
  const std::string given = R"("given": {)";
  weights.insert(weights.find(given) + given.size(), R"("holds": "weights", )");
  only(problems(weights, "view: cache"), "a.md:9: \"view: cache\" shows keys and values");
  only(problems(weights, "view: cell"), "a.md:9: \"view: cell\" begins with a query and a key");
  CHECK(problems(three, "view: cell").empty());
  CHECK(problems(three, "view: grid").empty());
}

TEST_CASE("what a cell shows counts as shown, its stages before the step's own as open",
          "[lessons][lesson_numbers_view]") {
  const auto warnings = [](const std::string& steps) { return checked_lesson(whole(three, steps)).warnings; };
  const auto drag = [](const std::string& answer) {
    return "```ask drag\nHow large?\nrange: 0, 2.6\nanswer: " + answer + "\nwithin: 0.05\n```\n";
  };
  const std::string weights = "stage: weights\ncell: 2, 0";
  const std::string next = "## b\n" + look("stage: weights\ncell: 0, 0") + drag("masked(2, 0)");
  CHECK(warnings("## a\n" + look(weights) + next).empty());
  const std::vector<std::string> before = warnings("## a\n" + look(weights + "\nview: cell") + next);
  REQUIRE(before.size() == 1);
  CHECK_THAT(before[0], ContainsSubstring("stands on the step before, in a cell of its matrix or table"));
  CHECK(warnings("## a\n" + look(weights + "\nview: cell") + drag("weight(2, 0)")).empty());
  const std::vector<std::string> open =
      warnings("## a\n" + look(weights + "\nview: cell") + drag("scaled(2, 1)"));
  REQUIRE(open.size() == 1);
  CHECK_THAT(open[0], ContainsSubstring("stands in a cell that no lid covers"));
}

TEST_CASE("a cell's score is the sum of its products, and integers are integers",
          "[lessons][lesson_numbers_view]") {
  Played lesson(three, "## a\nWords.\n" + look("view: cell\nstage: weights\ncell: 2, 0"),
                {.width = 1280, .height = 720});
  CHECK(lesson.count("Σ = 2") == 1);
  CHECK(lesson.count("2") >= 1);       // the score
  CHECK(lesson.count("1.414") == 2);   // divided by √2, and with the mask, which adds 0
  CHECK(lesson.count("0.5035") == 1);  // the weight
  CHECK(lesson.count("q × k") == 1);
  CHECK_FALSE(lesson.has("lesson A 0"));
  CHECK(lesson.collides() == "");
  lesson.click("lesson key 1");
  lesson.settle();
  CHECK(lesson.app().selection().cell == Cell{2, 1});
  CHECK(lesson.count("Σ = 1") == 1);
  lesson.click("lesson query 0");
  lesson.settle();
  CHECK(lesson.app().selection().cell == Cell{0, 1});
  CHECK(lesson.count("Σ = 0") == 1);
}

TEST_CASE("of a cell the asked stage and what follows from it are covered",
          "[lessons][lesson_numbers_view]") {
  const RobotOptions small{.width = 1280, .height = 720};
  {
    Played lesson(three, "## a\nWords.\n" + look("view: cell\nstage: weights\ncell: 2, 0") + asked, small);
    CHECK(lesson.count("Σ = 2") == 1);
    CHECK(lesson.count("1.414") >= 1);
    CHECK(lesson.count("0.5035") == 0);
    CHECK_FALSE(lesson.says("max"));  // the distance from the row's largest tells of the weight
    CHECK(lesson.count("?·v") == 1);
    CHECK(lesson.collides() == "");
    lesson.press(ImGuiKey_R);
    CHECK(lesson.count("0.5035") == 1);
    CHECK(lesson.collides() == "");
  }
  Played lesson(
      three, "## a\nWords.\n" + look("view: cell\nstage: scores\ncell: 2, 0\nuntil: scores") + asked, small);
  CHECK(lesson.count("Σ = ?") == 1);
  CHECK(lesson.count("Σ = 2") == 0);
  lesson.press(ImGuiKey_R);
  CHECK(lesson.count("Σ = 2") == 1);
  CHECK_FALSE(lesson.says("scaled"));  // the step ends at the scores
  CHECK(lesson.count("0.5035") == 0);
}

TEST_CASE("the cache grows with the chosen token: kept, new and read, in bytes",
          "[lessons][lesson_numbers_view]") {
  Played lesson(six(""), "## a\nWords.\n" + look("view: cache\nstage: weights\ncell: 5, 0"),
                {.width = 1280, .height = 720});
  for (int row = 0; row < 6; ++row) CHECK(lesson.has("lesson cache " + std::to_string(row)));
  CHECK_FALSE(lesson.has("lesson A 0"));
  // Five rows of 64 + 64 numbers of 4 bytes are kept, one is new, six are read.
  CHECK(lesson.count("640") == 1);
  CHECK(lesson.count("2.5 KiB") == 1);
  CHECK(lesson.count("512 B") == 1);
  CHECK(lesson.count("768") == 1);
  CHECK(lesson.count("3.0 KiB") == 1);
  CHECK(lesson.collides() == "");
  lesson.click("lesson cache 2");
  lesson.settle();
  CHECK(lesson.app().selection().cell.query == 2);
  CHECK(lesson.count("1.0 KiB") == 1);  // two rows are kept
  CHECK(lesson.count("1.5 KiB") == 1);  // three are read
  lesson.click("Next token");
  lesson.settle();
  CHECK(lesson.app().selection().cell.query == 3);
  CHECK(lesson.count("2.0 KiB") == 1);
  // After the last token the text begins again.
  for (int i = 0; i < 3; ++i) {
    lesson.click("Next token");
    lesson.settle();
  }
  CHECK(lesson.app().selection().cell.query == 0);
  CHECK(lesson.count("0 B") == 1);
}

TEST_CASE("with a cache the Document says what is kept, and a window what is read",
          "[lessons][lesson_numbers_view]") {
  {
    Played lesson(six(R"x(, "cached": 5)x"),
                  "## a\nWords.\n" + look("view: cache\nstage: weights\ncell: 0, 4"),
                  {.width = 1280, .height = 720});
    CHECK(lesson.count("2.5 KiB") == 1);
    CHECK(lesson.count("512 B") == 1);
    CHECK_FALSE(lesson.has("Next token"));
    CHECK(lesson.collides() == "");
  }
  std::string window = six("");
  const std::string causal = R"("causal": true)";
  window.insert(window.find(causal) + causal.size(), R"x(, "window": {"left": 1, "right": 0})x");
  Played lesson(window, "## a\nWords.\n" + look("view: cache\nstage: weights\ncell: 5, 5"),
                {.width = 1280, .height = 720});
  CHECK(lesson.count("2.5 KiB") == 1);  // kept
  CHECK(lesson.count("1.0 KiB") == 1);  // read: the last two
}

TEST_CASE("of a cache what the question asks is covered, and nothing is kept without a causal mask",
          "[lessons][lesson_numbers_view]") {
  Played lesson(six(""),
                "## a\nWords.\n" + look("view: cache\nstage: weights\ncell: 5, 0\nshow: causal") + asked,
                {.width = 1280, .height = 720});
  CHECK(lesson.count("?") >= 3);  // the lids have no room for more words
  CHECK(lesson.count("2.5 KiB") == 0);
  CHECK_FALSE(lesson.has("Next token"));
  CHECK(lesson.collides() == "");
  lesson.press(ImGuiKey_R);
  CHECK(lesson.count("2.5 KiB") == 1);
  CHECK(lesson.collides() == "");
  lesson.click("Causal");
  lesson.settle();
  CHECK(lesson.says("Without a causal mask"));
  CHECK(lesson.count("2.5 KiB") == 0);
}

TEST_CASE("a step shows the heads of every text, under one lid while it asks",
          "[lessons][lesson_numbers_view]") {
  const std::string two =
      R"x({"text": ["The cat sat", "The cat sat on the mat"], "d_model": 32, "heads": 2, "seed": 25, )x"
      R"x("weights": "random", "positions": "none", "mask": {"causal": false, "padding": true}})x";
  Played lesson(two, "## a\nWords.\n" + look("view: grid\nstage: weights\ncell: 2, 1") + asked,
                {.width = 1280, .height = 720});
  CHECK_FALSE(lesson.has("lesson head 0"));
  CHECK(lesson.says("lifts the lid"));
  CHECK(lesson.collides() == "");
  lesson.press(ImGuiKey_R);
  for (const char* item : {"lesson head 0", "lesson head 1", "lesson text 1 head 0", "lesson text 1 head 1"})
    CHECK(lesson.has(item));
  CHECK(lesson.count("[pad]") >= 3);
  CHECK(lesson.count("text 2") == 1);
  CHECK(lesson.collides() == "");
  lesson.click("lesson text 1 head 1");
  lesson.settle();
  CHECK(lesson.app().selection().head == 1);
  CHECK(lesson.app().selection().sequence == 0);  // words and table are about the first text
}

TEST_CASE("the colours of scores keep their range while dₖ is changed", "[lessons][lesson_numbers_view]") {
  Played lesson(six(""), "## a\nWords.\n" + look("stage: scores\nuntil: scores\nshow: d_k"),
                {.width = 1280, .height = 720});
  const float begun = lesson.moments().score_reach;
  CHECK(begun > 0);
  lesson.click("d_k less");
  lesson.settle();
  CHECK(lesson.moments().score_reach >= begun);
  const float widest = lesson.moments().score_reach;
  lesson.click("d_k more");
  lesson.settle();
  CHECK(lesson.moments().score_reach == widest);
}

TEST_CASE("lessons show cells, caches and grids at every size, before a room as well",
          "[lessons][lesson_numbers_view]") {
  struct Size {
    int width, height;
  };
  for (const Size size : {Size{1280, 720}, Size{1600, 1000}})
    for (const bool presented : {false, true}) {
      Player player({.width = size.width, .height = size.height});
      if (presented) player.press(ImGuiKey_F5);
      std::size_t views = 0;
      for (const std::string name : {"04-why-divide", "05-causal-bidirectional-padding",
                                     "14-generating-with-a-cache", "31-from-text-to-the-next-token"}) {
        player.app().lessons().go_to({name, 0});
        player.settle();
        for (std::int64_t step = 0; step < std::ssize(player.lesson().lesson.steps); ++step) {
          const StepView view = player.lesson().lesson.steps[static_cast<std::size_t>(step)].view;
          if (view != StepView::Cell && view != StepView::Cache && view != StepView::Grid) continue;
          INFO(name << " step " << step + 1 << " at " << size.width << (presented ? ", presented" : ""));
          player.app().lessons().go_to({name, step});
          player.settle();
          ++views;
          if (player.step().question) player.press(ImGuiKey_R);
          CHECK(player.collides() == "");
          if (view == StepView::Cell) CHECK(player.items().find("lesson query 0") != nullptr);
          if (view == StepView::Cell) CHECK(player.says("Σ = "));
          if (view == StepView::Cache) CHECK((player.says("read for") && player.says("bytes")));
        }
      }
      CHECK(views == 9);
    }
}

}  // namespace attnscope::lesson_numbers_view_test
