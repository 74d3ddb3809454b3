// A lesson on paper: its worksheet has numbers of its own for every seed, which are right, no answer before
// the key, and room to write; the instructor's pages have goal, plan, board, questions and misconceptions.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/exports/prints/instructor.hpp"
#include "app/exports/prints/quiz.hpp"
#include "app/exports/prints/worksheet.hpp"
#include "app/files/paths.hpp"
#include "app/lesson_files.hpp"
#include "core/base/error.hpp"

namespace attnscope::lesson_print_test {
namespace {

using namespace prints;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

/// Row 2 has scores 2, 1, 1: its weights are .5035, .2483, .2483.
std::string lesson(const std::string& steps) {
  return "---\nlesson: Rows & columns\nminutes: 4\nabout: What a row is.\n---\n```start\n"
         R"x({"given": {"tokens": [["a", "<b>", "c"]], "query": [[[[1, 0], [0, 1], [1, 1]]]], )x"
         R"x("key": [[[[1, 1], [0, 1], [1, 0]]]], "value": [[[[2, 1], [1, 3], [0, 2]]]]}, )x"
         R"x("scale": "1/sqrt(d_k)", "temperature": 1.0, "mask": {"causal": false, "padding": false}})x"
         "\n```\n# First\n" +
         steps;
}
const std::string steps =
    "## Choose\n```ask choose\nWhich key gets most?\n* the first\n- the second | Its score is 1.\n- the "
    "third | No, "
    "{score(2, 2):d}.\nanswer: It gets {weight(2, 0):.4f}.\n```\n```notes\nAsk about row {1 + 1:d}.\n```\n"
    "## Drag\n```ask drag\nHow much?\nrange: 0, 1\nanswer: weight(2, 0)\nwithin: 0.05\nsaid: More than "
    "half.\n```\n"
    "# Second\n## Sketch\n```set\n{\"mask\": {\"causal\": true}}\n```\n```ask sketch\nDraw it.\nrow: 0, "
    "2\nwithin: "
    "0.25\nanswer: So it is.\n```\n## Think\n```ask think\nWhy?\nanswer: Therefore.\n```\n"
    "## Do\nWords.\n```done\ntemperature < 1\nMake it sharper.\nby: {\"temperature\": 0.5}\n```\n";

PrintedLesson printed(const std::string& text, std::int64_t seed = 0, const char* language = "en") {
  const test::TemporaryDirectory directory;
  return printed_lesson({test::written_lesson(directory, text), language, seed});
}
PrintWords in_english() { return {{}, "en"}; }

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
  return times;
}

/// Attention in float64, written down once more.
void check_exercise(const Exercise& exercise) {
  constexpr std::int64_t n = Exercise::tokens, d_k = Exercise::d_k, d_v = Exercise::d_v;
  const auto at = [](std::int64_t i, std::int64_t j, std::int64_t width) {
    return static_cast<std::size_t>(i * width + j);
  };
  for (const ExercisePart& part : exercise.parts)
    for (std::int64_t i = 0; i < n; ++i) {
      std::vector<double> weights;
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        double score = 0;
        for (std::int64_t d = 0; d < d_k; ++d)
          score += exercise.query[at(i, d, d_k)] * exercise.key[at(j, d, d_k)];
        CHECK(exercise.scores[at(i, j, n)] == score);
        const double scaled = part.setting.divided ? score / 2 : score;
        CHECK(std::abs(part.scaled[at(i, j, n)] - scaled) < 1e-6);
        const bool is_hidden = part.setting.causal && j > i;
        weights.push_back(is_hidden ? 0 : std::exp(scaled / part.setting.temperature));
        sum += weights.back();
      }
      for (std::int64_t j = 0; j < n; ++j)
        CHECK(std::abs(part.weights[at(i, j, n)] - weights[static_cast<std::size_t>(j)] / sum) < 1e-6);
      for (std::int64_t d = 0; d < d_v; ++d) {
        double mixed = 0;
        for (std::int64_t j = 0; j < n; ++j)
          mixed += weights[static_cast<std::size_t>(j)] / sum * exercise.value[at(j, d, d_v)];
        CHECK(std::abs(part.mixed[at(i, d, d_v)] - mixed) < 1e-5);
      }
    }
}

}  // namespace

TEST_CASE("a worksheet's numbers are others for every seed, small, and right", "[prints]") {
  const std::vector<ExerciseSetting> settings{{true, false, 1}, {false, false, 1}, {true, true, 0.5}};
  std::set<std::vector<int>> queries;
  for (std::int64_t seed = 0; seed < 40; ++seed) {
    const Exercise exercise = make_exercise("01-three-tokens", seed, settings);
    INFO(seed);
    REQUIRE(exercise.parts.size() == 3);
    check_exercise(exercise);
    CHECK(std::ranges::all_of(exercise.scores, [](double score) { return std::abs(score) <= 6; }));
    CHECK(exercise.row(exercise.value, 2) ==
          std::vector<int>(exercise.value.begin() + 4, exercise.value.end()));
    queries.insert(exercise.query);
    CHECK(make_exercise("01-three-tokens", seed, settings).query == exercise.query);
  }
  CHECK(queries.size() == 40);
  CHECK(make_exercise("another", 0, settings).query != make_exercise("01-three-tokens", 0, settings).query);
  CHECK(make_exercise("01-three-tokens", 0, {}).parts.empty());
}

TEST_CASE("a printed lesson has the numbers that the checker computes", "[prints]") {
  const PrintedLesson of = printed(lesson(steps));
  CHECK(of.title == "Rows & columns");
  CHECK(of.minutes == 4);
  REQUIRE(of.steps.size() == 5);
  CHECK(of.steps[0].notes.starts_with("Ask about row 2."));
  const Words english_words;
  const ToldQuestion& choose = of.steps[0].question->asked;
  CHECK(plain_prose(choose.answer, english_words) == "It gets 0.5035.");
  const auto right = std::ranges::find(choose.choices, true, &ToldChoice::right);
  REQUIRE(right != choose.choices.end());
  CHECK(plain_prose(right->words, english_words) == "the first");
  REQUIRE(of.steps[1].question->asked.drag->answer);
  CHECK(std::abs(*of.steps[1].question->asked.drag->answer - 0.5035) < 1e-4);
  const auto& row = of.steps[2].question->row;
  REQUIRE(row);
  CHECK(row->query == "c");
  CHECK(row->keys == std::vector<std::string>{"a", "<b>", "c"});
  CHECK(std::abs(row->weights[0] - 0.5035) < 1e-4);
  CHECK(of.steps[4].task == "Make it sharper.");
  // Its settings are those of its steps, each once.
  REQUIRE(of.exercise.parts.size() == 2);
  CHECK_FALSE(of.exercise.parts[0].setting.causal);
  CHECK(of.exercise.parts[1].setting.causal);
  check_exercise(of.exercise);
  REQUIRE(of.board.matrix);
  CHECK(of.board.matrix->weights.size() == 9);
  CHECK(of.board.shapes->d_k == 2);
}

TEST_CASE("a worksheet has room to write, and no answer before its key", "[prints]") {
  const PrintedLesson of = printed(lesson(steps));
  const std::string html = worksheet(of, in_english(), assets_directory());
  const std::size_t key = html.find("<section class=\"key\">");
  REQUIRE(key != std::string::npos);
  const std::string sheet = html.substr(0, key), answers = html.substr(key);
  INFO(sheet);
  CHECK_THAT(sheet, ContainsSubstring("<h1>Rows &amp; columns</h1>"));
  CHECK_THAT(sheet, ContainsSubstring("Worksheet · sheet 0"));
  // Scores, divided scores, and weights and outputs with two settings.
  CHECK(count(sheet, "class=\"room\"") == 9 + 9 + 2 * (9 + 6));
  CHECK(count(answers, "class=\"room\"") == 0);
  CHECK(count(sheet, "<li><span class=\"box\">") == 3);
  CHECK(count(sheet, "class=\"line\"") == 2 + 1 + 4 + 1);
  CHECK_THAT(sheet, ContainsSubstring("My estimate, between 0 and 1"));
  CHECK_THAT(sheet, ContainsSubstring("the weight that row “c” gives it."));
  CHECK_THAT(sheet, ContainsSubstring("Make it sharper."));
  for (const char* secret : {"It gets", "0.50", "More than half", "Therefore", "class=\"bar\"", "score is 1"})
    CHECK(sheet.find(secret) == std::string::npos);
  for (const char* said : {"It gets", "<b>0.50</b> (± 0.05)", "More than half", "Therefore", "class=\"bar\""})
    CHECK_THAT(answers, ContainsSubstring(said));
  CHECK(count(sheet, "<li><h3>") == count(answers, "<li>"));
  CHECK(html.find("<b></") == std::string::npos);  // the token is a text
  CHECK_THAT(html, ContainsSubstring("&lt;b&gt;"));
  for (const char* outside : {"http:", "https:", "@import", "url(", "{{", "<script"})
    CHECK(html.find(outside) == std::string::npos);
}

TEST_CASE("the same seed gives the same bytes, another one another sheet", "[prints]") {
  const test::TemporaryDirectory directory;
  const std::filesystem::path file = test::written_lesson(directory, lesson(steps));
  const auto all = [&](std::int64_t seed) {
    const PrintedLesson of = printed_lesson({file, "en", seed});
    const std::span<const PrintedLesson> alone(&of, 1);
    return std::vector{
        worksheet(of, in_english(), assets_directory()), quiz_file(QuizFormat::Csv, alone, in_english()),
        quiz_file(QuizFormat::Gift, alone, in_english()), quiz_file(QuizFormat::Qti, alone, in_english())};
  };
  const std::vector<std::string> first = all(7), again = all(7), other = all(8);
  CHECK(first == again);
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(first[i] != other[i]);
  // Over many seeds the right choice is at every place.
  std::set<std::size_t> places;
  for (std::int64_t seed = 0; seed < 12; ++seed) {
    const PrintedLesson of = printed_lesson({file, "en", seed});
    const auto& choices = of.steps[0].question->asked.choices;
    places.insert(
        static_cast<std::size_t>(std::ranges::find(choices, true, &ToldChoice::right) - choices.begin()));
  }
  CHECK(places.size() == 3);
}

TEST_CASE("a quiz has the lesson's questions and those of its exercise", "[prints]") {
  const PrintedLesson of = printed(lesson(steps));
  const std::vector<QuizPart> parts = quiz_parts({&of, 1}, in_english());
  REQUIRE(parts.size() == 1);
  const std::vector<QuizItem>& items = parts[0].items;
  // Four questions; a score, and a weight and an output with each of two settings.
  REQUIRE(items.size() == 4 + 1 + 2 * 2);
  CHECK(items[0].kind == QuizItem::Kind::Choice);
  CHECK(items[1].kind == QuizItem::Kind::Number);
  CHECK(items[2].kind == QuizItem::Kind::Essay);
  const Words english_words;
  CHECK_THAT(
      plain_prose(items[4].words, english_words),
      ContainsSubstring("The scores are divided by √dₖ = 2. No key is hidden. What is the score of the "
                        "query of “b” with the key of “c”?"));
  CHECK(items[4].number == of.exercise.scores[5]);
  CHECK(items[4].tolerance == 0);
  CHECK(items[5].number == of.exercise.parts[0].weights[6]);
  CHECK(items[8].number == of.exercise.parts[1].mixed[4]);
  CHECK_THAT(plain_prose(items[8].words, english_words), ContainsSubstring("A query sees no later key."));
  std::set<std::string> ids;
  for (const QuizItem& item : items) ids.insert(item.id);
  CHECK(ids.size() == items.size());
}

TEST_CASE("the instructor's pages have goal, plan, board, questions, misconceptions and notes", "[prints]") {
  const PrintedLesson of = printed(lesson(steps));
  const std::vector<PrintedLesson> two{of, of};
  const std::string html = instructor_pages(two, in_english(), assets_directory());
  INFO(html);
  CHECK(count(html, "<section class=\"lesson\">") == 2);
  for (const char* said :
       {"What a row is.", "4 minutes", "5 steps", "Nothing but the program.", "from 0:00", "from 1:30",
        "<b>the first</b>", "Its score is 1.", "Ask about row 2.", "3 × 2 · 3 × 2"})
    CHECK_THAT(html, ContainsSubstring(said));
  CHECK(count(html, "<svg") >= 4);  // a chain and a matrix each
  for (const char* outside : {"http:", "https:", "url(", "{{", "<script"})
    CHECK(html.find(outside) == std::string::npos);
}

TEST_CASE("prints speak the language that is asked for, and mark a lesson's English words", "[prints]") {
  PrintWords german;
  german.language = "de";
  german.words.speak(load_table(assets_directory(), "de"));
  const std::filesystem::path lessons = assets_directory() / "lessons";
  const PrintedLesson translated = printed_lesson({lessons / "01-three-tokens.de.md", "de", 1});
  CHECK(translated.language == "de");
  const std::string sheet = worksheet(translated, german, assets_directory());
  CHECK_THAT(sheet, ContainsSubstring("<html lang=\"de\">"));
  CHECK_THAT(sheet, ContainsSubstring("Arbeitsblatt · Blatt 1"));
  CHECK_THAT(sheet, ContainsSubstring("<h1>Drei Tokens von Hand</h1>"));
  const PrintedLesson english_one = printed_lesson({lessons / "01-three-tokens.md", "en", 1});
  CHECK(english_one.exercise.query == translated.exercise.query);
  CHECK(english_one.exercise.parts.size() == translated.exercise.parts.size());
  const PrintedLesson untranslated = printed_lesson({lessons / "06-five-wrong-masks.md", "de", 1});
  CHECK(untranslated.language == "en");
  CHECK_THAT(worksheet(untranslated, german, assets_directory()), ContainsSubstring("<h1 lang=\"en\">"));
}

TEST_CASE("a lesson that cannot be played is refused with file and line, one without its model by name",
          "[prints]") {
  CHECK_THROWS_MATCHES(printed(lesson("## A\n{weight(2, 9):.2f}\n")), Error,
                       MessageMatches(ContainsSubstring("a.md:") && ContainsSubstring("weight(2, 9)")));
  CHECK_THROWS_MATCHES(printed("---\nlesson: x\nmodel: ./nowhere\n---\n## A\nWords.\n"), Error,
                       MessageMatches(ContainsSubstring("a.md: its model is not on this computer")));
  CHECK_THROWS_AS(printed_lesson({"/nowhere/a.md", "en", 0}), Error);
}

TEST_CASE("printing a lesson can be stopped", "[prints]") {
  const test::TemporaryDirectory directory;
  const std::filesystem::path file = test::written_lesson(directory, lesson(steps));
  std::stop_source source;
  int played = 0;
  CHECK_THROWS_AS(printed_lesson({file, "en", 0}, source.get_token(),
                                 [&](double) {
                                   ++played;
                                   source.request_stop();
                                 }),
                  Cancelled);
  CHECK(played == 1);
}

TEST_CASE("printing a lesson that trains is stopped while it trains", "[prints]") {
  const test::TemporaryDirectory directory;
  const std::filesystem::path file = test::written_lesson(
      directory, "---\nlesson: x\ntraining: two-jobs\n---\n## A\n```train\nsteps: 300\n```\nWords.\n");
  std::stop_source source;
  source.request_stop();
  int played = 0;
  CHECK_THROWS_AS(printed_lesson({file, "en", 0}, source.get_token(), [&](double) { ++played; }), Cancelled);
  CHECK(played == 0);
  const PrintedLesson of = printed_lesson({file, "en", 0});
  CHECK(of.trains);
  CHECK(of.exercise.parts.empty());
  CHECK(worksheet(of, in_english(), assets_directory()).find("class=\"grid\"") == std::string::npos);
}

}  // namespace attnscope::lesson_print_test
