// The training page: it trains, pauses, looks back, branches and mutes; it shows what was measured; a session
// keeps the choices.
#include <cmath>
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/shell/app.hpp"
#include "app/training/lab_state.hpp"
#include "app/training/training_runs.hpp"
#include "robot/layout.hpp"
#include "robot/robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::lab_view_test {
namespace {

using test::click;
using test::TemporaryDirectory;

struct Desk : Robot {
  explicit Desk(int width = 1600, int height = 1000) : Robot({.width = width, .height = height}) {
    lab_of(app().view()).task = "two-jobs";
    key(ImGuiKey_F10);
    settle();
  }
  LabState& state() { return lab_of(app().view()); }
  const training::ShownLab& shown_lab() { return app().training().shown_lab(); }
  const training::LabRun& run() { return *shown_lab().run(); }
  void press(ImGuiKey pressed, int mods = 0) {
    key(pressed, mods);
    settle();
  }
  /// Texts that are these words and nothing else.
  std::vector<PlacedText> exactly(const std::string& words) {
    std::vector<PlacedText> all;
    for (PlacedText& text : texts_of(*this))
      if (text.text == words) all.push_back(std::move(text));
    return all;
  }
  bool says(const std::string& words) {
    for (const PlacedText& text : texts_of(*this))
      if (text.text.find(words) != std::string::npos) return true;
    return false;
  }
  /// Trains up to this step.
  void train(std::int64_t steps) {
    state().pace = LabPace::Run;
    state().steps_a_frame = 25;
    state().playing = true;
    for (int i = 0; i < 10'000 && run().step < steps; ++i) frame();
    state().playing = false;
    settle();
  }
};

}  // namespace

TEST_CASE("lab: a task trains, pauses and shows what was measured", "[lab]") {
  Desk desk;
  REQUIRE(desk.app().view().mode == Mode::Training);
  REQUIRE(desk.shown_lab().run() != nullptr);
  CHECK(desk.run().step == 0);
  CHECK(desk.says("no name yet"));
  desk.key(ImGuiKey_Space);
  CHECK(desk.state().playing);
  for (int i = 0; i < 2000 && desk.run().step < 100; ++i) desk.frame();
  CHECK(desk.run().step >= 100);
  click(desk, "Train");
  CHECK_FALSE(desk.state().playing);
  const std::int64_t paused = desk.run().step;
  desk.frame(10);
  CHECK(desk.run().step == paused);
  const training::LabPoint& point = *desk.run().points.back();
  CHECK(desk.says(
      "acc " +
      fixed(point.metrics.groups[static_cast<std::size_t>(desk.shown_lab().task->goal_group)].accuracy, 3)));
  CHECK(desk.says(fixed(point.metrics.entropy[0], 2)));
  for (const std::string& one : collisions(texts_of(desk))) FAIL_CHECK(one);
}

TEST_CASE("lab: keys step, train on, look back and forth", "[lab]") {
  Desk desk;
  desk.press(ImGuiKey_S);
  CHECK(desk.run().step == 1);
  desk.train(100);
  const std::int64_t newest = desk.run().step;
  CHECK_FALSE(desk.state().step);
  desk.press(ImGuiKey_LeftArrow);
  desk.press(ImGuiKey_LeftArrow);
  REQUIRE(desk.state().step);
  CHECK(*desk.state().step < newest);
  CHECK(*desk.state().step % 25 == 0);
  CHECK(desk.says("looked back"));
  for (int i = 0; i < 4; ++i) desk.press(ImGuiKey_RightArrow);
  CHECK_FALSE(desk.state().step);
  // The mouse on the time strip.
  desk.click_at(desk.centre("Lab time"));
  CHECK(desk.state().step);
}

TEST_CASE("lab: a branch without the division by the root, beside its parent", "[lab]") {
  Desk desk;
  desk.train(100);
  desk.state().step = 50;
  desk.settle();
  click(desk, "Branch");
  desk.settle();
  REQUIRE(desk.shown_lab().runs.size() == 2);
  CHECK(desk.run().branch == 50);
  click(desk, "Lab scaled");
  desk.settle();
  CHECK_FALSE(desk.run().knobs.operation.scaled);
  desk.train(100);
  CHECK(desk.says("from step 50"));
  CHECK(desk.says("not div"));
  click(desk, "Heads of: B");
  desk.settle();
  CHECK(desk.state().side == LabSide::B);
  click(desk, "Heads of: A − B");
  desk.settle();
  for (const std::string& one : collisions(texts_of(desk))) FAIL_CHECK(one);
  click(desk, "Run A");
  desk.settle();
  CHECK(desk.shown_lab().active == 0);
}

TEST_CASE("lab: heads are muted, the mask comes off, the rate is turned", "[lab]") {
  Desk desk;
  desk.train(50);
  desk.press(ImGuiKey_1);
  CHECK(desk.run().knobs.operation.muted == std::vector<std::uint8_t>{1, 0});
  click(desk, "Mute L0H0");
  desk.settle();
  CHECK(desk.run().knobs.operation.muted == std::vector<std::uint8_t>{0, 0});
  const bool causal = desk.run().knobs.operation.causal;
  click(desk, causal ? "Lab mask: None" : "Lab mask: Causal");
  desk.settle();
  CHECK(desk.run().knobs.operation.causal != causal);
  CHECK(desk.run().changes.size() >= 2);
}

TEST_CASE("lab: another task, seed or control begins anew, and leaving stops", "[lab]") {
  Desk desk;
  desk.train(50);
  click(desk, "lab seed more");
  desk.settle();
  CHECK(desk.run().step == 0);
  CHECK(desk.shown_lab().recipe->seed == 1);
  click(desk, "Lab task");
  desk.frame(3);
  click(desk, "Reverse");
  desk.settle();
  CHECK(desk.shown_lab().recipe->task == "reverse");
  click(desk, "Lab control");
  desk.settle();
  CHECK(*desk.shown_lab().recipe == training::prepared(recipe_of(desk.state())));
  desk.state().playing = true;
  desk.frame(3);
  desk.key(ImGuiKey_Escape);
  desk.settle();
  CHECK(desk.app().view().mode == Mode::Explore);
  CHECK_FALSE(desk.app().training().is_training());
}

TEST_CASE("lab: the wall of seeds", "[lab]") {
  Desk desk;
  desk.key(ImGuiKey_W);
  desk.frame(3);
  CHECK(desk.says("of 16 runs"));
  for (int i = 0; i < 20'000 && desk.app().training().wall().done() < 2; ++i) desk.frame();
  CHECK(desk.app().training().wall().done() >= 2);
  desk.press(ImGuiKey_W);
  CHECK(desk.app().training().wall().stopped);
  const training::ShownWall& wall = desk.app().training().wall();
  CHECK((desk.exactly("several").size() == 1 && desk.exactly("needed").size() == 1));
  CHECK(desk.says("Redundancy in " + std::to_string(training::count_work(wall).redundant)));
  for (const std::string& one : collisions(texts_of(desk))) FAIL_CHECK(one);

  // More seeds: the finished runs stay, and new ones are appended.
  const auto first = desk.app().training().wall().runs.front();
  click(desk, "Seeds: 64");
  CHECK(desk.state().wall_seeds == 64);
  CHECK(desk.says("Run 64 seeds"));
  desk.key(ImGuiKey_W);
  desk.frame(3);
  CHECK(desk.says("of 64 runs"));
  for (int i = 0; i < 20'000 && desk.app().training().wall().done() < 3; ++i) desk.frame();
  CHECK(desk.app().training().wall().runs.front() == first);
  CHECK(desk.app().training().wall().runs[2]->seed == first->seed + 2);
  desk.press(ImGuiKey_W);
  click(desk, "Lab control");  // another recipe: the wall starts again
  desk.key(ImGuiKey_W);
  desk.frame(3);
  CHECK(desk.app().training().wall().done() == 0);
  desk.press(ImGuiKey_W);
}

TEST_CASE("lab: a head has its name by its score and a word for what muting it costs", "[lab]") {
  Desk desk;
  desk.train(300);
  const training::LabPoint& point = *desk.run().points.back();
  std::size_t needed = 0;
  for (std::size_t head = 0; head < 2; ++head) {
    const training::HeadJob job = training::job_of_head(*desk.shown_lab().task, point, head);
    REQUIRE(job.score >= 0);
    CHECK(job.group == static_cast<std::size_t>(job.score));  // each is measured on its own read-out
    needed += job.need == training::Need::Needed ? 1 : 0;
    CHECK(desk.says(fixed(-job.cost, 2)));
  }
  CHECK(needed == 2);
  CHECK(desk.exactly("needed").size() == 2 + 1);  // and the wall's column
  CHECK_FALSE(desk.says("no name yet"));
  CHECK(desk.says("even weights " + fixed(point.metrics.even_scores[0], 2)));
  CHECK(desk.exactly("L0H0").size() >= 2);
  CHECK_FALSE(desk.says("L1H"));
  for (const std::string& one : collisions(texts_of(desk))) FAIL_CHECK(one);
}

TEST_CASE("lab: the axis of steps is as long at the start of a run as at its end", "[lab]") {
  Desk desk;
  const std::string last = std::to_string(desk.shown_lab().recipe->steps);
  const std::vector<PlacedText> before = desk.exactly(last);
  REQUIRE(!before.empty());
  desk.train(125);
  const std::vector<PlacedText> after = desk.exactly(last);
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(after[i].x0 == before[i].x0);
}

TEST_CASE("lab: ↑ and ↓ ring no control, so Space still trains and pauses", "[lab]") {
  Desk desk(1280, 720);
  for (const ImGuiKey arrow : {ImGuiKey_DownArrow, ImGuiKey_UpArrow}) {
    desk.key(arrow);
    desk.key(arrow);
    desk.frame(2);
    CHECK_FALSE(ImGui::GetIO().NavVisible);
    const bool was_playing = desk.state().playing;
    desk.key(ImGuiKey_Space);
    desk.frame(2);
    CHECK(desk.state().playing != was_playing);
  }
}

TEST_CASE("lab: the maps of heads are those of run B where that is asked for", "[lab]") {
  Desk desk;
  desk.train(100);
  desk.state().step = 50;
  desk.settle();
  click(desk, "Branch");
  desk.settle();
  desk.press(ImGuiKey_1);  // its first head gives zeros
  desk.train(100);
  const training::LabRun& b = *desk.shown_lab().runs[1];
  REQUIRE(b.knobs.operation.muted == std::vector<std::uint8_t>{1, 0});
  const std::size_t of_a = desk.exactly("muted").size();
  click(desk, "Heads of: B");
  desk.settle();
  CHECK(desk.exactly("muted").size() == of_a + 1);
  CHECK(desk.says(fixed(b.points.back()->metrics.entropy[1], 2)));
  for (const std::string& one : collisions(texts_of(desk))) FAIL_CHECK(one);
}

TEST_CASE("lab: a session keeps what was chosen", "[lab]") {
  const TemporaryDirectory folder;
  std::vector<float> weights;
  std::int64_t steps = 0;
  {
    Desk desk;
    desk.state().seed = 3;
    desk.settle();
    desk.train(50);
    desk.state().steps_a_frame = 8;
    desk.state().wall_seeds = 32;
    desk.settle();
    steps = desk.run().step;
    weights = desk.run().moments.back()->snapshot->weights;
    desk.app().files().saving.save(folder / "lab.json");
  }
  Robot again;
  again.app().files().opening.open(folder / "lab.json");
  again.settle();
  CHECK(again.app().view().mode == Mode::Training);
  CHECK(lab_of(again.app().view()).task == "two-jobs");
  CHECK(lab_of(again.app().view()).seed == 3);
  CHECK(lab_of(again.app().view()).steps_a_frame == 8);
  CHECK(lab_of(again.app().view()).wall_seeds == 32);
  // It was trained again up to the same step, with the same bits.
  const training::LabRun& run = *again.app().training().shown_lab().run();
  CHECK(steps >= 50);
  CHECK(run.step == steps);
  CHECK(run.moments.back()->snapshot->weights == weights);
}

TEST_CASE("lab: every measurement of the run is saved, as CSV and as nothing else", "[lab]") {
  const TemporaryDirectory folder;
  Desk desk;
  desk.state().seed = 3;
  desk.settle();
  CHECK(desk.says("float32   ·   seed 3"));  // in the status line
  desk.train(50);
  desk.app().files().saving.save(folder / "run.csv");
  CHECK(test::bytes_of(folder / "run.csv") == training::log_of(desk.shown_lab(), desk.run()));
  desk.app().files().saving.save(folder / "run.npy");
  CHECK(desk.app().message().find("saved as .csv") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "run.npy"));
}

TEST_CASE("lab: no words meet in a small window, in both languages", "[lab]") {
  for (const char* language : {"en", "de"}) {
    CAPTURE(language);
    Desk desk(1280, 720);
    desk.app().view().language = language;
    desk.train(50);
    for (const std::string& one : collisions(texts_of(desk))) FAIL_CHECK(one);
  }
}

}  // namespace attnscope::lab_view_test
