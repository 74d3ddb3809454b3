// Heads that are zeroed as a list: typed, copied, kept under a name and found again in a session.
#include "app/pages/model/head_sets/head_sets.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/files_robot.hpp"
#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"

namespace attnscope::head_sets_test {
namespace {

using namespace attnscope::test;

void from_palette(Robot& robot, std::string_view action) {
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type(action);
  robot.frame(2);
  robot.key(ImGuiKey_Enter);
  robot.settle();
}

void open_card(Robot& robot) {
  from_palette(robot, "Zero a list of heads, or all others");
  robot.frame(3);
  REQUIRE(robot.has("Zero these"));
}

const ModelChanges& changes(const Robot& robot) { return robot.document().within.read().changes; }
const HeadSetsState& state(Robot& robot) { return model_state_of(robot.app().view()).sets; }

bool is_zeroed(const Robot& robot, int block, int head) {
  const HeadChange change{.block = block, .head = head};
  return std::ranges::find(changes(robot).heads, change) != changes(robot).heads.end();
}

/// Whether one of the next frames draws this text.
bool is_told(Robot& robot, std::string_view key) {
  bool told = false;
  robot.app().words().watch = [&](std::string_view said, bool) { told = told || said == key; };
  robot.app().words().speak_english();  // makes texts that were drawn before be reported again
  robot.frame(2);
  robot.app().words().watch = nullptr;
  return told;
}

}  // namespace

TEST_CASE("Return in the list of heads zeroes them, and not where it is no list", "[model][circuits]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  open_card(robot);
  robot.retype("##Heads list", "1.2, heads");
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(robot.has("Zero these"));  // the error is shown there
  CHECK(changes(robot).heads.empty());
  robot.retype("##Heads list", "1.2, 0.3");
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK_FALSE(robot.has("Zero these"));
  REQUIRE(changes(robot).heads.size() == 2);
  CHECK(is_zeroed(robot, 1, 2));
  CHECK(is_zeroed(robot, 0, 3));
  CHECK(robot.app().view().mode == Mode::Model);
}

TEST_CASE("a list of heads is typed and zeroed, copied, and kept under a name", "[model][circuits]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  open_card(robot);
  robot.retype("##Heads list", "1.2, 0.3");
  CHECK(is_told(robot, "Listed: {} of {} heads."));
  click(robot, "Zero these");
  CHECK_FALSE(robot.has("Zero these"));
  REQUIRE(changes(robot).heads.size() == 2);
  CHECK(is_zeroed(robot, 1, 2));
  CHECK(is_zeroed(robot, 0, 3));
  CHECK(robot.app().model()->run->changes == changes(robot));
  from_palette(robot, "Copy the list of zeroed heads");
  CHECK(std::string(ImGui::GetClipboardText()) == "1.2, 0.3");

  open_card(robot);
  CHECK(state(robot).list == "1.2, 0.3");  // what is zeroed now
  robot.retype("##Set name", "circuit A");
  click(robot, "Keep");
  CHECK(robot.has("set circuit A"));
  click(robot, "Zero all others");
  CHECK(changes(robot).heads.size() == 10);
  CHECK_FALSE(is_zeroed(robot, 1, 2));
  CHECK(is_zeroed(robot, 2, 2));
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);  // one step
  robot.settle();
  CHECK(changes(robot).heads.size() == 2);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.settle();

  robot.app().files().saving.save(directory / "circuit.json");
  robot.settle();
  model_state_of(robot.app().view()).sets = {};
  robot.app().files().opening.open(directory / "circuit.json");
  robot.settle();
  CHECK(head_sets_in(state(robot).kept) == std::vector<NamedHeads>{{"circuit A", "1.2, 0.3"}});
  open_card(robot);
  click(robot, "set circuit A");
  CHECK(state(robot).list == "1.2, 0.3");
  click(robot, "Zero these");
  CHECK(changes(robot).heads.size() == 2);
  open_card(robot);
  click(robot, "forget circuit A");
  CHECK(state(robot).kept.empty());
  CHECK_FALSE(robot.has("set circuit A"));
}

TEST_CASE("what is no list changes nothing and is said in the card", "[model][circuits]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  open_card(robot);
  robot.retype("##Heads list", "1.2, x");
  CHECK(is_told(robot, "Found \"{}\" among the heads, expected a layer and a head with a dot between."));
  click(robot, "Zero these");
  click(robot, "Keep");
  CHECK(changes(robot).empty());
  CHECK(state(robot).kept.empty());
  robot.retype("##Heads list", "1.7");
  CHECK(is_told(robot, "There is no head \"{}\"; the model has layers {} to {} with heads {} to {}."));
  click(robot, "Close");
  CHECK_FALSE(robot.has("Zero these"));
  CHECK(changes(robot).empty());
}

TEST_CASE("named heads are kept as lines, and what is none is left out", "[circuits]") {
  std::string kept = with_head_set("", {"  circuit\tA ", "3.5,\n7.0"});
  CHECK(head_sets_in(kept) == std::vector<NamedHeads>{{"circuit A", "3.5, 7.0"}});
  kept = with_head_set(kept, {"", "1.1"});
  kept = with_head_set(kept, {"circuit A", "0.0"});
  CHECK(head_sets_in(kept) == std::vector<NamedHeads>{{"circuit A", "0.0"}, {"1.1", "1.1"}});
  CHECK(head_sets_in(without_head_set(kept, "circuit A")) == std::vector<NamedHeads>{{"1.1", "1.1"}});
  CHECK(head_sets_in("no tab\n\tno name\na\tb").size() == 1);
  CHECK(head_sets_in("\n\n").empty());
}

}  // namespace attnscope::head_sets_test
