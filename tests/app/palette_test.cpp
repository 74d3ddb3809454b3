// The palette finds controls and actions by usual names, and shows where they are.
#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include "app/kit/ui/own_words.hpp"
#include "app/model_robot.hpp"
#include "app/state/regions/heads_state.hpp"
#include "app/views/palette/entries.hpp"
#include "controls_robot.hpp"

namespace attnscope::palette_test {

using namespace attnscope::test;

namespace {

void open_palette_and_type(Robot& robot, std::string_view text) {
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  REQUIRE(robot.has("##palette"));
  robot.type(text);
  robot.frame(2);
}

}  // namespace

TEST_CASE("the palette finds by meaning, in English and German") {
  const struct {
    const char *typed, *found;
  } cases[] = {{"sqrt", "Divide by √dₖ on or off"},
               {"dk", "Divide by √dₖ"},
               {"scale", "Scale"},
               {"temperature", "Temperature"},
               {"temperature", "lesson 03-softmax-and-temperature"},
               {"Schärfe", "Temperature"},
               {"csv", "Export the matrix as CSV"},
               {"export", "Export the matrix as NPY"},
               {"worksheet", "Save a picture"},
               {"arbeitsblatt", "Save a picture"},
               {"reset", "Usual view"},
               {"german", "Deutsch"},
               {"deutsch", "Deutsch"},
               {"random", "Weights, built by hand or random"},
               {"zufall", "Seed"},
               {"example", "The cat sat on the mat"},
               {"beispiel", "The cat sat on the mat"},
               {"entropy", "Entropy per row"},
               {"entropy", "lesson 08-what-entropy-tells"},
               {"entropie", "Entropy per row"},
               {"sentence", "Type the sentence"},
               {"satz", "Type the sentence"},
               {"newline", "Type the sentence"},
               {"chat", "Type the sentence"},
               {"gqa", "KV heads"},
               {"rope", "RoPE base"},
               {"undo", "Undo"},
               {"rückgängig", "Undo"},
               {"RUCKGANGIG", "Undo"},
               {"dark", "Dark"},
               {"hell", "Light"},
               {"png", "Save a picture"},
               {"numbers alone", "Export the matrix as NPY"},  // as the file menu calls them
               {"all stages", "Export every stage as tensors"},
               {"induction", "lesson 24-induction-in-two-layers"},
               {"induktion", "lesson 24-induction-in-two-layers"},  // it has no German text
               {"senke", "lesson 19-sinks-in-a-real-model"},
               {"sink", "experiment sinks"}};
  Robot robot({.width = 1600, .height = 1000});
  for (const auto& [typed, found] : cases) {
    INFO(typed);
    open_palette_and_type(robot, typed);
    CHECK(robot.app().view().palette_text == typed);
    CHECK(robot.has(found));
    robot.key(ImGuiKey_Escape);  // one Esc is enough
    robot.frame(2);
    CHECK_FALSE(robot.has("##palette"));
  }
}

TEST_CASE("what can be chosen is found by the name of the choice, in both languages") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory, {.width = 1600, .height = 1000}));
  robot.settle();
  const struct {
    const char *typed, *found;
  } cases[] = {{"induction", "Colour the heads: induction"},
               {"induktion", "Colour the heads: induction"},
               {"wirkung", "Colour the heads: effect"},
               {"color entropy", "Colour the heads: entropy"},
               {"what they do", "Order of the heads: what they do"},
               {"distance", "Sort the heads: Distance"},
               {"abstand köpfe", "Sort the heads: Distance"}};
  for (const auto& [typed, found] : cases) {
    INFO(typed);
    open_palette_and_type(robot, typed);
    CHECK(robot.has(found));
    robot.key(ImGuiKey_Escape);
    robot.frame(2);
  }
  open_palette_and_type(robot, "colour induction");
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(model_state(robot).colour == HeadColour::Induction);
  CHECK(robot.app().view().mode == Mode::Model);
  open_palette_and_type(robot, "sort the heads distance");
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(head_grid_of(robot.app().view()).order == HeadOrder::Distance);
  CHECK(robot.app().view().mode == Mode::Explore);
}

TEST_CASE("letters typed while the palette opens arrive in its field") {
  for (const int later : {0, 1, 2, 3}) {  // frames from the key to the first letter
    INFO(later);
    Robot robot({.width = 1600, .height = 1000});
    robot.settle();
    const Document before = robot.document();
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiMod_Ctrl, true);
    io.AddKeyEvent(ImGuiKey_K, true);
    if (later == 0) io.AddInputCharacter('d');
    robot.frame();
    io.AddKeyEvent(ImGuiKey_K, false);
    io.AddKeyEvent(ImGuiMod_Ctrl, false);
    if (later > 1) robot.frame(later - 1);
    for (const char c : std::string_view(later == 0 ? "ropout" : "dropout")) {
      io.AddInputCharacter(static_cast<unsigned char>(c));
      robot.frame();  // one letter each, as they come within milliseconds
    }
    robot.frame(3);
    CHECK(robot.app().view().palette_text == "dropout");
    robot.type("x");  // typing goes on at the end of the field
    robot.frame(2);
    CHECK(robot.app().view().palette_text == "dropoutx");
    CHECK(robot.document() == before);
  }
}

TEST_CASE("a page that is pasted into the palette does not stop the window") {
  Robot robot;
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  std::string page;
  while (page.size() < 100'000) page += "lorem ipsum dolor ";
  ImGui::SetClipboardText(page.c_str());
  const auto start = std::chrono::steady_clock::now();
  robot.key(ImGuiKey_V, ImGuiMod_Ctrl);
  robot.frame(3);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
  CHECK(robot.app().view().palette_text.size() == page.size());
}

TEST_CASE("a German window calls the examples by German names") {
  Robot robot({.width = 1600, .height = 1000});
  robot.app().view().language = "de";
  robot.frame(4);
  std::set<std::string> translated;
  robot.app().words().watch = [&](std::string_view said, bool known) {
    if (known) translated.emplace(said);
  };
  open_palette_and_type(robot, "beispiel");
  robot.app().words().watch = nullptr;
  CHECK(translated.contains("Three tokens by hand"));
  robot.key(ImGuiKey_Escape);
  robot.frame(2);
  open_palette_and_type(robot, "drei tokens von hand");
  CHECK(robot.has("Three tokens by hand"));  // the label for the robot stays
}

TEST_CASE("a name beats other words, a whole name everything") {
  const PaletteEntry scale{"Scale", {}, "factor sqrt", {}, false};
  const PaletteEntry divide{"Divide by √dₖ", {}, "scale scaling sqrt", {}, false};
  const PaletteEntry larger{"Larger", {}, "font size scale", {}, true};
  CHECK(score_of("Scale", scale, "scale") > score_of("Divide", divide, "scale"));
  CHECK(score_of("Scale", scale, "sca") > score_of("Larger", larger, "sca"));
  CHECK(score_of("Skalierung", scale, "skal") > 0);
  CHECK(score_of("Divide", divide, "dk") > 0);  // ₖ is a k
  CHECK(score_of("Divide", divide, "sqrt divide") > 0);
  CHECK(score_of("Divide", divide, "sqrt mask") == 0);
  CHECK(score_of("Larger", larger, "") > 0);
  CHECK(score_of("Scale", scale, " ") == 0);  // an empty search lists the actions
}

TEST_CASE("a control that was found comes into sight with its section, the keyboard and a ring") {
  Robot robot({.width = 1280, .height = 720});  // where most sections are folded
  CHECK_FALSE(robot.has("Dropout"));
  open_palette_and_type(robot, "dropout");
  robot.key(ImGuiKey_Enter);
  robot.frame(6);
  REQUIRE(robot.has("Dropout"));
  CHECK(robot.app().view().keyboard.now == Stop::Controls);
  const Sought& sought = robot.app().view().keyboard.sought;
  CHECK(sought.label == "Dropout");
  CHECK(sought.box.h > 8);
  CHECK(sought.box.bottom() <= 720);
  CHECK(robot.app().changes_in());
  robot.frame(6 * 60);
  CHECK(robot.app().view().keyboard.sought.label.empty());
  robot.key(ImGuiKey_F6);  // away from there
  robot.frame(3);
  REQUIRE(robot.app().view().keyboard.now != Stop::Controls);
  open_palette_and_type(robot, "scale");  // its section was open all the time
  robot.key(ImGuiKey_Enter);
  robot.frame(6);
  CHECK(robot.app().view().keyboard.sought.label == "Scale");
  CHECK(robot.app().view().keyboard.now == Stop::Controls);
  open_palette_and_type(robot, "RoPE base");  // with rotary positions only: else its section
  robot.key(ImGuiKey_Enter);
  robot.frame(16);
  CHECK(robot.app().view().keyboard.sought.label == "Positions");
  CHECK(robot.has("Positions kind"));
}

TEST_CASE("every control of the palette's table stands where it says") {
  const std::set<std::string_view> elsewhere{"Layer",
                                             "Initialiser",
                                             "Biases",
                                             "RoPE base",
                                             "Buckets value",
                                             "Rotated dims value",
                                             "Noise",
                                             "RoPE scaling",
                                             "Window side value",
                                             "Relative span value"};
  for (const ControlEntry& control : control_entries()) {
    if (elsewhere.contains(control.label)) continue;
    Robot robot({.width = 1600, .height = 1000});
    INFO(control.name);
    open_palette_and_type(robot, control.name);
    robot.key(ImGuiKey_Enter);
    robot.frame(8);
    CHECK(robot.app().view().keyboard.sought.label == control.label);
    CHECK(robot.has(control.label));
  }
}

TEST_CASE("whatever the palette offers has other words, or is an action that needs none") {
  std::set<std::string_view> names;
  for (const ControlEntry& control : control_entries()) {
    INFO(control.name);
    CHECK(names.insert(control.name).second);
    CHECK_FALSE(control.words.empty());
  }
  int without = 0;
  for (const Action& action : actions()) without += other_words_for(action).empty() ? 1 : 0;
  CHECK(without <= 30);
}

}  // namespace attnscope::palette_test
