// Every text of the comparison of models is in the template of the languages.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/paths.hpp"
#include "app/kit/ui/words.hpp"
#include "app/model_robot.hpp"
#include "robot/layout.hpp"

namespace attnscope::model_compare_words_test {
namespace {

using test::TemporaryDirectory;
using test::type_text;
using test::with_letters;

std::set<std::string> keys_of_template() {
  std::set<std::string> keys;
  std::ifstream file(std::filesystem::path(ATTNSCOPE_ASSETS) / "languages" / "english.txt");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("< ")) keys.insert(line.substr(2));
  return keys;
}

/// The mouse rests on everything.
void look_at_all(Robot& robot) {
  std::set<std::string> seen;
  for (const RecordedItem& item : std::vector<RecordedItem>(robot.items().items())) {
    if (!seen.insert(item.label).second || !robot.has(item.label)) continue;
    robot.move(robot.centre(item.label));
    robot.frame(2);
  }
  robot.leave();
  robot.frame();
}

}  // namespace

TEST_CASE("words: what the comparison of models says can be translated", "[words][compare-models]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "half", 2, 16, DType::BF16);
  Robot robot(with_letters(directory));
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  std::set<std::string> met;
  robot.app().words().watch = [&](std::string_view key, bool) { met.emplace(key); };
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_F4);
  robot.settle();
  look_at_all(robot);
  robot.click("Hold this");
  robot.settle();
  look_at_all(robot);
  for (const char* text : {"ab c dd a", "ab c dddde a", "ab c", "c de a", "eee"}) {
    type_text(robot, text);
    look_at_all(robot);
  }
  type_text(robot, "ab c de a");
  robot.click("layer of held more");
  robot.settle();
  look_at_all(robot);
  robot.click("layer of held less");
  robot.click("layer of held less");
  robot.click("Divide by √dₖ");
  robot.click("Difference: | |");
  robot.click("Compared by: largest");
  robot.settle();
  look_at_all(robot);
  robot.app().files().opening.open(directory / "half");
  robot.settle();
  look_at_all(robot);
  robot.click("Grid: Heads");
  robot.settle();
  look_at_all(robot);

  std::set<std::string> known = keys_of_template();
  REQUIRE(known.size() > 1000);
  known.insert({"H / ln n", "Σ p ln(p / q)", "unembed(norm(x))"});  // formulas, the same in every language
  for (const std::string& key : met) {
    INFO(key);
    CHECK(known.contains(key));
  }
}

TEST_CASE("words: the comparison of models has room, in German, too", "[words][compare-models]") {
  for (const auto& [width, height] : {std::pair{1600, 1000}, {1280, 720}}) {
    const TemporaryDirectory directory;
    Robot robot(with_letters(directory, {.width = width, .height = height}));
    type_text(robot, "ab c de a");
    robot.key(ImGuiKey_F4);
    robot.settle();
    for (const bool is_held : {false, true}) {
      if (is_held) robot.key(ImGuiKey_Backslash);
      if (is_held) type_text(robot, "ab c dddde a");
      for (const std::string& language : {std::string(english), std::string("de")}) {
        robot.app().view().language = language;
        robot.leave();
        robot.settle();
        const std::vector<std::string> found = collisions(texts_of(robot));
        INFO(width << " " << language << " " << is_held << "\n" << fmt::format("{}", fmt::join(found, "\n")));
        CHECK(found.empty());
      }
    }
  }
}

TEST_CASE("words: a held text stands between the marks of the language", "[words][compare-models]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_F4);
  robot.settle();
  robot.click("Hold this");
  robot.settle();
  type_text(robot, "ab c dd a");
  CHECK(shows(robot, "“… de a”"));
  robot.app().view().language = "de";
  robot.leave();
  robot.settle();
  CHECK(shows(robot, "„… de a“"));
  CHECK_FALSE(shows(robot, "“…"));
}

}  // namespace attnscope::model_compare_words_test
