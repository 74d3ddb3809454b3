// Export of pictures and numbers: drawn again at any size without a change in the window, refused with a
// sentence; the clipboard.
#include "app/exports/export.hpp"

#include <filesystem>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "app/files/paths.hpp"
#include "app/files_robot.hpp"
#include "app/shell/app.hpp"
#include "app/shell/still.hpp"
#include "app/state/files_state.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "core/files/document/open.hpp"
#include "core/files/formats/npy.hpp"
#include "support/program.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::export_test {

using namespace attnscope::test;

namespace {

struct Size {
  int width = 0, height = 0;
  bool operator==(const Size&) const = default;
};

/// From the header of a PNG file.
Size size_of(const std::filesystem::path& png) {
  const std::string bytes = bytes_of(png);
  if (!bytes.starts_with("\x89PNG\r\n\x1A\n") || bytes.size() < 24) return {};
  const auto number = [&](std::size_t at) {
    int value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value * 256 + static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  return {number(16), number(20)};
}

Image part_of(const Image& image, const Box& box) {
  Image part(static_cast<int>(box.w), static_cast<int>(box.h));
  for (int y = 0; y < part.height; ++y)
    for (int x = 0; x < part.width; ++x)
      part.at(x, y) = image.at(static_cast<int>(box.x) + x, static_cast<int>(box.y) + y) | 0xFF000000u;
  return part;
}

Box box_on_screen(Robot& robot, PictureRegion region) {
  Still still;
  robot.app().prepare(still, 1);
  const Layout layout =
      compute_layout(static_cast<float>(robot.width()), static_cast<float>(robot.height()), still.view, 1);
  return box_of(region, layout, still.view).value();
}

void save_from_card(Robot& robot, const std::string& path) {
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.frame(3);
  robot.retype("##name", path);
  click(robot, "Save picture");
}

}  // namespace

TEST_CASE("a picture of the window is the window, and drawn twice as large it is one of twice the size",
          "[export]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1280, .height = 800});
  robot.frame(3);
  const Image screen = robot.pixels();
  robot.app().files().saving.save_picture({PictureRegion::Window, 1, directory / "one.png"});
  CHECK(robot.app().message().starts_with("Saved the picture"));
  // The same bytes: the same pixels.
  CHECK(bytes_of(directory / "one.png") == encode_png(part_of(screen, {0, 0, 1280, 800})));

  robot.app().files().saving.save_picture({PictureRegion::Window, 2, directory / "two.png"});
  CHECK(size_of(directory / "two.png") == Size{2560, 1600});
  robot.app().files().saving.save_picture({PictureRegion::Focus, 3, directory / "three.png"});
  const Box focus = box_on_screen(robot, PictureRegion::Focus);
  CHECK(size_of(directory / "three.png") ==
        Size{3 * static_cast<int>(focus.w), 3 * static_cast<int>(focus.h)});
}

TEST_CASE("a larger picture is drawn anew, like the window on a finer display", "[export]") {
  const TemporaryDirectory directory;
  Box box;
  {
    Robot robot({.width = 1280, .height = 800});
    robot.app().files().saving.save_picture({PictureRegion::Signals, 2, directory / "two.png"});
    box = box_on_screen(robot, PictureRegion::Signals);
  }
  Robot fine({.width = 2560, .height = 1600, .scale = 2});
  Still still;
  fine.app().prepare(still, 1);
  CHECK(size_of(directory / "two.png") == Size{2 * static_cast<int>(box.w), 2 * static_cast<int>(box.h)});
  fine.app().files().saving.save_picture({PictureRegion::Signals, 1, directory / "fine.png"});
  CHECK(bytes_of(directory / "two.png") == bytes_of(directory / "fine.png"));
}

TEST_CASE("pictures are put together from tiles where one drawing cannot hold them", "[export]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1280, .height = 720});
  robot.app().files().saving.save_picture(
      {PictureRegion::Signals, 4, directory / "wide.png"});  // wider than a tile
  const Size size = size_of(directory / "wide.png");
  CHECK(size.width > 4096);
  CHECK(robot.app().message().starts_with("Saved"));
}

TEST_CASE("a very large picture is written behind the scenes, while the window goes on", "[export]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1280, .height = 800});
  robot.app().files().saving.save_picture({PictureRegion::Window, 4, directory / "large.png"});
  CHECK(robot.app().message().starts_with("Writing"));
  CHECK_FALSE(robot.app().settled());
  robot.app().files().saving.save_picture({PictureRegion::Focus, 1, directory / "small.png"});
  CHECK(robot.app().message().find("still being written") != std::string::npos);
  robot.key(ImGuiKey_S);
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::Off);
  robot.app().files().saving.finish_picture(true);
  CHECK(robot.app().message().starts_with("Saved the picture"));
  robot.settle();
  CHECK(size_of(directory / "large.png") == Size{5120, 3200});
  CHECK(directory.entries() == 1);
}

TEST_CASE("the window does not notice that a picture is drawn", "[export]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.move(robot.centre("heatmap 0"));
  robot.key(ImGuiKey_F);  // the trace against time stands still
  robot.frame(60);        // the tooltip is there
  const Image before = robot.pixels();
  const Document document = robot.document();
  const Selection selection = robot.app().selection();
  const std::uint64_t looks = mark_of(robot.app().view(), selection);
  for (const char* name : {"a.png", "a.svg"})
    robot.app().files().saving.save_picture({PictureRegion::Window, 2, directory / name});
  robot.app().view().notices.clear();
  robot.frame();
  CHECK(robot.pixels() == before);
  CHECK(robot.app().textures().painted() == 0);
  CHECK(robot.document() == document);
  CHECK(robot.app().selection() == selection);
  CHECK(mark_of(robot.app().view(), robot.app().selection()) == looks);
}

TEST_CASE("what cannot be drawn is refused in a sentence and writes nothing", "[export]") {
  const TemporaryDirectory directory;
  directory.write("file", "no directory");
  Robot robot({.width = 1280, .height = 800});
  const auto refusal = [&](PictureRegion region, float scale, const std::filesystem::path& path) {
    robot.app().files().saving.save_picture({region, scale, path});
    CHECK(is_sentence(robot.app().message()));
    return robot.app().message();
  };
  CHECK(refusal(PictureRegion::Window, 1, directory / "a.bmp").find(".png or .svg") != std::string::npos);
  CHECK(refusal(PictureRegion::Window, 9, directory / "a.png").find("1 to 8") != std::string::npos);
  CHECK(refusal(PictureRegion::Window, 1, directory / "file/a.png").find("file/a.png") != std::string::npos);
  CHECK(refusal(PictureRegion::Window, 1, directory / "none/a.svg").find("No such file") !=
        std::string::npos);
  CHECK(refusal(PictureRegion::Window, 1, {}).find("Cannot write") != std::string::npos);
  regions_of(robot.app().view()).hidden[static_cast<std::size_t>(Region::Heads)] = true;
  CHECK(refusal(PictureRegion::Heads, 1, directory / "a.png").find("\"heads\"") != std::string::npos);
  robot.app().view().mode = Mode::Walk;
  CHECK(refusal(PictureRegion::Signals, 1, directory / "a.png").find("only Explore") != std::string::npos);
  CHECK(directory.entries() == 1);
}

TEST_CASE("the card saves what it says: region, kind, size, path", "[export]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  save_from_card(robot, (directory / "map.png").native());
  const Box focus = box_on_screen(robot, PictureRegion::Focus);
  CHECK(size_of(directory / "map.png") == Size{2 * static_cast<int>(focus.w), 2 * static_cast<int>(focus.h)});

  robot.key(ImGuiKey_Escape);
  from_file_menu(robot, "Picture of the plots");
  robot.retype("##name", (directory / "plots.png").native());
  click(robot, "Picture scale more");
  click(robot, "Picture as: SVG");  // the ending follows
  CHECK(robot.app().view().files->dialog.name == (directory / "plots.svg").native());
  click(robot, "Save picture");
  CHECK(bytes_of(directory / "plots.svg").starts_with("<?xml"));
  CHECK(robot.app().view().files->scale == 3);

  robot.key(ImGuiKey_Escape);
  robot.key(ImGuiKey_F4);
  robot.settle();
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.frame(3);
  CHECK(robot.has("Picture of: Comparison"));
  CHECK_FALSE(robot.has("Picture of: Heads"));
  click(robot, "Picture of: Window");
  click(robot, "Picture scale less");
  click(robot, "Picture scale less");
  click(robot, "Picture as: PNG");
  robot.retype("##name", (directory / "all").native());  // no ending
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(size_of(directory / "all.png") == Size{1600, 1000});
}

TEST_CASE("numbers go to the clipboard with their labels, a cell with all its digits", "[export]") {
  Robot robot({.width = 1600, .height = 1000});
  robot.key(ImGuiKey_C, ImGuiMod_Ctrl);
  robot.settle();
  std::string text = ImGui::GetClipboardText();
  CHECK(text.starts_with("\tThe\tcat\tsat\ton\tthe\tmat\nThe\t1\t0\t0\t0\t0\t0\ncat\t"));
  CHECK(robot.document().layer().masking.causal);  // C alone would switch the causal mask
  CHECK(robot.app().message().starts_with("Copied"));
  const float weight = shown(robot).trace[Stage::Softmax]->matrix(0, 3)(2, 1);
  CHECK(text.find(fmt::format("\t{}\t", weight)) != std::string::npos);

  robot.click("File");
  robot.frame(3);
  click(robot, "Copy cell");
  CHECK(std::stof(ImGui::GetClipboardText()) == weight);

  robot.key(ImGuiKey_Backslash);
  robot.key(ImGuiKey_S);
  robot.settle();
  robot.key(ImGuiKey_Slash);  // A - B
  robot.settle();
  robot.key(ImGuiKey_C, ImGuiMod_Ctrl);
  robot.settle();
  const float difference = shown(robot).trace[Stage::Softmax]->matrix(0, 3)(2, 1) - weight;
  CHECK(std::string(ImGui::GetClipboardText()).find(fmt::format("\t{}\t", difference)) != std::string::npos);

  show_stage(robot.app().view(), Stage::Softmax);
  show_vectors(robot.app().view(), Stage::Output);
  robot.key(ImGuiKey_C, ImGuiMod_Ctrl);
  robot.settle();
  text = ImGui::GetClipboardText();
  CHECK(std::count(text.begin(), text.end(), '\n') == 7);  // a head and six tokens
  CHECK(std::count(text.begin(), text.end(), '\t') == 7 * 64);
}

TEST_CASE("paths are completed, and the home directory is known", "[export]") {
  const TemporaryDirectory directory;
  directory.write("alpha.json", "");
  directory.write("alphabet.txt", "");
  directory.write(".hidden", "");
  std::filesystem::create_directory(directory / "beta");
  const std::string base = directory.path().native() + "/";
  CHECK(completed_path(base + "al") == base + "alpha");
  CHECK(completed_path(base + "alphab") == base + "alphabet.txt");
  CHECK(completed_path(base + "b") == base + "beta/");
  CHECK(completed_path(base + "x") == base + "x");
  CHECK(completions(base).size() == 3);
  CHECK(completions(base + ".").size() == 1);
  CHECK(typed_path("  /a b ") == "/a b");
  CHECK(typed_path("").empty());
  CHECK(typed_path("~/x") == std::filesystem::path(std::getenv("HOME")) / "x");

  Robot robot({.width = 1600, .height = 1000});
  robot.key(ImGuiKey_O, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type(base + "alphab");  // the first letter of a path goes to its field
  robot.frame(4);
  robot.key(ImGuiKey_Tab);
  robot.frame(2);
  CHECK(dialog_of(robot).path_text == base + "alphabet.txt");
  directory.write("alphabet.txt", "a b c");
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(robot.document().title == "alphabet.txt");
}

TEST_CASE("labels of tokens with commas and line breaks stay in their fields", "[export]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.app().view().files->dialog.folder = directory.path();
  robot.app().files().opening.open(directory.write("odd.json", R"x({
    "attnscope": 1, "given": {"tokens": [["x,y", "a\nb", "c\td"]], "query": [[[[1, 0], [0, 1], [1, 1]]]],
              "key": [[[[1, 1], [0, 1], [1, 0]]]], "value": [[[[2, 1], [1, 3], [0, 2]]]]},
    "scale": "1/sqrt(d_k)", "temperature": 1.0, "mask": {"causal": false, "padding": false}})x"));
  robot.settle();
  REQUIRE(robot.document().title == "odd");
  robot.key(ImGuiKey_C, ImGuiMod_Ctrl);
  robot.settle();
  const std::string text = ImGui::GetClipboardText();
  CHECK(std::ranges::count(text, '\n') == 4);
  CHECK(std::ranges::count(text, '\t') == 4 * 3);
  from_file_menu(robot, "Export CSV");
  name_it(robot, "odd.csv");
  const std::string csv = bytes_of(directory / "odd.csv");
  CHECK(csv.starts_with(",\"x,y\",\"a\nb\","));
}

TEST_CASE("keys of shared heads are exported as those of the head's group", "[export]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.app().view().files->dialog.folder = directory.path();
  Document shared = robot.document();
  shared.layer().kv_heads = 2;
  robot.app().files().opening.open(directory.write("shared.json", to_json(shared)));
  robot.settle();
  REQUIRE(shown(robot).trace[Stage::Key]->shape()[1] == 2);
  REQUIRE(robot.app().selection().head == 3);
  show_vectors(robot.app().view(), Stage::Key);
  from_file_menu(robot, "Export NPY");
  name_it(robot, "keys.npy");
  const Tensor& keys = *shown(robot).trace[Stage::Key];
  CHECK(read_npy<float>(directory / "keys.npy").matrix() == keys.matrix(0, 0));
  CHECK_FALSE(keys.matrix(0, 0) == keys.matrix(0, 1));
}

TEST_CASE("names of files have letters and numbers alone", "[export]") {
  Robot robot({.width = 1600, .height = 1000});
  editing_of(robot.app().view()).weights = Editable::QueryWeights;
  robot.settle();
  from_file_menu(robot, "Export CSV");
  CHECK(dialog_of(robot).name.ends_with(" - WQ weights.csv"));
}

TEST_CASE("numbers are exported under Export, and the menu says which", "[files]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.app().view().files->dialog.folder = directory.path();
  const std::int64_t head = robot.app().selection().head;
  from_file_menu(robot, "Export CSV");
  const std::string name = dialog_of(robot).name;
  CHECK(name.starts_with("The cat sat on the mat - "));
  CHECK(name.find("Weights of head " + std::to_string(head) + ".csv") != std::string::npos);
  click(robot, "Numbers as: NPY");
  CHECK(dialog_of(robot).name.ends_with(".npy"));
  robot.key(ImGuiKey_Enter);
  robot.settle();
  const std::string npy = name.substr(0, name.size() - 4) + ".npy";
  CHECK(read_npy<float>(directory / npy).matrix() == shown(robot).trace[Stage::Softmax]->matrix(0, head));
  from_file_menu(robot, "Export tensors");
  CHECK(dialog_of(robot).name == "The cat sat on the mat.safetensors");
}

TEST_CASE("Compare exports A, B or their difference, and says which", "[files]") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.app().view().files->dialog.folder = directory.path();
  const std::int64_t head = robot.app().selection().head;
  const Tensor b = *shown(robot).trace[Stage::Softmax];
  robot.key(ImGuiKey_Backslash);
  robot.key(ImGuiKey_S);
  robot.key(ImGuiKey_F4);
  robot.settle();
  const Tensor a = *shown(robot).trace[Stage::Softmax];
  for (const char* side : {"A", "B", "A − B"}) {
    INFO(side);
    from_file_menu(robot, "Export NPY");
    if (side != std::string_view("A")) click(robot, "Numbers of: " + std::string(side));
    name_it(robot, "out.npy");
    if (robot.has("Replace")) click(robot, "Replace");
    const Tensor out = read_npy<float>(directory / "out.npy");
    if (side == std::string_view("A")) CHECK(out.matrix() == a.matrix(0, head));
    if (side == std::string_view("B")) CHECK(out.matrix() == b.matrix(0, head));
    if (side == std::string_view("A − B")) CHECK(out.matrix() == a.matrix(0, head) - b.matrix(0, head));
  }
  robot.key(ImGuiKey_C, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.app().message().find("A − B · ") != std::string::npos);  // as chosen for the export
}

TEST_CASE("render draws sessions, regions and both kinds of pictures", "[export][cli]") {
  const TemporaryDirectory directory;
  {
    Robot robot({.width = 1600, .height = 1000});
    robot.key(ImGuiKey_T);
    robot.key(ImGuiKey_F3);
    robot.settle();
    robot.app().files().saving.save(directory / "walk.json");
  }
  CHECK(run(directory, "render walk.json -o walk.svg --region focus").exit_code == 0);
  const std::string svg = bytes_of(directory / "walk.svg");
  CHECK(svg.find("#f8f9fb") != std::string::npos);  // the light theme came with the session
  CHECK(run(directory, "render walk.json -o explore.png --region signals --view explore --theme dark")
            .exit_code == 0);
  CHECK(size_of(directory / "explore.png").width > 1000);
  CHECK(run(directory, "render -o window.svg --size 1280x720").exit_code == 0);
  CHECK(bytes_of(directory / "window.svg").find("viewBox=\"0 0 1280 720\"") != std::string::npos);
  check_refusal(directory, "render walk.json -o heads.png --region heads", 1, "only Explore");
  check_refusal(directory, "render -o a.bmp", 1, ".png or .svg");
  check_refusal(directory, "render -o a.png --region middle", 2,
                "window, focus, heads, signals, inspector or grid");
  std::string damaged = bytes_of(directory / "walk.json");
  damaged.resize(damaged.size() - 40);
  directory.write("cut.json", damaged);
  const Outcome cut = run(directory, "render cut.json -o cut.png");
  CHECK(cut.exit_code == 0);
  CHECK(cut.err.find("opened as far as it is good") != std::string::npos);
}

}  // namespace attnscope::export_test
