// The file dialog: used by mouse and keyboard, overwrites nothing without asking, and says why something
// cannot be done.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "app/exports/export.hpp"
#include "app/files_robot.hpp"
#include "app/state/files_state.hpp"
#include "app/views/files/dialog.hpp"
#include "core/files/document/open.hpp"
#include "support/temporary_directory.hpp"
#include "support/wait.hpp"

namespace attnscope::file_dialog_test {

using namespace attnscope::test;

namespace {

/// "Open a file" in this folder.
void look_into(Robot& robot, const std::filesystem::path& folder) {
  robot.app().view().files->dialog.folder = folder;
  robot.key(ImGuiKey_O, ImGuiMod_Ctrl);
  robot.settle();
}

bool names(const Image& image, int x, int y, Rgba colour) {
  return (image.at(x, y) & 0xFFFFFF) == (colour & 0xFFFFFF);
}

}  // namespace

TEST_CASE("arrows, Return and Backspace find a file in its folder", "[files]") {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "inner");
  directory.write("inner/poem.txt", "roses are red");
  directory.write("a.txt", "one two");
  directory.write("b.txt", "three four five");
  Robot robot({.width = 1600, .height = 1000});
  look_into(robot, directory.path());
  CHECK(dialog_of(robot).chosen == "inner");  // folders come first
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(dialog_of(robot).folder == directory / "inner");
  CHECK(dialog_of(robot).chosen == "poem.txt");
  robot.key(ImGuiKey_Backspace);
  robot.settle();
  CHECK(dialog_of(robot).folder == directory.path());
  CHECK(dialog_of(robot).chosen == "inner");  // the folder just left is chosen
  robot.key(ImGuiKey_DownArrow);
  robot.key(ImGuiKey_DownArrow);
  CHECK(dialog_of(robot).chosen == "b.txt");
  robot.key(ImGuiKey_DownArrow);
  CHECK(dialog_of(robot).chosen == "b.txt");
  robot.key(ImGuiKey_Home);
  CHECK(dialog_of(robot).chosen == "inner");
  robot.key(ImGuiKey_End);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK_FALSE(is_card_open());
  CHECK(robot.document().title == "b.txt");
  robot.key(ImGuiKey_O, ImGuiMod_Ctrl);  // it opens in the last folder
  robot.settle();
  CHECK(dialog_of(robot).folder == directory.path());
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK_FALSE(is_card_open());
  CHECK(robot.document().title == "b.txt");
}

TEST_CASE("the mouse chooses with one click and opens with two", "[files]") {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "inner");
  directory.write("inner/poem.txt", "roses are red");
  Robot robot({.width = 1280, .height = 720});
  look_into(robot, directory.path());
  click(robot, "entry inner");
  robot.frame(60);
  CHECK(dialog_of(robot).folder == directory.path());
  robot.click("entry inner");
  robot.click("entry inner");
  robot.settle();
  CHECK(dialog_of(robot).folder == directory / "inner");
  click(robot, "Up");
  CHECK(dialog_of(robot).folder == directory.path());
  robot.key(ImGuiKey_Enter);
  robot.settle();
  click(robot, "entry poem.txt");
  click(robot, "Open");
  CHECK(robot.document().title == "poem.txt");
}

TEST_CASE("letters find a name, a slash begins a path", "[files]") {
  const TemporaryDirectory directory;
  for (const char* name : {"alpha.txt", "beta.txt", "bravo.txt", "gamma.txt"})
    directory.write(name, "one two");
  Robot robot({.width = 1600, .height = 1000});
  look_into(robot, directory.path());
  robot.type("b");
  CHECK(dialog_of(robot).chosen == "beta.txt");
  robot.type("r");
  CHECK(dialog_of(robot).chosen == "bravo.txt");
  robot.frame(90);
  robot.type("B");
  CHECK(dialog_of(robot).chosen == "bravo.txt");  // it already begins with these letters
  robot.type("B");
  CHECK(dialog_of(robot).chosen == "beta.txt");  // the next match
  robot.key(ImGuiKey_Escape);
  robot.settle();
  open_by_path(robot, (directory / "gamma.txt").native());
  CHECK(robot.document().title == "gamma.txt");
  open_by_path(robot, (directory / "delta.txt").native());
  CHECK(dialog_of(robot).trouble.find("There is no file") == 0);
  CHECK(dialog_of(robot).trouble.find("delta.txt") != std::string::npos);
  CHECK(robot.document().title == "gamma.txt");
}

TEST_CASE("a path that is typed faster than frames come keeps its order", "[files]") {
  Robot robot({.width = 1600, .height = 1000});
  look_into(robot, std::filesystem::temp_directory_path());
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigInputTrickleEventQueue = true;  // as in the window: a frame takes only some of the queued events
  for (const char letter : std::string_view("/tmp/x")) {
    const auto key = letter == '/' ? ImGuiKey_Slash : static_cast<ImGuiKey>(ImGuiKey_A + letter - 'a');
    io.AddKeyEvent(key, true);
    io.AddInputCharacter(static_cast<unsigned char>(letter));
    io.AddKeyEvent(key, false);
  }
  robot.frame(30);  // one letter at a time
  CHECK(dialog_of(robot).path_text == "/tmp/x");
}

TEST_CASE("only what can be opened is listed, unless all is asked for", "[files]") {
  const TemporaryDirectory directory;
  for (const char* name : {"a.json", "b.safetensors", "c.txt", "d.pdf", ".e.txt"}) directory.write(name, "x");
  Robot robot({.width = 1600, .height = 1000});
  look_into(robot, directory.path());
  const auto listed = [&] {
    std::string all;
    for (const char* name : {"a.json", "b.safetensors", "c.txt", "d.pdf", ".e.txt"})
      if (robot.has("entry " + std::string(name))) all += name[0] == '.' ? name[1] : name[0];
    return all;
  };
  CHECK(listed() == "abc");
  click(robot, "Show: Sessions");
  CHECK(listed() == "a");
  click(robot, "Show: Tensors");
  CHECK(listed() == "b");
  click(robot, "Show: Texts");
  CHECK(listed() == "c");
  click(robot, "Show: All files");
  CHECK(listed() == "abcde");
}

TEST_CASE("saving never writes over another file unasked", "[files]") {
  const TemporaryDirectory directory;
  directory.write("foreign.json", "not ours");
  Robot robot({.width = 1600, .height = 1000});
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(dialog_of(robot).name == "The cat sat on the mat.json");
  name_it(robot, (directory / "foreign.json").native());
  CHECK(bytes_of(directory / "foreign.json") == "not ours");
  CHECK(robot.has("Replace"));
  robot.key(ImGuiKey_Enter);  // the default is the safe answer: another name
  robot.settle();
  CHECK(bytes_of(directory / "foreign.json") == "not ours");
  CHECK(dialog_of(robot).name == "foreign.json");
  CHECK(dialog_of(robot).folder == directory.path());
  robot.key(ImGuiKey_Enter);
  robot.settle();
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK_FALSE(is_card_open());
  CHECK(bytes_of(directory / "foreign.json") == "not ours");

  save_as(robot, (directory / "foreign").native());  // the ending that is added counts
  CHECK(robot.has("Replace"));
  robot.key(ImGuiKey_LeftArrow);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(robot.app().message().starts_with("Saved as"));
  CHECK(open_document(directory / "foreign.json").title == robot.document().title);

  robot.key(ImGuiKey_S);
  robot.settle();
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl);  // its own file now: no question
  robot.settle();
  CHECK_FALSE(is_card_open());
  CHECK(open_document(directory / "foreign.json").layer().scaling.kind == Scaling::Kind::Off);
}

TEST_CASE("a folder that takes no file says whether its rights or its file system are why", "[files]") {
  CHECK(why_not_written("/media/disc", EROFS) ==
        "Nothing can be written into \"/media/disc\": its file system is read-only.");
  CHECK(why_not_written("/srv", EACCES) ==
        "Nothing can be written into \"/srv\": it is not yours to write to.");
  const std::filesystem::path refusing = "/proc/sys";  // refuses root, too
  if (!std::filesystem::is_directory(refusing)) SKIP("there is no /proc/sys");
  const bool is_refused = ::access(refusing.c_str(), W_OK | X_OK) != 0;
  const std::string why = why_not_written(refusing, errno);
  REQUIRE(is_refused);
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  const Document before = robot.document();
  save_as(robot, (refusing / "x.json").native());
  CHECK(dialog_of(robot).trouble == why);
  CHECK(is_card_open());  // another name can be given at once
  robot.key(ImGuiKey_Escape);
  robot.frame(2);
  robot.app().files().saving.save(refusing / "x.json");  // as Ctrl+S does with a file that was opened there
  CHECK(robot.app().message().starts_with("Cannot write \"/proc/sys/x.json\": "));
  CHECK(is_sentence(robot.app().message()));
  CHECK(robot.document() == before);
}

TEST_CASE("a file of one's own that another program has written to is asked about", "[files]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.app().files().saving.save(directory / "mine.json");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  directory.write("mine.json", "somebody else's work");
  robot.key(ImGuiKey_S);
  robot.settle();
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(bytes_of(directory / "mine.json") == "somebody else's work");
  click(robot, "Replace");
  CHECK(open_document(directory / "mine.json").layer().scaling.kind == Scaling::Kind::Off);
}

TEST_CASE("pictures and numbers ask as well", "[files]") {
  const TemporaryDirectory directory;
  for (const char* name : {"a.png", "a.svg", "a.csv", "a.npy", "a.safetensors"})
    directory.write(name, "mine");
  Robot robot({.width = 1280, .height = 800});
  for (const char* name : {"a.png", "a.svg", "a.csv", "a.npy", "a.safetensors"}) {
    INFO(name);
    robot.app().files().saving.save(directory / name);
    robot.frame(3);
    CHECK(robot.has("Replace"));
    robot.key(ImGuiKey_Escape);
    robot.frame(3);
    CHECK_FALSE(is_card_open());
    CHECK(bytes_of(directory / name) == "mine");
    robot.app().files().saving.save(directory / name);
    robot.frame(3);
    click(robot, "Replace");
    CHECK(robot.app().message().starts_with("Saved"));
    CHECK(bytes_of(directory / name) != "mine");
  }
}

TEST_CASE("Return saves a picture from wherever the keyboard is in the dialog", "[files]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1280, .height = 800});
  robot.app().view().files->dialog.folder = directory.path();
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.settle();
  CHECK(dialog_of(robot).name == "The cat sat on the mat - heatmap.png");
  robot.key(ImGuiKey_Enter);  // with the name as it is
  robot.settle();
  CHECK(std::filesystem::exists(directory / "The cat sat on the mat - heatmap.png"));
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.settle();
  click(robot, "Picture of: Plots");  // the mouse took the keyboard out of the field
  click(robot, "Picture scale less");
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(std::filesystem::exists(directory / "The cat sat on the mat - plots.png"));
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.settle();
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK_FALSE(is_card_open());
  CHECK(directory.entries() == 2);
}

TEST_CASE("a picture in other colours leaves the window as it is", "[files]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1280, .height = 800});
  robot.frame(3);
  const Image before = robot.pixels();
  robot.app().view().files->dialog.folder = directory.path();
  from_file_menu(robot, "Picture of the window");
  click(robot, "Picture as: SVG");
  click(robot, "Picture colours: Light");
  robot.retype("##name", "light.svg");
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(bytes_of(directory / "light.svg").find("#f8f9fb") != std::string::npos);
  CHECK(robot.app().view().theme == ThemeName::Dark);
  robot.app().view().notices.clear();
  robot.leave();
  robot.frame(3);
  CHECK(names(robot.pixels(), 4, 4, before.at(4, 4)));
  CHECK(robot.app().view().files->picture_theme == 1);  // for the next one
}

TEST_CASE("a large folder is read behind the window, an unreadable one says why", "[files]") {
  const TemporaryDirectory directory, many;
  many.write_many(20'000);
  Robot robot({.width = 1600, .height = 1000});
  robot.app().view().files->dialog.folder = many.path();
  // The dialog is drawn before the files are read. This thread may be suspended until they are read, but not
  // in every attempt.
  bool is_first = false;
  for (int attempt = 0; attempt < 20 && !is_first; ++attempt) {
    if (attempt > 0) robot.key(ImGuiKey_Escape);
    robot.key(ImGuiKey_O, ImGuiMod_Ctrl);
    is_first = is_card_open() && !robot.has("entry file 0.txt");
  }
  CHECK(is_first);
  CHECK(wait_until([&] {
    robot.frame();
    return robot.has("entry file 0.txt");
  }));
  CHECK(robot.has("entry file 10.txt"));  // numbers in their order
  robot.key(ImGuiKey_End);
  robot.frame(3);
  CHECK(robot.has("entry file 19999.txt"));
  robot.key(ImGuiKey_Escape);
  robot.settle();

  open_by_path(robot, "/proc/self/fdinfo/");  // an entry is listed, and gone when its kind is asked for
  CHECK(is_card_open());
  robot.key(ImGuiKey_Escape);
  robot.settle();
  robot.app().view().files->dialog.folder = directory.path();
  robot.key(ImGuiKey_O, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(dialog_of(robot).rows.empty());
  CHECK(dialog_of(robot).shown.trouble.empty());
}

TEST_CASE("names are completed in the folder that is shown", "[files]") {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "results of today");
  Robot robot({.width = 1600, .height = 1000});
  robot.app().view().files->dialog.folder = directory.path();
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl);
  robot.settle();
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.type("res");
  robot.key(ImGuiKey_Tab);
  robot.frame(2);
  CHECK(dialog_of(robot).name == "results of today/");
  robot.type("x");
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(std::filesystem::exists(directory / "results of today" / "x.json"));
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.app().message().starts_with("Saved as \"" + (directory / "results of today/x.json").native()));
}

TEST_CASE("the dialog fits into small and large windows at every size of things", "[files]") {
  const TemporaryDirectory directory;
  directory.write("a.txt", "one");
  for (const auto& [width, height, scale] :
       {std::tuple(1280, 720, 1.f), std::tuple(1600, 1000, 1.f), std::tuple(1280, 720, 1.5f),
        std::tuple(800, 600, 1.f), std::tuple(640, 400, 2.f)}) {
    INFO(width << " x " << height << " at " << scale);
    Robot robot({.width = width, .height = height, .scale = scale});
    robot.app().view().files->dialog.folder = directory.path();
    robot.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
    robot.settle();
    for (const char* label : {"Save picture", "Cancel", "##name"}) {
      const RecordedItem* item = robot.items().find(label);
      REQUIRE(item);
      CHECK((item->min.x >= 0 && item->min.y >= 0 && item->max.x <= static_cast<float>(width) &&
             item->max.y <= static_cast<float>(height)));
    }
    robot.key(ImGuiKey_Escape);
    robot.settle();
    look_into(robot, directory.path());
    CHECK((scale > 1.5f || robot.has("entry a.txt")));
  }
}

}  // namespace attnscope::file_dialog_test
