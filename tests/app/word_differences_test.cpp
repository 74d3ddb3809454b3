// Where the two texts of activation patching differ: found word by word, and in sight however long they are.
#include "app/pages/model/atlas/word_differences.hpp"

#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "robot/layout.hpp"

namespace attnscope::word_differences_test {

using namespace attnscope::test;

TEST_CASE("words that differ are found with what stands round them", "[atlas]") {
  const auto one = word_differences("When Mary and John went to the store, John gave a drink to",
                                    "When Mary and John went to the store, Mary gave a drink to");
  REQUIRE(one.size() == 1);
  CHECK(one[0].clean == "John");
  CHECK(one[0].corrupted == "Mary");
  CHECK(one[0].before == std::vector<std::string>{"to", "the", "store,"});
  CHECK(one[0].behind == std::vector<std::string>{"gave", "a", "drink"});

  const auto two = word_differences("a b c d e", "x b c y z");
  REQUIRE(two.size() == 2);
  CHECK((two[0].clean == "a" && two[0].corrupted == "x" && two[0].before.empty()));
  CHECK((two[1].clean == "d e" && two[1].corrupted == "y z" && two[1].behind.empty()));

  const auto longer = word_differences("one two three", "one or two three");
  REQUIRE(longer.size() == 1);
  CHECK((longer[0].clean.empty() && longer[0].corrupted == "or"));
  const auto repeated = word_differences("a a", "a a a");
  REQUIRE(repeated.size() == 1);
  CHECK((repeated[0].clean.empty() && repeated[0].corrupted == "a"));

  CHECK(word_differences("the  same\n", "the same").empty());
  CHECK(word_differences("", "").empty());
}

TEST_CASE("the words in which two long texts differ are in sight in Patching", "[model][atlas]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  const std::string begin = "abababababab abababababab abababababab ";
  type_text(robot, begin + "de");
  robot.leave();
  robot.key(ImGuiKey_A, ImGuiMod_Shift);
  robot.settle();
  robot.retype("##Corrupted", begin + "dc");
  robot.settle();
  REQUIRE(model_state_of(robot.app().view()).patching.corrupted == begin + "dc");
  const RecordedItem* const field = robot.items().find("##Corrupted");
  REQUIRE(field != nullptr);
  const ImVec2 low = field->min, high = field->max;
  bool clean = false, corrupted = false;
  for (const PlacedText& text : texts_of(robot)) {
    const bool is_below =
        text.y0 > high.y && text.y1 < high.y + 32 && text.x0 >= low.x - 1 && text.x1 <= high.x + 1;
    clean = clean || (is_below && text.text == "de");
    corrupted = corrupted || (is_below && text.text == "dc");
  }
  CHECK(clean);
  CHECK(corrupted);
}

TEST_CASE("a corrupted text keeps its lines and tabs", "[model][atlas]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de");
  robot.leave();
  robot.key(ImGuiKey_A, ImGuiMod_Shift);
  robot.settle();
  robot.click("##Corrupted");
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  ImGui::SetClipboardText("ab\n\tde");
  robot.key(ImGuiKey_V, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(model_state_of(robot.app().view()).patching.corrupted == "ab\n\tde");
}

}  // namespace attnscope::word_differences_test
