// The curves and numbers on the page of a step that trains: only those that it names, so that it does not
// answer a later step's question.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/training_robot.hpp"

namespace attnscope::lesson_plots_test {
namespace {

using test::front_matter;
using test::refused_lesson;
using test::TemporaryDirectory;
using test::Trained;
using test::written_lesson;

std::string trained_step(const std::string& lines) {
  return "## a\n```train\nsteps: 50\n" + lines + "\n```\n";
}

/// Whether the step shows the curves of that name, also if only after R.
bool shows_curves(const lessons::Step& step, std::string_view name) {
  const std::vector<std::string>& plots = step.trained.plots;
  return plots.empty() || std::ranges::find(plots, name) != plots.end();
}

lessons::Lesson shipped_lesson(const std::string& name) {
  return lessons::read_lesson(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons" / (name + ".md"));
}

}  // namespace

TEST_CASE("a step that trains names the plots on its page, and the next has all again",
          "[lessons][lesson_plots]") {
  const lessons::Lesson lesson =
      lessons::parse_lesson(front_matter + trained_step("plots: loss,  entropy ,first") + "## b\n", "a.md");
  REQUIRE(lesson.steps.size() == 2);
  CHECK(lesson.steps[0].trained.plots == std::vector<std::string>{"loss", "entropy", "first"});
  CHECK(lesson.steps[1].trained.plots.empty());
}

TEST_CASE("a plot that there is not is refused with what was found and what is expected",
          "[lessons][lesson_plots]") {
  const auto block = [](const std::string& lines) { return front_matter + trained_step(lines); };
  refused_lesson(
      block("plots: loss, induction"),
      "a.md:8: \"plots\" has \"induction\"; the task two-jobs has loss, accuracy, entropy, gradient, "
      "cost, previous, first, expected some of them");
  refused_lesson(block("plots: ,"), "a.md:8: \"plots\" is empty; expected some of loss, accuracy");
  refused_lesson(block("plots: entropy"),
                 "a.md:6: \"plots\" has entropy; expected also loss, the curves in front");
  refused_lesson(block("measure: cost\nplots: loss, entropy"),
                 "a.md:6: \"plots\" has loss, entropy; expected also cost, the curves in front");
}

TEST_CASE("a step that trains draws the plots that it names alone", "[lessons][lesson_plots]") {
  const TemporaryDirectory directory;
  const std::string name =
      written_lesson(directory, front_matter + "## all\n```train\nsteps: 50\n```\n" +
                                    trained_step("measure: entropy\nplots: entropy, previous") +
                                    trained_step("plots: entropy"))
          .native();
  for (const int width : {1280, 1600}) {
    Trained player({.width = width, .height = width * 5 / 8});
    const auto has = [&](const char* words) {
      return std::ranges::count(texts_of(player), words, &PlacedText::text) > 0;
    };
    player.go(name, 0);
    for (const char* words : {"Loss", "Accuracy", "Entropy", "Heads on the probe"}) CHECK(player.says(words));
    player.go(name, 1);
    for (const char* words : {"Entropy", "Previous", "Heads on the probe"}) CHECK(player.says(words));
    for (const char* words :
         {"Loss", "Accuracy", "First", "Gradient norm", "Cost of muting", "muted", "needed"})
      CHECK_FALSE(has(words));
    CHECK(player.collides() == "");
    player.go(name, 2);
    for (const char* words : {"Loss", "Accuracy", "Previous", "First", "previous", "no name yet"})
      CHECK_FALSE(has(words));
    CHECK(player.says("Entropy"));
    CHECK(player.collides() == "");
  }
}

TEST_CASE("no page of a lesson that trains shows the curves that a later step asks about",
          "[lessons][lesson_plots]") {
  struct Asked {
    const char* lesson;
    std::size_t first, step;  // from 1: the first whose run shows the answer, and the asking one
    std::vector<const char*> curves;
    bool alone = false;  // only they and the heads are covered: other curves are open
  };
  const std::vector<Asked> all{{"22-a-previous-token-head", 3, 5, {"entropy"}},
                               {"22-a-previous-token-head", 3, 6, {"cost"}},
                               {"24-induction-in-two-layers", 3, 4, {"induction", "previous", "accuracy"}},
                               {"24-induction-in-two-layers", 3, 5, {"cost"}},
                               {"22-a-previous-token-head", 2, 2, {"previous"}, true},
                               {"24-induction-in-two-layers", 2, 2, {"induction"}, true},
                               {"23-two-jobs-two-heads", 2, 2, {"previous", "first"}, true},
                               {"23-two-jobs-two-heads", 3, 4, {"previous", "first", "cost"}, true},
                               {"25-a-leak", 2, 4, {"accuracy"}},
                               {"25-a-leak", 2, 4, {"induction"}, true},
                               {"26-grokking", 2, 3, {"loss"}},
                               {"26-grokking", 5, 6, {"loss"}},
                               {"27-entropy-collapse", 2, 3, {"accuracy", "loss"}}};
  for (const Asked& asked : all) {
    const lessons::Lesson lesson = shipped_lesson(asked.lesson);
    REQUIRE(lesson.steps.size() >= asked.step);
    REQUIRE(lesson.steps[asked.step - 1].question);
    for (std::size_t i = asked.first; i < asked.step; ++i)
      for (const char* curve : asked.curves) {
        INFO(asked.lesson << ", step " << i << ", " << curve);
        CHECK_FALSE(shows_curves(lesson.steps[i - 1], curve));
      }
    const lessons::Step& step = lesson.steps[asked.step - 1];
    INFO(asked.lesson << ", step " << asked.step);
    for (const char* curve : asked.curves) CHECK(shows_curves(step, curve));
    if (!asked.alone) continue;
    CHECK(step.trained.covers_heads);
    CHECK_FALSE(step.trained.covers_plots);
    const std::vector<std::string> open = lessons::open_curves(step.trained);
    CHECK_FALSE(open.empty());
    for (const char* curve : asked.curves) CHECK(std::ranges::find(open, curve) == open.end());
  }
}

TEST_CASE("a curve that would answer the question comes with R, others stand there before",
          "[lessons][lesson_plots]") {
  const TemporaryDirectory directory;
  const std::string asks = "```ask choose\nWhich?\n- a | No.\n* b\n```\n";
  const std::string name =
      written_lesson(directory, front_matter +
                                    trained_step("measure: previous\nplots: loss, previous, entropy\n"
                                                 "cover: previous, heads") +
                                    asks + trained_step("cover: no") + asks)
          .native();
  for (const int width : {1280, 1600}) {
    Trained player({.width = width, .height = width * 5 / 8});
    const auto has = [&](const char* words) {
      return std::ranges::count(texts_of(player), words, &PlacedText::text) > 0;
    };
    player.go(name, 0);
    CHECK((has("Loss") && has("Entropy") && !has("Previous")));
    player.press(ImGuiKey_R);
    CHECK((has("Loss") && has("Previous")));
    CHECK(player.collides() == "");
    player.go(name, 1);  // the cover of the step before is gone
    CHECK((has("Loss") && has("Previous")));
  }
  const auto block = [](const std::string& lines) { return front_matter + trained_step(lines); };
  refused_lesson(block("cover: colour"),
                 "a.md:8: \"cover\" is \"colour\"; expected yes, no or some of plots, heads, code and the "
                 "curves loss, accuracy, entropy, gradient, cost, previous, first");
  refused_lesson(block("plots: loss\ncover: entropy"),
                 "a.md:6: \"cover\" has entropy; on the page are loss (\"plots\")");
  refused_lesson(block("plots: loss\ncover: loss"), "a.md:6: \"cover\" has every curve on the page, loss");
}

TEST_CASE("a step whose plots are of no head has no pictures of heads either", "[lessons][lesson_plots]") {
  // In step 3 the time strip of the heads would show the answer of step 4.
  const TemporaryDirectory directory;
  const std::string name =
      written_lesson(directory, front_matter + trained_step("measure: loss\nplots: loss") +
                                    trained_step("measure: loss\nplots: loss, previous"))
          .native();
  for (const int width : {1280, 1600}) {
    Trained player({.width = width, .height = width * 5 / 8});
    player.go(name, 0);
    CHECK(player.says("Loss"));
    CHECK(player.says("Time"));
    for (const char* words : {"Heads on the probe", "L0H0", "L0H1"})
      CHECK(std::ranges::count(texts_of(player), words, &PlacedText::text) == 0);
    CHECK(player.collides() == "");
    player.go(name, 1);
    CHECK(player.says("Heads on the probe"));
  }
  const lessons::Lesson lesson = shipped_lesson("24-induction-in-two-layers");
  CHECK(lesson.steps[2].trained.plots == std::vector<std::string>{"loss"});
}

TEST_CASE("a step can show the heads alone, a lid beside them while it asks for their numbers",
          "[lessons][lesson_plots]") {
  const TemporaryDirectory directory;
  const std::string asks = "```ask choose\nWhich?\n- a | No.\n* b\n```\n";
  const std::string name =
      written_lesson(directory, front_matter +
                                    trained_step("view: lab\nmeasure: entropy\nplots: entropy, previous\n"
                                                 "cover: plots") +
                                    asks + trained_step("measure: loss\nplots: loss, previous"))
          .native();
  for (const int width : {1280, 1600}) {
    INFO(width);
    Trained player({.width = width, .height = width * 5 / 8});
    const auto has = [&](const char* words) {
      return std::ranges::count(texts_of(player), words, &PlacedText::text) > 0;
    };
    player.go(name, 0);
    CHECK((player.says("Heads on the probe") && player.says("lifts the lid")));
    CHECK_FALSE(has("H"));  // a number beside each head
    CHECK(player.collides() == "");
    player.press(ImGuiKey_R);
    CHECK((has("H") && !player.says("Entropy") && !player.says("lifts the lid")));
    CHECK(player.collides() == "");
    player.go(name, 1);  // the view is the step's own
    CHECK((has("Loss") && player.says("Heads on the probe")));
  }
  refused_lesson(front_matter + trained_step("view: walk"), "\"view\" is \"walk\"; of a run there is lab");
}

TEST_CASE("the numbers beside a head have their whole labels in a small window", "[lessons][lesson_plots]") {
  Trained player({.width = 1280, .height = 720});
  player.go("26-grokking", 0);
  const std::vector<PlacedText> texts = texts_of(player);
  CHECK(std::ranges::count(texts, "both numbers", &PlacedText::text) == 4);
  for (const PlacedText& text : texts)
    CHECK_FALSE((text.text.starts_with("both") && text.text.ends_with("…")));
}

TEST_CASE("below a head a long label has the room that short ones leave", "[lessons][lesson_plots]") {
  Trained player({.width = 1600, .height = 1000, .system_fonts = true});
  player.go("26-grokking", 2);
  player.press(ImGuiKey_R);
  REQUIRE(player.says("muted"));
  CHECK(player.collides() == "");
  for (const PlacedText& text : texts_of(player))
    CHECK_FALSE((text.text.starts_with("both") && text.text.ends_with("…")));
}

}  // namespace attnscope::lesson_plots_test
