// The first launch: three things to try beside the live picture. Each is ticked off with what was measured;
// once closed they stay away.
#include "app/views/start/start.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "app/files/paths.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/kit/ui/words.hpp"
#include "app/state/regions/layout.hpp"
#include "app/state/requests.hpp"
#include "app/state/start_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "controls_robot.hpp"
#include "robot/layout.hpp"
#include "support/program.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::start_test {

namespace {

const char* const scaling = "First step: scaling";
const char* const future = "First step: future";
const char* const sentence = "First step: sentence";
constexpr std::array labels{scaling, future, sentence};

/// A window that begins as the first launch does.
struct FirstLaunch : Robot {
  explicit FirstLaunch(const RobotOptions& options = {.width = 1600, .height = 1000}) : Robot(options) {
    app().offer_start();
    settle();
  }
  const StartState& start() { return *app().view().start; }
  bool is_done(FirstStep step) { return start().step(step).done; }
  std::string seen(FirstStep step) { return plain(start().step(step).seen); }
  bool has_card() const { return has(scaling) && has(future) && has(sentence); }
  void press(ImGuiKey pressed, int mods = 0) {
    key(pressed, mods);
    settle();
  }
  double mean_entropy() {
    const LayerResult& r = app().shown()->layer();
    double sum = 0;
    for (std::int64_t h = 0; h < r.dimensions.heads; ++h) sum += r.measures.head(0, h).entropy;
    return sum / static_cast<double>(r.dimensions.heads);
  }
  /// The share of the weight above the diagonal, of all heads.
  double later_share() {
    const LayerResult& r = app().shown()->layer();
    const auto& weights = *r.trace[Stage::Softmax];
    double sum = 0;
    for (int h = 0; h < 8; ++h) {
      const auto plane = weights.matrix(0, h);
      for (int i = 0; i < plane.rows(); ++i)
        for (int j = i + 1; j < plane.cols(); ++j) sum += static_cast<double>(plane(i, j));
    }
    return sum / static_cast<double>(r.dimensions.heads * r.dimensions.queries);
  }
  void wait() { frame(90); }  // longer than the last sentence stays at least
};

std::string run_palette(Robot& robot, std::string_view action) {
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type(action);
  robot.frame(2);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  return std::string(action);
}

bool overlap(const Box& a, const Box& b) {
  return a.w > 0 && a.h > 0 && b.w > 0 && b.h > 0 && a.x < b.right() && b.x < a.right() && a.y < b.bottom() &&
         b.y < a.bottom();
}

}  // namespace

TEST_CASE("start: it is not shown without being asked for", "[start]") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  for (const char* label : labels) CHECK_FALSE(robot.has(label));
}

TEST_CASE("start: the keys tick the steps off, and what came of them is measured", "[start]") {
  FirstLaunch robot;
  REQUIRE(robot.has_card());
  const double before = robot.mean_entropy();
  robot.press(ImGuiKey_S);
  CHECK(robot.is_done(FirstStep::Scaling));
  CHECK_FALSE(robot.is_done(FirstStep::Future));
  double after = robot.mean_entropy();
  REQUIRE(after < before);
  CHECK(robot.seen(FirstStep::Scaling) == "The mean entropy fell from " + fixed(before, 2) + " to " +
                                              fixed(after, 2) + ". Softmax moved its weight to fewer keys.");
  robot.press(ImGuiKey_S);  // and back: the sentence is updated
  CHECK(robot.seen(FirstStep::Scaling).find(" rose from " + fixed(after, 2)) != std::string::npos);

  CHECK(robot.later_share() == 0);
  robot.press(ImGuiKey_C);
  CHECK(robot.is_done(FirstStep::Future));
  const double later = robot.later_share();
  REQUIRE(later > 0.05);
  CHECK(robot.seen(FirstStep::Future) ==
        "Later tokens now have " + fixed(100 * later, 0) + " % of the weight. Before it was 0 %.");
  robot.press(ImGuiKey_C);
  CHECK(robot.seen(FirstStep::Future) ==
        "Later tokens had " + fixed(100 * later, 0) + " % of the weight. Now they have 0 %.");
  CHECK(robot.has_card());
}

TEST_CASE("start: entropies that do not move are not said to have fallen", "[start]") {
  FirstLaunch robot;
  robot.retype("##Text", "cat");  // one token: every row has one key
  robot.press(ImGuiKey_Enter);
  robot.app().view().start = {};
  robot.app().view().start->open = true;
  robot.settle();
  robot.press(ImGuiKey_S);
  CHECK(robot.seen(FirstStep::Scaling) == "No query has a choice of keys.");
}

TEST_CASE("start: a click on a step does it, the sentence's gets the keyboard", "[start]") {
  FirstLaunch robot;
  const Scaling::Kind was = robot.document().layer().scaling.kind;
  test::click(robot, scaling);
  CHECK(robot.document().layer().scaling.kind != was);
  CHECK(robot.is_done(FirstStep::Scaling));
  test::click(robot, future);
  CHECK_FALSE(robot.document().layer().masking.causal);
  CHECK(robot.is_done(FirstStep::Future));
  test::click(robot, sentence);
  CHECK(ImGui::GetIO().WantTextInput);
  CHECK_FALSE(robot.is_done(FirstStep::Sentence));
  robot.type("A dog");
  robot.settle();
  CHECK(robot.is_done(FirstStep::Sentence));
  CHECK(robot.document().input.sequences[0].text == "A dog");
  CHECK(robot.seen(FirstStep::Sentence).starts_with("All 4 weights of every head are computed anew"));
  const LayerResult& r = robot.app().shown()->layer();
  const RowMeasures& row =
      r.measures.row(0, robot.app().selection().head, robot.app().selection().cell.query);
  CHECK(robot.seen(FirstStep::Sentence)
            .ends_with(plain(key_label(r, 0, row.strongest)) + "”: " + fixed(row.largest, 2) + "."));
}

TEST_CASE("start: controls and the palette tick the steps off as well", "[start]") {
  FirstLaunch robot;
  test::click(robot, "Mask: None");
  CHECK(robot.is_done(FirstStep::Future));
  run_palette(robot, "Divide by √dₖ on or off");
  CHECK(robot.is_done(FirstStep::Scaling));
  robot.retype("##Text", "Birds sing in the morning");
  CHECK(robot.is_done(FirstStep::Sentence));
}

TEST_CASE("start: opening a file is nothing a person did of the three", "[start]") {
  const test::TemporaryDirectory directory;
  const std::filesystem::path other = directory.path() / "other.json";
  {
    Robot robot;
    robot.retype("##Text", "Quite another sentence");
    robot.key(ImGuiKey_S);
    robot.settle();
    robot.app().files().saving.save(other);
  }
  FirstLaunch robot;
  robot.app().files().opening.open(other);
  robot.settle();
  REQUIRE(robot.document().input.sequences[0].text == "Quite another sentence");
  for (const FirstStep step : {FirstStep::Scaling, FirstStep::Future, FirstStep::Sentence})
    CHECK_FALSE(robot.is_done(step));
  CHECK(robot.has_card());
}

TEST_CASE("start: what is opened before a result is there is not taken for it", "[start]") {
  FirstLaunch robot;
  ImGui::GetIO().AddKeyEvent(ImGuiKey_S, true);
  robot.frame();  // its result comes in the next one
  ImGui::GetIO().AddKeyEvent(ImGuiKey_S, false);
  REQUIRE(robot.start().step(FirstStep::Scaling).waiting);
  const test::TemporaryDirectory directory;
  robot.app().files().opening.open(
      directory.write("other.json", R"({"attnscope": 1, "text": ["quite another one"]})"));
  robot.settle();
  CHECK(robot.is_done(FirstStep::Scaling));
  CHECK(robot.seen(FirstStep::Scaling).empty());
}

TEST_CASE("start: what came of a step is not said of what is opened afterwards", "[start]") {
  FirstLaunch robot;
  robot.retype("##Text", "one two three");
  robot.settle();
  REQUIRE_FALSE(robot.seen(FirstStep::Sentence).empty());
  robot.app().files().opening.open(std::filesystem::path(ATTNSCOPE_ASSETS) / "examples/2-three-tokens.json");
  robot.settle();
  CHECK(robot.is_done(FirstStep::Sentence));
  CHECK(robot.seen(FirstStep::Sentence).empty());
}

TEST_CASE("start: Esc and the cross put it away for good, the palette brings it back", "[start]") {
  for (const bool by_key : {true, false}) {
    const test::TemporaryDirectory directory;
    const std::filesystem::path state = directory.path() / "state";
    const RobotOptions options{.width = 1600, .height = 1000, .state = state};
    {
      FirstLaunch robot(options);
      robot.press(ImGuiKey_S);
    }
    {
      FirstLaunch robot(options);  // the window was closed meanwhile
      REQUIRE(robot.has_card());
      CHECK(robot.is_done(FirstStep::Scaling));
      CHECK_FALSE(robot.is_done(FirstStep::Future));
      if (by_key)
        robot.press(ImGuiKey_Escape);
      else
        test::click(robot, "Leave the first steps");
      CHECK_FALSE(robot.has(scaling));
    }
    FirstLaunch robot(options);
    CHECK_FALSE(robot.has(scaling));
    run_palette(robot, "Show the first steps again");
    REQUIRE(robot.has_card());
    CHECK_FALSE(robot.is_done(FirstStep::Scaling));
  }
}

TEST_CASE("start: with all three done it says so, leaves at the next click and does not come back",
          "[start]") {
  const test::TemporaryDirectory directory;
  const RobotOptions options{.width = 1600, .height = 1000, .state = directory.path()};
  {
    FirstLaunch robot(options);
    robot.press(ImGuiKey_S);
    robot.retype("##Text", "My own words");
    robot.press(ImGuiKey_Enter);  // ends typing
    robot.press(ImGuiKey_C);
    REQUIRE(robot.has_card());  // the last sentence is still shown
    CHECK_FALSE(robot.seen(FirstStep::Future).empty());
    robot.wait();
    robot.click_at({800, 990});
    robot.settle();
    CHECK_FALSE(robot.has(scaling));
  }
  FirstLaunch robot(options);
  CHECK_FALSE(robot.has(scaling));
}

TEST_CASE("start: what the three left switched is put back, and where to go on is offered", "[start]") {
  for (const int width : {1600, 1100}) {  // a card, and a band
    INFO(width);
    FirstLaunch robot({.width = width, .height = 1000});
    const Scaling::Kind was = robot.document().layer().scaling.kind;
    robot.press(ImGuiKey_S);
    robot.retype("##Text", "My own words");
    robot.press(ImGuiKey_Enter);
    CHECK_FALSE(robot.has("Put it back"));  // as long as something is left to try
    robot.press(ImGuiKey_C);
    REQUIRE(robot.document().layer().scaling.kind != was);
    REQUIRE_FALSE(robot.document().layer().masking.causal);
    robot.wait();
    REQUIRE(robot.has("Put it back"));
    test::click(robot, "Put it back");
    CHECK(robot.document().layer().scaling.kind == was);
    CHECK(robot.document().layer().masking.causal);
    CHECK(robot.document().input.sequences[0].text == "My own words");
    CHECK(robot.has_card());  // a click on it does not close it
    CHECK_FALSE(robot.has("Put it back"));
  }
}

TEST_CASE("start: with all three done lessons and the model are one click away", "[start]") {
  for (const auto& [label, mode] :
       {std::pair{"Next: lessons", Mode::Lessons}, {"Next: model", Mode::Model}}) {
    FirstLaunch robot;
    CHECK_FALSE(robot.has(label));
    robot.press(ImGuiKey_S);
    robot.retype("##Text", "My own words");
    robot.press(ImGuiKey_Enter);
    robot.press(ImGuiKey_C);
    robot.wait();
    REQUIRE(robot.has(label));
    test::click(robot, label);
    CHECK(robot.app().view().mode == mode);
    CHECK_FALSE(robot.start().open);
  }
}

TEST_CASE("start: the course's first question is one click away", "[start][course]") {
  FirstLaunch robot;
  REQUIRE(robot.has("Next: course"));
  test::click(robot, "Next: course");
  CHECK_FALSE(robot.start().open);
  CHECK(robot.app().view().mode == Mode::Lessons);
  CHECK(lesson_of(robot.app().view()).course == first_course);
  CHECK(robot.has("Reveal"));
}

TEST_CASE("start: it covers neither map nor controls, at any size", "[start]") {
  struct Window {
    int width, height;
    float scale;
  };
  for (const Window& window : {Window{1280, 720, 1},
                               {1600, 1000, 1},
                               {3200, 2000, 2},
                               {1600, 1000, 2},
                               {3840, 2160, 1.5f},
                               {1100, 700, 1}}) {
    INFO(window.width << " × " << window.height << " at " << window.scale);
    FirstLaunch robot({.width = window.width, .height = window.height, .scale = window.scale});
    const ViewState& view = robot.app().view();
    const auto width = static_cast<float>(window.width), height = static_cast<float>(window.height);
    const Layout without = compute_layout(width, height, view, 1);
    const Layout with = with_start(without, view);
    REQUIRE(with.start.w > 0);
    CHECK(robot.has_card());
    for (const Box& box : {with.top, with.strip, with.controls, with.heads, with.focus, with.signals,
                           with.status, with.tab, with.inspector})
      CHECK_FALSE(overlap(with.start, box));
    CHECK(with.start.right() <= width);
    CHECK(with.focus.bottom() <= with.signals.y + 1);
    for (const char* label : labels) {
      const RecordedItem* item = robot.items().find(label);
      REQUIRE(item);
      CHECK((item->min.x >= with.start.x && item->max.x <= with.start.right()));
      CHECK((item->min.y >= with.start.y && item->max.y <= with.start.bottom()));
    }
    // The same in German.
    robot.app().view().language = "de";
    for (const ImGuiKey key : {ImGuiKey_S, ImGuiKey_C}) robot.press(key);
    robot.retype("##Text", "Donaudampfschifffahrt auf der unteren Donau");
    CHECK(robot.has_card());
  }
}

TEST_CASE("start: it is seen in Explore only, and not in saved pictures", "[start]") {
  FirstLaunch robot;
  robot.press(ImGuiKey_F3);
  CHECK_FALSE(robot.has(scaling));
  robot.press(ImGuiKey_F2);
  CHECK(robot.has_card());
  const std::vector<PlacedText> texts = texts_of(robot);
  CHECK(std::ranges::none_of(texts, [](const PlacedText& t) { return t.text == "Three things to try"; }));
}

TEST_CASE("start: render shows it when it is asked to", "[start]") {
  const test::TemporaryDirectory directory;
  CHECK(test::run(directory, "render --size 1280x720 -o without.png").exit_code == 0);
  CHECK(test::run(directory, "render --size 1280x720 --start -o with.png").exit_code == 0);
  CHECK(std::filesystem::file_size(directory / "with.png") > 10'000);
  CHECK(std::filesystem::file_size(directory / "with.png") !=
        std::filesystem::file_size(directory / "without.png"));
}

TEST_CASE("start: a state that cannot be written or read is no trouble", "[start]") {
  StartState left;
  left.left = true;
  write_start("/proc/no/such/place", left);
  CHECK_FALSE(read_start("/proc/no/such/place").left);
  write_start("", left);
  CHECK_FALSE(read_start("").left);
  const test::TemporaryDirectory directory;
  left.step(FirstStep::Future).done = true;
  write_start(directory.path() / "new", left);
  const StartState known = read_start(directory.path() / "new");
  CHECK(known.left);
  CHECK(known.step(FirstStep::Future).done);
  CHECK_FALSE(known.step(FirstStep::Scaling).done);
}

}  // namespace attnscope::start_test
