// Titles, covers, choices and curves of a lesson's steps; the line that an error names; and the checker's
// warnings, each with a faulty lesson.
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/lesson_files.hpp"
#include "app/lessons/lesson_model.hpp"
#include "app/lessons/step_documents.hpp"
#include "support/program.hpp"

namespace attnscope::lesson_check_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using lessons::CheckedLesson;
using lessons::parse_lesson;
using lessons::Step;
using test::check_shipped_lesson;
using test::checked_lesson;
using test::lesson;
using test::look;
using test::refused_lesson;
using test::TemporaryDirectory;
using test::warnings;
using test::written_lesson;

/// Its first step begins in line 5.
std::string training(const std::string& steps) { return "---\nlesson: x\ntraining: two-jobs\n---\n" + steps; }

Step first_step(const std::string& text) { return parse_lesson(text, "a.md").steps.at(0); }

void warned(const std::string& steps, const std::string& words) {
  const std::vector<std::string> all = warnings(steps);
  INFO(steps << fmt::format("{}", fmt::join(all, "\n")));
  REQUIRE(all.size() == 1);
  CHECK_THAT(all[0], ContainsSubstring(words));
}
void silent(const std::string& steps) {
  const std::vector<std::string> all = warnings(steps);
  INFO(steps << fmt::format("{}", fmt::join(all, "\n")));
  CHECK(all.empty());
}
void wrong(const std::string& steps, const std::string& words) {
  const CheckedLesson found = checked_lesson(lesson(steps));
  INFO(steps);
  REQUIRE(found.problems.size() == 1);
  CHECK_THAT(found.problems[0], ContainsSubstring(words));
}

std::string drag(const std::string& answer) {
  return "```ask drag\nHow large?\nrange: 0, 2\nanswer: " + answer + "\nwithin: 0.05\n```\n";
}
const std::string sketch = "```ask sketch\nDraw it.\nrow: 0, 2\nwithin: 0.25\n```\n";
const std::string scores_alone = look("stage: scores");
const std::string other_values = "```held\n{\"given\": {\"value\": [[[[2, 1], [1, 3], [5, 5]]]]}}\n```\n";

}  // namespace

TEST_CASE("a step says titles, the held cell and its last stage", "[lessons][lesson_check]") {
  const Step step =
      first_step(lesson("## a\n" + other_values +
                        look("title: now: mine\nheld title: other values\nheld cell: 1, 2\nuntil: scores")));
  CHECK((step.title_shown == "now: mine" && step.title_held == "other values"));
  CHECK((step.held_query == 1 && step.held_key == 2 && !step.query));
  CHECK(step.until == "scores");
  const Step plain = first_step(lesson("## a\n"));
  CHECK((plain.title_shown.empty() && !plain.held_query && !plain.until));
  refused_lesson(lesson("## a\n" + look("until: lunch")),
                 "a.md:9: \"until\" is \"lunch\"; there are embedding, ");
  refused_lesson(lesson("## a\n" + look("until: buckets")), "\"until\" is \"buckets\"; there are");
  refused_lesson(lesson("## a\n" + look("held cell: 1")),
                 "a.md:9: \"held cell\" is \"1\"; expected \"QUERY, KEY\"");
  refused_lesson(lesson("## a\n" + look("title:")), "a.md:9: \"title\" has no words behind it");
  refused_lesson(lesson("## a\n" + look("held_title: x")),
                 "\"look\" has \"held_title\"; there are stage, until");
}

TEST_CASE("the lid lies over what \"cover\" says", "[lessons][lesson_check]") {
  const auto covers = [](const std::string& text) {
    const Step step = first_step(text);
    return fmt::format("{:d}{:d}{:d}{:d}", step.covers, step.covers_grid, step.covers_code, step.covers_plot);
  };
  const auto of_layer = [&](const std::string& value) {
    return covers(lesson("## a\n" + look("cover: " + value)));
  };
  CHECK(covers(lesson("## a\n")) == "1011");
  CHECK(of_layer("yes") == "1011");
  CHECK(of_layer("no") == "0000");
  CHECK(of_layer("map") == "1000");
  CHECK(of_layer("code") == "0010");
  CHECK(of_layer("plot") == "0001");
  CHECK(of_layer("code, plot") == "0011");
  const std::string model = "---\nlesson: x\nmodel: smollm2\n---\n## a\n";
  CHECK(covers(model + look("cover: heads")) == "1100");
  CHECK(covers(model + look("cover: heads, code")) == "1110");
  refused_lesson(lesson("## a\n" + look("cover: heads")),
                 "a.md:9: \"cover\" is \"heads\"; expected yes, no or some");
  refused_lesson(lesson("## a\n" + look("cover: no, code")), "\"cover\" is \"no, code\"");
  refused_lesson(lesson("## a\n" + look("cover:")), "\"cover\" is \"\"");

  const auto of_run = [](const std::string& value) {
    const Step step = first_step(training("## a\n```train\nsteps: 50\n" + value + "```\n"));
    return fmt::format("{:d}{:d}{:d}{:d}", step.trained.covers_plots, step.trained.covers_heads,
                       step.covers_code, step.covers_plot);
  };
  CHECK(of_run("") == "1111");
  CHECK(of_run("cover: yes\n") == "1111");
  CHECK(of_run("cover: no\n") == "0000");
  CHECK(of_run("cover: plots\n") == "1001");
  CHECK(of_run("cover: heads, code\n") == "0110");
  refused_lesson(training("## a\n```train\ncover: words\n```\n"),
                 "a.md:7: \"cover\" is \"words\"; expected yes, no or some of plots, ");
}

TEST_CASE("a wrong choice can have a guess and a sentence why", "[lessons][lesson_check]") {
  const auto ask = [](const std::string& choices) {
    return lesson("## a\n```ask choose\nWhat?\n" + choices + "```\n");
  };
  const Step step = first_step(
      ask("- one | 0.25\n- two | because {keys:d}\n- three | 0.3 | because\n* P(a \\| b) = {1} | 1\n"));
  const auto& all = std::get<lessons::ChooseQuestion>(step.question->kind).choices;
  REQUIRE(all.size() == 4);
  CHECK((all[0].guess == 0.25 && all[0].why.empty() && all[0].prose[0].text == "one" && all[0].line == 10));
  CHECK((!all[1].guess && all[1].why.size() == 2 && all[1].why[0].text == "because "));
  CHECK((all[2].guess == 0.3 && all[2].why[0].text == "because" && all[2].prose[0].text == "three"));
  CHECK((all[3].right && all[3].guess == 1 && all[3].prose[0].text == "P(a | b) = "));
  refused_lesson(ask("- a\n* b | because\n"),
                 "a.md:11: a right choice has a sentence why it is wrong; \"answer:\"");
  refused_lesson(ask("- a | because | 0.3\n* b\n"),
                 "a.md:10: a choice has more than a guess and why it is wrong");
  refused_lesson(ask("- a | b | because\n* b\n"), "a choice has more than a guess and why it is wrong");
  refused_lesson(ask("- a | 1.5\n* b\n"), "a.md:10: what stands behind \"|\" has to lie from 0 to 1");
  refused_lesson(ask("- a |\n* b\n"), "a.md:10: a choice ends with \"|\"");
  refused_lesson(ask("- a | {1 +}\n* b\n"), "a.md:10: In the expression \"1 +\"");
}

TEST_CASE("a lesson that trains asks for a curve", "[lessons][lesson_check]") {
  const auto ask = [](const std::string& fields, const std::string& train = "steps: 50\n") {
    return training("## a\n```train\n" + train + "```\n```ask curve\nDraw it.\n" + fields + "```\n");
  };
  const Step step =
      first_step(ask("measure: previous\nwithin: 0.2\nanswer: So.\n", "steps: 50\ncover: no\n"));
  const auto& curve = std::get<lessons::CurveQuestion>(step.question->kind);
  CHECK((curve.measure == "previous" && curve.tolerance == 0.2));
  CHECK(step.question->answer[0].text == "So.");
  CHECK((step.trained.covers_plots && !step.trained.covers_heads));  // what is asked is covered
  refused_lesson(ask("measure: colour\nwithin: 0.2\n"),
                 "a.md:11: \"measure\" is \"colour\"; the task two-jobs has loss");
  refused_lesson(ask("measure: loss\nwithin: 1.5\n"), "a.md:12: \"within\" has to be above 0 and at most 1");
  refused_lesson(ask("within: 0.5\n"), "a.md:9: \"ask curve\" needs \"measure: …\"");
  refused_lesson(ask("measure: loss\nwithin: 0.2\n", "steps: 0\n"),
                 "a.md:9: \"ask curve\" asks for a curve of 0 steps");
  refused_lesson(lesson("## a\n```ask curve\nDraw it.\nmeasure: loss\nwithin: 0.2\n```\n"),
                 "a.md:8: \"ask curve\" is for lessons that train");
  refused_lesson(training("## a\n```ask choose\nWhat?\nmeasure: loss\n- a\n* b\n```\n"),
                 "\"ask choose\" has \"measure\"; only \"ask curve\" has");
  // The task may be named after the question.
  refused_lesson(training("## a\n```ask curve\nDraw it.\nmeasure: previous\nwithin: 0.2\n```\n"
                          "```train\ntask: reverse\nsteps: 0\n```\n## b\n"),
                 "a.md:8: \"measure\" is \"previous\"; the task reverse has loss");
}

TEST_CASE("an error in a block's JSON names the line of the key", "[lessons][lesson_check]") {
  const auto refused_document = [](const std::string& text, const std::string& words) {
    INFO(text);
    CHECK_THROWS_WITH(lessons::documents_of(parse_lesson(text, "a.md"), "a.md"), ContainsSubstring(words));
  };
  refused_document(
      "---\nlesson: x\n---\n```start\n{\"text\": [\"a b c\"],\n \"temperature\": \"hot\"}\n```\n## a\n",
      "a.md:6: ");
  refused_document(
      "---\nlesson: x\n---\n```start\n{\"text\": [\"a b c\"],\n \"temperature\": \"hot\"}\n```\n## a\n"
      "```set\n{\"scale\": 1.0}\n```\n",
      "a.md:6: ");
  refused_document(lesson("## a\n## b\n```set\n{\"scale\": 1.0,\n \"temperature\": \"hot\"}\n```\n"),
                   "a.md:11: ");
  refused_document(lesson("## a\n```set\n\n{\"temperature\": \"hot\"}\n```\n"), "a.md:10: ");
  refused_document(lesson("## a\n```held\n{\"mask\":\n {\"causal\": \"yes\"}}\n```\n"), "a.md:10: ");
  refused_document(lesson("## a\n```done\n0\nDo.\nby: {\"temperature\": \"hot\"}\n```\n"), "a.md:11: ");
  refused_lesson(lesson("## a\n```set\n{\n \"scale\": 1.0,\n}\n```\n"), "a.md:11: \"set\" is no JSON");
  refused_lesson(lesson("## a\n```set\n[1]\n```\n"), "a.md:9: \"set\" has to be a JSON object in braces");
  refused_lesson(lesson("## a\n```done\n0\nDo.\nby: [1]\n```\n"),
                 "a.md:11: \"by\" has to be a JSON object in braces");
}

TEST_CASE("an error in an expression names its own line", "[lessons][lesson_check]") {
  refused_lesson(lesson("## a\nWords\nand {1}\nmore {1 +} of\nthem.\n"),
                 "a.md:10: In the expression \"1 +\"");
  refused_lesson(lesson("## a\nWords\n**strong\n{1 +}** them.\n"), "a.md:10: In the expression \"1 +\"");
  refused_lesson(lesson("## a\nWords\nand $x\n"), "a.md:9: \"$x\" is opened but not closed");
  refused_lesson(lesson("## a\n```ask drag\nWhat?\nrange: 0, 1\nanswer: 1 +\nwithin: 0.1\n```\n"),
                 "a.md:11: In the");
  refused_lesson(lesson("## a\n```ask drag\nWhat?\nrange: 1, 0\nanswer: 1\nwithin: 0.1\n```\n"),
                 "a.md:10: \"range\"");
  refused_lesson(lesson("## a\n```done\n1 +\nDo.\n```\n"), "a.md:9: In the expression");
  wrong("## a\nWords\nand {weight(2, 7)}.\n", "a.md:9: In \"weight(2, 7)\"");
  wrong("## a\n```ask drag\nWhat?\nrange: 0, 1\nanswer: 2\nwithin: 0.1\n```\n", "a.md:11: The answer 2 is 2");
  wrong("## a\n```ask think\nWhat?\nanswer: {colour}\n```\n", "a.md:10: In \"colour\"");
  wrong("## a\n```numpy\na\nb  -> {colour}\n```\n", "a.md:10: In \"colour\"");
  wrong("## a\n```done\n1\nDo.\n```\n", "a.md:9: What is to be done");
  wrong("## a\n```done\n0\nDo.\nby: {\"scale\": 1.0}\n```\n", "a.md:11: What is to be done");
  wrong("## a\n" + look("stage: weights\ncell: 5, 5"), "a.md:10: \"cell\" is 5, 5");
  wrong("## a\n" + other_values + look("title: x\nheld cell: 5, 5"), "a.md:13: \"held cell\" is 5, 5");
  wrong("## a\n" + look("held cell: 1, 1"), "a.md:9: \"held cell\" stands in a step that holds nothing");
  wrong("## a\n" + look("until: scores\nstage: weights"),
        "a.md:10: \"stage\" is \"weights\", which comes after");
  wrong("## a\n" + look("held title: x"), "\"held title\" stands in a step that holds nothing");
}

TEST_CASE("numbers in the speaker's notes are computed", "[lessons][lesson_check]") {
  const Step step =
      first_step(lesson("## a\n```notes\nIt is {weight(2, 0):.2f}, [R] and **so**.\n\nWait.\n```\n"));
  CHECK(step.notes == "It is {weight(2, 0):.2f}, [R] and **so**.\n\nWait.\n");
  REQUIRE(step.notes_prose.size() == 3);
  REQUIRE(step.notes_prose[0].size() == 3);
  CHECK((step.notes_prose[0][1].number && step.notes_prose[0][1].style.places == 2));
  CHECK(step.notes_prose[0][2].text == ", [R] and **so**.");
  refused_lesson(lesson("## a\n```notes\nWords\nand {1 +}\n```\n"), "a.md:10: In the expression \"1 +\"");
  wrong("## a\n```notes\nWords\nand {colour}\n```\n", "a.md:10: In \"colour\"");
}

TEST_CASE("the checker warns of an answer that stands on the step before", "[lessons][lesson_check]") {
  const std::string asks = "## b\n" + drag("weight(2,0)");
  warned("## a\nIt is {weight(2, 0):.2f}.\n" + scores_alone + asks,
         "a.md:16: The answer \"weight(2,0)\" stands on the step before: \"weight(2, 0)\" in line 8");
  warned("## a\nIt is {100 * weight(2, 0, 0):d} in 100.\n" + scores_alone + asks, "in line 8");
  warned("## a\n```numpy\nA[2, 0]  -> {weight(2, 0)}\n```\n" + scores_alone + asks, "in line 9");
  warned("## a\n```ask think\nWhat?\nanswer: It is {weight(2, 0)}.\n```\n" + scores_alone + asks,
         "in line 10");
  warned("## a\n" + asks, "stands on the step before, in a cell of its matrix or table");
  warned("## a\n" + look("stage: scores\ncell: 2, 1") + asks, "in a cell of its matrix or table");
  warned("## a\n## b\n" + drag("largest(2)"), "in a cell of its matrix or table");
  // H of the step's row is shown below the matrix.
  const std::string entropy = "## b\n" + drag("entropy(2) / 2");
  warned("## a\n" + look("cell: 2, 1\nstage: scores") + entropy, "in a cell of its matrix or table");
  silent("## a\n" + look("cell: 1, 1") + entropy);
  // What is held now was shown in the step before.
  warned("## a\n## b\n```held\n{}\n```\n" + look("title: x\nstage: scores") + drag("held.weight(2, 0)"),
         "in a cell of its matrix or table");
  silent("## a\n" + scores_alone + asks);
  silent("## a\n" + look("until: scores") + asks);
  silent("## a\n" + look("cell: 2, 1\nuntil: scores") + asks);
  // A number that merely has the same value, and one that the answer is computed from.
  silent("## a\nIt is {weight(2, 1):.2f} and {0.5035}.\n" + scores_alone + "## b\n" + drag("weight(2, 2)"));
  silent("## a\nThere are {keys:d}.\n" + scores_alone + "## b\n" + drag("1 / keys"));
  // Another Document, another number.
  silent("## a\n" + asks.substr(0, 5) + "```set\n{\"scale\": 2.0}\n```\n" + drag("weight(2,0)"));
}

TEST_CASE("the checker warns of an answer outside of the lid", "[lessons][lesson_check]") {
  const std::string asks = drag("weight(2, 0)"), code = "```numpy\nA[2, 0]  -> {weight(2, 0)}\n```\n";
  warned("## a\nIt is {weight(2, 0):.2f}.\n" + asks,
         "a.md:12: The answer \"weight(2, 0)\" stands beside the question, outside of the lid");
  warned("## a\n" + code + look("cover: map, plot") + asks, "outside of the lid: \"weight(2, 0)\" in line 9");
  warned("## a\n" + look("cover: code") + asks, "stands in a cell that no lid covers");
  warned("## a\n```held\n{\"scale\": 1.0}\n```\n" + asks, "stands in a cell that no lid covers");
  silent("## a\n```held\n{\"scale\": 1.0}\n```\n" + drag("held.weight(2, 0)"));
  silent("## a\n" + code + asks);
  silent("## a\n" + look("stage: scores\ncover: no") + asks);
}

TEST_CASE("the checker warns of a row that is sketched and in sight", "[lessons][lesson_check]") {
  warned("## a\n## b\n" + sketch,
         "a.md:11: The row 2 of head 0 that is asked for stands on the step before, in its matrix or table");
  warned("## a\n{weight(2, 0)} {weight(2, 1)} {weight(2, 2)}\n" + scores_alone + "## b\n" + sketch,
         "stands on the step before, up to \"weight(2, 1)\" in line 8");
  warned("## a\n" + look("cover: no") + sketch, "stands in cells that no lid covers");
  warned("## a\n{weight(2, 0)} {weight(2, 1)}\n" + sketch, "outside of the lid, up to \"weight(2, 1)\"");
  silent("## a\n{weight(2, 0)} {weight(1, 1)}\n" + look("until: scaled") + "## b\n" + sketch);
}

TEST_CASE("the checker warns of a slider that stands on its answer", "[lessons][lesson_check]") {
  const auto asked = [](const std::string& range) {
    return "## a\n```ask drag\nHow large?\nrange: " + range + "\nanswer: weight(2, 0)\nwithin: 0.05\n```\n";
  };
  warned(asked("0, 1"), "a.md:11: The answer \"weight(2, 0)\" is where the slider stands at first");
  silent(asked("0, 0.8"));
}

TEST_CASE("the checker warns of wrong choices that say nothing and of sides without a name",
          "[lessons][lesson_check]") {
  warned("## a\n```ask choose\nWhat?\n- one | 0.5\n- two | not two\n* three\n```\n",
         "a.md:10: The wrong choice does not say why it is wrong");
  warned("## a\n" + other_values, "a.md:9: What is held has no title");
  silent("## a\n" + other_values + look("held title: other values"));
  silent("## a\n```held\n{\"scale\": 1.0}\n```\n");  // "not divided" stands above it
}

TEST_CASE("warnings leave a lesson playable, unless they are to count", "[lessons][lesson_check]") {
  const TemporaryDirectory directory;
  written_lesson(directory, lesson("## a\n## b\n" + drag("weight(2, 0)")));
  const test::Outcome lenient = test::run(directory, "lesson check a.md");
  CHECK(lenient.exit_code == 0);
  CHECK(lenient.err.starts_with("warning: a.md:12: The answer"));
  CHECK_THAT(lenient.out, ContainsSubstring("1 lesson can be played."));
  const test::Outcome strict = test::run(directory, "lesson check --strict a.md");
  CHECK(strict.exit_code == 1);
  CHECK_THAT(strict.err, ContainsSubstring("1 warning in 1 lesson, and with --strict none is allowed"));
  written_lesson(directory, lesson("## a\n"));
  CHECK(test::run(directory, "lesson check --strict a.md").exit_code == 0);
}

TEST_CASE("an expression knows whether it is computed from numbers alone", "[lessons][lesson_check]") {
  const auto is_constant = [](std::string_view text) {
    return lessons::Expression::parse(text).is_constant();
  };
  CHECK((is_constant("16") && is_constant("sqrt(256) * pi") && is_constant("max(1, 2) > 1")));
  CHECK((!is_constant("d_k") && !is_constant("16 + 0 * weight(2, 0)") && !is_constant("sqrt(d_k)")));
}

TEST_CASE("lessons on SmolLM2 give nothing away, where it is on this computer", "[lessons][lesson_check]") {
  const auto assets = std::filesystem::path(ATTNSCOPE_ASSETS);
  if (!lessons::find_model("smollm2", assets, assets)) SKIP("tests/models/fetch smollm2 gets the model");
  std::size_t played = 0;
  for (const auto& file : std::filesystem::directory_iterator(assets / "lessons")) {
    if (lessons::read_lesson(file.path()).model != "smollm2") continue;
    check_shipped_lesson(file.path());
    ++played;
  }
  CHECK(played == 4);
}

}  // namespace attnscope::lesson_check_test
