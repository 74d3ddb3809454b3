// Every row of the table of actions: its key does something, in the window and from the palette; the help
// page has it; no two rows share a key.
#include "app/scene/actions.hpp"

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/state/presenter_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/training/lab_state.hpp"
#include "app/training/training_runs.hpp"
#include "core/files/document/open.hpp"
#include "robot/robot.hpp"
#include "support/temporary_directory.hpp"
#include "support/wait.hpp"

namespace attnscope::actions_test {

namespace {

/// A step of the lesson on √dₖ; the fourth, of index 3, asks.
std::function<void(Robot&)> in_lesson(std::int64_t step) {
  return [step](Robot& r) { r.app().lessons().go_to({"04-why-divide", step}); };
}
/// The same step, of two maps, in a room whose window shows one of them at a time.
void in_narrow_room(Robot& r) {
  in_lesson(3)(r);
  r.settle();
  r.key(ImGuiKey_F5);
}
/// A question with as many answers as there may be.
void in_six_choices(Robot& r) {
  static const test::TemporaryDirectory directory;
  std::ofstream(directory / "six.md")
      << "---\nlesson: Six\n---\n```start\n{\"text\": [\"a b\"]}\n```\n## One\nWords.\n"
         "```ask choose\nWhich?\n- 1\n- 2\n- 3\n- 4\n- 5\n* 6\n```\n";
  r.app().lessons().go_to({(directory / "six.md").native(), 0});
}
/// Among the experiments, at the second of them.
void in_experiments(Robot& r) {
  r.key(ImGuiKey_F9);
  r.settle();
  r.key(ImGuiKey_DownArrow);
  r.settle();
}
/// Where two steps were trained.
void in_training(Robot& r) {
  r.key(ImGuiKey_S);
  r.settle();
  r.key(ImGuiKey_S);
  r.settle();
}
/// The same, looking back at the first.
void back_in_training(Robot& r) {
  in_training(r);
  r.key(ImGuiKey_LeftArrow);
}
/// In front of a room, with a line drawn.
void present(Robot& r) {
  r.key(ImGuiKey_F5);
  r.settle();
  r.app().view().presenter->marks.push_back({PresenterTool::Pen, {{0.1f, 0.1f}, {0.4f, 0.3f}}, {}});
}

/// What has to be done before the key has an effect. Most keys need nothing.
const std::map<std::string_view, std::function<void(Robot&)>> preparations{
    {"Undo", [](Robot& r) { r.key(ImGuiKey_S); }},
    {"Redo",
     [](Robot& r) {
       r.key(ImGuiKey_S);
       r.settle();
       r.key(ImGuiKey_Z, ImGuiMod_Ctrl);
     }},
    {"Back from the process to the model",
     [](Robot& r) {
       r.app().view().mode = Mode::Model;
       r.app().view().watch->on = true;
     }},
    {"Back in time", in_training},
    {"On in time", back_in_training},
    {"Next step", in_lesson(0)},
    {"Step before", in_lesson(1)},
    {"Lesson from the start", in_lesson(2)},
    {"Reveal what was predicted", in_lesson(3)},
    {"Speaker notes", in_lesson(3)},
    {"Count the votes of a class", in_lesson(3)},
    {"Other picture of the step", in_narrow_room},
    {"Ask the class again",
     [](Robot& r) {
       in_lesson(3)(r);
       r.settle();
       r.key(ImGuiKey_V);
       r.key(ImGuiKey_1);
     }},
    {"All lessons", in_lesson(1)},
    {"First answer of a question", in_lesson(3)},
    {"Second answer of a question", in_lesson(3)},
    {"Third answer of a question", in_lesson(3)},
    {"Fourth answer of a question", in_lesson(3)},
    {"Fifth answer of a question", in_six_choices},
    {"Sixth answer of a question", in_six_choices},
    {"Value before", in_experiments},
    {"Value after", in_experiments},
    {"Experiment above", in_experiments},
    {"Experiment below",  // the second: the later ones take seconds to measure
     [](Robot& r) {
       r.key(ImGuiKey_F9);
       r.settle();
     }},
    {"Copy the experiment's table", in_experiments},
    {"Save the experiment's table", in_experiments},
    {"Open the experiment's state in Explore", in_experiments},
    {"Pen", present},
    {"Arrow", present},
    {"Words on the picture", present},
    {"Take the last mark away", present},
    {"Clear what was drawn", present},
    {"Stage before", [](Robot& r) { stage_look_of(r.app().view()).stage = Stage::Scale; }},
    {"Stage after", [](Robot& r) { stage_look_of(r.app().view()).stage = Stage::Scale; }},
    {"Restore all heads", [](Robot& r) { r.key(ImGuiKey_M, ImGuiMod_Shift); }},
    {"Explore", [](Robot& r) { r.app().view().mode = Mode::Walk; }},
    {"One move back", [](Robot& r) { r.key(ImGuiKey_Space); }},
    {"One stage back", [](Robot& r) { r.key(ImGuiKey_PageDown); }},
    {"Before the first move", [](Robot& r) { r.key(ImGuiKey_PageDown); }},
    {"Play to the end, or pause", [](Robot& r) { r.click("Speed: Instant"); }},
    {"Restore all heads", [](Robot& r) { r.key(ImGuiKey_M, ImGuiMod_Shift); }},
    {"Brush for the chosen head, or for all heads", [](Robot& r) { r.key(ImGuiKey_B); }},
    {"Weights and token vectors again, as the seed makes them",
     [](Robot& r) {
       r.key(ImGuiKey_W);
       r.settle();
       r.click("Zero");
     }},
    {"Usual sizes", [](Robot& r) { regions_of(r.app().view()).sizes.heads = 400; }},
    {"Swap now and held",
     [](Robot& r) {
       r.key(ImGuiKey_Backslash);
       r.key(ImGuiKey_S);
     }},
    {"Drop what is held", [](Robot& r) { r.key(ImGuiKey_Backslash); }},
    {"Difference now − held on or off",
     [](Robot& r) {
       r.key(ImGuiKey_Backslash);
       r.key(ImGuiKey_S);
     }},
};

/// Everything that an action can change but the picture. Time is not part of it.
struct Seen {
  Document document;
  Selection selection;
  bool held = false, frozen = false, armed = false;
  std::string clipboard;

  explicit Seen(Robot& robot)
      : document(robot.document()),
        selection(robot.app().selection()),
        held(robot.app().held().held_result().has_value()),
        frozen(scope_of(robot.app().view()).frozen()),
        armed(scope_of(robot.app().view()).state() == Oscilloscope::State::Armed) {
    if (const char* text = ImGui::GetClipboardText()) clipboard = text;
  }
  bool operator==(const Seen& o) const {
    return document == o.document && selection == o.selection && held == o.held && frozen == o.frozen &&
           armed == o.armed && clipboard == o.clipboard;
  }
};

/// The draw lists of the last frame, much faster than its pixels: every vertex, clip rectangle and texture.
/// Two equal ones have equal pixels unless a texture was painted between them.
std::string drawing() {
  std::string all;
  const auto add = [&all](const void* bytes, std::size_t count) {
    all.append(static_cast<const char*>(bytes), count);
  };
  for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
    add(list->VtxBuffer.Data, static_cast<std::size_t>(list->VtxBuffer.size_in_bytes()));
    add(list->IdxBuffer.Data, static_cast<std::size_t>(list->IdxBuffer.size_in_bytes()));
    for (const ImDrawCmd& command : list->CmdBuffer) {
      const ImTextureID picture = command.GetTexID();
      add(&command.ClipRect, sizeof command.ClipRect);
      add(&picture, sizeof picture);
      add(&command.ElemCount, sizeof command.ElemCount);
    }
  }
  return all;
}

void prepare(Robot& robot, const Action& action) {
  robot.settle();
  // The trace against time changes with every frame.
  regions_of(robot.app().view()).hidden[static_cast<std::size_t>(Region::Signals)] = true;
  if (action.only) robot.app().view().mode = *action.only;
  robot.frame(2);
  if (const auto at = preparations.find(action.name); at != preparations.end()) at->second(robot);
  robot.settle();
  robot.frame();
}

void press(Robot& robot, ImGuiKeyChord key) {
  robot.key(static_cast<ImGuiKey>(key & ~ImGuiMod_Mask_), key & ImGuiMod_Mask_);
  if (LabState& lab = lab_of(robot.app().view()); lab.playing) {  // not to the end of the run
    REQUIRE(test::wait_until([&] {
      robot.frame();
      const training::LabRun* const run = robot.app().training().shown_lab().run();
      return run != nullptr && run->step > 0;
    }));
    lab.playing = false;
  }
  robot.settle();
}

void run_from_palette(Robot& robot, const Action& action) {
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type(action.name);
  robot.frame(2);
  robot.key(ImGuiKey_Enter);
  robot.settle();
}

}  // namespace

TEST_CASE("every key of the action table does something") {
  Robot robot;
  const test::TemporaryDirectory directory;
  const std::filesystem::path start = directory / "start.json";
  robot.app().files().saving.save(start);
  for (const Action& action : actions()) {
    if (action.key == 0) continue;
    if (action.group == Action::Group::Watch)
      continue;  // they need a watched process: watch_page_test presses them all
    for (int i = 0; i < 3; ++i) robot.key(ImGuiKey_Escape);  // ends typing, closes lists
    robot.app().view() = ViewState{};
    ImGui::SetNavCursorVisible(false);  // the mouse was used since
    robot.app().held().release();
    robot.app().files().opening.open(start);
    prepare(robot, action);
    const Seen before(robot);
    const std::string drawn = drawing();
    INFO(std::string(name_of(action.group)) + ": " + std::string(action.name));
    for (int i = 0; i < 2; ++i) {  // frames without an action are the same
      robot.frame();
      CHECK(robot.app().textures().painted() == 0);
    }
    const Seen still(robot);
    CHECK(still.document == before.document);
    CHECK(still.selection == before.selection);
    CHECK(still.clipboard == before.clipboard);
    CHECK(robot.app().held().held_result().has_value() == before.held);
    CHECK((drawing() == drawn));
    press(robot, action.key);
    CHECK_FALSE((Seen(robot) == before && drawing() == drawn));
  }
}

TEST_CASE("a modifier let go within the frame of its key still belongs to it") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  const Document before = robot.document();
  ImGuiIO& io = ImGui::GetIO();
  for (const bool down : {true, false}) {  // as in fast typing: Ctrl comes up just before S
    io.AddKeyEvent(ImGuiMod_Ctrl, down);
    io.AddKeyEvent(ImGuiKey_LeftCtrl, down);
    io.AddKeyEvent(ImGuiKey_S, down);
  }
  robot.settle();
  CHECK(robot.document() == before);
  CHECK(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
}

TEST_CASE("actions without a key run from the palette") {
  for (const Action& action : actions()) {
    if (action.key != 0) continue;
    Robot robot;
    prepare(robot, action);
    const Seen before(robot);
    const Image pixels = robot.pixels();
    run_from_palette(robot, action);
    INFO(std::string(action.name));
    CHECK_FALSE((Seen(robot) == before && robot.pixels() == pixels));
  }
}

TEST_CASE("no key does two things in one mode") {
  std::set<std::pair<ImGuiKeyChord, int>> taken;
  for (const Action& action : actions()) {
    if (action.key == 0) continue;
    INFO(std::string(action.name) + " on " + key_name(action.key));
    // While presenting, letters belong to the presenter's tools.
    if (action.group == Action::Group::Presenter && action.key != ImGuiKey_F5) {
      CHECK(taken.insert({action.key, -1}).second);
      continue;
    }
    // On the Watch page its own keys take precedence.
    if (action.group == Action::Group::Watch) {
      CHECK(taken.insert({action.key, -2}).second);
      continue;
    }
    for (const Mode mode : {Mode::Explore, Mode::Walk, Mode::Compare})
      if (!action.only || *action.only == mode)
        CHECK(taken.insert({action.key, static_cast<int>(std::ranges::find(modes(), mode) - modes().begin())})
                  .second);
  }
}

TEST_CASE("every action has a name, a key that can be written and a place on the help page") {
  std::set<Action::Group> finished;
  std::optional<Action::Group> group;
  for (const Action& action : actions()) {
    INFO(std::string(action.name));
    CHECK_FALSE(action.name.empty());
    CHECK((action.key == 0) == key_name(action.key).empty());
    if (group != action.group) CHECK(finished.insert(action.group).second);  // each group is contiguous
    group = action.group;
  }
}

TEST_CASE("typing text is not a shortcut, but the palette opens from a text field") {
  Robot robot;
  robot.settle();
  robot.retype("##Text", "scc nnp");
  CHECK(robot.document().layer().masking.causal);
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::InverseSqrtDk);
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  CHECK(robot.has("##palette"));
}

TEST_CASE("while a text is typed keys that are no letters do nothing either, but those that no field needs") {
  Robot robot;
  robot.settle();
  robot.click("##Text");
  const float scale = robot.app().view().scale;
  robot.key(ImGuiKey_Equal, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.app().view().scale == scale);
  robot.key(ImGuiKey_F1);
  robot.frame(2);
  CHECK(robot.app().view().help);
}

TEST_CASE("before the first head stands the last one, and behind the last the first") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  const std::int64_t heads = robot.document().layer().heads;
  for (std::int64_t i = 0; i < heads; ++i) {
    const std::int64_t head = robot.app().selection().head;
    press(robot, ImGuiKey_LeftBracket);
    CHECK(robot.app().selection().head == (head + heads - 1) % heads);
  }
  for (std::int64_t i = 0; i < heads; ++i) {
    const std::int64_t head = robot.app().selection().head;
    press(robot, ImGuiKey_RightBracket);
    CHECK(robot.app().selection().head == (head + 1) % heads);
  }
}

TEST_CASE("positions come back as they were before they were switched off") {
  const test::TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  Document document = robot.document();
  document.layer().positions = Positions::Alibi;
  robot.app().files().opening.open(directory.write("alibi.json", to_json(document)));
  robot.settle();
  REQUIRE(robot.document().layer().positions == Positions::Alibi);
  press(robot, ImGuiKey_O);
  CHECK(robot.document().layer().positions == Positions::None);
  press(robot, ImGuiKey_O);
  CHECK(robot.document().layer().positions == Positions::Alibi);
}

}  // namespace attnscope::actions_test
