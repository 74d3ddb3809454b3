// Monkey test of the window: seeded random clicks, drags, keys, text, wheels, drops, sizes and scales.
// Nothing may break, and at the end the window still works. ATTNSCOPE_MONKEY sets how many events (the
// continuous integration lets it have 4,000 under the sanitizers), ATTNSCOPE_COMMIT (the number of the
// commit) and ATTNSCOPE_SEED which ones; ATTNSCOPE_MONKEY_GESTURES=0 leaves out what monkey_gestures.hpp has.
// ATTNSCOPE_MONKEY_TIMES=1 prints how long the frames took, see monkey_times.hpp.
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/scene/actions.hpp"
#include "app/state/files_state.hpp"
#include "app/training/lab_state.hpp"
#include "app/walk/walk_state.hpp"
#include "hands_robot.hpp"
#include "monkey_gestures.hpp"
#include "monkey_times.hpp"
#include "robot/easel.hpp"
#include "robot/robot.hpp"
#include "support/seeds.hpp"
#include "support/temporary_directory.hpp"
#include "way_back.hpp"

namespace attnscope::monkey_test {

namespace {

int events_asked_for() {
  const char* request = std::getenv("ATTNSCOPE_MONKEY");
  return request ? std::max(1, std::atoi(request)) : 2000;
}

/// Works in a directory of its own: a path that it types into a field ends there.
class Monkey {
 public:
  explicit Monkey(std::uint64_t seed) : random_(seed) {
    std::filesystem::current_path(directory_.path());
    files_ = {directory_.write("broken.json", "{\"text\": [1, 2"),
              directory_.write("words.txt", "one two three, four\nfive"),
              directory_.write("no.safetensors", "abc"), directory_.path(), directory_ / "nothing.json"};
    for (const Example& example : list_examples(ATTNSCOPE_ASSETS)) files_.push_back(example.path);
  }
  ~Monkey() { std::filesystem::current_path(was_); }
  Monkey(const Monkey&) = delete;
  Monkey& operator=(const Monkey&) = delete;

  /// Whether it also presses the keys of undo and redo: a change after an undo clears the redo history.
  bool undoes = true;
  /// The dialog for files does not leave the monkey's directory for long: never with a file in hand.
  void stay_inside(Robot& robot) {
    FileDialog& dialog = robot.app().view().files->dialog;
    const std::string &inside = directory_.path().native(), &now = dialog.folder.native();
    if (dialog.folder.empty() || now.starts_with(inside)) return;
    while (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {
      robot.key(ImGuiKey_Escape);
      robot.frame();
    }
    dialog.folder = directory_.path();
  }

  /// One random event, told in a few words.
  std::string act(Robot& robot) {
    const int rare = gestures_ ? below(100) : 100;
    if (rare < 6) return more_.region(robot);
    if (rare < 8) return more_.exports(robot);
    if (rare < 11) return more_.open_case(robot);
    const int dice = below(100);
    if (dice < 37) return click(robot);
    if (dice < 49) return drag(robot);
    if (dice < 70) return key(robot);
    if (dice < 74) return burst(robot);
    if (dice < 82) return type(robot);
    if (dice < 90) return wheel(robot);
    if (dice < 94) return resize(robot);
    if (dice < 97) return open(robot);
    return scale(robot);
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }

  ImVec2 place(Robot& robot) {
    const std::vector<RecordedItem>& items = robot.items().items();
    if (items.empty() || below(4) == 0)
      return {static_cast<float>(below(robot.width())), static_cast<float>(below(robot.height()))};
    const RecordedItem& item = one_of(items);
    const float x = static_cast<float>(below(100)) / 100, y = static_cast<float>(below(100)) / 100;
    return {item.min.x + x * (item.max.x - item.min.x), item.min.y + y * (item.max.y - item.min.y)};
  }

  std::string click(Robot& robot) {
    const ImVec2 at = place(robot);
    const int button = below(8) == 0 ? 1 : 0;
    const int mods = below(8) == 0 ? ImGuiMod_Shift : 0;
    if (mods) ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
    robot.click_at(at, button);
    if (below(6) == 0) robot.click_at(at, button);
    if (mods) ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
    return "click";
  }

  std::string drag(Robot& robot) {
    const bool alt = below(3) == 0;
    if (alt) ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, true);
    const ImVec2 from = place(robot);
    const bool rescales = below(10) == 0;
    robot.move(from);
    robot.press();
    if (rescales) robot.app().view().scale = 0.75f + static_cast<float>(below(200)) / 100;
    robot.move(below(2) == 0 ? place(robot)
                             : ImVec2{from.x + static_cast<float>(below(200) - 100),
                                      from.y + static_cast<float>(below(200) - 100)});
    robot.release();
    if (alt) ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, false);
    return "drag";
  }

  std::string key(Robot& robot) {
    static constexpr std::array<ImGuiKey, 14> plain{
        ImGuiKey_Tab,  ImGuiKey_Enter,     ImGuiKey_Escape,   ImGuiKey_Space,  ImGuiKey_Backspace,
        ImGuiKey_Home, ImGuiKey_End,       ImGuiKey_PageDown, ImGuiKey_PageUp, ImGuiKey_Delete,
        ImGuiKey_A,    ImGuiKey_DownArrow, ImGuiKey_F5,       ImGuiKey_Escape};
    if (below(3) == 0) {
      const ImGuiKey k = plain[static_cast<std::size_t>(below(static_cast<int>(plain.size())))];
      const int mods = below(4) == 0 ? ImGuiMod_Ctrl : below(4) == 0 ? ImGuiMod_Shift : 0;
      robot.key(k, mods);
      return std::string("key ") + ImGui::GetKeyName(k);
    }
    const Action& action = actions()[static_cast<std::size_t>(below(static_cast<int>(actions().size())))];
    if (action.key == 0) return "nothing";
    robot.key(static_cast<ImGuiKey>(action.key & ~ImGuiMod_Mask_), action.key & ImGuiMod_Mask_);
    return "key of " + std::string(action.name);
  }

  std::string type(Robot& robot) {
    static const std::vector<std::string> texts{
        "0", "7",        "-3.5",    "1e9", "nan", "the cat", "我爱猫", "مرحبا", "🙂",
        " ", "out.json", "out.csv", "x",   "128", "0",       "2",      "\t",    "[CLS] a [SEP]"};
    robot.type(one_of(texts));
    if (below(2) == 0) robot.key(ImGuiKey_Enter);
    return "text";
  }

  /// Words, typed as if a field had the keyboard.
  std::string burst(Robot& robot) {
    static const std::vector<std::string> texts{
        "My dog likes big cats", "the cat", "2 cats", "Hello", "sclt", "xuSH", "a b c", "ttt"};
    if (below(2) == 0) robot.key(ImGuiKey_Escape);
    const std::string& text = one_of(texts);
    test::type_keys(robot, text, 0.03);
    if (below(2) == 0) robot.key(ImGuiKey_Enter);
    return "typed " + text;
  }

  std::string wheel(Robot& robot) {
    robot.move(place(robot));
    robot.scroll(static_cast<float>(below(9) - 4));
    return "wheel";
  }

  std::string resize(Robot& robot) {
    static const std::vector<std::pair<int, int>> sizes{{1280, 720}, {1600, 1000}, {1, 1},    {320, 240},
                                                        {2000, 90},  {90, 1200},   {800, 600}};
    const auto [width, height] = one_of(sizes);
    robot.resize(width, height);
    return "resize";
  }

  std::string open(Robot& robot) {
    robot.app().files().opening.open(one_of(files_));
    robot.frame();
    return "open";
  }

  std::string scale(Robot& robot) {
    robot.app().view().scale = 0.75f + static_cast<float>(below(226)) / 100;
    robot.frame();
    return "scale";
  }

  std::filesystem::path was_ = std::filesystem::current_path();
  test::TemporaryDirectory directory_;
  std::vector<std::filesystem::path> files_;
  std::mt19937_64 random_;
  const bool gestures_ = test::gestures_asked_for();
  test::MonkeyGestures more_{random_, directory_};
};

/// What must hold after every event.
void look(Robot& robot) {
  const App& app = robot.app();
  REQUIRE(app.shown());
  const Dimensions& d = app.shown()->layer().dimensions;
  const Selection& s = app.selection();
  REQUIRE((s.head >= 0 && s.head < d.heads && s.sequence >= 0 && s.sequence < d.batch));
  REQUIRE((s.cell.query >= 0 && s.cell.query < d.queries && s.cell.key >= 0 && s.cell.key < d.keys));
  REQUIRE(app.shown()->error.empty());
  for (const RecordedItem& item : robot.items().items())
    REQUIRE((std::isfinite(item.min.x) && std::isfinite(item.min.y) && std::isfinite(item.max.x) &&
             std::isfinite(item.max.y)));
}

/// Random widths and lengths would make single runs take seconds: this keeps the Document small.
void keep_small(Robot& robot, const std::filesystem::path& example) {
  const Document& document = robot.document();
  const bool large = document.layer().d_model > 512 || document.layer().heads > 64 ||
                     longest_of(document.input.sequences) > 60 || document.input.padded_length > 60;
  // Given vectors have no sequences, and a model has more than one layer: the sizes of the result count.
  const Dimensions& d = robot.app().shown()->layer().dimensions;
  const std::int64_t cells = d.batch * d.heads * d.queries * d.keys;
  const ModelContext& within = document.within.read();
  const std::uint64_t weights = within ? within.model->bytes : 0;  // bytes
  constexpr std::int64_t most_cells = 1'000'000;
  constexpr std::uint64_t most_weights = 16'000'000;
  if (large || cells > most_cells || weights > most_weights) robot.app().files().opening.open(example);
}

}  // namespace

TEST_CASE("the parts of a frame's seconds are within the frame, and begin anew with each") {
  double parts = 0;
  int frames = 0;
  std::optional<std::chrono::steady_clock::time_point> began;
  Robot robot({.after_frame = [&](const App& app) {
    const App::FrameSeconds& seconds = app.last_frame().seconds;
    CHECK((seconds.before > 0 && seconds.drawing > 0 && seconds.behind > 0));
    if (began) parts += seconds.before + seconds.drawing + seconds.behind;
    frames += began.has_value();
  }});
  began = std::chrono::steady_clock::now();
  robot.frame(20);
  const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - *began).count();
  CHECK(frames == 20);
  CHECK(parts <= all);
}

TEST_CASE("a monkey before the window breaks nothing") {
  const char* commit = std::getenv("ATTNSCOPE_COMMIT");
  const std::uint64_t seed = seeds::of_case("monkey", commit ? std::strtoull(commit, nullptr, 10) : 0);
  Monkey monkey(seed);
  const std::filesystem::path example = list_examples(ATTNSCOPE_ASSETS).front().path;
  test::MonkeyTimes times;
  Robot robot({.width = 1280, .height = 720, .after_frame = [&](const App& app) {
                 times.add(app.last_frame().seconds);
               }});
  times.end_event("first picture");
  std::vector<std::string> last;
  const int events = events_asked_for();
  test::WayBack way(robot);
  for (int i = 0; i < events; ++i) {
    last.push_back(monkey.act(robot));
    times.end_event(last.back());
    monkey.stay_inside(robot);
    if (last.size() > 12) last.erase(last.begin());
    std::string story;
    for (const std::string& event : last) story += event + "; ";
    INFO("seed " << seed << ", event " << i << ": " << story);
    CHECK(error_in_opengl() == 0);
    look(robot);
    way.look(robot);
    keep_small(robot, example);
    if (i % 100 == 99) {
      // A playing walk or a training run may take longer than the test.
      walk_of(robot.app().view()).playing = lab_of(robot.app().view()).playing = false;
      robot.settle();
      robot.pixels();
      way.check(robot);
      way.begin(robot);
    }
    times.end_event("settling, undo and redo");
  }
  // The window still works.
  robot.resize(1600, 1000);
  robot.app().view() = ViewState{};
  robot.app().files().opening.open(example);
  robot.key(ImGuiKey_Escape);
  robot.key(ImGuiKey_Escape);
  robot.settle();
  robot.click("Divide by sqrt(d_k)");
  robot.settle();
  CHECK(robot.app().shown()->document.layer().scaling.kind == Scaling::Kind::Off);
  CHECK(times.frames() > static_cast<std::size_t>(events));
  if (test::times_asked_for()) std::cout << times.report();
}

TEST_CASE("what the monkey says of times: median, 99th percentile and largest, and after which event") {
  test::MonkeyTimes times;
  for (int i = 0; i < 99; ++i) times.add({.before = 0.0005, .drawing = 0.004, .behind = 0.0005});
  times.end_event("click");
  times.add({.before = 0.001, .drawing = 0.002, .behind = 0.029});
  times.end_event("wheel");
  const std::string report = times.report();
  INFO(report);
  CHECK(times.frames() == 100);
  CHECK(report.find("beside drawing        1.00     30.00     30.00  wheel") != std::string::npos);
  CHECK(report.find("drawing               4.00      4.00      4.00  click") != std::string::npos);
  CHECK(report.find("over 2 ms beside drawing: 1 of 100 frames") != std::string::npos);
  CHECK(report.find("     30.00  after wheel (1)") != std::string::npos);
  CHECK(report.find("after click") == std::string::npos);
}

}  // namespace attnscope::monkey_test
