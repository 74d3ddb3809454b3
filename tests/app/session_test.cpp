// Sessions: a saved one looks the same when it is opened, pixel by pixel; a damaged one opens as far as it is
// valid, with a message of what is lost.
#include "app/session/session.hpp"

#include <filesystem>
#include <functional>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "app/controls_robot.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/heads_state.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/walk/walk_state.hpp"
#include "core/files/document/open.hpp"
#include "core/files/document/session_file.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::session_test {

using namespace attnscope::test;
using nlohmann::json;

namespace {

const RobotOptions desk{.width = 1600, .height = 1000};

/// Everything but the top bar, whose milliseconds are of this run.
std::size_t differing(const Image& a, const Image& b) {
  REQUIRE(a.width == b.width);
  REQUIRE(a.height == b.height);
  std::size_t count = 0;
  for (int y = 48; y < a.height; ++y)
    for (int x = 0; x < a.width; ++x) count += a.at(x, y) != b.at(x, y);
  return count;
}

/// Without the trace, whose times count back from now.
json looks_of(Robot& robot) {
  json looks = json::parse(view_to_json(robot.app().view(), robot.app().selection()));
  looks.erase("trace");
  return looks;
}

/// Saves the screen after `prepare`, opens it in another window and compares.
void check_reopened(const std::function<void(Robot&)>& prepare) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory / "session.json";
  Image before;
  Document document;
  Selection selection;
  json looks;
  {
    Robot robot(desk);
    prepare(robot);
    robot.leave();
    robot.settle();
    robot.key(ImGuiKey_F);  // freezes the trace: it would move with the next frame
    robot.settle();
    robot.app().files().saving.save(file);
    robot.app().view().notices.clear();
    robot.app().view().keyboard.notice = {};
    robot.settle();
    before = robot.pixels();
    document = robot.document();
    selection = robot.app().selection();
    looks = looks_of(robot);
  }
  Robot robot(desk);
  robot.app().files().opening.open(file);
  CHECK_FALSE(robot.app().settled());
  robot.settle();
  CHECK(robot.app().message().empty());
  CHECK(to_json(robot.document()) == to_json(document));
  CHECK(robot.app().selection() == selection);
  CHECK(looks_of(robot) == looks);
  const Image after = robot.pixels();
  const std::size_t count = differing(before, after);
  if (count > 0) save_png(before, "/tmp/before.png"), save_png(after, "/tmp/after.png");
  CHECK(count == 0);
}

std::string session_text() {
  static const std::string text = [] {
    Robot robot(desk);
    robot.key(ImGuiKey_Backslash);
    robot.key(ImGuiKey_S);
    robot.settle();
    const std::string view = view_to_json(robot.app().view(), robot.app().selection());
    return session_to_json(robot.document(), view, &robot.app().held().held_result()->result->document);
  }();
  return text;
}

}  // namespace

TEST_CASE("a session opens as it was saved: head, cell, stage, colours, regions", "[session]") {
  check_reopened([](Robot& robot) {
    click(robot, "head 5");
    robot.app().view().theme = ThemeName::Light;
    regions_of(robot.app().view()).sizes.heads = 340;
    regions_of(robot.app().view()).hidden[static_cast<std::size_t>(Region::Inspector)] = true;
    click(robot, "Stage: Scaled");
    robot.key(ImGuiKey_R);
    robot.key(ImGuiKey_D);
    robot.key(ImGuiKey_DownArrow);
    robot.key(ImGuiKey_P);
  });
}

TEST_CASE("a session opens as it was saved: what is held, and the difference to it", "[session]") {
  check_reopened([](Robot& robot) {
    robot.key(ImGuiKey_Backslash);
    robot.key(ImGuiKey_S);
    robot.settle();
    robot.key(ImGuiKey_Slash);
    robot.settle();
    REQUIRE(stage_look_of(robot.app().view()).stage.is_difference());
  });
  check_reopened([](Robot& robot) {
    robot.key(ImGuiKey_Backslash);
    robot.key(ImGuiKey_C);
    robot.key(ImGuiKey_F4);
  });
}

TEST_CASE("a session opens as it was saved: in the middle of the walk", "[session]") {
  check_reopened([](Robot& robot) {
    robot.key(ImGuiKey_F3);
    walk_of(robot.app().view()).speed = 0;
    for (int i = 0; i < 9; ++i) robot.key(ImGuiKey_Space);
  });
}

TEST_CASE("a session opens as it was saved: scrolled controls, edited numbers, another page", "[session]") {
  check_reopened([](Robot& robot) {
    robot.move({100, 500});
    robot.scroll(-6);
    robot.settle();
    REQUIRE(regions_of(robot.app().view()).scrolls.controls > 0);
    inspector_of(robot.app().view()).page = InspectorPage::Vectors;
    focus_of(robot.app().view()).log = true;
    head_grid_of(robot.app().view()).order = HeadOrder::Entropy;
    signals_of(robot.app().view()).slots = {PlotKind::Weights, PlotKind::EntropyMap, PlotKind::Scores,
                                            PlotKind::Received};
  });
}

TEST_CASE("a held state is computed before the one that is shown", "[session]") {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.write("both.json", session_text());
  Robot robot({.width = 1600, .height = 1000, .wait_for_engine = false});
  robot.app().files().opening.open(file);
  robot.settle();
  REQUIRE(robot.app().held().held_result());
  CHECK(robot.app().held().held_result()->result->document.layer().scaling.kind ==
        Scaling::Kind::InverseSqrtDk);
  CHECK(robot.app().shown()->document.layer().scaling.kind == Scaling::Kind::Off);
  CHECK(robot.app().held().held_result()->result->ticket < robot.app().shown()->ticket);
  // A plain document leaves B alone, a session without B lets go of it.
  robot.app().files().opening.open(std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" /
                                   "2-three-tokens.json");
  robot.settle();
  CHECK(robot.app().held().held_result());
  json alone = json::parse(session_text());
  alone.erase("held");
  robot.app().files().opening.open(directory.write("alone.json", alone.dump()));
  robot.settle();
  CHECK_FALSE(robot.app().held().held_result());
}

TEST_CASE("undo goes back over an opened session", "[session]") {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.write("both.json", session_text());
  Robot robot(desk);
  const Document start = robot.document();
  robot.app().files().opening.open(file);
  robot.settle();
  const Document opened = robot.document();
  REQUIRE(opened.layer().scaling.kind == Scaling::Kind::Off);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.document() == start);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.settle();
  CHECK(robot.document() == opened);
}

TEST_CASE("a session cut at any byte opens as far as it is good, or says why not", "[session]") {
  const std::string text = session_text();
  const Document whole = session_from_json(text, "whole").document;
  std::size_t opened = 0, said = 0;
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    INFO(length);
    try {
      const OpenedFile file = session_from_json(std::string_view(text).substr(0, length), "cut.json");
      ++opened;
      CHECK_FALSE(file.lost.empty());
      CHECK(file.document.input == whole.input);
    } catch (const Error& error) {
      ++said;
      CHECK(is_sentence(error.what()));
      CHECK(std::string(error.what()).find("cut.json") != std::string::npos);
    }
  }
  CHECK(opened > 10);
  CHECK(said > 10);
}

TEST_CASE("wrong values are left out and told, the rest is as it was", "[session]") {
  const json whole = json::parse(session_text());
  std::vector<json> wrong{nullptr, -1, 1e300, "nonsense", json::object(), {1, 2}};
  std::size_t told = 0;
  const auto check = [&](const json& damaged, const std::string& what) {
    INFO(what);
    std::vector<std::string> lost;
    try {
      const OpenedFile file = session_from_json(damaged.dump(), "wrong.json");
      lost = file.lost;
      const Looks looks = view_from_json(file.view, {}, lost);
      CHECK(mark_of(looks.view, looks.selection) != 0);
    } catch (const Error& error) {
      CHECK(is_sentence(error.what()));
      ++told;
      return;
    }
    told += !lost.empty();
  };
  for (const auto& [key, value] : whole.items()) {
    for (const json& other : wrong) {
      json damaged = whole;
      damaged[key] = other;
      check(damaged, key);
    }
  }
  for (const auto& [key, value] : whole["view"].items()) {
    for (const json& other : wrong) {
      json damaged = whole;
      damaged["view"][key] = other;
      check(damaged, "view." + key);
      if (!value.is_object()) continue;
      for (const auto& [inner, ignored] : value.items()) {
        damaged = whole;
        damaged["view"][key][inner] = other;
        check(damaged, "view." + key + "." + inner);
      }
    }
  }
  CHECK(told > 300);
}

TEST_CASE("the window opens a damaged session and names what is lost", "[session]") {
  const TemporaryDirectory directory;
  json damaged = json::parse(session_text());
  damaged["view"]["mode"] = "sideways";
  damaged["view"]["sizes"]["heads"] = "wide";
  damaged["temperature"] = -3;
  damaged["unheard_of"] = 1;
  damaged["held"]["text"] = 5;
  Robot robot(desk);
  robot.app().files().opening.open(directory.write("hurt.json", damaged.dump()));
  robot.settle();
  const std::string message = robot.app().message();
  CHECK(message.find("hurt.json") != std::string::npos);
  CHECK(message.find("\"temperature\"") != std::string::npos);
  CHECK(message.find("more") != std::string::npos);
  CHECK(robot.document().layer().temperature == 1);
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::Off);  // the valid part is there
  CHECK(robot.app().view().mode == Mode::Explore);
  CHECK_FALSE(robot.app().held().held_result());

  // A session without a document changes nothing.
  const Document before = robot.document();
  robot.app().files().opening.open(
      directory.write("gone.json", R"({"attnscope": 1, "session": 1, "view": {"mode": "walk"}, "tex)"));
  robot.settle();
  CHECK(robot.app().message().find("gone.json") != std::string::npos);
  CHECK(robot.document() == before);
  CHECK(robot.app().view().mode == Mode::Explore);
}

TEST_CASE("settings that do not go together are left out of a session, and refused in a document",
          "[session]") {
  json session = json::parse(session_text());
  session["heads"] = 7;  // 64 / 7
  const OpenedFile file = session_from_json(session.dump(), "seven.json");
  CHECK(file.document.layer().heads == 8);
  REQUIRE(file.lost.size() == 1);
  CHECK(file.lost[0].find("\"heads\"") != std::string::npos);
  const TemporaryDirectory directory;
  for (const char* own : {"session", "view", "held"}) session.erase(own);
  CHECK_THROWS_AS(open_any(directory.write("seven.json", session.dump())), Error);
}

TEST_CASE("a view is looked at with any numbers without harm", "[session]") {
  const TemporaryDirectory directory;
  const json whole = json::parse(session_text());  // written first: there is one robot at a time
  Robot robot(desk);
  json wild = whole;
  wild["view"]["selection"] = {
      {"sequence", 99}, {"head", 4000}, {"cell", {{"query", 1000000}, {"key", 77}}}, {"locked", true}};
  wild["view"]["focus"]["zoom"] = 100000.0;
  wild["view"]["focus"]["query"] = 500.5;
  wild["view"]["scrolls"] = {{"controls", 900000.0}, {"heads", 900000.0}};
  wild["view"]["sizes"] = {
      {"controls", 90000.0}, {"heads", 1.0}, {"inspector", 90000.0}, {"signals", 90000.0}};
  wild["view"]["stage"] = {{"stage", "linear"}, {"kind", "gradient"}};
  wild["view"]["vectors"] = "memory";
  wild["view"]["editing"]["weights"] = "past-keys";
  wild["view"]["cost_tokens"] = 1 << 29;
  for (const char* mode : {"explore", "walk", "compare"}) {
    wild["view"]["mode"] = mode;
    wild["view"]["walk"]["stage"] = "linear";
    wild["view"]["walk"]["move"] = 1 << 29;
    wild["view"]["walk"]["first_query"] = 1 << 29;
    wild["view"]["walk"]["head_dimension"] = 1 << 29;
    robot.app().files().opening.open(directory.write("wild.json", wild.dump()));
    robot.settle();
    CHECK(robot.app().message().empty());
    CHECK(robot.app().selection().head == 7);
    robot.pixels();
  }
}

}  // namespace attnscope::session_test
