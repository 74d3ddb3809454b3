// A dropped file is shown, in every mode; cards over the window close, and a file that a card asked about is
// not overwritten.
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/files_robot.hpp"
#include "app/lesson_robot.hpp"
#include "core/edits/within.hpp"
#include "core/files/document/open.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::drop_test {

using namespace attnscope::test;

namespace {

const std::filesystem::path shipped = ATTNSCOPE_ASSETS;
const std::filesystem::path three_tokens = shipped / "examples/2-three-tokens.json";
constexpr const char* why_divide = "04-why-divide";

void drop(Robot& robot, const std::filesystem::path& path) {
  robot.app().files().opening.drop({path});
  robot.settle();
}

std::string typed_text_of(const Robot& robot) {
  return typed_texts(robot.document()) > 0 ? typed_text(robot.document(), 0) : std::string();
}

void undo(Robot& robot) {
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
}

}  // namespace

TEST_CASE("what is dropped on a page that does not show it is shown in Explore", "[files]") {
  const TemporaryDirectory directory;
  const std::filesystem::path text = directory.write("text.txt", "one two three");
  for (const ImGuiKey page : {ImGuiKey_F7, ImGuiKey_F8, ImGuiKey_F9, ImGuiKey_F10}) {
    INFO(ImGui::GetKeyName(page));
    Robot robot({.width = 1600, .height = 1000});
    robot.key(page);
    robot.settle();
    const Mode before = robot.app().view().mode;
    REQUIRE(before != Mode::Explore);
    drop(robot, three_tokens);
    CHECK(robot.app().view().mode == Mode::Explore);
    robot.key(page);
    robot.settle();
    drop(robot, text);
    CHECK(robot.app().view().mode == Mode::Explore);
    CHECK(robot.document().title == "text.txt");
    undo(robot);
    CHECK(robot.app().view().mode == before);
  }
}

TEST_CASE("what is dropped on a model that is no text of it is shown in Explore", "[files][model]") {
  Robot robot({.width = 1600, .height = 1000, .file = shipped / "models/induction"});
  robot.settle();
  REQUIRE(robot.app().view().mode == Mode::Model);
  drop(robot, three_tokens);
  CHECK(robot.app().view().mode == Mode::Explore);
  undo(robot);
  CHECK(robot.app().view().mode == Mode::Model);
  CHECK(robot.document().within.read());
}

TEST_CASE("a lesson says nothing of what is dropped on it, and its step is there again afterwards",
          "[files][lessons]") {
  for (const std::filesystem::path& path : {three_tokens, shipped / "models/induction"}) {
    INFO(path.native());
    Player player({.width = 1280, .height = 720});
    player.open(why_divide);
    player.press(ImGuiKey_Space);
    REQUIRE(player.document() == player.of_step(1));
    drop(player, path);
    CHECK(player.app().view().mode == (path == three_tokens ? Mode::Explore : Mode::Model));
    CHECK(player.document() != player.of_step(1));
    player.press(ImGuiKey_F8);
    CHECK(player.state().step == 1);
    CHECK(player.document() == player.of_step(1));
    undo(player);
    CHECK(player.document() != player.of_step(1));  // what was dropped
    CHECK(player.app().view().mode != Mode::Lessons);
    undo(player);
    CHECK(player.app().view().mode == Mode::Lessons);
    CHECK(player.document() == player.of_step(1));
  }
}

TEST_CASE("what is typed while a file is dropped is a step of its own, and that is said", "[files][typing]") {
  const TemporaryDirectory directory;
  const std::filesystem::path text = directory.write("text.txt", "one two three");
  for (const std::filesystem::path& path : {three_tokens, text, shipped / "models/induction"}) {
    INFO(path.native());
    Robot robot({.width = 1600, .height = 1000});
    robot.settle();
    robot.click("##Text");
    robot.frame(2);
    robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
    robot.type("half a sent");
    robot.frame(2);
    REQUIRE(typed_text(robot.document(), 0) == "half a sent");
    robot.app().files().opening.drop({path});
    robot.frame(3);
    CHECK_FALSE(ImGui::GetIO().WantTextInput);
    if (path == three_tokens)
      CHECK(robot.app().message() ==
            "\"2-three-tokens.json\" was dropped while you typed. Ctrl+Z goes back "
            "to what was typed.");
    robot.settle();
    CHECK((!robot.document().title.empty() && typed_text_of(robot) != "half a sent"));
    undo(robot);
    CHECK(typed_text_of(robot) == "half a sent");
  }
}

TEST_CASE("a file that cannot be opened leaves the keyboard where one types", "[files][typing]") {
  const TemporaryDirectory directory;
  const std::filesystem::path broken = directory.write("broken.json", "{");
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  robot.click("##Text");
  robot.frame(2);
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.type("half a");
  robot.frame(2);
  drop(robot, broken);
  robot.frame(20);
  CHECK(ImGui::GetIO().WantTextInput);
  CHECK(robot.app().message().find("broken.json") != std::string::npos);
  robot.type(" sentence");
  robot.settle();
  CHECK(typed_text_of(robot) == "half a sentence");
}

TEST_CASE("a number that is typed while a file is dropped is taken, and undo leads back to it",
          "[files][typing]") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  robot.click("Temperature value");
  robot.frame(3);
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.type("0.25");
  robot.frame(2);
  drop(robot, three_tokens);
  REQUIRE(robot.document().layer().temperature != 0.25f);
  undo(robot);
  CHECK(robot.document().layer().temperature == 0.25f);
}

TEST_CASE("what was typed into the palette is there again after a drop, and not after Escape",
          "[files][palette]") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  const auto open_palette = [&] {
    robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
    robot.frame(3);
    REQUIRE(robot.has("##palette"));
  };
  open_palette();
  robot.type("dropo");
  robot.frame(2);
  drop(robot, three_tokens);
  CHECK_FALSE(is_card_open());
  open_palette();
  CHECK(robot.app().view().palette_text == "dropo");
  robot.type("ut");
  robot.frame(2);
  CHECK(robot.app().view().palette_text == "dropout");
  robot.key(ImGuiKey_Escape);
  robot.frame(2);
  open_palette();
  CHECK(robot.app().view().palette_text.empty());
}

TEST_CASE("a drop takes away the question whether a file is written over, and the file stays", "[files]") {
  const TemporaryDirectory directory;
  const std::filesystem::path there = directory.write("there.json", R"({"attnscope": 1, "text": ["mine"]})");
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  save_as(robot, there.native());
  REQUIRE(robot.app().view().files->question);
  robot.app().files().opening.open(three_tokens);  // as another program asks for it
  robot.settle();
  CHECK_FALSE(robot.app().view().files->question);
  CHECK_FALSE(is_card_open());
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(open_document(there).input.sequences[0].text == "mine");
}

TEST_CASE("a drop closes what lies over the window, and of several files one is opened and that is said",
          "[files]") {
  const TemporaryDirectory directory;
  const std::filesystem::path first = directory.write("first.txt", "one two three"),
                              second = directory.write("second.txt", "four five");
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  for (const ImGuiKey key : {ImGuiKey_O, ImGuiKey_K}) {
    robot.key(key, ImGuiMod_Ctrl);
    robot.settle();
    REQUIRE(is_card_open());
    drop(robot, three_tokens);
    CHECK_FALSE(is_card_open());
  }
  robot.key(ImGuiKey_F1);
  REQUIRE(robot.app().view().help);
  drop(robot, three_tokens);
  CHECK_FALSE(robot.app().view().help);
  robot.app().files().opening.drop({first, second});
  robot.frame();
  CHECK(robot.app().message() == "2 files were dropped, and one is opened: \"first.txt\".");
  robot.settle();
  CHECK(robot.document().title == "first.txt");
}

}  // namespace attnscope::drop_test
