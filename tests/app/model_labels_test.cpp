// Labels: the head of each picture where heads are grouped, the score that a tooltip's number is, and the
// role of a cell on a card of the strongest path.
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/pages/model/why/why.hpp"
#include "core/engine/model/model_reading.hpp"
#include "robot/layout.hpp"

namespace attnscope::model_labels_test {
namespace {

using namespace attnscope::test;

/// The texts on the pictures of heads that are names of heads.
std::multiset<std::string> names_on_pictures(Robot& robot) {
  const RecordedItem* const grid = robot.items().find("All heads");
  REQUIRE(grid != nullptr);
  const ImVec2 min = grid->min, max = grid->max;
  std::set<std::string> heads;
  for (int block = 0; block < 3; ++block)
    for (int head = 0; head < 4; ++head) heads.insert(std::to_string(block) + "." + std::to_string(head));
  std::multiset<std::string> found;
  for (const PlacedText& text : texts_of(robot))
    if (text.x0 >= min.x && text.x1 <= max.x && text.y0 >= min.y && text.y1 <= max.y &&
        heads.contains(text.text))
      found.insert(text.text);
  return found;
}

/// The tooltip of the first picture of the grid.
std::set<std::string> told_of_first_head(Robot& robot) {
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  const RecordedItem* const grid = robot.items().find("All heads");
  REQUIRE(grid != nullptr);
  const ImVec2 min = grid->min, max = grid->max;
  for (float y = min.y + 12; y < max.y; y += 24)
    for (float x = min.x + 12; x < max.x; x += 24) {
      robot.move({x, y});
      robot.frame(2);
      if (!model_state_of(robot.app().view()).hovered) continue;
      std::set<std::string> told;
      robot.app().words().watch = [&](std::string_view key, bool) { told.emplace(key); };
      robot.app().words().speak_english();  // makes texts that were drawn before be reported again
      robot.frame(3);
      robot.app().words().watch = nullptr;
      return told;
    }
  FAIL("no head in the grid");
  return {};
}

}  // namespace

TEST_CASE("a picture in Groups says which head it is of", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.click("Grid: Groups");
  robot.settle();
  robot.leave();
  robot.settle();
  const std::multiset<std::string> names = names_on_pictures(robot);
  CHECK(names.size() == 12);
  for (const std::string& name : names) CHECK(names.count(name) == 1);
}

TEST_CASE("the tooltip of a head in Groups says which score its number is", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.click("Grid: Groups");
  robot.settle();
  model_state_of(robot.app().view()).colour = HeadColour::Induction;
  robot.settle();
  const std::set<std::string> told = told_of_first_head(robot);
  CHECK(told.contains("The mean weight on what followed the same token, on repeated random tokens."));
}

TEST_CASE("a card of the path says what its cell is, not what its head does elsewhere", "[model][why]") {
  std::vector<Token> tokens = label_tokens({"When", "Mary", "and", "John", "met", "John", "and"});
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i].id = static_cast<std::int32_t>(i);
  tokens[5].id = tokens[3].id;
  tokens[6].id = tokens[2].id;
  CHECK(role_of_cell(tokens, 5, 5) == "same token");
  CHECK(role_of_cell(tokens, 5, 0) == "first token");
  CHECK(role_of_cell(tokens, 5, 4) == "previous token");
  CHECK(role_of_cell(tokens, 5, 3) == "duplicate token");
  CHECK(role_of_cell(tokens, 6, 3) == "induction");  // "John" followed the other "and"
  CHECK(role_of_cell(tokens, 5, 1).empty());
  CHECK(role_of_cell(tokens, 9, 1).empty());
  CHECK(role_of_cell(tokens, 3, 4).empty());  // the next one, in an encoder

  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "abc de ab");
  model_state_of(robot.app().view()).split.smallest_link = 0;
  robot.click("Why?");
  robot.settle();
  const auto& shown = model_state_of(robot.app().view()).split.shown;
  REQUIRE(shown);
  REQUIRE(shown->path);
  REQUIRE(shown->path->size() > 1);
  const PathHead card = (*shown->path)[1];
  REQUIRE(robot.app().model());
  const std::string_view role =
      role_of_cell(robot.app().model()->tokens->tokens.tokens, card.query, card.key);
  const RecordedItem* const item =
      robot.items().find("path head " + std::to_string(card.block) + "." + std::to_string(card.head) + " 1");
  REQUIRE(item != nullptr);
  const ImVec2 min = item->min, max = item->max;
  const std::set<std::string> roles{"same token", "first token", "previous token", "duplicate token",
                                    "induction"};
  std::string said;  // beside the card
  for (const PlacedText& text : texts_of(robot))
    if (text.x0 > max.x && text.x0 < max.x + 24 && text.y0 > min.y - 4 && text.y1 < max.y + 4 &&
        roles.contains(text.text))
      said = text.text;
  CHECK((said == role || max.y - min.y < 50));  // a low card has room for two lines
}

}  // namespace attnscope::model_labels_test
