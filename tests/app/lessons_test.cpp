// Lessons as text: expressions, prose, steps and their errors, and the checker against numbers that are
// computed by hand.
#include <cmath>
#include <map>
#include <string>

#include <Eigen/Core>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "app/lesson_files.hpp"
#include "app/lessons/lesson_numbers.hpp"
#include "core/base/error.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/document/open.hpp"
#include "core/text/utf8.hpp"
#include "support/program.hpp"

namespace attnscope::lessons_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using lessons::Expression;
using test::TemporaryDirectory;
using test::written_lesson;

double value(std::string_view text, const std::map<std::string, double, std::less<>>& names = {}) {
  return Expression::parse(text).evaluate([&](std::string_view name, std::span<const double> arguments) {
    double sum = names.at(std::string(name));
    for (const double x : arguments) sum = 10 * sum + x;
    return sum;
  });
}

/// Three tokens whose rows of weights are known: Q = (1,0; 0,1; 1,1), K = (1,1; 0,1; 1,0).
const std::string three_tokens = R"x({
  "given": {"tokens": [["a", "b", "c"]], "query": [[[[1, 0], [0, 1], [1, 1]]]],
            "key": [[[[1, 1], [0, 1], [1, 0]]]], "value": [[[[2, 1], [1, 3], [0, 2]]]]},
  "scale": "1/sqrt(d_k)", "temperature": 1.0, "mask": {"causal": false, "padding": false}})x";

std::string lesson(const std::string& steps) {
  return "---\nlesson: Three tokens\nnumber: 1\nminutes: 5\n---\n```start\n" + three_tokens + "\n```\n" +
         steps;
}

}  // namespace

TEST_CASE("expressions are computed with the usual precedence", "[lessons]") {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3") == 9);
  CHECK(value("2 ^ 3 ^ 2") == 512);
  CHECK(value("-2 ^ 2") == -4);
  CHECK(value("2 ^ -1") == 0.5);
  CHECK(value("8 / 4 / 2") == 1);
  CHECK(value("7 − 2 − 1") == 4);
  CHECK(value("3 · 2 × 2") == 12);
  CHECK(value("1e-3 * 1000") == 1);
  CHECK(std::abs(value("sqrt(2) * sqrt(2) - 2")) < 1e-15);
  CHECK(value("ln(exp(1.5))") == 1.5);
  CHECK(value("max(2, 3) - min(2, 3)") == 1);
  for (const char* const is : {"1 < 2 and not 2 < 1", "1 > 2 or 3 >= 3", "0 or 1", "1 or 0", "not (0 / 0)"})
    CHECK(value(is) == 1);
  for (const char* const is : {"2 != 2", "1 and 0", "0 and 1", "0 / 0 or 0"}) CHECK(value(is) == 0);
  CHECK(value("notes + orders * android", {{"notes", 2}, {"orders", 3}, {"android", 4}}) == 14);
  CHECK(value("weight(2, 4)", {{"weight", 1}}) == 124);
  CHECK(value("held.weight(1)", {{"held.weight", 3}}) == 31);
  CHECK(value("d_k / 2", {{"d_k", 64}}) == 32);
  CHECK(Expression::parse("entropy(2) < ln(allowed(2)) * x").names().size() == 3);
}

TEST_CASE("an expression that cannot be read says where", "[lessons]") {
  const auto refused = [](std::string_view text, const std::string& words) {
    CHECK_THROWS_WITH(Expression::parse(text), ContainsSubstring(words));
  };
  refused("1 +", "its end was found at character 4 where a number or a name was expected");
  refused("(1", "\")\" was expected");
  refused("1 2", "\"2\" was found at character 3 where an operator or the end was expected");
  refused("sqrt(1, 2)", "sqrt has 2 arguments; it takes 1");
  refused("and", "a number or a name");
  refused("", "a number or a name");
  // As variables: GCC 12 warns of temporaries of that length, without cause.
  const std::string open(1000, '('), signs(1000, '-');
  refused(open, "nested more than 64 deep");
  refused(signs + "1", "nested more than 64 deep");
}

TEST_CASE("an expression of more parts than a person writes is refused", "[lessons]") {
  const auto chain = [](std::string_view first, std::string_view next, int parts) {
    std::string text(first);
    for (int i = 1; i < parts; i += 2) text += next;
    return text;
  };
  const std::string words = "at most 1000 were expected";
  const auto refused = [&](const std::string& text) {
    CHECK_THROWS_WITH(Expression::parse(text), ContainsSubstring(words));
  };
  CHECK(value(chain("1", " + 1", 999)) == 500);
  CHECK(value("-" + chain("1", "+1", 999)) == 498);
  refused(chain("1", "+1", 1001));
  refused(chain("1", "*1", 1001));
  refused(chain("1", " and 1", 1001));
  refused(chain("1", " or x", 1001));
  refused(chain("f(1", ", -1", 1001) + ")");
  CHECK_THROWS_WITH(Expression::parse(chain("1", "+1", 1'000'001)),
                    ContainsSubstring("\"1+1+") &&
                        ContainsSubstring("more than 1000 numbers, names and operators") &&
                        ContainsSubstring("up to character 1001 ") && ContainsSubstring(words));
}

TEST_CASE("words in quotes belong to the name that is looked up", "[lessons]") {
  CHECK(value("length(\"residual\", 2)", {{"length \"residual\"", 1}}) == 12);
  CHECK(value("share(\"a b\", \"c\", 1, 2) / 2", {{"share \"a b\" \"c\"", 0}}) == 6);
  CHECK(value("rank(\" Mary\")", {{"rank \" Mary\"", 3}}) == 3);
  const std::string name = Expression::parse("share(\"one\", \" two\", 3)").names().at(0).name;
  const lessons::NameParts parts = lessons::name_parts(name);
  CHECK(parts.name == "share");
  CHECK(parts.words == std::vector<std::string_view>{"one", " two"});
  CHECK(lessons::name_parts("entropy").words.empty());
  CHECK_THROWS_WITH(Expression::parse("rank(1, \"a\")"), ContainsSubstring("words in quotes come first"));
  CHECK_THROWS_WITH(Expression::parse("rank(\"a)"), ContainsSubstring("its end was found"));
}

TEST_CASE("numbers are written as their style says", "[lessons]") {
  using lessons::parse_number_style;
  using lessons::written;
  CHECK(written(0.45678, parse_number_style(".2f")) == "0.46");
  CHECK(written(-1.5, parse_number_style(".1f")) == "−1.5");
  CHECK(written(63.7, parse_number_style("d")) == "64");
  CHECK(written(0.457, parse_number_style("%")) == "46 %");
  CHECK(written(1234.5, parse_number_style(".3g")) == "1.23e3");
  CHECK(written(-7.1e-6, parse_number_style(".2g")) == "−7.1e−6");
  CHECK(written(0.00447, parse_number_style(".3g")) == "0.00447");
  CHECK(written(std::nan(""), {}) == "n/a");
  CHECK_THROWS_WITH(parse_number_style(".12f"), ContainsSubstring("cannot be written as \".12f\""));
}

TEST_CASE("prose has strong words, formulas, numbers and words that stand for objects", "[lessons]") {
  const lessons::Prose prose =
      lessons::parse_prose("The [query **sat**](query 2) gives {weight(2, 4):.2f} \\{so\\}, $e^x$.");
  using Kind = lessons::Piece::Kind;
  REQUIRE(prose.size() == 9);
  CHECK(prose[0].text == "The ");
  CHECK((prose[1].anchor == lessons::Anchor{lessons::Anchor::Kind::Query, {2}, {}} &&
         prose[1].text == "query "));
  CHECK((prose[2].kind == Kind::Strong && prose[2].anchor == prose[1].anchor));
  CHECK((prose[4].kind == Kind::Number && prose[4].number && prose[4].style.places == 2));
  CHECK(prose[5].text == " {so}, ");
  CHECK((prose[6].kind == Kind::Formula && prose[6].text == "e" && prose[6].level == 0));
  CHECK((prose[7].kind == Kind::Formula && prose[7].text == "x" && prose[7].level == 1));
  const lessons::Prose root = lessons::parse_prose("$√{d_k:d} = x_{ij}^{2:d}$");
  REQUIRE(root.size() == 5);
  CHECK((root[1].kind == Kind::Number && root[1].text == "d_k" && root[1].level == 0));
  CHECK((root[3].text == "ij" && root[3].level == -1));
  CHECK((root[4].kind == Kind::Number && root[4].level == 1));
  CHECK_THROWS_WITH(lessons::parse_prose("a **b"), ContainsSubstring("not closed with \"**\""));
  CHECK_THROWS_WITH(lessons::parse_prose("[a](planet 2)"),
                    ContainsSubstring("there are query, key, value, cell"));
  CHECK_THROWS_WITH(lessons::parse_prose("[a] b"), ContainsSubstring("stands no object"));
  CHECK_THROWS_WITH(lessons::parse_prose("[a](cell 2)"), ContainsSubstring("needs 2 numbers behind it"));
  CHECK_THROWS_WITH(lessons::parse_prose("{1 +}"), ContainsSubstring("its end was found"));
  // A message never cuts a character in two.
  for (const char* text : {"{exp(2en Score von −∞ und mehr", "$x^{−−−−−−−−−−−−−$", "{1 ≥≥≥≥≥≥≥≥≥≥≥}"}) {
    CAPTURE(text);
    try {
      lessons::parse_prose(text);
      FAIL("read");
    } catch (const Error& error) {
      CHECK(is_valid_utf8(error.what()));
    }
  }
}

TEST_CASE("a lesson is read with chapters, steps, questions and code", "[lessons]") {
  const lessons::Lesson made = lessons::parse_lesson(lesson(R"(# One
## First
Words of
one paragraph.

- an item
- another

```look
stage: weights
head: 0
cell: 2, 1
show: scaling, causal
```
```notes
Ask the class.
```
# Two
## Second
```set
{"scale": 1.0}
```
```ask choose
How large?
- small
* **large**
answer: Because.
```
```done
largest(2) > 0.5
Make it larger than one half.
```
```numpy
S = Q @ K.T  -> (3, 3), σ {spread_of_scores():.2f}
A = softmax(S)
```
)"),
                                                     "a.md");
  CHECK(made.title == "Three tokens");
  CHECK(made.chapters == std::vector<std::string>{"One", "Two"});
  REQUIRE(made.steps.size() == 2);
  const lessons::Step &first = made.steps[0], &second = made.steps[1];
  REQUIRE(first.paragraphs.size() == 3);
  CHECK(first.paragraphs[0].prose[0].text == "Words of one paragraph.");
  CHECK((first.paragraphs[1].item && first.paragraphs[2].item));
  CHECK((first.head == 0 && first.query == 2 && first.key == 1 && first.stage == "weights"));
  CHECK(first.shown == std::vector<std::string>{"scaling", "causal"});
  CHECK(first.notes == "Ask the class.\n");
  CHECK(second.chapter == 1);
  const auto& choose = std::get<lessons::ChooseQuestion>(second.question->kind);
  CHECK((choose.choices.size() == 2 && choose.choices[1].right && !choose.choices[0].right));
  CHECK(second.done_words == "Make it larger than one half.");
  REQUIRE(second.numpy.size() == 2);
  CHECK((second.numpy[0].code == "S = Q @ K.T" && second.numpy[0].result &&
         second.numpy[0].note[0].text == "(3, 3), σ "));
  CHECK(second.numpy[1].code == "A = softmax(S)");
}

TEST_CASE("a broken lesson names its line and the reason", "[lessons]") {
  const auto refused = test::refused_lesson;
  refused("", "a.md:1: a lesson begins with a line \"---\"");
  refused("---\nlesson: x\n", "not closed with \"---\"");
  refused("---\ncolour: red\n---\n", "a.md:2: the front matter has \"colour\"");
  refused("---\nlesson: x\n---\n", "the lesson has no step");
  refused("---\nlesson: x\n---\nwords\n", "a.md:4: prose stands before the first step");
  refused("---\nlesson: x\n---\n## a\n```set\n{\n \"heads\": ]\n}\n```\n", "a.md:7: \"set\" is no JSON");
  refused("---\nlesson: x\n---\n## a\n```set\n", "a.md:5: \"```set\" is not closed");
  refused("---\nlesson: x\n---\n## a\n```draw\n```\n", "a.md:5: \"```draw\" is no setting");
  refused("---\nlesson: x\n---\n## a\n```ask choose\nWhat?\n- a\n- b\n```\n", "no choice is right");
  refused("---\nlesson: x\n---\n## a\n```ask guess\nWhat?\n```\n", "\"ask guess\" is no question");
  refused("---\nlesson: x\n---\n## a\n```ask drag\nWhat?\nrange: 1, 0\nanswer: 1\nwithin: .1\n```\n",
          "smaller number");
  refused("---\nlesson: x\n---\n## a\n\nb {1 +} c\n", "a.md:6: In the expression \"1 +\"");
  refused("---\nlesson: x\n---\n## a\n```look\ncell: 3\n```\n", "a.md:6: \"cell\" is \"3\"");
  const std::string of_model = "---\nlesson: x\nmodel: smollm2\n---\n## a\n";
  refused(of_model + "```held\n{}\n```\n", "a.md:6: \"held\" is not for lessons on a model");
  refused(of_model + "```look\nhead: 3\n```\n", "expected \"LAYER.HEAD\"");
  refused(of_model + "```look\nshow: heads\n```\n", "of a model there are text, mute");
  refused(of_model + "```look\ncolour: red\n```\n", "\"colour\" is \"red\"; there are pattern");
  refused(of_model + "```ask sketch\nWhat?\nrow: 0, 1\nwithin: .1\n```\n", "not for lessons on a model");
  refused("---\nlesson: x\n---\n## a\n```look\nhead: 3.1\n```\n", "expected a number");
  refused("---\nlesson: x\n---\n## a\n```look\nplot: pruning\n```\n", "of a model, pruning");
  refused("---\nlesson: x\n---\n## \xff\n", "a.md:4: the text is not valid UTF-8");
  refused("---\nlesson: x\n---\n## a\x1b\n", "a.md:4: a control character (\"\\u{1b}\") stands in the text");
}

TEST_CASE("numbers of a lesson are those of the computation", "[lessons]") {
  const lessons::Lesson made =
      lessons::parse_lesson(lesson("## a\n```held\n{\"scale\": 1.0}\n```\nx\n"), "a.md");
  const auto documents = lessons::documents_of(made, "a.md");
  Pipeline a(make_cpu_backend(1)), b(make_cpu_backend(1));
  const ResultPtr shown = a.run(documents[0].shown), held = b.run(*documents[0].held);
  const lessons::LookUp look_up = lessons::look_up_in({shown->layer(), &held->layer()});
  const auto number = [&](std::string_view text) { return Expression::parse(text).evaluate(look_up); };
  // By hand: row 2 has scores 2, 1, 1; divided by √2 their weights are .5035, .2483, .2483.
  CHECK(number("score(2, 0)") == 2);
  CHECK(std::abs(number("scaled(2, 0)") - 2 / std::sqrt(2)) < 1e-6);
  CHECK(std::abs(number("weight(2, 0)") - 0.5035) < 5e-5);
  CHECK(std::abs(number("weight(2, 1, 0)") - 0.2483) < 5e-5);
  CHECK(std::abs(number("held.weight(2, 0)") - std::exp(1) / (std::exp(1) + 2)) < 1e-6);
  const double p = 0.50349, q = 0.248255;
  CHECK(std::abs(number("entropy(2)") + p * std::log(p) + 2 * q * std::log(q)) < 1e-4);
  CHECK((number("tokens") == 3 && number("keys") == 3 && number("d_k") == 2 && number("heads") == 1));
  CHECK((number("divided") == 1 && number("held.divided") == 0 && number("causal") == 0));
  CHECK((number("strongest(2)") == 0 && number("allowed(2)") == 3));
  // Scores 1 0 1 · 1 1 0 · 2 1 1.
  CHECK(std::abs(number("spread_of_scores()") - std::sqrt(10.0 / 9 - 64.0 / 81)) < 1e-6);
  CHECK_THROWS_WITH(number("weight(3, 0)"),
                    ContainsSubstring("asked for query 3; there are 3, counted from 0"));
  CHECK_THROWS_WITH(number("weight(1)"), ContainsSubstring("expected 2, and a head behind them"));
  CHECK_THROWS_WITH(number("colour"), ContainsSubstring("no number of what is shown"));
}

TEST_CASE("the checker finds what is wrong in each step, and the command line says it", "[lessons]") {
  const TemporaryDirectory directory;
  const auto good =
      lessons::check_lesson(written_lesson(directory, lesson("## a\nWeight {weight(2, 0):.2f}.\n")));
  CHECK((good.problems.empty() && good.warnings.empty()));
  CHECK(test::run(directory, "lesson check a.md").exit_code == 0);
  const auto file = written_lesson(directory, lesson(R"(## a
Weight {weight(2, 7):.2f}.
## b
```set
{"heads": 3.5}
```
## c
)"));
  CHECK_THAT(fmt::format("{}", fmt::join(lessons::check_lesson(file).problems, "\n")),
             ContainsSubstring("a.md:16:"));
  written_lesson(
      directory,
      lesson("## a\nWeight {weight(2, 7):.2f} and {colour}.\n```look\nhead: 4\ncell: 5, 5\n```\n"));
  const auto problems = lessons::check_lesson(directory / "a.md").problems;
  REQUIRE(problems.size() == 4);
  CHECK_THAT(problems[0], ContainsSubstring("\"head\" is 4; the step has 1 head,"));
  CHECK_THAT(problems[2], ContainsSubstring("asked for key 7"));
  const test::Outcome outcome = test::run(directory, "lesson check a.md");
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("no number of what is shown"));
  CHECK(test::run(directory, "lesson new -o new.md").exit_code == 0);
  const lessons::CheckedLesson made = lessons::check_lesson(directory / "new.md");
  CHECK((made.problems.empty() && made.warnings.empty()));
  CHECK_THAT(test::run(directory, "lesson names").out, ContainsSubstring("weight(query, key)"));
}

TEST_CASE("numbers of a block are those of its tensors", "[lessons]") {
  const Document document =
      document_from_json(R"({"attnscope": 1, "text": ["a b c"], "d_model": 16, "heads": 2,
      "weights": "random", "seed": 3, "block": {"kind": "pre-norm"}, "mask": {"causal": true}})",
                         "a block");
  Document other = document;
  other.layer().weights.seed = 4;
  Pipeline a(make_cpu_backend(1)), b(make_cpu_backend(1));
  const ResultPtr shown = a.run(document), held = b.run(other);
  const LayerResult& layer = shown->layer();
  const lessons::LookUp look_up = lessons::look_up_in({layer, &held->layer()});
  const auto number = [&](std::string_view text) { return Expression::parse(text).evaluate(look_up); };
  const auto row = [](const LayerResult& of, Stage stage, std::int64_t at) {
    return Eigen::VectorXd(of.trace[stage]->matrix(0).row(at).cast<double>().transpose());
  };
  const auto near = [](double x, double y) { return std::abs(x - y) < 1e-9 * std::max(1.0, std::abs(y)); };
  const Eigen::VectorXd x = row(layer, Stage::Position, 1), y = row(layer, Stage::Output, 1),
                        r = row(layer, Stage::Residual, 1), o = row(layer, Stage::Down, 1),
                        out = row(layer, Stage::BlockOutput, 1);
  CHECK(near(number("length(\"residual\", 1)"), r.norm()));
  CHECK(near(number("mean(\"residual\", 1)"), r.sum() / 16));
  CHECK(near(number("deviation(\"residual\", 1)"),
             std::sqrt(r.squaredNorm() / 16 - std::pow(r.sum() / 16, 2))));
  CHECK(near(number("number(\"output\", 1, 5)"), y[5]));
  CHECK(near(number("positive(\"residual\", 1)"), static_cast<double>((r.array() > 0).count()) / 16));
  CHECK(near(number("share(\"output\", \"residual\", 1)"), y.dot(r) / r.dot(r)));
  CHECK(near(number("dot(\"block-output\", \"position\", 1, 2)"), out.dot(row(layer, Stage::Position, 2))));
  CHECK(near(number("moved(\"block-output\", 1)"), (out - row(held->layer(), Stage::BlockOutput, 1)).norm()));
  CHECK(near(number("output_moved(1)"), (y - row(held->layer(), Stage::Output, 1)).norm()));
  // The block's output is the sum of its three parts.
  CHECK(((x + y + o) - out).norm() < 1e-5 * out.norm());
  CHECK(std::abs(number("share(\"position\", \"block-output\", 1) + share(\"output\", \"block-output\", 1) + "
                        "share(\"mlp-output\", \"block-output\", 1)") -
                 1) < 1e-6);
  const auto z = layer.trace[Stage::Mix]->matrix(0, 1).row(2).cast<double>();
  CHECK(near(number("mixed_length(2, 1)"), z.norm()));
  CHECK(near(number("mixed_moved(2, 1)"),
             (z - held->layer().trace[Stage::Mix]->matrix(0, 1).row(2).cast<double>()).norm()));
  CHECK(std::abs(number("sum(2, 1)") - 1) < 1e-6);
  const auto scaled = layer.trace[Stage::Scale]->matrix(0, 0).row(1).head(2).cast<double>();  // of two keys
  CHECK(near(number("spread(1)"), std::abs(scaled[0] - scaled[1]) / 2));
  CHECK_THROWS_WITH(number("length(\"planet\", 1)"), ContainsSubstring("is no stage; there are"));
  CHECK_THROWS_WITH(number("length(\"weights\", 1)"), ContainsSubstring("holds no vectors"));
  CHECK_THROWS_WITH(number("length(\"residual\", 3)"), ContainsSubstring("has 3 rows"));
  CHECK_THROWS_WITH(number("length(1)"), ContainsSubstring("words in quotes; expected 1"));
  CHECK_THROWS_WITH(number("share(\"mlp-up\", \"residual\", 1)"), ContainsSubstring("cannot be a share"));
}

TEST_CASE("a token is compared with itself where what is held has a cache", "[lessons]") {
  const Document whole =
      document_from_json(R"({"attnscope": 1, "text": ["a b c d"], "d_model": 16, "heads": 2,
      "weights": "random", "seed": 3, "mask": {"causal": true}})",
                         "without a cache");
  Document cached = whole;
  cached.input.cached = 3;
  Pipeline a(make_cpu_backend(1)), b(make_cpu_backend(1));
  const ResultPtr shown = a.run(cached), held = b.run(whole);
  const lessons::LookUp look_up = lessons::look_up_in({shown->layer(), &held->layer()});
  const auto number = [&](std::string_view text) { return Expression::parse(text).evaluate(look_up); };
  CHECK(number("output_moved(0)") < 1e-6);
  CHECK(number("held.output_moved(3)") < 1e-6);
  CHECK_THROWS(number("held.output_moved(0)"));  // a cached token has no query
}

TEST_CASE("the lesson that README.md of the lessons shows can be played", "[lessons]") {
  std::ifstream file(std::filesystem::path(ATTNSCOPE_ASSETS).parent_path() / "app/lessons/README.md");
  std::string line, lesson;
  while (std::getline(file, line) && line != "    ---") {
  }
  for (bool is_first = true; (is_first || std::getline(file, line)) && line.starts_with("    ");
       is_first = false)
    lesson += line.substr(4) + "\n";
  const TemporaryDirectory directory;
  const std::vector<std::string> problems = lessons::check_lesson(written_lesson(directory, lesson)).problems;
  for (const std::string& problem : problems) UNSCOPED_INFO(problem);
  CHECK(problems.empty());
  CHECK(lessons::parse_lesson(lesson, "README").steps.size() == 1);
}

}  // namespace attnscope::lessons_test
