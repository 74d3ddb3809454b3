// The files of courses: what is read, which errors name which line, and that the program's own can be read.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/lessons/course.hpp"
#include "app/lessons/lesson.hpp"
#include "app/lessons/library.hpp"
#include "app/state/requests.hpp"
#include "core/base/error.hpp"
#include "support/program.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::course_reader_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;
using test::TemporaryDirectory;

const std::filesystem::path assets = ATTNSCOPE_ASSETS;
const std::string hour(first_course);

const std::string front = "---\ncourse: Short\nabout: A test.\n---\n";
const std::string chapter = "# One\nminutes: 4\npredict: Which?\ndo: Look\nkeep: It looks.\n";

lessons::Course read(const std::string& text) {
  const lessons::FindLesson find = [](const std::string& name) -> const lessons::Lesson& {
    static std::map<std::string, lessons::Lesson> known;
    if (!known.contains(name)) known[name] = lessons::read_lesson(assets / "lessons" / (name + ".md"));
    return known[name];
  };
  return lessons::parse_course(text, "a.md", find);
}

void refused(const std::string& text, const std::string& words) {
  INFO(text);
  CHECK_THROWS_MATCHES(read(text), Error, Catch::Matchers::MessageMatches(ContainsSubstring(words)));
}

}  // namespace

TEST_CASE("a course is read with chapters, stops and the speaker's script", "[lessons][course]") {
  const lessons::Course course = read(
      front + chapter + "picture: 1 0\npicture: 0.5 0.5\n\n## 04-why-divide / Take the division away\n" +
      "Look here. [point: cell 2 3] Which\none? [V] [wait: 20] [R]\n\nThen on.\n## page walk\n" +
      "# Two\nminutes: 6\npredict: P\ndo: D\nkeep: K\n## 24-induction-in-two-layers / What can be known\n");
  CHECK(course.title == "Short");
  REQUIRE(course.chapters.size() == 2);
  CHECK(course.minutes() == 10);
  CHECK(course.chapters[0].picture == std::vector<std::vector<float>>{{1, 0}, {0.5, 0.5}});
  CHECK_FALSE(course.chapters[0].trains);
  CHECK(course.chapters[1].trains);
  REQUIRE(course.stops.size() == 3);
  const lessons::CourseStop& first = course.stops[0];
  CHECK(first.lesson == "04-why-divide");
  CHECK(first.step == 3);
  CHECK(first.lesson_number == 4);
  CHECK(first.asks);
  CHECK(std::ranges::count(first.right, true) == 1);
  REQUIRE(first.script.size() == 2);
  REQUIRE(first.script[0].size() == 6);
  CHECK(first.script[0][1].cue);
  CHECK(first.script[0][1].text == "point: cell 2 3");
  CHECK(first.script[0][2].text == "Which one?");
  CHECK(course.stops[1].page == "walk");
  CHECK(course.stops[1].lesson == "04-why-divide");
  CHECK(course.stop_of("24-induction-in-two-layers", 0) == 2);
  CHECK_FALSE(course.stop_of("24-induction-in-two-layers", 1));
  // Two stops share the four minutes of the first chapter.
  CHECK_THAT(course.begins_at(0), WithinAbs(0, 1e-9));
  CHECK_THAT(course.begins_at(1), WithinAbs(2, 1e-9));
  CHECK_THAT(course.begins_at(2), WithinAbs(4, 1e-9));
  CHECK_THAT(course.begins_at(3), WithinAbs(10, 1e-9));
}

TEST_CASE("a broken course names its line and the reason", "[lessons][course]") {
  const std::string stop = "## 04-why-divide / Every row\n";
  refused("# One\n", "a.md:1: a course begins with a line \"---\"");
  refused("---\nabout: x\n---\n", "a.md:3: the front matter has no \"course: TITLE\".");
  refused("---\ncourse: x\nlesson: y\n---\n", "a.md:3: the front matter has \"lesson\"");
  refused(front, "the course has no chapter");
  refused(front + stop, "a.md:5: a stop stands before the first chapter");
  refused(front + "# One\npredict: x\ndo: y\nkeep: z\n" + stop,
          "a.md:5: the chapter \"One\" has no \"minutes: N\".");
  refused(front + "# One\nminutes: 0\n", "a.md:6: \"minutes\" is \"0\"");
  refused(front + "# One\nwords: 0\n", "a.md:6: a chapter has \"words\"");
  refused(front + chapter, "a.md:5: the chapter \"One\" has no \"## LESSON / STEP\".");
  refused(front + chapter + "picture: 1 2\n" + stop, "a.md:10: \"picture\" has \"2\"");
  refused(front + chapter + "picture: 1 0\npicture: 1\n" + stop,
          "a.md:11: this row of \"picture\" has 1 numbers");
  refused(front + chapter + "## 04-why-divide\n", "a.md:10: \"04-why-divide\" is no stop");
  refused(
      front + chapter + "## 04-why-divide / Every line\n",
      "a.md:10: the lesson \"04-why-divide\" has no step \"Every line\"; its steps are \"A score is a sum\"");
  refused(front + chapter + "## 99-nothing / Every row\n",
          "a.md:10: the lesson \"99-nothing\" cannot be read");
  refused(front + chapter + stop + stop, "a.md:11: the step \"Every row\" stands twice, first in line 10.");
  refused(front + chapter + "## page walk\n", "a.md:10: the page \"walk\" stands before the first step");
  refused(front + chapter + stop + "## page lessons\n", "a.md:11: there is no page \"lessons\"");
  refused(front + chapter + stop + "## page training\n",
          "a.md:11: the page \"training\" is not for the step");
  refused(front + chapter + stop + "## page model\n", "a.md:11: the page \"model\" is not for the lesson");
  refused(front + chapter + stop + "Words.\n[wink]\n",
          "a.md:11: \"[wink]\" is no cue; there are [point: OBJECT]");
  refused(front + chapter + stop + "[point: nose 2]\n", "a.md:11: ");
  refused(front + chapter + stop + "[wait: long]\n", "is no cue");
  refused(front + chapter + stop + "Open [R\n", "a cue is not closed");
  refused(front + chapter + stop + "[R]\n", "a.md:11: [R] reveals nothing here: the step asks nothing.");
  refused(front + chapter + "## 04-why-divide / More products, wider sums\n[V]\n",
          "[V] counts nothing here: the step has no choices.");
}

TEST_CASE("the courses of the program can be read, and say the same in every language", "[lessons][course]") {
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(assets / "courses")) {
    INFO(file.path());
    const lessons::Course course = lessons::read_course(file.path(), assets / "lessons");
    ++count;
    for (const lessons::CourseStop& stop : course.stops) CHECK_FALSE(stop.script.empty());
    if (!file.path().stem().has_extension()) continue;
    const lessons::Course original =
        lessons::read_course(assets / "courses" / (course.name + ".md"), assets / "lessons");
    REQUIRE(original.stops.size() == course.stops.size());
    REQUIRE(original.chapters.size() == course.chapters.size());
    for (std::size_t i = 0; i < course.chapters.size(); ++i) {
      CHECK(course.chapters[i].title != original.chapters[i].title);
      CHECK(course.chapters[i].minutes == original.chapters[i].minutes);
      CHECK(course.chapters[i].picture == original.chapters[i].picture);
    }
    for (std::size_t i = 0; i < course.stops.size(); ++i) {
      INFO("stop " << i + 1);
      const lessons::CourseStop &mine = course.stops[i], &theirs = original.stops[i];
      CHECK(std::tuple(mine.lesson, mine.step, mine.page, mine.chapter) ==
            std::tuple(theirs.lesson, theirs.step, theirs.page, theirs.chapter));
      std::vector<std::string> cues, cues_there;  // words of other cues are translated
      for (const auto& [stop, all] : {std::pair(&mine, &cues), {&theirs, &cues_there}})
        for (const lessons::ScriptParagraph& paragraph : stop->script)
          for (const lessons::ScriptPiece& piece : paragraph)
            if (piece.cue) all->push_back(piece.text.starts_with("do:") ? "do" : piece.text);
      CHECK(cues == cues_there);
    }
  }
  CHECK(count == 2);
}

TEST_CASE("lessons say which lessons they build on, the same in every language", "[lessons][course]") {
  lessons::LessonLibrary library(assets, {});
  library.follow("", "en");
  const std::vector<lessons::LessonEntry> english = *library.shown_lessons().entries;
  for (const lessons::LessonEntry& entry : english) {
    INFO(entry.name);
    for (const std::int64_t number : entry.after) {
      CHECK(number != entry.number);
      CHECK(std::ranges::count(english, number, &lessons::LessonEntry::number) == 1);
    }
  }
  library.follow("", "de");
  REQUIRE(library.shown_lessons().entries->size() == english.size());
  for (std::size_t i = 0; i < english.size(); ++i) {
    INFO(english[i].name);
    CHECK((*library.shown_lessons().entries)[i].after == english[i].after);
  }
}

TEST_CASE("the command line checks a course", "[lessons][course][cli]") {
  const TemporaryDirectory directory;
  const test::Outcome good =
      test::run(directory, "lesson check '" + (assets / "courses" / (hour + ".md")).native() + "'");
  CHECK_THAT(good.out, ContainsSubstring(hour + ".md: a course of 7 chapters, "));
  directory.write("bad.md", front + chapter + "## 04-why-divide / Nothing\n");
  const test::Outcome bad = test::run(directory, "lesson check '" + (directory / "bad.md").native() + "'");
  CHECK_THAT(bad.err, ContainsSubstring("bad.md:10: the lesson \"04-why-divide\" has no step \"Nothing\""));
  CHECK(bad.exit_code != 0);
}

}  // namespace attnscope::course_reader_test
