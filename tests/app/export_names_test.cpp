// A bare name gets the ending of the chosen export, never of a session, and the open document keeps its own
// file.
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/files/paths.hpp"
#include "app/files_robot.hpp"
#include "app/model_robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::export_names_test {

using namespace attnscope::test;

namespace {

struct Kind {
  std::string_view row;     // of the file menu
  std::string_view choice;  // in the dialog; empty: the dialog's default
  std::string_view ending;
  std::string_view begin;  // of a file of this kind
};

/// By the first bytes; in safetensors eight bytes of length precede the brace.
bool is_of_kind(const std::filesystem::path& path, const Kind& kind) {
  const std::string bytes = bytes_of(path);
  if (kind.ending == ".safetensors") return bytes.size() > 9 && bytes[8] == '{';
  if (kind.ending == ".csv") return bytes.find("\r\n") != std::string::npos && bytes[0] != '{';
  return bytes.starts_with(kind.begin);
}

void choose_and_name(Robot& robot, const Kind& kind, const std::string& name) {
  from_file_menu(robot, kind.row);
  if (!kind.choice.empty()) click(robot, kind.choice);  // the keyboard is in the name's field again
  name_it(robot, name);
  robot.settle();
}

/// Every kind with a bare name, with one that has a dot of its own or the ending of a session, and onto a
/// file that is there.
void export_each(Robot& robot, const TemporaryDirectory& directory, const std::vector<Kind>& kinds) {
  robot.app().files().saving.save(directory / "open.json");
  const std::string session = bytes_of(directory / "open.json");
  robot.app().view().files->dialog.folder = directory.path();
  int count = 0;
  for (const Kind& kind : kinds) {
    const std::string bare = "out" + std::to_string(count++);
    for (const std::string& name : {bare, bare + ".v2", bare + ".json"}) {
      INFO(kind.row << ", " << kind.choice << ", " << name);
      choose_and_name(robot, kind, name);
      CHECK_FALSE(is_card_open());
      const std::filesystem::path path = directory / (name + std::string(kind.ending));
      REQUIRE(std::filesystem::exists(path));
      CHECK(is_of_kind(path, kind));
      CHECK_FALSE(std::filesystem::exists(directory / (name + ".json")));
      CHECK(robot.app().view().files->file == directory / "open.json");
    }
    const std::filesystem::path there = directory / (bare + std::string(kind.ending));
    std::ofstream(there) << "mine";
    choose_and_name(robot, kind, bare);
    INFO(there);
    REQUIRE(robot.has("Replace"));
    CHECK(bytes_of(there) == "mine");
    click(robot, "Replace");
    robot.settle();
    CHECK(is_of_kind(there, kind));
  }
  CHECK(bytes_of(directory / "open.json") == session);
}

/// Ctrl+Shift+S and the choice of a series of pictures; the mouse stays in the dialog.
void choose_series(Robot& robot, const TemporaryDirectory& directory, std::string_view choice) {
  robot.app().view().files->dialog.folder = directory.path();
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.frame(3);
  click(robot, choice);
  robot.frame(3);
  robot.type_number("Picture scale value", "1");
}

constexpr Kind png{"Picture of the window", "Picture as: PNG", ".png", "\x89PNG"},
    svg{"Picture of the window", "Picture as: SVG", ".svg", "<?xml"};

}  // namespace

TEST_CASE("a bare name exports what was chosen of a layer") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1280, .height = 800});
  export_each(robot, directory,
              {{"Export CSV", "", ".csv", ""},
               {"Export NPY", "", ".npy", "\x93NUMPY"},
               {"Export tensors", "", ".safetensors", ""},
               {"Export CSV", "Numbers as: NPY", ".npy", "\x93NUMPY"},
               png,
               svg});
}

TEST_CASE("the name that is suggested for numbers says what they are and of which head") {
  Robot robot({.width = 1280, .height = 800});
  const std::string head = std::to_string(robot.app().selection().head);
  from_file_menu(robot, "Export CSV");
  robot.settle();
  CHECK(robot.app().view().files->dialog.suggested.ends_with(" - Weights of head " + head + ".csv"));
}

TEST_CASE("the dialog for numbers of a lesson asks for a format, and speaks of no run") {
  Robot robot({.width = 1280, .height = 800});
  robot.app().lessons().go_to({(assets_directory() / "lessons" / "01-three-tokens.md").native(), 0});
  robot.settle();
  from_file_menu(robot, "Export CSV");
  robot.settle();
  CHECK(robot.has("Numbers as: NPY"));
}

TEST_CASE("a bare name exports what was chosen of a model") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  export_each(robot, directory,
              {{"Export CSV", "", ".csv", ""},
               {"Export tensors", "", ".safetensors", ""},
               {"Export CSV", "Model numbers as: Activations", ".safetensors", ""},
               png,
               svg});
}

TEST_CASE("a bare name exports a handout, an animation, and what an experiment has measured") {
  const TemporaryDirectory directory;
  {
    Robot robot;
    robot.app().lessons().go_to({(assets_directory() / "lessons" / "01-three-tokens.md").native(), 0});
    robot.settle();
    choose_series(robot, directory, "Picture as: Handout");
    robot.retype("##name", "pages");
    robot.key(ImGuiKey_Enter);
    robot.settle();
    CHECK(bytes_of(directory / "pages.pdf").starts_with("%PDF-"));
  }
  {
    Robot robot;
    choose_series(robot, directory, "Picture as: Animation");
    robot.type_number("Sweep frames value", "3");
    robot.retype("##name", "turns");
    robot.key(ImGuiKey_Enter);
    robot.settle();
    CHECK(bytes_of(directory / "turns.png").starts_with("\x89PNG"));
  }
  {
    Robot robot;
    robot.key(ImGuiKey_F9);
    robot.settle();
    robot.app().view().files->dialog.folder = directory.path();
    robot.key(ImGuiKey_S);
    robot.frame(3);
    robot.retype("##name", "values");
    robot.key(ImGuiKey_Enter);
    robot.settle();
    const std::string table = bytes_of(directory / "values.csv");
    CHECK(table.find("value") < table.find('\n'));
  }
  CHECK(directory.entries() == 3);
}

TEST_CASE("a name with the ending of another export is that export") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1280, .height = 800});
  robot.app().view().files->dialog.folder = directory.path();
  choose_and_name(robot, {"Export CSV", "", ".csv", ""}, "numbers.npy");
  CHECK(bytes_of(directory / "numbers.npy").starts_with("\x93NUMPY"));
  choose_and_name(robot, png, "picture.svg");
  CHECK(is_of_kind(directory / "picture.svg", svg));
  choose_and_name(robot, png, "capitals.SVG");
  CHECK(is_of_kind(directory / "capitals.SVG", svg));
  choose_and_name(robot, {"Export CSV", "", ".csv", ""}, "capitals.NPY");
  CHECK(bytes_of(directory / "capitals.NPY").starts_with("\x93NUMPY"));
  CHECK(directory.entries() == 4);
}

}  // namespace attnscope::export_names_test
