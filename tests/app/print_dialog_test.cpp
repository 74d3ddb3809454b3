// The dialog for pictures in a lesson: the name it proposes for a handout can be saved; worksheets, the
// instructor's pages and quizzes are written from there.
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/files/paths.hpp"
#include "app/files_robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::print_dialog_test {
namespace {

using namespace attnscope::test;
using Catch::Matchers::ContainsSubstring;

void open_lesson(Robot& robot, const TemporaryDirectory& directory) {
  robot.app().lessons().go_to({(assets_directory() / "lessons" / "01-three-tokens.md").native(), 1});
  robot.settle();
  robot.app().view().files->dialog.folder = directory.path();
}

/// Opens the dialog and chooses one of a lesson's prints.
void choose_print(Robot& robot, const std::string& print) {
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.frame(3);
  click(robot, "Picture as: Handout");
  robot.frame(3);
  click(robot, "Handout answers: " + print);
  robot.frame(3);
}

}  // namespace

TEST_CASE("a handout is saved under the name that is proposed for it", "[prints][film]") {
  const TemporaryDirectory directory;
  Robot robot;
  open_lesson(robot, directory);
  choose_print(robot, "Questions open");
  robot.type_number("Picture scale value", "1");
  const std::string name = dialog_of(robot).suggested;
  CHECK(name == "Three tokens by hand - lesson.pdf");
  robot.retype("##name", name);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  INFO(robot.app().message());
  CHECK(bytes_of(directory / name).starts_with("%PDF-"));
}

TEST_CASE("the dialog writes a worksheet, the instructor's pages and a quiz, and the lesson stays",
          "[prints]") {
  const TemporaryDirectory directory;
  Robot robot;
  open_lesson(robot, directory);
  const Document document = robot.app().document();
  struct Kind {
    std::string print, format, name;
    std::string_view begin;
  };
  for (const Kind& kind :
       {Kind{"Worksheet", "", "Three tokens by hand - worksheet.html", "<!DOCTYPE html>"},
        Kind{"Instructor", "", "Three tokens by hand - instructor.html", "<!DOCTYPE html>"},
        Kind{"Quiz", "CSV", "Three tokens by hand - quiz.csv", "id,lesson,"},
        Kind{"Quiz", "GIFT", "Three tokens by hand - quiz.txt", "$CATEGORY: "},
        Kind{"Quiz", "QTI", "Three tokens by hand - quiz.zip", "PK\3\4"}}) {
    INFO(kind.name);
    choose_print(robot, kind.print);
    if (!kind.format.empty()) {
      click(robot, "Quiz format: " + kind.format);
      robot.frame(3);
    }
    CHECK(dialog_of(robot).suggested == kind.name);
    CHECK(dialog_of(robot).name == kind.name);
    name_it(robot, kind.name);
    INFO(robot.app().message());
    CHECK(robot.app().message().starts_with("Saved"));
    CHECK(bytes_of(directory / kind.name).starts_with(kind.begin));
    CHECK(robot.app().document() == document);
  }
  CHECK_THAT(bytes_of(directory / "Three tokens by hand - worksheet.html"), ContainsSubstring("sheet 0"));
}

TEST_CASE("a print asks before it replaces a file, keeps its ending, and has the chosen sheet's numbers",
          "[prints]") {
  const TemporaryDirectory directory;
  Robot robot;
  open_lesson(robot, directory);
  directory.write("mine.json.html", "mine");
  choose_print(robot, "Worksheet");
  robot.type_number("Sheet value", "12");
  robot.retype("##name", "mine.json");
  robot.key(ImGuiKey_Enter);
  robot.settle();
  REQUIRE(robot.has("Replace"));
  CHECK(bytes_of(directory / "mine.json.html") == "mine");
  click(robot, "Replace");
  robot.settle();
  CHECK_THAT(bytes_of(directory / "mine.json.html"), ContainsSubstring("sheet 12"));
}

}  // namespace attnscope::print_dialog_test
