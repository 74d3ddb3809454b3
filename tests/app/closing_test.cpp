// Closing a window loses nothing: the next start restores its look and its unsaved changes, also with several
// windows and damaged files. And messages that close by themselves.
#include <csignal>
#include <filesystem>
#include <functional>
#include <sys/resource.h>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "app/files_robot.hpp"
#include "app/session/closed.hpp"
#include "app/session/look.hpp"
#include "app/session/session.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/window_robot.hpp"
#include "core/files/document/open.hpp"
#include "core/files/document/session_file.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::closing_test {

using namespace attnscope::test;
using namespace std::chrono_literals;

namespace {

constexpr WindowShape usual_shape{1600, 1000, false};

RobotOptions desk(const std::filesystem::path& state) {
  return {.width = 1600, .height = 1000, .state = state};
}

void type_and_close(const std::filesystem::path& state, std::string_view text) {
  Robot robot(desk(state));
  robot.key(ImGuiKey_F2);
  robot.retype("##Text", text);
  robot.leave();
  robot.app().close(usual_shape);
}

std::size_t closed_in(const std::filesystem::path& state) { return Closed(state).list().size(); }

}  // namespace

TEST_CASE("what was typed before a normal close is offered by the next start and comes back", "[closing]") {
  const TemporaryDirectory state;
  type_and_close(state.path(), "my dog likes big cats");
  REQUIRE(closed_in(state.path()) == 1);
  Robot robot(desk(state.path()));
  CHECK_FALSE(robot.app().files().opening.restore());  // nothing crashed
  robot.app().files().keeping.offer_last();
  robot.settle();
  CHECK(robot.app().message().find("was closed with changes") != std::string::npos);
  CHECK(robot.document().input.sequences[0].text == "The cat sat on the mat");
  const Document example = robot.document();
  click(robot, "Reopen");
  CHECK(robot.document().input.sequences[0].text == "my dog likes big cats");
  CHECK(robot.app().workspace().is_edited());
  CHECK(closed_in(state.path()) == 0);  // it is this window's own now: in exactly one place
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.document() == example);
}

TEST_CASE("what is closed unchanged leaves nothing behind, and an offer is made once", "[closing]") {
  const TemporaryDirectory state;
  {
    Robot robot(desk(state.path()));
    robot.key(ImGuiKey_F3);  // looked at, not changed
    robot.settle();
    robot.app().close(usual_shape);
  }
  CHECK(closed_in(state.path()) == 0);
  type_and_close(state.path(), "once");
  for (const bool offered : {true, false}) {
    Robot robot(desk(state.path()));
    robot.app().files().keeping.offer_last();
    CHECK(robot.app().message().empty() != offered);
    robot.frame(60 * 20);  // the message closes by itself
    CHECK(robot.app().message().empty());
    robot.app().close(usual_shape);
  }
  CHECK(closed_in(state.path()) == 1);  // the menu still has it
  Robot robot(desk(state.path()));
  from_file_menu(robot, "Reopen last");
  CHECK(robot.document().input.sequences[0].text == "once");
}

TEST_CASE("a document that another takes the place of is kept, too", "[closing]") {
  const TemporaryDirectory state, directory;
  Robot robot(desk(state.path()));
  robot.retype("##Text", "first thoughts");
  robot.key(ImGuiKey_Enter);  // the field is done
  robot.app().files().opening.open(directory.write("other.txt", "one two three"));
  robot.settle();
  robot.app().files().keeping.finish_closing();
  REQUIRE(closed_in(state.path()) == 1);
  robot.app().files().opening.open(directory / "other.txt");  // unchanged: nothing to keep
  robot.settle();
  robot.app().files().keeping.finish_closing();
  CHECK(closed_in(state.path()) == 1);
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type("reopen last");
  robot.frame(2);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(robot.document().input.sequences[0].text == "first thoughts");
}

TEST_CASE("several windows keep what each had, the newest first, and not without end", "[closing]") {
  const TemporaryDirectory state;
  for (int i = 0; i < 7; ++i) {
    type_and_close(state.path(), "text " + std::to_string(i));
    std::this_thread::sleep_for(2ms);  // names hold the time
  }
  const std::vector<ClosedEntry> all = Closed(state.path()).list();
  REQUIRE(all.size() == Closed::most);
  CHECK(open_any(all.front().path).document.input.sequences[0].text == "text 6");
  CHECK(open_any(all.back().path).document.input.sequences[0].text == "text 2");
  CHECK(all.front().title == "The cat sat on the mat");
  CHECK(all.front().closed > 1'700'000'000);
}

TEST_CASE("the look comes back: theme, size, language, regions, Walk, the window's size", "[closing]") {
  const TemporaryDirectory state;
  {
    Robot robot(desk(state.path()));
    choose(robot, "Look", "Light");
    choose(robot, "Look", "Deutsch");
    robot.key(ImGuiKey_4);
    robot.key(ImGuiKey_Equal, ImGuiMod_Ctrl);
    regions_of(robot.app().view()).sizes.heads = 333;
    robot.key(ImGuiKey_F3);
    robot.settle();
    robot.app().close({1300, 900, true});
  }
  Robot robot(desk(state.path()));
  const ViewState& view = robot.app().view();
  CHECK(view.theme == ThemeName::Light);
  CHECK(view.language == "de");
  CHECK(regions_of(view).is_hidden(Region::Signals));
  CHECK(regions_of(view).sizes.heads == 333);
  CHECK(view.mode == Mode::Walk);
  CHECK(std::abs(view.scale - 1.1f) < 1e-4f);
  CHECK(robot.app().message().empty());
  const Look look = read_look(state.path());
  CHECK(look.window == WindowShape{1300, 900, true});
  robot.app().set_display_scale(2);  // another display scale: everything twice as large
  CHECK(std::abs(robot.app().view().scale - 2.2f) < 1e-4f);
}

TEST_CASE("a language that was not chosen stays the system's, and Compare is not gone back to", "[closing]") {
  const TemporaryDirectory state;
  {
    Robot robot(desk(state.path()));
    robot.key(ImGuiKey_F4);
    robot.settle();
    robot.app().close(usual_shape);
  }
  CHECK_FALSE(read_look(state.path()).language);
  Robot robot(desk(state.path()));
  CHECK(robot.app().view().mode == Mode::Explore);
}

TEST_CASE("whatever stands in the file of the look, the window opens", "[closing]") {
  const TemporaryDirectory state;
  const char* texts[] = {
      "",
      "{",
      "[1, 2]",
      "\xff\xfe",
      "{\"view\": 3, \"size\": \"large\", \"window\": [], \"language\": 7, \"folder\": \"here\"}",
      "{\"view\": {\"theme\": \"mauve\", \"hidden\": [1]}, \"size\": -1e99, \"language\": \"xx\","
      " \"window\": {\"width\": 1e300, \"height\": -5}}"};
  for (const char* text : texts) {
    INFO(text);
    state.write("look.json", text);
    Robot robot(desk(state.path()));
    CHECK(robot.app().view().theme == ThemeName::Dark);
    CHECK(robot.app().view().scale == 1);
    CHECK(read_look(state.path()).window == WindowShape{});
    robot.frame();
    CHECK(robot.app().view().language == "en");
  }
  std::filesystem::remove(state / "look.json");
  std::filesystem::create_directory(state / "look.json");
  CHECK_FALSE(read_look(state.path()).is_known);
}

TEST_CASE("damaged and foreign files among what was closed are no harm", "[closing]") {
  const TemporaryDirectory state;
  state.write("closed-.json", "{}");
  state.write("closed-9999-1-x.txt", "{}");
  state.write("closed-000009999999999-12-broken.json", "{\"text\": [1, 2");
  Robot robot(desk(state.path()));
  const Document before = robot.document();
  robot.app().files().keeping.offer_last();
  robot.app().files().opening.reopen({});
  robot.settle();
  CHECK(robot.app().message().find("broken.json") != std::string::npos);
  CHECK(robot.document() == before);
  std::filesystem::remove(state / "closed-000009999999999-12-broken.json");
  robot.app().files().opening.reopen({});
  CHECK(robot.app().message().starts_with("Nothing was closed with changes"));
}

TEST_CASE("where what was closed cannot be kept, it is left as after a crash", "[closing]") {
  const TemporaryDirectory state;
  std::filesystem::path kept;
  {
    Robot robot(desk(state.path()));
    robot.key(ImGuiKey_S);
    robot.frame(60);
    robot.app().files().keeping.keeper()->autosave().wait();
    kept = robot.app().files().keeping.keeper()->autosave().file();
    REQUIRE(std::filesystem::exists(kept));
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit tiny{64, before.rlim_max};  // a full disk
    setrlimit(RLIMIT_FSIZE, &tiny);
    robot.app().close(usual_shape);
    setrlimit(RLIMIT_FSIZE, &before);
  }
  CHECK(closed_in(state.path()) == 0);
  REQUIRE(std::filesystem::exists(kept));
  Robot robot(desk(state.path()));
  CHECK(robot.app().files().opening.restore());
  robot.settle();
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::Off);
}

TEST_CASE("the window's title follows the file and says when it was changed", "[closing]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  CHECK(robot.app().window_title() == "The cat sat on the mat — AttnScope");
  robot.key(ImGuiKey_S);
  robot.settle();
  CHECK(robot.app().window_title() == "The cat sat on the mat* — AttnScope");
  robot.app().files().saving.save(directory / "mine.json");
  CHECK(robot.app().window_title() == "mine.json — AttnScope");
  robot.key(ImGuiKey_S);
  robot.settle();
  CHECK(robot.app().window_title() == "mine.json* — AttnScope");
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.app().window_title() == "mine.json — AttnScope");
}

TEST_CASE("\"Saved\" leaves by itself and covers no map; what went wrong stays", "[closing]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  CHECK_FALSE(robot.app().view().notices.leaves_in());
  robot.app().files().saving.save(directory / "mine.json");
  robot.frame(2);
  REQUIRE(robot.app().message().starts_with("Saved as \"/"));  // the whole path
  const RecordedItem *map = robot.items().find("heatmap 0"), *card = robot.items().find("Dismiss");
  REQUIRE((map && card));
  CHECK(card->min.y > map->max.y);
  const std::optional<double> leaves = robot.app().view().notices.leaves_in();
  REQUIRE(leaves);
  CHECK((*leaves > 3 && *leaves < 15));
  CHECK_FALSE(robot.app().wants_frame());  // until then the window sleeps
  robot.frame(static_cast<int>(*leaves * 60) + 5);
  CHECK(robot.app().message().empty());
  CHECK_FALSE(robot.app().view().notices.leaves_in());

  robot.app().files().opening.open(directory / "nothing.json");
  robot.frame(60 * 20);
  CHECK(robot.app().message().find("nothing.json") != std::string::npos);
  CHECK_FALSE(robot.app().view().notices.leaves_in());
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK(robot.app().message().empty());
}

TEST_CASE("a message that the mouse rests on stays until it goes", "[closing]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.app().files().saving.save(directory / "mine.json");
  robot.frame(2);
  robot.move(robot.centre("Dismiss"));
  robot.frame(60 * 20);
  CHECK(robot.app().message().starts_with("Saved"));
  robot.leave();
  robot.frame(90);
  CHECK(robot.app().message().empty());
}

TEST_CASE("a window is changed, closed and started again: look and work are there", "[closing]") {
  if (!VirtualDisplay::available()) SKIP("Xvfb is not installed (package xvfb)");
  const TemporaryDirectory home;
  const std::filesystem::path state = home / "attnscope";
  const std::string example = list_examples(ATTNSCOPE_ASSETS).front().path;
  Robot robot({.width = 1600, .height = 1000, .system_fonts = true, .file = example});
  VirtualDisplay display(1920, 1200);
  {
    WindowProgram program(display, home.path(), {example});
    REQUIRE(program.shows(robot.pixels()));  // from here on the window reacts to a key
    CHECK(program.title() == "The cat sat on the mat — AttnScope");
    display.press(program.window(), "s");  // √dₖ off
    CHECK(wait_until([&] { return program.title() == "The cat sat on the mat* — AttnScope"; }));
    display.press(program.window(), "t");  // light
    display.resize(program.window(), 1400, 900);
    robot.key(ImGuiKey_S);
    robot.key(ImGuiKey_T);
    robot.resize(1400, 900);
    robot.settle();
    CHECK(program.shows(robot.pixels()));
    REQUIRE(program.closes());
  }
  REQUIRE(closed_in(state) == 1);
  CHECK(open_any(Closed(state).list().front().path).document.layer().scaling.kind == Scaling::Kind::Off);
  const auto is_light = [](const Image& picture) { return (picture.at(4, 4) & 0xFF) > 0x80; };
  {
    WindowProgram program(display, home.path());
    const Image picture = program.pixels();
    CHECK(is_light(picture));  // still
    CHECK((picture.width == 1400 && picture.height == 900));
    REQUIRE(program.closes());
  }
  CHECK(closed_in(state) == 1);
  WindowProgram fresh(display, home.path(), {"--fresh"});
  CHECK_FALSE(is_light(fresh.pixels()));
}

}  // namespace attnscope::closing_test
