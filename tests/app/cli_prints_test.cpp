// `lesson worksheet`, `instructor` and `quiz` on the command line.
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/files/paths.hpp"
#include "support/program.hpp"

namespace attnscope::cli_prints_test {
namespace {

using namespace test::commands;

std::string ours(const std::string& name) {
  return "'" + (assets_directory() / "lessons" / (name + ".md")).native() + "'";
}

void write(const TemporaryDirectory& directory, const std::string& arguments) {
  INFO(arguments);
  const Outcome outcome = run(directory, "lesson " + arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.starts_with("Written: "));
}

}  // namespace

TEST_CASE("the command line writes a worksheet, whose seed is its number", "[prints][cli]") {
  const TemporaryDirectory directory;
  write(directory, "worksheet " + ours("01-three-tokens") + " -o a.html --seed 7");
  write(directory, "worksheet " + ours("01-three-tokens") + " -o b.html --seed 7");
  write(directory, "worksheet " + ours("01-three-tokens") + " -o c.html --seed 8 --language de");
  const std::string sheet = bytes_of(directory / "a.html");
  CHECK_THAT(sheet, ContainsSubstring("Worksheet · sheet 7"));
  CHECK(sheet == bytes_of(directory / "b.html"));
  CHECK_THAT(bytes_of(directory / "c.html"), ContainsSubstring("Drei Tokens von Hand"));
  CHECK(sheet.size() < 60'000);
  write(directory, "worksheet " + ours("01-three-tokens") + " -o three.html --seed 7 --sheets 3");
  const std::string three = bytes_of(directory / "three.html");
  const std::size_t key = three.find("class=\"key\"");
  REQUIRE(key != std::string::npos);
  for (const char* each : {"Worksheet · sheet 7", "Worksheet · sheet 8", "Worksheet · sheet 9"})
    CHECK(three.find(each) < key);
  for (const char* each : {"Answer key · sheet 7", "Answer key · sheet 8", "Answer key · sheet 9"})
    CHECK_THAT(three.substr(key), ContainsSubstring(each));
  // The first of them is the sheet of that seed alone.
  const std::size_t begin = sheet.find("<section class=\"sheet\">"), end = sheet.find("</section>", begin);
  CHECK_THAT(three, ContainsSubstring(sheet.substr(begin, end - begin)));
}

TEST_CASE("the command line writes a quiz of several lessons in three formats", "[prints][cli]") {
  const TemporaryDirectory directory;
  const std::string lessons = ours("01-three-tokens") + " " + ours("03-softmax-and-temperature");
  for (const char* name : {"quiz.csv", "quiz.txt", "quiz.gift", "quiz.zip"})
    write(directory, "quiz " + lessons + " -o " + name + " --seed 3");
  CHECK_THAT(bytes_of(directory / "quiz.csv"),
             ContainsSubstring("q1-01-three-tokens-1,Three tokens by hand,"));
  CHECK_THAT(bytes_of(directory / "quiz.csv"), ContainsSubstring("q2-03-softmax-and-temperature-1,"));
  const std::string gift = bytes_of(directory / "quiz.gift");
  CHECK(gift.find("$CATEGORY:", gift.find("$CATEGORY:") + 1) != std::string::npos);
  CHECK(bytes_of(directory / "quiz.txt") == gift);
  CHECK(bytes_of(directory / "quiz.zip").starts_with("PK\3\4"));
}

TEST_CASE("the command line writes one page of several lessons for the instructor", "[prints][cli]") {
  const TemporaryDirectory directory;
  write(directory, "instructor " + ours("01-three-tokens") + " " + ours("04-why-divide") + " -o pages.html");
  const std::string html = bytes_of(directory / "pages.html");
  CHECK_THAT(html, ContainsSubstring("1. Three tokens by hand"));
  CHECK_THAT(html, ContainsSubstring("Misconceptions"));
}

TEST_CASE("prints refuse another ending, a lesson that is wrong, and leave what is there", "[prints][cli]") {
  const TemporaryDirectory directory;
  directory.write("a.md",
                  "---\nlesson: x\n---\n```start\n{\"text\": [\"a b\"]}\n```\n## A\n{weight(9, 9):.2f}\n");
  directory.write("there.html", "mine");
  check_refusal(directory, "lesson worksheet a.md -o there.pdf", 1, "a worksheet's name that ends in .html");
  check_refusal(directory, "lesson quiz a.md -o quiz.doc", 1, ".csv, .txt or .gift");
  check_refusal(directory, "lesson instructor a.md -o x.txt", 1, "ends in .html");
  check_refusal(directory, "lesson worksheet a.md -o there.html", 1, "a.md:8: In \"weight(9, 9)\"");
  check_refusal(directory, "lesson worksheet a.md b.md -o there.html", 2, "");
  check_refusal(directory, "lesson worksheet a.md -o there.html --seed -1", 2, "--seed");
  CHECK(bytes_of(directory / "there.html") == "mine");
  check_refusal(directory, "lesson quiz " + ours("01-three-tokens") + " -o /nowhere/quiz.csv", 1, "/nowhere");
  check_refusal(directory, "lesson quiz " + ours("01-three-tokens") + " -o quiz.csv --language xx", 1, "xx");
}

}  // namespace attnscope::cli_prints_test
